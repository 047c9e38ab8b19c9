"""Compaction of a year of use: shorter pages and conversations, and not a word less in the vault."""

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from agent_memory.app import changes, ingest, maintain, migrate, trim
from agent_memory.app.container import open_app
from agent_memory.app.ingest import Options
from tests.workspace import Workspace, essence
from tests.year import SMALL, WHOLE, live, messages, sentences


def compact(workspace, **options):
    with workspace.app(**options) as app:
        return maintain.compact(app, dry_run=False)


def words(workspace):
    return {part for memory in workspace.memories() for part in sentences(memory.body)}


def lasting(workspace):
    """Everything in the memory folder but what says when something was last done."""
    return {
        name: data
        for name, data in workspace.files().items()
        if ".sqlite3" not in name and not name.endswith((".lock", ".who", "compact-log.json"))
    }


def a_chat(workspace, name="dev", count=60, **rest):
    path = workspace.memory / "conversations" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"messages": messages(1, count), **rest}))
    written = workspace.clock.now().timestamp() - 3600
    os.utime(path, (written, written))
    return path


def said(path):
    return json.loads(path.read_text())["messages"]


@pytest.mark.parametrize(
    "year", [SMALL, pytest.param(WHOLE, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])], ids=["small", "whole"]
)
def test_a_year_keeps_every_sentence_and_gains_every_entry_and_a_second_run_changes_no_byte(tmp_path, home, year):
    once, untouched = (Workspace(tmp_path / name / "shop", home) for name in ("once", "untouched"))
    for each in (once, untouched):
        (each.root / ".git").mkdir(parents=True)
        live(each, year)
    before = words(once)

    done = compact(once)
    untouched.process()

    assert done.conversations_trimmed == year.chats
    assert done.vault_entries_merged > year.entries / 4
    assert before <= words(once)
    assert essence(once.memories()) == essence(untouched.memories())
    assert {len(said(path)) for path in (once.memory / "conversations").iterdir()} <= {20, 21, 22}
    standing = lasting(once)
    once.clock.advance(hours=1)
    again = compact(once)
    assert (again.plan, again.index_rebuilt) == ((), False)
    assert lasting(once) == standing


def test_the_newest_messages_stay_and_the_handoff_covers_the_rest(workspace):
    path = a_chat(workspace, theirs=[1])
    whole = said(path)

    compact(workspace)

    left = said(path)
    assert left == whole[-len(left) :]
    assert json.loads(path.read_text())["theirs"] == [1]
    (handoff,) = [memory for memory in workspace.memories() if memory.page.category == "handoffs"]
    assert handoff.origin.turn == 39


@pytest.mark.parametrize("lost", [False, True])
def test_what_is_said_after_a_trim_is_taken_once_and_nothing_before_it_again(workspace, lost):
    path = a_chat(workspace)
    compact(workspace)
    before = essence(workspace.memories())
    if lost:
        (workspace.memory / ".vault" / "state.sqlite3").unlink()
    assert not workspace.process().failed
    assert essence(workspace.memories()) == before

    new = "Let's never deploy on Fridays, because nobody is there to mend it."
    path.write_text(json.dumps({"messages": [*said(path), {"role": "user", "text": new}]}))
    workspace.clock.advance(hours=1)
    workspace.process()
    known = {(category, key) for category, *_, key in before}
    added = [
        (category, body) for category, body, _, key in essence(workspace.memories()) if (category, key) not in known
    ]
    assert added == [("decisions", new)]


def test_a_host_that_has_the_whole_chat_still_may_write_it_back(workspace):
    path = a_chat(workspace)
    whole = path.read_bytes()
    compact(workspace)
    before = essence(workspace.memories())
    path.write_bytes(whole)
    workspace.clock.advance(hours=1)
    workspace.process()

    assert essence(workspace.memories()) == before
    assert compact(workspace).conversations_trimmed == 1
    assert essence(workspace.memories()) == before


@pytest.mark.parametrize("seconds", [59, -59])
def test_a_file_that_somebody_may_be_writing_to_is_left_alone(workspace, seconds):
    path = a_chat(workspace)
    written = workspace.clock.now().timestamp() - seconds
    os.utime(path, (written, written))

    assert compact(workspace).conversations_trimmed == 0
    assert len(said(path)) == 60


def test_where_chats_are_not_taken_nothing_is_trimmed(workspace):
    path = a_chat(workspace)

    assert compact(workspace, extraction__mode="off").conversations_trimmed == 0
    assert len(said(path)) == 60


def test_what_cannot_be_written_to_the_vault_stays_in_its_file(workspace):
    path = a_chat(workspace, agentId="../escaped")

    done = compact(workspace)

    assert done.conversations_trimmed == 0
    assert [trouble.path for trouble in done.troubles] == [str(path)]
    assert len(said(path)) == 60


def test_a_vault_older_than_its_bookmarks_is_given_what_it_lacks_before_a_trim(workspace):
    path = a_chat(workspace)
    workspace.process()
    entries = essence(workspace.memories())
    for name in ("default", "dev"):
        for page in (workspace.memory / name).glob("*.md"):
            page.unlink()
    (workspace.memory / "taken.jsonl").unlink()
    compact(workspace)

    assert len(said(path)) < 60
    assert essence(workspace.memories()) == entries


def test_a_link_is_no_conversation_of_ours_to_trim(workspace, tmp_path):
    path = a_chat(workspace)
    elsewhere = path.rename(tmp_path / "theirs.json")
    path.symlink_to(elsewhere)

    assert compact(workspace).conversations_trimmed == 0
    assert len(said(elsewhere)) == 60


def test_a_dry_run_prints_the_plan_and_writes_nothing(workspace):
    live(workspace, SMALL)
    before = workspace.files()
    with workspace.app() as app:
        plan = maintain.compact(app, dry_run=True).plan

    assert {name for name, data in workspace.files().items() if before.get(name) != data} <= {".vault/vault.who"}
    assert "conversations/chat-00.json: 40 older messages" in plan
    assert compact(workspace).plan == plan


def test_the_result_is_noted_in_the_words_of_the_npm_package(workspace):
    a_chat(workspace)
    folder = workspace.memory / ".vault" / "checkpoints"
    folder.mkdir(parents=True)
    (folder / "dev.json").write_text("{")
    compact(workspace)

    assert json.loads((workspace.memory / ".vault" / "compact-log.json").read_text()) == {
        "timestamp": workspace.clock.now().isoformat(),
        "checkpointsCleaned": 1,
        "conversationsTrimmed": 1,
        "vaultEntriesMerged": 0,
        "indexRebuilt": False,
        "legacyFilesCleaned": 0,
    }
    assert list(folder.iterdir()) == []


def test_expired_checkpoints_go_and_others_stay(workspace):
    folder = workspace.memory / ".vault" / "checkpoints"
    folder.mkdir(parents=True)
    now, day_ms = workspace.clock.now().timestamp() * 1000, 86_400_000
    for name, age in {"old": 8, "new": 6, "ahead": -8}.items():
        (folder / f"{name}.json").write_text(json.dumps({"savedAt": now - age * day_ms, "messages": []}))
    (folder / "notes.txt").write_text("mine")

    assert compact(workspace).checkpoints_cleaned == 2
    assert sorted(path.name for path in folder.iterdir()) == ["new.json", "notes.txt"]


def test_the_summary_is_found_by_nobody(workspace):
    live(workspace, SMALL)
    compact(workspace)
    with workspace.app() as app:
        told = {hit.id for agent in ("agent-0", "agent-1") for hit in app.mirror.memories(agent, "decisions")}
    summaries = [memory for memory in workspace.memories() if memory.is_summary]

    assert len(summaries) == len(list(workspace.memory.glob("*/archive/*.md"))) > 5
    assert told.isdisjoint(memory.id for memory in summaries)
    assert all(len(memory.body) <= 2000 for memory in summaries)


def test_a_conversation_that_is_read_elsewhere_is_taken_from_here_all_the_same(workspace, tmp_path):
    path = a_chat(workspace)
    with workspace.app() as app:
        folder = Path(tmp_path / "other")
        folder.mkdir()
        ingest.process(app, Options("dev", timedelta(minutes=5), transcripts=folder))
    compact(workspace)

    assert len(said(path)) < 60
    assert len(workspace.memories()) > 5


def test_a_flat_note_goes_by_an_explicit_compact_once_all_of_it_is_in_the_vault(workspace):
    workspace.memory.mkdir(parents=True)
    (workspace.memory / "dev.md").write_text("# Dev\n\n## Decisões\n\nUsamos SQLite.\n\n## The till\n\nIt is slow.\n")
    with workspace.app() as app:
        migrate.migrate(app, dry=False)
    kept = workspace.memory / "dev.md.bak"
    assert kept.exists()
    compact(workspace)
    assert kept.exists()

    with workspace.app() as app:
        assert maintain.compact(app, dry_run=True, legacy=True).legacy_files_cleaned == 1
        assert kept.exists()
        assert maintain.compact(app, dry_run=False, legacy=True).plan == ("dev.md.bak: in the vault, word for word",)
    assert not kept.exists()


@pytest.mark.parametrize(
    "text", ["", "# Only a title\n", "Never taken.\n", "## Decisões\n\nUsamos SQLite.\n\n## And more\n"]
)
def test_a_note_that_nobody_has_proven_to_be_in_the_vault_stays(workspace, text):
    workspace.memory.mkdir(parents=True)
    for name in ("dev.md.bak", "README.md", "other.md"):
        (workspace.memory / name).write_text(text)
    (workspace.memory / "dev").mkdir()
    (workspace.memory / "dev" / "decisions.md").write_text("## 2026-03-01\n\nUsamos SQLite.\n")

    with workspace.app() as app:
        assert maintain.compact(app, dry_run=False, legacy=True).legacy_files_cleaned == 0


def test_a_repository_is_no_memory_folder_to_clean(workspace):
    (workspace.root / "dev").mkdir()
    (workspace.root / "dev" / "decisions.md").write_text("## 2026-03-01\n\nUsamos SQLite.\n")
    (workspace.root / "dev.md").write_text("Usamos SQLite.\n")

    with open_app(directory=str(workspace.root), workspace=str(workspace.root), clock=workspace.clock) as app:
        assert maintain.compact(app, dry_run=False, legacy=True).legacy_files_cleaned == 0


def test_undo_takes_a_compaction_back_and_the_next_one_leaves_it_so(workspace):
    live(workspace, SMALL)
    with workspace.app() as app:
        trim.trim(app, dry_run=False)
    before = {(memory.page, memory.body) for memory in workspace.memories()}
    compact(workspace)
    with workspace.app() as app:
        changes.undo(app, None)

    assert {(memory.page, memory.body) for memory in workspace.memories()} == before
    assert compact(workspace).plan == ()
    assert {(memory.page, memory.body) for memory in workspace.memories()} == before


def test_a_dry_run_tells_what_will_be_done_also_by_what_is_taken_before_the_cut(workspace):
    path = workspace.memory / "conversations" / "dev.json"
    path.parent.mkdir(parents=True)
    decided = "Let's go with port {0} for service {0}, because {0} is its shelf."
    messages = [{"role": "user", "text": decided.format(8000 + number)} for number in range(90)]
    path.write_text(json.dumps({"messages": messages}))
    os.utime(path, (workspace.long_ago().timestamp(),) * 2)
    (workspace.memory / ".vault" / "checkpoints").mkdir(parents=True)
    (workspace.memory / ".vault" / "checkpoints" / "a.json").mkdir()
    (workspace.memory / ".vault" / "checkpoints" / "b.json").write_text("{")
    before = workspace.files()
    with workspace.app() as app:
        foreseen = maintain.compact(app, dry_run=True)
    assert workspace.files() == before

    done = compact(workspace)
    assert foreseen.plan == done.plan
    assert [len(done.plan), done.vault_entries_merged, done.checkpoints_cleaned] == [3, 70, 1]
    assert [Path(trouble.path).name for trouble in done.troubles] == ["a.json"]


def test_a_file_where_the_conversations_should_be_is_no_reason_not_to_compact(workspace):
    live(workspace, SMALL)
    for path in (workspace.memory / "conversations").iterdir():
        path.unlink()
    (workspace.memory / "conversations").rmdir()
    (workspace.memory / "conversations").touch()

    assert compact(workspace).vault_entries_merged > 0
