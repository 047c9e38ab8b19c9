"""Notes in a workspace: this project's and those for all, recalled and forgotten."""

import logging

import pytest

from agent_memory.app import changes, notes
from agent_memory.errors import InvalidValue, UnknownEntry


def bodies(hits):
    return [hit.body for hit in hits]


def test_a_note_for_all_projects_is_recalled_everywhere_and_the_others_at_home(workspace):
    with workspace.app() as app:
        notes.store(app, "The bakery's oven needs ten minutes.")
        notes.store(app, "Bakery answers are to be short.", scope="all")
        assert len(notes.recall(app, "bakery")) == 2
        assert bodies(notes.recall(app, "bakery", scope="project")) == ["The bakery's oven needs ten minutes."]
    other = workspace.root.parent / "other"
    other.mkdir()
    with type(workspace)(other, workspace.home, workspace.clock).app() as app:
        assert bodies(notes.recall(app, "bakery")) == ["Bakery answers are to be short."]
        assert notes.recall(app, "bakery", scope="project") == []


def test_project_and_user_take_turns_and_k_is_the_most(workspace):
    with workspace.app() as app:
        for number, name in enumerate(("one", "two", "three")):
            notes.store(app, f"oven {name} here")
            notes.store(app, f"oven {name} everywhere", scope="all" if number < 2 else "project")
        hits = notes.recall(app, "oven", k=4)

    assert [hit.page.agent for hit in hits] == ["default", "user", "default", "user"]


def test_every_tag_must_be_there_however_many_others_match_the_words(workspace):
    with workspace.app() as app:
        for number in range(60):
            notes.store(app, f"oven number {number} is warm", ["hot"])
        wanted = notes.store(app, "an oven of another kind", ["hot", "Ação/pool.py"]).id

        assert [hit.id for hit in notes.recall(app, "oven", tags=["hot", "ação/pool.py"], k=5)] == [wanted]
        assert [hit.id for hit in notes.recall(app, tags=["#ação/pool-py"])] == [wanted]
        assert notes.recall(app, "oven", tags=["hot", "cold"]) == []


@pytest.mark.parametrize(
    ("given", "field"),
    [({}, "query"), ({"text": "x", "k": 0}, "k"), ({"text": "x", "k": 51}, "k"), ({"tags": ["t" * 41]}, "tags")],
)
def test_a_question_that_cannot_be_is_refused_with_its_field(workspace, given, field):
    with workspace.app() as app, pytest.raises(InvalidValue) as refused:
        notes.recall(app, **given)
    assert refused.value.facts["field"] == field


def test_a_question_of_any_length_is_answered(workspace):
    with workspace.app() as app:
        notes.store(app, "The oven needs ten minutes.")
        assert bodies(notes.recall(app, "the oven, " + "and so on " * 20_000)) == ["The oven needs ten minutes."]


def test_a_note_is_read_by_its_id_even_once_it_has_left(workspace):
    with workspace.app(notes__max_entries=1) as app:
        first = notes.store(app, "The first of two notes.").id
        workspace.clock.advance(minutes=1)
        notes.store(app, "Quite something else.")

        assert notes.recall(app, "first") == []
        assert notes.by_id(app, first).body == "The first of two notes."
        with pytest.raises(UnknownEntry):
            notes.by_id(app, "7")


def test_what_is_recalled_stays_longer(workspace):
    with workspace.app(notes__max_entries=3) as app:
        for name in ("alpha", "beta", "gamma"):
            notes.store(app, f"{name} is a letter")
            workspace.clock.advance(minutes=1)
        notes.recall(app, "alpha")
        notes.by_id(app, notes.recall(app, "gamma")[0].id)
        notes.store(app, "delta is a letter")

        assert sorted(bodies(notes.recall(app, "letter", k=10))) == [
            f"{n} is a letter" for n in ("alpha", "delta", "gamma")
        ]


def test_recalling_changes_no_page(workspace):
    with workspace.app() as app:
        notes.store(app, "The oven needs ten minutes.")
        before = {name: data for name, data in workspace.files().items() if ".vault" not in name}
        notes.recall(app, "oven")
        assert {name: data for name, data in workspace.files().items() if ".vault" not in name} == before


def test_deleting_can_be_undone_and_forgetting_cannot(workspace):
    with workspace.app() as app:
        entry = notes.store(app, "The purple oven needs ten minutes.").id
        notes.delete(app, entry)
        assert notes.recall(app, "oven") == []
        changes.undo(app, None)
        assert bodies(notes.recall(app, "oven")) == ["The purple oven needs ten minutes."]

        notes.forget(app, entry)
        assert notes.recall(app, "oven") == []
    assert not [name for name, data in workspace.files().items() if b"purple" in data]


def test_what_is_no_note_is_not_forgotten_as_one(workspace):
    from agent_memory.app import vault

    with workspace.app() as app:
        entry = vault.add(app, "default", "decisions", "Use SQLite.", []).memory.id
        with pytest.raises(UnknownEntry):
            notes.forget(app, entry)


def test_secrets_are_taken_out_of_words_and_tags(workspace):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with workspace.app() as app:
        assert notes.store(app, f"use {token} there").redactions == 1
        assert notes.store(app, "x", [token, "y"]).redactions == 1
        assert notes.recall(app, "x")[0].tags == ("y",)
    assert not [name for name, data in workspace.files().items() if token.encode() in data]


def test_the_limit_is_the_settings(workspace):
    with workspace.app(notes__max_content_chars=5) as app, pytest.raises(InvalidValue, match="5 is the most"):
        notes.store(app, "123456")


def test_an_edit_by_hand_is_recalled_at_once(workspace):
    with workspace.app() as app:
        notes.store(app, "The oven needs ten minutes.")
        page = workspace.memory / "default" / "notes.md"
        page.write_text(page.read_text(encoding="utf-8").replace("ten", "twelve"), encoding="utf-8")
        assert bodies(notes.recall(app, "twelve")) == ["The oven needs twelve minutes."]


def test_no_log_has_words_of_a_fact_or_a_note(workspace, caplog, monkeypatch):
    from agent_memory.app import profile
    from agent_memory.model.memory import Fact

    caplog.set_level("DEBUG", logger="agent_memory")
    monkeypatch.setattr(logging.getLogger("agent_memory"), "propagate", True)  # a command may have had its own way
    with workspace.app() as app:
        profile.set_fact(app, Fact("codename", "Bluefinch"))
        notes.store(app, "The Bluefinch oven needs ten minutes.")
        for name in ("default/profile.md", "default/notes.md"):
            page = workspace.memory / name
            page.write_text(page.read_text(encoding="utf-8").replace("Bluefinch", "Greenfinch"), encoding="utf-8")
        journal = workspace.memory / ".vault" / "journal.jsonl"
        journal.unlink()
        journal.mkdir()
        _ = app.mirror
        profile.told(app, "default", "what is the codename")
        notes.recall(app, "oven")

    assert "could not be noted" in caplog.text
    assert "finch" not in caplog.text


def test_forgetting_words_reaches_the_users_own_vault(workspace):
    from agent_memory.app.forget import forget, preview, words_of

    with workspace.app() as app:
        notes.store(app, "The purple oven needs ten minutes.", by="agent", scope="all")
        own = notes.store(app, "My purple oven needs twelve.", scope="all").id
        words = words_of(app, None, "purple oven")
        assert len(preview(app, words).removed) == 1

        done = forget(app, words)

        assert ([memory.body for memory in done.removed], done.kept) == (
            ["The purple oven needs ten minutes."],
            (f"user/notes.md, entry {own}",),
        )
        forget(app, words_of(app, own, None))
        assert notes.recall(app, "oven") == []
        assert b"purple" not in b"".join(p.read_bytes() for p in app.user.folder.root.rglob("*") if p.is_file())
