"""``doctor --fix``: a plan, copies of what is touched, the mending; and ``check``, which looks at what is in git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_memory.app import changes, checks, pause, vault
from agent_memory.app.mending import mend, plan
from agent_memory.errors import UnknownEntry
from tests.workspace import Workspace

DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."
KEY = "AKIA" + "Q3EGZ7HJ5TWP2M6L"


@pytest.fixture
def taken(workspace: Workspace) -> Workspace:
    chat = workspace.chat().user(DECISION).assistant("Done, it is SQLite now.").ended()
    chat.save(written=workspace.long_ago())
    workspace.process()
    return workspace


def do(workspace: Workspace, verb, *arguments, **named):
    with workspace.app() as app:
        return verb(app, *arguments, **named)


def mended(workspace: Workspace):
    with workspace.app() as app:
        return mend(app, plan(app))


def page(workspace: Workspace, name: str = "decisions") -> Path:
    return workspace.memory / "default" / f"{name}.md"


def test_a_sound_vault_needs_no_mending_and_no_copies(taken):
    done = mended(taken)
    assert (done.mended, done.backup) == ((), "")
    assert not (taken.memory / ".vault" / "backups").exists()


def test_every_fix_leaves_nothing_to_mend_and_a_copy_of_what_was_there(taken):
    machine, text = taken.memory / ".vault", page(taken).read_bytes()
    page(taken, "notes").write_bytes(text.replace(b"category: decisions", b"category: notes"))
    with (taken.memory / "taken.jsonl").open("ab") as ledger:
        ledger.write(b"<<<<<<< ours\nnothing\n")
    ledger_before = (taken.memory / "taken.jsonl").read_bytes()
    with (machine / "journal.jsonl").open("a") as journal:
        journal.write('{"run": torn\n')
    with taken.app() as app:
        app.mirror._database.run("insert into nearby (nearby) values ('delete-all')")
    (machine / "mirror.sqlite3.broken-1").write_bytes(b"broken")
    left_behind = taken.memory / "default" / ".decisions.md.1234.am-tmp"
    left_behind.write_bytes(b"half a page")
    os.utime(left_behind, (0, 0))

    assert {finding.mend for finding in do(taken, plan)} == {"agent-memory doctor --fix", "agent-memory reindex"}
    found = {finding.fix for finding in do(taken, plan)}
    assert found >= {"renumber", "drop ledger lines", "drop journal lines", "delete", "reindex"}
    done = mended(taken)

    assert [finding for finding in done.left if finding.fix] == []
    assert len({memory.id for memory in taken.memories()}) == len(taken.memories())
    copies = taken.memory / done.backup
    assert (copies / "taken.jsonl").read_bytes() == ledger_before
    changed = [
        name
        for name in ("notes", "decisions")
        if (copies / f"default/{name}.md").read_bytes() != page(taken, name).read_bytes()
    ]
    assert len(changed) == 1
    assert (copies / ".vault" / "mirror.sqlite3.broken-1").read_bytes() == b"broken"
    assert (copies / "default" / ".decisions.md.1234.am-tmp.copy").read_bytes() == b"half a page"


def test_renumbering_keeps_every_word_and_is_taken_back_by_undo(taken):
    page(taken, "notes").write_bytes(page(taken).read_bytes())
    before = page(taken, "notes").read_bytes(), page(taken).read_bytes()
    bodies = sorted(memory.body for memory in taken.memories())
    mended(taken)
    assert sorted(memory.body for memory in taken.memories()) == bodies
    assert before != (page(taken, "notes").read_bytes(), page(taken).read_bytes())

    do(taken, changes.undo, None)
    assert before == (page(taken, "notes").read_bytes(), page(taken).read_bytes())


def test_check_passes_a_sound_vault_and_names_secrets_sickness_and_size(taken):
    assert do(taken, checks.for_ci) == ()
    page(taken, "notes").write_text(f"## 2026-03-16\n\nThe key is {KEY}.\n\n<<<<<<< ours\n")
    page(taken, "lessons").write_text("## 2026-03-16\n\n" + "long " * 250_000)

    found = {finding.where: finding for finding in do(taken, checks.for_ci)}

    assert {"default/notes.md:3", "default/notes.md:5", "default/lessons.md"} <= set(found)
    assert KEY not in repr(found)


def test_an_archive_may_grow(taken):
    archive = page(taken).parent / "archive" / "decisions.md"
    archive.parent.mkdir(exist_ok=True)
    archive.write_text("## 2026-03-16\n\n" + "long " * 250_000)

    assert do(taken, checks.for_ci) == ()


def test_what_is_private_in_a_page_is_no_secret_but_a_secret_in_it_is(taken):
    page(taken, "notes").write_text("## 2026-03-16\n\nOurs: <private>we sell bread</private>.\n")
    assert do(taken, checks.for_ci) == ()
    page(taken, "notes").write_text(f"## 2026-03-16\n\nOurs: <private>\n{KEY}\n</private>.\n")
    assert [finding.where for finding in do(taken, checks.for_ci)] == ["default/notes.md:4"]


def test_a_visit_tells_a_fact_of_every_check_and_a_pause(taken):
    visit = do(taken, checks.examine)
    assert list(visit.facts) == [check.name for check in checks.CHECKS]
    assert visit.facts["transcripts"] == "1 found, 1 taken, 2 turns read"
    do(taken, pause.pause)
    assert any("paused" in finding.what for finding in do(taken, checks.examine).findings)


def test_a_page_that_cannot_be_read_is_a_finding_and_keeps_nothing_else_from_being_looked_at(taken):
    page(taken, "notes").unlink(missing_ok=True)
    page(taken, "notes").symlink_to(page(taken, "notes"))
    visit = do(taken, checks.examine)
    assert "disk" in visit.facts


def test_changes_say_out_of_what_and_why(taken):
    with taken.app() as app:
        added = vault.add(app, "default", "notes", "My own.", []).memory
        vault.edit(app, "default", "notes", added.id, "My own, changed.")
        runs = changes.changes(app, since=None, limit=50)

    told = {(change.op, change.page): change for run in runs for change in run.changes}
    decision = told["add", "default/decisions.md"]
    assert decision.conversation.startswith("cursor/00000001")
    assert "choose" in decision.reason
    assert "confidence" in decision.reason
    assert told["add", "default/handoffs.md"].reason == "the conversation went quiet"
    assert told["add", "default/notes.md"].reason == "written by hand"
    assert told["amend", "default/notes.md"].reason == "edited"
    assert list(changes.by_conversation(runs))[-1] == ""


def test_undo_of_nothing_is_an_error(workspace):
    with pytest.raises(UnknownEntry):
        do(workspace, changes.undo, None)
