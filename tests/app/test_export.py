"""The vault for other programs: only what changed is written, and nothing of anybody else's is touched."""

import json
import shutil

import pytest

from agent_memory.app import export, vault
from agent_memory.errors import FileError
from agent_memory.model.memory import Add, Batch, Draft, Move, PageRef
from tests.npm_vault import installed

SECRET = "Zk3vQ9xT2bLw7RfYp0aHsd5"
COOKIE = "dev/decisions/1773309904511.md"


@pytest.fixture
def npm(workspace):
    return installed(workspace)


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "my notes"


def exported(workspace, folder):
    with workspace.app() as app:
        return export.obsidian(app, folder)


def tree(folder):
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def test_each_memory_becomes_a_note_and_the_vault_stays_as_it_is(npm, notes):
    before = npm.files()
    done = exported(npm, notes)

    assert len(tree(notes)) == len(done.taken) == len(npm.memories()) == 12
    assert "Reason: the login page must work without scripts." in (notes / COOKIE).read_text(encoding="utf-8")
    assert npm.files() == before


def test_only_what_has_changed_is_written(npm, notes):
    exported(npm, notes)
    before = tree(notes)
    assert exported(npm, notes).taken == []
    assert tree(notes) == before
    with npm.app() as app:
        vault.edit(app, "dev", "decisions", "1773309904511", "Sessions live in a signed cookie.")
    done = exported(npm, notes)

    assert [row.what for row in done.taken] == [COOKIE]
    assert {name for name, held in tree(notes).items() if held != before[name]} == {COOKIE}


def test_notes_whose_memory_is_gone_are_deleted_and_others_never(npm, notes):
    exported(npm, notes)
    strange = {
        "dev/decisions/17.md": "mine",
        "dev/decisions/thoughts.md": "mine",
        "1773309904511.md": "mine",
        "a/b/c/1.md": "x",
    }
    for name, text in strange.items():
        (notes / name).parent.mkdir(parents=True, exist_ok=True)
        (notes / name).write_text(text, encoding="utf-8")
    shutil.copy(notes / COOKIE, notes / "copy of one.md")
    before = tree(notes)
    with npm.app() as app:
        vault.delete(app, "dev", "decisions", "1773309904511")
    done = exported(npm, notes)

    assert done.pruned == [COOKIE]
    assert tree(notes) == {name: held for name, held in before.items() if name != COOKIE}


def test_a_note_that_somebody_edited_or_that_is_somebodys_is_left_and_named(npm, notes):
    exported(npm, notes)
    (notes / COOKIE).write_text((notes / COOKIE).read_text(encoding="utf-8") + "\nMy thought.\n", encoding="utf-8")
    (notes / "dev/tasks/1773572400007.md").write_text("mine", encoding="utf-8")
    before = tree(notes)
    done = exported(npm, notes)
    with npm.app() as app:
        vault.delete(app, "dev", "decisions", "1773309904511")
    gone = exported(npm, notes)

    assert {row.what for row in done.skipped} == {COOKIE, "dev/tasks/1773572400007.md"}
    assert COOKIE in {row.what for row in gone.skipped}
    assert tree(notes) == before


def test_the_archive_and_copies_of_a_move_cut_short_are_one_note_each(npm, notes):
    with npm.app() as app:
        page = PageRef("dev", "decisions")
        app.vault.update(lambda view: Batch((Move(page, "1773309904511"),)), verb="compact")
    archive = npm.memory / "dev/archive/decisions.md"
    page_path = npm.memory / "dev/decisions.md"
    exported(npm, notes)
    assert "archived: true" in (notes / COOKIE).read_text(encoding="utf-8")

    page_path.write_bytes(page_path.read_bytes() + b"\n\n" + archive.read_bytes().partition(b"---\n\n")[2])
    exported(npm, notes)
    assert "archived: false" in (notes / COOKIE).read_text(encoding="utf-8")
    assert len(tree(notes)) == 12


def test_entries_without_an_id_and_two_with_one_have_notes_of_their_own(npm, notes):
    page = npm.memory / "ana/notes.md"
    twins = "<!-- id:5 -->\n## 2026-03-01\n\none\n\n<!-- id:5 -->\n## 2026-03-01\n\ntwo\n"
    page.write_text(twins + "\n## 2026-02-01\n\nby hand\n\n## 2026-02-01\n\nby hand\n", encoding="utf-8")
    exported(npm, notes)

    assert {"5.md", "5-2.md"} < {path.name for path in (notes / "ana/notes").iterdir()}
    assert len(list((notes / "ana/notes").iterdir())) == 4
    page.unlink()
    assert len(exported(npm, notes).pruned) == 4


@pytest.mark.parametrize("how", ["obsidian", "json"])
def test_secrets_are_left_out_even_where_a_person_wrote_them(npm, notes, how):
    page = npm.memory / "ana/lessons.md"
    page.write_text(f"## 2026-03-01 · #a\n\nAPI_KEY={SECRET}\n", encoding="utf-8")
    (npm.memory / "_project.md").write_text(f"API_KEY={SECRET}\n", encoding="utf-8")
    with npm.app() as app:
        export.obsidian(app, notes) if how == "obsidian" else export.write_json(app, notes / "x.json")

    assert tree(notes)
    assert not [name for name, (data, _) in tree(notes).items() if SECRET.encode() in data]
    assert SECRET in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("inside", ["", "x/y", "../.memory/z"])
def test_the_memory_folder_itself_is_no_place_for_an_export(npm, inside):
    before = npm.files()
    with pytest.raises(FileError, match="memory folder itself"):
        exported(npm, npm.memory / inside)

    assert npm.files() == before


def test_json_holds_everything_and_is_written_over_nothing_else(npm, tmp_path):
    target = tmp_path / "new" / "memory.json"
    with npm.app() as app:
        assert export.write_json(app, target)
        assert not export.write_json(app, target)
        whole = json.loads(target.read_text(encoding="utf-8"))
        app.vault.update(
            lambda view: Batch((Add(PageRef("ana", "notes"), Draft("Olá.", app.clock.now(), "user")),)), verb="add"
        )
        assert export.write_json(app, target)

    assert {row["content"] for row in whole["entries"]} == {memory.body for memory in npm.memories()} - {"Olá."}
    assert whole["project"].startswith("# The shop")
    target.write_text('{"theirs": 1}', encoding="utf-8")
    with npm.app() as app, pytest.raises(FileError, match="no export of ours"):
        export.write_json(app, target)


def test_bytes_that_are_no_text_are_exported_as_well_as_they_can_be(npm, notes):
    page = npm.memory / "ana/lessons.md"
    page.write_bytes(b"<!-- id:5 confidence:x by:\xe9 links:a>\xff -->\n## 2026-03-01 \xb7 #\xe9\n\ncaf\xe9 \0\n")
    exported(npm, notes)
    with npm.app() as app:
        export.write_json(app, notes / "x.json")

    assert "caf?" in (notes / "ana/lessons/5.md").read_text(encoding="utf-8")
    assert exported(npm, notes).taken == []


def test_a_vault_that_is_not_there_exports_nothing_and_makes_nothing(workspace, notes):
    exported(workspace, notes)

    assert not notes.exists()
    assert not workspace.memory.exists()


def test_agents_whose_names_differ_in_case_alone_have_notes_of_different_names(npm, notes):
    (npm.memory / "DEV").mkdir()
    shutil.copy(npm.memory / "dev" / "decisions.md", npm.memory / "DEV" / "decisions.md")
    exported(npm, notes)
    names = [name.casefold() for name in tree(notes)]

    assert len(names) == len(set(names)) == len(npm.memories())
    assert exported(npm, notes).taken == []


def test_a_note_of_ours_under_the_name_that_its_file_system_gives_the_folder_stays(npm, notes):
    exported(npm, notes)
    (notes / "DEV" / "decisions").mkdir(parents=True)
    (notes / "DEV" / "decisions" / "1773309904511.md").hardlink_to(notes / COOKIE)

    assert exported(npm, notes).pruned == []
    assert (notes / COOKIE).exists()


@pytest.mark.parametrize("name", ["taken.jsonl", "dev/new.json", ".vault/x"])
def test_no_export_goes_into_the_memory_folder(npm, name):
    before = npm.files()
    with npm.app() as app, pytest.raises(FileError, match="memory folder"):
        export.write_json(app, npm.memory / name)
    assert npm.files() == before
