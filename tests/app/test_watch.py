"""The watcher in this process: its thread is ours, its clock the computer's, and every wait has a deadline."""

import contextlib
import json
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from agent_memory.app import recall, rule, setup, vault
from agent_memory.app.ingest import Options, Tally
from agent_memory.app.lookout import Lookout
from agent_memory.app.watch import Watch, watch, watcher_of
from agent_memory.editors.table import BRIEFING_RULE
from agent_memory.model.recall import Query
from agent_memory.system import files
from agent_memory.system.clock import SystemClock
from tests.workspace import Workspace

DEBOUNCE_S = 0.2
IDLE_S = 1.0
DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."
LESSON = "Root cause: the payment webhook was retried after 10 s, so every slow order was booked twice."


class Running:
    deserted = False

    def __init__(self, workspace: Workspace, *, wait: bool, **flags: Any) -> None:
        self.workspace = workspace
        self.flags = {"watch__idle_timeout_s": IDLE_S, "watch__debounce_s": DEBOUNCE_S, **flags}
        self.wait = wait
        self.ended = ""
        self.tallies: list[Tally] = []
        self._watch: Watch | None = None
        self._started = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        with self.workspace.app(SystemClock(), **self.flags) as app:
            self.ended = watch(
                app,
                transcripts=None,
                wait_for_transcripts=self.wait,
                quiet=True,
                on_start=self._on_start,
                report=self.tallies.append,
            )

    def _on_start(self, running: Watch) -> None:
        running.deserted = lambda: self.deserted
        self._watch = running
        self._started.set()

    def stop(self) -> None:
        self._started.wait(10)
        assert self._watch is not None
        self._watch.stop()
        self.thread.join(10)
        assert not self.thread.is_alive()


@contextmanager
def watching(workspace: Workspace, *, wait: bool = True, **flags: Any) -> Iterator[Running]:
    running = Running(workspace, wait=wait, **flags)
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


def mirrored(workspace: Workspace) -> str:
    """The text in the mirror as it stands; nothing is synced."""
    with contextlib.closing(sqlite3.connect(workspace.memory / ".vault" / "mirror.sqlite3")) as connection:
        return str(connection.execute("select body from passages").fetchall())


def now() -> datetime:
    return datetime.now(UTC)


def test_what_was_edited_while_nobody_watched_is_told_as_it_is_from_the_start(workspace):
    with workspace.app() as app:
        setup.init(app, setup.rows_for(None, [], []))
        vault.add(app, "default", "decisions", "We use Redis for queues.", [])
        rule.follow(app)
    page, told = workspace.memory / "default" / "decisions.md", workspace.root / BRIEFING_RULE
    page.write_text(page.read_text("utf-8").replace("Redis", "Válquiria"), "utf-8")
    assert "Redis" in told.read_text("utf-8")

    with watching(workspace):
        eventually(lambda: "Válquiria" in told.read_text("utf-8"), within_s=10)


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
        second = Running(workspace, wait=False)
        second.thread.start()
        second.thread.join(10)

        assert second.ended.startswith("Already being watched by process")


def test_a_second_watcher_that_may_wait_stands_by_and_takes_over(workspace):
    chat = workspace.chat().user("Hello.").assistant("Hello!").ended().save(written=now())
    with watching(workspace) as first:
        eventually(lambda: watcher(workspace) != "", within_s=10)
        with watching(workspace) as second:
            first.stop()
            chat.user(DECISION).assistant("On it.").save(written=now())
            eventually(lambda: bool(bodies(workspace, "decisions")), within_s=10)

            eventually(lambda: bool(second.tallies), within_s=10)

            assert first.ended == "Stopped."
            assert second.tallies[0].decisions == 1


def test_it_ends_with_whoever_started_it(workspace):
    workspace.chat().user("Hello.").save(written=now())
    running = Running(workspace, wait=True)
    running.deserted = True
    running.thread.start()
    running.thread.join(10)

    assert running.ended.startswith("Ended, since")
    assert watcher(workspace) == ""


def test_a_page_that_a_person_edits_reaches_the_mirror(workspace):
    workspace.chat().user(DECISION).assistant("Done.").ended().save(written=now())
    with watching(workspace) as running:
        eventually(lambda: bool(running.tallies), within_s=10)
        page = workspace.memory / "default" / "decisions.md"
        page.write_text(page.read_text(encoding="utf-8").replace("SQLite", "Bluefinch"), encoding="utf-8")

        # Looking through the app would itself bring the mirror up to date.
        eventually(lambda: "Bluefinch" in mirrored(workspace), within_s=10)


def test_conversations_of_dashboards_are_taken(workspace):
    folder = workspace.memory / "conversations"
    folder.mkdir(parents=True)
    with watching(workspace):
        eventually(lambda: watcher(workspace) != "", within_s=10)
        messages = [
            {"role": "user", "text": DECISION},
            {"role": "agent", "text": "Done."},
            {"role": "user", "text": "Ok."},
        ]
        written = {"agentId": "ana", "savedAt": now().isoformat(), "messages": messages}
        (folder / "ana.json").write_text(json.dumps(written), encoding="utf-8")
        eventually(lambda: bool(bodies(workspace, "decisions")), within_s=10)

    assert {memory.page.agent for memory in workspace.memories()} == {"ana"}


def test_who_is_woken_takes_what_there_is_at_once_whatever_the_debounce(workspace):
    workspace.chat(2).user("Hello.").assistant("Hello!").ended().save(written=datetime.now(UTC))
    with watching(workspace, watch__debounce_s=3600.0) as running:
        eventually(lambda: bool(running.tallies), within_s=10)
        workspace.chat().user(DECISION).assistant("Done.").ended().save(written=datetime.now(UTC))
        assert bodies(workspace, "decisions") == []

        def woken():
            (workspace.memory / ".vault" / "wake").write_text("stop\n", encoding="utf-8")
            return bool(bodies(workspace, "decisions"))

        eventually(woken, within_s=20)


def test_a_folder_that_vanishes_and_returns_is_followed(workspace):
    chat = workspace.chat().user("Hello.").assistant("Hello!").ended().save(written=now())
    with watching(workspace) as running:
        eventually(lambda: bool(running.tallies), within_s=10)
        shutil.rmtree(workspace.transcripts)
        chat.user(DECISION).assistant("On it.").save(written=now())
        eventually(lambda: bool(bodies(workspace, "decisions")), within_s=10)


def test_changes_that_nobody_rings_for_are_found_and_said_once(workspace, caplog):
    chat = workspace.chat().user("Hello.").assistant("Hello!").ended().save(written=now())
    with workspace.app(SystemClock()) as app:
        options = Options(agent=app.agent, idle_after=timedelta(seconds=IDLE_S))
        lookout = Lookout(app, options, DEBOUNCE_S, lambda: "")
        path, seen = str(chat.path), files.identify(chat.path)
        assert lookout.look({}) == {path}
        lookout.close()  # deaf from now on, as on a network mount
        for text in (DECISION, LESSON):
            chat.user(text).assistant("On it.").save(written=now() - timedelta(minutes=1))
            lookout.sweep({path: (seen, True)})
            assert lookout.look({}) == {path}

    assert [record.message for record in caplog.records if "no events" in record.message] == [
        "no events come from the file system; looking every 3 seconds instead"
    ]


def test_the_vault_is_compacted_when_the_watch_begins(workspace):
    with workspace.app() as app:
        for number in range(5):
            vault.add(app, "default", "decisions", f"We sell bread number {number}.", [])
    with watching(workspace, compact__max_entries=3, compact__keep_entries=2):
        eventually(lambda: (workspace.memory / "default" / "archive" / "decisions.md").exists(), within_s=10)

    with workspace.app() as app:
        assert app.state.last_run("compact") is not None


def test_a_folder_that_may_not_be_entered_is_named_and_outlived(workspace):
    chat = workspace.chat().user("Hello.").assistant("Hello!").ended().save(written=now())
    odd = workspace.transcripts / "odd" / "odd.jsonl"
    odd.mkdir(parents=True)
    (workspace.transcripts / "dangling.jsonl").symlink_to(workspace.transcripts / "nowhere")
    with watching(workspace) as running:
        eventually(lambda: bool(running.tallies), within_s=10)
        chat.user(DECISION).assistant("On it.").save(written=now())
        eventually(lambda: bool(bodies(workspace, "decisions")), within_s=10)


def test_a_watcher_whose_vault_folder_is_deleted_takes_its_place_again_and_stays_the_only_one(workspace):
    chat = workspace.chat().user(DECISION).assistant("On it.").save(written=now())
    with watching(workspace) as first, watching(workspace) as second:
        eventually(lambda: bool(bodies(workspace, "decisions")), within_s=10)
        (workspace.memory / ".vault").rename(workspace.root / "gone")
        eventually(lambda: (workspace.memory / ".vault" / "state.sqlite3").exists(), within_s=20)
        chat.user("Let's always store prices in cents, because rounding lost money.").assistant("Done.")
        chat.save(written=now())
        eventually(lambda: len(bodies(workspace, "decisions")) == 2, within_s=20)
        assert watcher(workspace) != ""

    assert sorted([first.ended, second.ended]) == ["Stopped.", "Stopped."]
    assert len([memory for memory in workspace.memories() if memory.page.category == "decisions"]) == 2


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
