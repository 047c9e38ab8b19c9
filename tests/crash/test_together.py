"""Two ``process``, one ``watch``, a loop of additions and a person with an editor, all at once, on one vault."""

import random
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from agent_memory.app import vault
from agent_memory.errors import PageConflict
from agent_memory.model.memory import Batch, PageRef, Restore
from agent_memory.system.clock import SystemClock
from agent_memory.vault.view import View
from tests.app.test_watch import eventually
from tests.crash.conftest import say
from tests.crash.faults import REFUSABLE, AtStep, assert_undisturbed, fork, profiled, result_of
from tests.crash.test_kills import backlog, finish
from tests.workspace import Workspace, essence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

PAGES = ("decisions.md", "lessons.md", "tasks.md", "notes.md")


def start(workspace: Workspace, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "agent_memory", *words],
        cwd=workspace.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def add_many(workspace: Workspace, count: int) -> None:
    with workspace.app(SystemClock()) as app:
        for number in range(count):
            with suppress(PageConflict):  # overwritten already
                vault.add(app, app.agent, "lessons", f"Added by hand, number {number:03d}.", [])
            time.sleep(0.02)  # somebody's pace, not a wait for something


class Person:
    """Somebody who rewrites whole pages from an editor's buffer, which may be out of date."""

    def __init__(self, workspace: Workspace, *delays_s: float) -> None:
        self.folder = workspace.memory / "default"
        self.notes: list[tuple[str, str]] = []
        self.delays_s = delays_s
        self.moments = random.Random(7)

    def edit(self, page: str, _: str = "") -> None:
        path: Path = self.folder / page
        self.folder.mkdir(parents=True, exist_ok=True)
        buffer = path.read_bytes() if path.exists() else b""
        if not buffer and path.exists():
            return  # somebody else's first word is just being written
        note = f"Person's note {len(self.notes):03d}."
        time.sleep(self.moments.choice(self.delays_s))  # the buffer grows old
        path.write_bytes(buffer + f"\n\n## 2026-03-01\n\n{note}\n".encode())
        self.notes.append((page, note))


@pytest.mark.parametrize("rounds", [60, pytest.param(1500, marks=pytest.mark.slow)])
def test_nothing_is_doubled_and_no_word_of_a_person_is_lost(make, undisturbed, rounds):
    workspace = make()
    chats = [say(workspace.chat(number)) for number in range(1, 4)]
    watcher = start(workspace, "watch", "--wait-for-transcripts", "--debounce", "0", "--idle-timeout", "1", "--quiet")
    adder = fork(lambda: add_many(workspace, rounds // 2))
    person = Person(workspace, 0, 0, 0.01, 0.05)
    runs: list[subprocess.Popen[bytes]] = []
    try:
        for number in range(1, rounds + 1):
            for chat in chats:
                chat.save(upto=len(chat.data) * number // rounds, written=datetime.now(UTC))
            person.edit(PAGES[number % len(PAGES)])
            runs = [run for run in runs if run.poll() is None]
            runs += [start(workspace, "process", "--threshold", "0") for _ in range(2 - len(runs))]
        assert result_of(adder) == 0
        eventually(lambda: all(note in text(workspace, page) for page, note in person.notes), within_s=5)
    finally:
        watcher.terminate()
        for each in (watcher, *runs):
            each.wait(60)
    finish(workspace)
    with workspace.app() as app:
        view, journal = app.vault.view(), app.vault.journal_runs()
    told = [change.after for run in journal for change in run.changes if change.op == "add" and change.after]
    keys = {memory.key for memory in view.memories} | {key for _, _, _, key in essence(view.memories)}

    assert [note for page, note in person.notes if text(workspace, page).count(note) != 1] == []
    taken = [memory for memory in view.memories if memory.key]
    assert len({memory.key for memory in taken}) == len(taken)
    by_hand = [memory.body for memory in view.memories if memory.body.startswith("Added by hand")]
    assert len(set(by_hand)) == len(by_hand)
    # What a stale buffer overwrote is in no page any more, but word for word in the journal.
    assert [n for n in range(rounds // 2) if not any(f"number {n:03d}." in after for after in (*by_hand, *told))] == []
    # Three chats say the same: what one of them said first is a duplicate in the others, and the ledger says of what.
    lines = [view.taken.by_key(key) for *_, key in essence(undisturbed.memories()) if not known(key, keys, told)]
    assert [line for line in lines if not (line and line.why == "duplicate" and is_anywhere(line.id, view, told))] == []


def is_anywhere(entry: str, view: View, told: list[str]) -> bool:
    return bool(view.by_id(entry)) or any(f"id:{entry} " in after for after in told)


def known(key: str, keys: set[str | None], told: list[str]) -> bool:
    return key in keys or any(f"key:{key}" in after for after in told)


def text(workspace: Workspace, page: str) -> str:
    path = workspace.memory / "default" / page
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


@pytest.mark.parametrize("page", ["decisions.md", "lessons.md", "handoffs.md"])
@pytest.mark.parametrize("calls", [{"link", "replace"}, pytest.param(REFUSABLE, marks=pytest.mark.slow)])
def test_a_person_may_write_at_any_moment(make, undisturbed, page, calls):
    for number in count(1):
        workspace = make()
        backlog(workspace)
        person = Person(workspace, 0)
        writing = AtStep(number, partial(person.edit, page), calls, before=True)
        with profiled(writing):
            tally = workspace.process()
        if not writing.name:
            break
        finish(workspace)

        assert not tally.failed
        assert text(workspace, page).count(person.notes[0][1]) == 1, writing.name
        memories = tuple(memory for memory in workspace.memories() if memory.key)
        assert essence(memories) == essence(undisturbed.memories())
        assert len(memories) == len({memory.key for memory in memories})
    assert number > 5


def test_what_a_stale_buffer_overwrote_can_be_restored_from_the_journal(make, undisturbed):
    workspace = make()
    chat = say(workspace.chat())
    chat.save(upto=len(chat.data) // 3, written=workspace.long_ago())
    workspace.process()
    pages = sorted((workspace.memory / "default").glob("*.md"))
    buffers = {path: path.read_bytes() for path in pages}
    backlog(workspace)
    workspace.process()
    for path in (workspace.memory / "default").glob("*.md"):
        path.write_bytes(buffers.get(path, b""))
    finish(workspace)

    with workspace.app() as app:
        standing = {memory.id for memory in app.vault.view().memories}
        last = {(change.page, change.id): change for run in app.vault.journal_runs() for change in run.changes}
        lost = [change for change in last.values() if change.id not in standing and change.after]
        assert lost
        pages_of = {change.page: PageRef("default", Path(change.page).stem) for change in lost}
        restored = Batch(tuple(Restore(pages_of[change.page], change.after or "") for change in lost))
        app.vault.update(lambda view: restored, verb="restore")
    finish(workspace)

    assert_undisturbed(workspace, undisturbed)
