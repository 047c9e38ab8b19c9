"""Reflection beside a running watcher: it is heard of in time, and never in the way."""

from agent_memory.app import notes
from tests.app.test_consolidate import REPLY
from tests.app.test_watch import DECISION, bodies, eventually, now, watching
from tests.jobs.test_consolidate import LOCKS
from tests.servers import ModelServer, model_server, says, waits
from tests.workspace import Chat, Workspace

ASKED = "Our export of the invoices has to be ready before six, since the accountants start then."
RETOLD = "The export of the invoices has to be ready before six."
ANSWERED = "The export starts at three and is ready before six."


def fresh(workspace: Workspace, number: int = 1) -> Chat:
    chat = workspace.chat(number)
    chat.at = now()
    return chat


def outcomes(workspace: Workspace) -> list[str]:
    with workspace.app() as app:
        return sorted(entry.spent.outcome for entry in app.state.calls.entries() if entry.purpose == "reflection")


def asked_about(server: ModelServer) -> list[str]:
    return [request.text.partition("USER: ")[2].partition("\n")[0] for request in server.requests]


def test_an_exchange_is_reflected_on_once_it_has_settled(workspace):
    with model_server(says(f"NOTE {RETOLD}")) as server, watching(workspace, **server.settings()):
        chat = fresh(workspace).user(ASKED).assistant(ANSWERED).save(written=now())
        eventually(lambda: (workspace.memory / ".vault" / "state.sqlite3").exists(), within_s=10)
        chat.ended().save(written=now())
        eventually(lambda: bodies(workspace, "notes") == [RETOLD], within_s=20)

    assert asked_about(server) == [ASKED]


def test_a_silent_model_keeps_nobody_waiting(workspace):
    with model_server(says("NONE")) as server:
        server.scripts = [waits(server, says("NONE"))]
        with watching(workspace, **server.settings()) as running:
            fresh(workspace).user(ASKED).assistant(ANSWERED).ended().save(written=now())
            server.wait_for_request()
            fresh(workspace, 2).user(DECISION).assistant("On it.").save(written=now())
            eventually(lambda: bool(bodies(workspace, "decisions")), within_s=10)

        assert running.ended == "Stopped."
    assert outcomes(workspace) == ["aborted"]
    assert bodies(workspace, "notes") == []


def test_a_newer_exchange_of_the_conversation_ends_the_older_call_which_gets_one_more_chance(workspace):
    later = "And the export of the orders has to be ready before five, since the drivers leave then."
    with model_server(says("NONE")) as server:
        server.scripts = [waits(server, says("NONE")), says("NONE")]
        with watching(workspace, **server.settings()):
            chat = fresh(workspace).user(ASKED).assistant(ANSWERED).ended().save(written=now())
            server.wait_for_request()
            chat.user(later).assistant("The export of the orders is ready before five.").ended().save(written=now())
            eventually(lambda: outcomes(workspace) == ["aborted", "none", "none"], within_s=20)

    assert asked_about(server) == [ASKED, later, ASKED]


def test_an_exchange_of_another_conversation_waits_for_its_turn(workspace):
    with model_server(says("NONE")) as server:
        server.scripts = [waits(server, says("NONE")), says("NONE")]
        with watching(workspace, **server.settings()) as running:
            fresh(workspace).user(ASKED).assistant(ANSWERED).ended().save(written=now())
            server.wait_for_request()
            fresh(workspace, 2).user(DECISION).assistant("On it, it is SQLite.").ended().save(written=now())
            eventually(lambda: len(running.tallies) > 1, within_s=10)
            server.released.set()
            eventually(lambda: outcomes(workspace) == ["none", "none"], within_s=20)

    assert asked_about(server) == [ASKED, DECISION]


def test_a_backlog_is_not_sent_anywhere(workspace):
    workspace.chat().user(ASKED).assistant(ANSWERED).ended().save(written=workspace.long_ago())
    with model_server(says("NONE")) as server, watching(workspace, **server.settings()) as running:
        eventually(lambda: bool(running.tallies), within_s=10)
        fresh(workspace, 2).user(DECISION).assistant("On it, it is SQLite.").ended().save(written=now())
        eventually(lambda: bool(server.requests), within_s=20)

    assert asked_about(server) == [DECISION]


def test_a_greeting_is_not_sent_and_counted(workspace):
    with model_server(says("NONE")) as server, watching(workspace, **server.settings()):
        fresh(workspace).user("Hello!").assistant("Hello! How can I help?").ended().save(written=now())
        eventually(lambda: (workspace.memory / ".vault" / "state.sqlite3").exists(), within_s=10)
        eventually(lambda: outcomes(workspace) == ["skipped"], within_s=10)

    assert server.requests == []


def test_a_key_that_is_missing_costs_reflection_and_nothing_else(workspace, capsys):
    missing = "NOT_SET_ANYWHERE"
    with watching(workspace, reflection__base_url="http://127.0.0.1:9", reflection__key_env=missing) as running:
        fresh(workspace).user(DECISION).assistant("On it, it is SQLite.").ended().save(written=now())
        eventually(lambda: bool(bodies(workspace, "decisions")), within_s=10)
        fresh(workspace, 2).user(ASKED).assistant(ANSWERED).ended().save(written=now())
        eventually(lambda: len(running.tallies) > 1, within_s=10)

    assert capsys.readouterr().err.count(missing) == 1


def test_a_model_that_distils_keeps_nobody_waiting(workspace):
    with workspace.app() as app:
        for text in LOCKS:
            notes.store(app, text, by="agent")
            workspace.clock.advance(minutes=1)
    with model_server(says("NONE")) as server:
        server.scripts = [waits(server, says(REPLY)), says("NONE")]
        with watching(workspace, **server.settings()):
            server.wait_for_request()
            fresh(workspace).user(DECISION).assistant("On it.").save(written=now())
            eventually(lambda: bool(bodies(workspace, "decisions")), within_s=10)
            assert bodies(workspace, "lessons") == []
            server.released.set()
            eventually(lambda: bool(bodies(workspace, "lessons")), within_s=20)

    assert bodies(workspace, "lessons") == ["A report that holds the SQLite lock makes checkout fail."]


def test_a_watcher_that_ends_gives_up_distilling_and_the_next_one_asks_again(workspace):
    with workspace.app() as app:
        for text in LOCKS:
            notes.store(app, text, by="agent")
    with model_server(says("NONE")) as server:
        server.scripts = [waits(server, says(REPLY)), says(REPLY)]
        with watching(workspace, **server.settings()) as running:
            server.wait_for_request()
        assert running.ended == "Stopped."
        server.released.set()
        with watching(workspace, **server.settings()):
            eventually(lambda: bool(bodies(workspace, "lessons")), within_s=20)
