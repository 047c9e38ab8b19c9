"""The doctor: what is wrong, where, and what mends it; a sound vault has no findings."""

import os
from pathlib import Path

import pytest

from agent_memory.app import changes, tending, vault
from agent_memory.app.checks import examine
from agent_memory.app.doctor import Finding, restore
from agent_memory.errors import UnknownEntry
from tests.workspace import Workspace

DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."


@pytest.fixture
def taken(workspace):
    chat = workspace.chat().user(DECISION).assistant("Done, it is SQLite now.").ended()
    chat.save(written=workspace.long_ago())
    workspace.process()
    return workspace


def looked_at(workspace: Workspace) -> list[Finding]:
    with workspace.app() as app:
        return list(examine(app).findings)


def page(workspace: Workspace) -> Path:
    return workspace.memory / "default" / "decisions.md"


def the_finding(workspace: Workspace, about: str) -> Finding:
    return next(finding for finding in looked_at(workspace) if about in finding.what)


def test_a_sound_vault_has_no_findings_and_looking_changes_nothing(taken):
    before = taken.files()

    assert looked_at(taken) == []
    assert {name for name, data in taken.files().items() if before.get(name) != data and "sqlite3" not in name} == set()


def test_a_vault_that_does_not_exist_is_not_made(workspace):
    assert looked_at(workspace) == []
    assert not workspace.memory.exists()


def test_what_a_stale_editor_buffer_overwrote_is_listed_and_restored(taken):
    stale = page(taken).read_bytes()
    with taken.app() as app:
        new = vault.add(app, "default", "decisions", "We sell bread only.", []).memory
    page(taken).write_bytes(stale.replace(b"SQLite", b"MySQL"))

    found = the_finding(taken, "We sell bread")
    assert found == Finding(
        found.what, "default/decisions.md", f"agent-memory doctor --restore {new.id}", serious=False
    )
    with taken.app() as app:
        restore(app, new.id)

    memories = {memory.id: memory.raw for memory in taken.memories()}
    assert memories[new.id] == new.raw
    assert [finding for finding in looked_at(taken) if "in no page" in finding.what] == []


def test_what_a_command_removed_or_moved_is_not_lost(taken):
    with taken.app() as app:
        for _ in range(2):
            mine = vault.add(app, "default", "decisions", "We sell bread only.", []).memory
            vault.delete(app, "default", "decisions", mine.id)
        changes.undo(app, None)

    assert looked_at(taken) == []
    with taken.app() as app, pytest.raises(UnknownEntry):
        restore(app, "1")


def test_merge_marks_doubled_ids_and_look_alikes_are_named_with_their_lines(taken):
    text = page(taken).read_text(encoding="utf-8")
    entry = text[text.index("<!-- id:") :]
    page(taken).write_text(
        f"{text}\n<<<<<<< ours\n{entry}\n## 2026-3-5 lunch\n\n=======\n>>>>>>> theirs\n", encoding="utf-8"
    )

    whats = {(finding.what.split(" ")[0], finding.where.rpartition(":")[0]) for finding in looked_at(taken)}
    assert ("A", "default/decisions.md") in whats
    assert the_finding(taken, "stands here 2 times").where == "default/decisions.md"
    line = page(taken).read_text(encoding="utf-8").splitlines().index("## 2026-3-5 lunch") + 1
    assert the_finding(taken, "looks like the start").where == f"default/decisions.md:{line}"


def test_front_matter_without_an_end_is_found(taken):
    page(taken).write_text("---\nagent: default\n\n## 2026-03-16\n\nWords.\n", encoding="utf-8")

    assert the_finding(taken, "front matter").serious


def test_what_a_crash_leaves_behind_is_found(taken):
    left = taken.memory / "default" / ".decisions.md.0123.am-tmp"
    left.write_text("half")
    os.utime(left, (1, 1))
    with (taken.memory / "taken.jsonl").open("a") as handle:
        handle.write("{torn\n")
    with (taken.memory / ".vault" / "journal.jsonl").open("a") as handle:
        handle.write('{"run": ')

    places = {finding.where for finding in looked_at(taken)}
    assert places == {"default/.decisions.md.0123.am-tmp", "taken.jsonl", ".vault/journal.jsonl"}


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_a_machine_folder_that_others_may_read_is_found_and_closed(taken):
    (taken.memory / ".vault").chmod(0o755)

    assert the_finding(taken, "Others could read").where == ".vault"
    assert (taken.memory / ".vault").stat().st_mode & 0o077 == 0


def test_a_damaged_state_and_conversations_nobody_took_are_found(taken):
    taken.chat(2).user("Hello.").assistant("Hello!").ended().save(written=taken.long_ago())
    (taken.memory / ".vault" / "state.sqlite3").write_bytes(b"no database at all" * 100)

    assert the_finding(taken, "moved here").where == ".vault/state.sqlite3.broken-1"
    assert the_finding(taken, "have not been taken").mend == "agent-memory process"


def test_an_entry_added_by_hand_that_got_an_id_is_lost_once(workspace):
    profile = workspace.memory / "default" / "profile.md"
    profile.parent.mkdir(parents=True)
    profile.write_text("## 2026-03-16\n\neditor: vim\n", encoding="utf-8")
    with workspace.app() as app:
        assert app.mirror.count() == 1  # whoever searches notes in the journal what was added
        (added,) = app.vault.view().memories
        tending.vote(app, added.id, "up")
    profile.write_text("", encoding="utf-8")

    found = [finding for finding in looked_at(workspace) if "in no page" in finding.what]

    assert ["editor: vim" in finding.what for finding in found] == [True]
    assert not any(added.id in finding.mend for finding in found)
