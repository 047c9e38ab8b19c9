"""The watcher in this process: its thread is ours, its clock the computer's, and every wait has a deadline."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from agent_memory.app import recall
from agent_memory.app.ingest import Tally
from agent_memory.app.watch import Watch, watch, watcher_of
from agent_memory.model.recall import Query
from agent_memory.system.clock import SystemClock
from tests.workspace import Workspace

DEBOUNCE_S = 0.2
IDLE_S = 1.0
DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."
LESSON = "Root cause: the payment webhook was retried after 10 s, so every slow order was booked twice."


class Running:
    def __init__(self, workspace: Workspace, *, wait: bool) -> None:
        self.workspace = workspace
        self.wait = wait
        self.ended = ""
        self.tallies: list[Tally] = []
        self._watch: Watch | None = None
        self._started = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        flags = {"watch__idle_timeout_s": IDLE_S, "watch__debounce_s": DEBOUNCE_S}
        with self.workspace.app(SystemClock(), **flags) as app:
            self.ended = watch(
                app,
                transcripts=None,
                wait_for_transcripts=self.wait,
                quiet=True,
                on_start=self._on_start,
                report=self.tallies.append,
            )

    def _on_start(self, running: Watch) -> None:
        self._watch = running
        self._started.set()

    def stop(self) -> None:
        self._started.wait(10)
        assert self._watch is not None
        self._watch.stop()
        self.thread.join(10)
        assert not self.thread.is_alive()


@contextmanager
def watching(workspace: Workspace, *, wait: bool = True) -> Iterator[Running]:
    running = Running(workspace, wait=wait)
    running.thread.start()
    try:
        yield running
    finally:
        running.stop()


def eventually(question: Callable[[], bool], *, within_s: float) -> float:
    """Ask until the answer is yes; return how long it took."""
    started = time.monotonic()
    while not question():
        waited = time.monotonic() - started
        assert waited < within_s, f"still not so after {waited:.1f} s"
        time.sleep(0.02)
    return time.monotonic() - started


def bodies(workspace: Workspace, category: str) -> list[str]:
    return [memory.body for memory in workspace.memories() if memory.page.category == category and memory.active]


def watcher(workspace: Workspace) -> str:
    with workspace.app() as app:
        return watcher_of(app)


def now() -> datetime:
    return datetime.now(UTC)


def test_it_waits_until_the_folder_exists_and_takes_what_is_said(workspace):
    with watching(workspace):
        chat = workspace.chat().user(DECISION).assistant("On it.").save(written=now())
        eventually(lambda: bool(bodies(workspace, "decisions")), within_s=10)
        chat.assistant(f"Done.\n\n{LESSON}").ended().save(written=now())
        eventually(lambda: bodies(workspace, "lessons") != [], within_s=10)


def test_what_is_appended_is_searchable_soon_after(workspace):
    chat = workspace.chat().user("Hello.").assistant("Hello!").ended().save(written=now())
    with watching(workspace):
        eventually(lambda: (workspace.memory / ".vault" / "state.sqlite3").exists(), within_s=10)
        chat.user(DECISION).assistant("On it.").save(written=now())

        def found() -> bool:
            with workspace.app() as app:
                return bool(recall.search(app, Query("order store")))

        # The promise is debounce + 1 s; a shared machine gets more before this fails.
        eventually(found, within_s=DEBOUNCE_S + 5)


def test_the_handoff_comes_after_the_idle_timeout_and_follows_the_conversation(workspace):
    chat = workspace.chat().user(DECISION).assistant("Done, it is SQLite now.").ended()
    with watching(workspace):
        chat.save(written=now())
        eventually(lambda: bodies(workspace, "handoffs") != [], within_s=15)
        first = bodies(workspace, "handoffs")
        chat.user("Write the import of the old orders.").assistant("The import is written.").ended().save(written=now())
        eventually(lambda: bodies(workspace, "handoffs") != first, within_s=15)

    assert len(bodies(workspace, "handoffs")) == 1
    assert "import of the old orders" in bodies(workspace, "handoffs")[0]


def test_a_second_watcher_says_so_and_leaves(workspace):
    workspace.chat().user("Hello.").save(written=now())
    with watching(workspace):
        eventually(lambda: watcher(workspace) != "", within_s=10)
        second = Running(workspace, wait=True)
        second.thread.start()
        second.thread.join(10)

        assert second.ended.startswith("Already being watched by process")


def test_without_waiting_it_says_that_there_is_nothing_to_watch(workspace):
    running = Running(workspace, wait=False)
    running.thread.start()
    running.thread.join(10)

    assert "no transcripts" in running.ended


def test_stopping_leaves_nothing_half_written(workspace):
    workspace.chat().user(DECISION).assistant("Done.").ended().save(written=now())
    with watching(workspace) as running:
        eventually(lambda: bool(bodies(workspace, "decisions")), within_s=10)

    assert running.ended == "Stopped."
    assert not [name for name in workspace.files() if "am-tmp" in name]
    assert watcher(workspace) == ""
