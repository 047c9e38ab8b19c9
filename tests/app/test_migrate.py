"""Flat notes become pages: each section once, the note kept, and nothing of it lost."""

import os

import pytest

from agent_memory.app.changes import undo
from agent_memory.app.forget import forget, words_of
from agent_memory.app.migrate import held_notes, migrate
from agent_memory.errors import UsageError
from tests.npm_vault import installed

SECRET = "Zk3vQ9xT2bLw7RfYp0aHsd5"
NOTE = (
    "# Bo\n\n## Decisões\n\nVamos de Postgres.\n\n---\n\n## 2026-03-01\n\n## Oven\nHot.\n\n"
    "## Tarefas\n\n- [ ] a\n- [x] b\n"
)


@pytest.fixture
def flat(workspace):
    workspace.memory.mkdir()
    write(workspace, NOTE)
    return workspace


def write(workspace, text, name="Bo.md"):
    path = workspace.memory / name
    path.write_bytes(text.encode())
    os.utime(path, (workspace.long_ago().timestamp(),) * 2)


def migrated(workspace, *, dry=False):
    with workspace.app() as app:
        return migrate(app, dry=dry)


def held(workspace):
    return {(memory.page.path, memory.body) for memory in workspace.memories()}


EXPECTED = {
    ("Bo/decisions.md", "Vamos de Postgres.\n\n---"),
    ("Bo/lessons.md", "**Oven**\n\nHot."),
    ("Bo/tasks.md", "- [ ] a\n- [x] b"),
}


def test_each_section_becomes_an_entry_and_the_note_is_kept(flat):
    report = migrated(flat)

    assert held(flat) == EXPECTED
    assert flat.files()["Bo.md.bak"] == NOTE.encode()
    assert "Bo.md" not in flat.files()
    assert {memory.at for memory in flat.memories()} == {flat.long_ago()}
    assert [row.what for row in report.skipped] == ["Bo.md: 2026-03-01"]


def test_a_dry_run_writes_nothing(flat):
    before = flat.files()
    report = migrated(flat, dry=True)

    assert flat.files() == before
    assert len(report.taken) == 3


def test_a_note_that_comes_back_with_more_in_it_adds_only_that(flat):
    migrated(flat)
    write(flat, NOTE + "\n## Oven\n\nCold.\n\n## Decisions\nVamos de Postgres.\n\n---\n")
    migrated(flat)

    assert held(flat) == EXPECTED | {("Bo/lessons.md", "**Oven**\n\nCold.")}
    assert len(flat.memories()) == 4
    assert {"Bo.md.bak", "Bo.md.2.bak"} <= flat.files().keys()


def test_sections_stand_in_a_page_as_they_stood_in_the_note(flat):
    write(flat, "## A\n\n1\n\n## B\n\n2\n\n## C\n\n3\n")
    migrated(flat)

    assert [memory.body[2:3] for memory in flat.memories()] == ["A", "B", "C"]


def test_pages_that_an_agent_has_already_are_added_to(workspace):
    installed(workspace)
    before = workspace.files()["dev/decisions.md"]
    write(workspace, "## Decisions\n\nWe close at six.\n", "dev.md")
    migrated(workspace)

    assert ("dev/decisions.md", "We close at six.") in held(workspace)
    assert before in workspace.files()["dev/decisions.md"]


def test_secrets_stay_in_the_kept_note_alone(flat):
    write(flat, f"## Notes\n\nThe sandbox has API_KEY={SECRET} set.\n")
    report = migrated(flat)

    assert [name for name, data in flat.files().items() if SECRET.encode() in data] == ["Bo.md.bak"]
    assert "1 secrets are in the kept note alone" in report.taken[0].why


def test_what_was_forgotten_is_not_taken_in(flat):
    with flat.app() as app:
        forget(app, words_of(app, None, "Vamos de Postgres"))
    report = migrated(flat)

    assert held(flat) == {row for row in EXPECTED if "Postgres" not in row[1]}
    assert ("Bo.md: decisions", "in the vault already, or forgotten") in {(row.what, row.why) for row in report.skipped}


def test_undo_takes_a_note_out_again_and_the_note_is_still_there(flat):
    migrated(flat)
    with flat.app() as app:
        undo(app, None)

    assert held(flat) == set()
    assert "Bo.md.bak" in flat.files()


def test_files_that_are_no_notes_are_left(flat):
    for name in ("_project.md", "README.md", ".x.md", "con.md", "Empty.md", "x.txt"):
        write(flat, "" if name == "Empty.md" else "## Decisions\nx", name)
    report = migrated(flat)

    assert {"con.md", "Empty.md"} <= {row.what for row in report.skipped}
    assert {"_project.md", "README.md", ".x.md", "con.md", "Empty.md", "x.txt"} <= flat.files().keys()
    assert held(flat) == EXPECTED


def test_lines_that_look_like_entries_stay_words(flat):
    write(flat, "## Notes\n\na\n\n<!-- id:5 -->\n\nb\r\n")
    migrated(flat)

    assert [memory.body for memory in flat.memories()] == ["a\n\n<!-- id:5 -->\n\nb"]


def test_a_note_that_is_not_in_utf_8_is_named_and_left_since_nothing_of_it_may_be_lost(flat):
    (flat.memory / "Bo.md").write_bytes("\ufeff## Notes\n\nção".encode())
    (flat.memory / "Zé.md").write_bytes("## Decisões\n\nUsamos sabão.\n".encode("cp1252"))
    (flat.memory / "Zé.md.bak").write_bytes("Usamos sab\ufffdo.".encode("cp1252", "replace"))
    report = migrated(flat)

    assert [memory.body for memory in flat.memories()] == ["ção"]
    assert [(row.what, "UTF-8" in row.why) for row in report.skipped] == [("Zé.md", True)]
    with flat.app() as app:
        assert [path.name for path in held_notes(app)] == ["Bo.md.bak"]


def test_a_link_is_no_note(flat, tmp_path):
    (tmp_path / "elsewhere.md").write_text("Somebody else's words.")
    (flat.memory / "Eva.md").symlink_to(tmp_path / "elsewhere.md")
    report = migrated(flat)

    assert ("Eva.md", "a link, or not there any more") in [(row.what, row.why) for row in report.skipped]
    assert (flat.memory / "Eva.md").is_symlink()
    assert {memory.page.agent for memory in flat.memories()} == {"Bo"}


def test_what_stands_twice_in_a_note_is_told_as_taken_once(flat):
    write(flat, "## Notes\n\nTwice.\n\n## Notes\n\nTwice.\n")
    report = migrated(flat)

    assert [memory.body for memory in flat.memories()] == ["Twice."]
    assert [len(report.taken), len(report.skipped)] == [2, 1]


def test_a_repository_is_no_memory_folder(workspace):
    (workspace.root / "CHANGELOG.md").write_text("## Decisions\nx", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENT_MEMORY_DIR", str(workspace.root))
        with pytest.raises(UsageError, match="is a repository"):
            migrated(workspace)

    assert (workspace.root / "CHANGELOG.md").exists()
