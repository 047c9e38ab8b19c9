from typing import Any

import pytest

from agent_memory.app.rewriting import query_for
from agent_memory.recall.rewrite import History
from tests.servers import ModelServer, drips, model_server, refuses, says
from tests.workspace import Workspace

SAID: History = [("user", "How does the Redis queue retry orders?"), ("assistant", "Three times.")]
MESSAGE = "and on Windows?"
REWRITTEN = "Does the Redis queue retry orders on Windows?"


def query(workspace: Workspace, server: ModelServer | None = None, session: str = "s", **settings: Any) -> str:
    flags = server.settings(**settings) if server else settings
    with workspace.app(**flags) as app:
        return query_for(app, session, MESSAGE, SAID)


def outcomes(workspace: Workspace) -> list[str]:
    with workspace.app() as app:
        return [entry.spent.outcome for entry in app.state.calls.entries()]


def test_a_model_rewrites_once_for_a_session_message_and_history(workspace):
    with model_server(says(f"<query>{REWRITTEN}</query>")) as server:
        found = [query(workspace, server), query(workspace, server), query(workspace, server, session="other")]

    assert found == [REWRITTEN] * 3
    assert len(server.requests) == 2


@pytest.mark.parametrize(("script", "outcome"), [(refuses(500), "failed"), (drips, "timeout"), (says("Sure!"), "none")])
def test_where_it_fails_the_message_stays_and_nobody_waits_for_it_again(workspace, script, outcome):
    timeout_s = 0.3 if outcome == "timeout" else 60.0
    with model_server(script) as server:
        found = [query(workspace, server, recall__rewrite__timeout_s=timeout_s) for _ in range(2)]

    assert found == [MESSAGE] * 2
    assert outcomes(workspace) == [outcome]


def test_the_days_cap_holds_for_rewriting_too(workspace):
    with model_server(says(f"<query>{REWRITTEN}</query>")) as server:
        assert query(workspace, server, reflection__daily_token_cap=10) == MESSAGE

    assert server.requests == []


def test_secrets_are_not_sent(workspace):
    secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    with model_server(says("NONE")) as server, workspace.app(**server.settings()) as app:
        query_for(app, "s", f"and with {secret}?", [("user", f"My token is {secret}, use it.")])

    assert secret not in server.requests[0].text


def test_without_an_endpoint_words_of_the_last_turns_join(workspace):
    assert query(workspace) == f"{MESSAGE} Three times Redis queue retry orders"
    assert not workspace.memory.exists()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"recall__rewrite__mode": "off"}, MESSAGE),
        ({"recall__rewrite__mode": "terms"}, f"{MESSAGE} Three times Redis queue retry orders"),
        ({"recall__rewrite__history_turns": 0}, MESSAGE),
    ],
)
def test_settings_say_how_far_it_goes_and_nothing_is_sent_for_less(workspace, settings, expected):
    with model_server(says(f"<query>{REWRITTEN}</query>")) as server:
        assert query(workspace, server, **settings) == expected

    assert server.requests == []


def test_every_message_is_rewritten_where_that_is_asked_for(workspace):
    whole = "How does the Redis queue retry the orders of the bakery on Windows?"
    with model_server(says(f"<query>{REWRITTEN}</query>")) as server:
        for mode, expected in (("heuristic", whole), ("always", REWRITTEN)):
            with workspace.app(**server.settings(recall__rewrite__gate_mode=mode)) as app:
                assert query_for(app, "s", whole, SAID) == expected

    assert len(server.requests) == 1


def test_no_secret_in_a_sessions_name_is_written_down(workspace):
    secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    with model_server(says("NONE")) as server:
        query(workspace, server, session=f"chat {secret}")

    assert not [name for name, data in workspace.files().items() if secret.encode() in data]


def test_a_missing_key_keeps_nobody_from_recalling(workspace, caplog):
    found = query(workspace, reflection__base_url="http://127.0.0.1:9", reflection__key_env="NOT_SET_ANYWHERE")

    assert found == f"{MESSAGE} Three times Redis queue retry orders"
    assert "NOT_SET_ANYWHERE" in caplog.text
