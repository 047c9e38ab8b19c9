"""Settings that are written by a command: one line changes, and the file stays a person's."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.app import config
from agent_memory.app.config import with_value
from agent_memory.errors import FileError, UsageError

KEYS = ("context.max_tokens", "recall.rewrite.mode", "workspace.agent", "recall.rewrite.history_turns")
VALUES = st.one_of(st.integers(0, 99), st.booleans(), st.text(st.characters(codec="utf-8", exclude_categories=["Cs"])))


def test_a_setting_goes_into_the_workspaces_file_and_counts_from_then_on(workspace):
    with workspace.app() as app:
        path, value = config.put(app, "context.max_tokens", "900")
    with workspace.app() as app:
        found = config.get(app, "context.max_tokens")

    assert (path, value) == (workspace.memory / "config.toml", 900)
    assert (found.value, found.source) == (900, f"{path}, line 1")


def test_what_is_personal_goes_into_the_users_own_file(workspace):
    with workspace.app() as app:
        path, _ = config.put(app, "reflection.model", "small")
        assert path == app.places.user_config
    with workspace.app() as app:
        assert config.get(app, "reflection.model").value == "small"


def test_comments_order_and_other_lines_stay():
    text = "# Ours\n\n[context]\nmax_tokens = 900   # enough\n\n[recall.rewrite]\nmode = 'off'\n"

    assert with_value(text, "context.max_tokens", 800) == text.replace("900", "800")
    assert with_value(text, "recall.rewrite.mode", "terms") == text.replace("'off'", '"terms"')
    assert with_value(text, "recall.rewrite.history_turns", 2) == text.replace(
        "[recall.rewrite]\n", "[recall.rewrite]\nhistory_turns = 2\n"
    )
    assert with_value(text, "workspace.agent", "ana") == 'workspace.agent = "ana"\n' + text


def test_a_file_that_one_line_cannot_change_is_left_to_the_person(workspace):
    with workspace.app() as app:
        app.vault.prepare()
        (workspace.memory / "config.toml").write_text("context = { max_tokens = 900 }\n", encoding="utf-8")
        with pytest.raises(FileError, match="only you can change"):
            config.put(app, "context.max_tokens", "800")


@pytest.mark.parametrize(("key", "value"), [("context.max_tokns", "9"), ("context.max_tokens", "much")])
def test_what_is_no_setting_or_no_value_is_refused(workspace, key, value):
    with workspace.app() as app, pytest.raises(UsageError) as caught:
        config.put(app, key, value)
    assert caught.value.hint
    assert not (workspace.memory / "config.toml").exists()


@given(st.lists(st.tuples(st.sampled_from(KEYS), VALUES)))
def test_whatever_is_set_after_whatever_reads_back(writes):
    text = ""
    for key, value in writes:
        new = with_value(text, key, value)
        assert new is not None
        text = new
    tree = tomllib.loads(text)
    for key, value in dict(writes).items():
        found = tree
        for name in key.split("."):
            found = found[name]
        assert found == value
