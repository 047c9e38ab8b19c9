from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory.tailing.watcher import Doorbell

# Long enough to fail a test by, never waited for when all is well.
PATIENCE_S = 20.0


@pytest.fixture
def bell() -> Iterator[Doorbell]:
    doorbell = Doorbell(debounce_s=0.05)
    yield doorbell
    doorbell.close()


def test_a_write_below_the_folder_rings(bell, tmp_path):
    (tmp_path / "c").mkdir()
    assert bell.start([tmp_path]) == ()
    path = tmp_path / "c" / "c.jsonl"

    path.write_text("{}\n")

    assert bell.wait(PATIENCE_S) == {path}


def test_a_conversation_in_a_new_folder_rings(bell, tmp_path):
    bell.start([tmp_path])
    path = tmp_path / "new" / "subagents" / "c.jsonl"
    path.parent.mkdir(parents=True)

    path.write_text("{}\n")

    assert path in bell.wait(PATIENCE_S)


def test_a_file_renamed_into_place_rings(bell, tmp_path):
    bell.start([tmp_path])
    (tmp_path / "c.tmp").write_text("{}\n")

    (tmp_path / "c.tmp").rename(tmp_path / "c.jsonl")

    assert bell.wait(PATIENCE_S) == {tmp_path / "c.jsonl"}


def test_other_files_do_not_ring(bell, tmp_path):
    bell.start([tmp_path])
    (tmp_path / "c.log").write_text("x")
    (tmp_path / "c.jsonl").write_text("x")

    assert bell.wait(PATIENCE_S) == {tmp_path / "c.jsonl"}


def test_a_folder_that_is_not_there_yet_is_left_to_the_sweep(bell, tmp_path):
    later = tmp_path / "later"
    assert bell.start([later, tmp_path]) == (later,)
    later.mkdir()
    assert bell.start([later, tmp_path]) == ()

    (later / "c.jsonl").write_text("x")

    assert bell.wait(PATIENCE_S) == {later / "c.jsonl"}


def test_waiting_ends_empty_when_nothing_rings(bell):
    assert bell.wait(0.01) == set()
    assert bell.wait(0) == set()
    assert bell.wait(-1) == set()


def test_rings_close_together_are_one_answer():
    bell = Doorbell(debounce_s=0.02)
    for name in ("a.jsonl", "b.jsonl", "a.jsonl"):
        bell.ring(Path(name))

    assert bell.wait(PATIENCE_S) == {Path("a.jsonl"), Path("b.jsonl")}
    assert bell.wait(0) == set()


def test_ringing_that_never_stops_is_answered_after_five_debounces():
    bell = Doorbell(debounce_s=0.1)
    done = threading.Event()

    def ring_on() -> None:
        while not done.wait(0.01):
            bell.ring(Path("a.jsonl"))

    ringer = threading.Thread(target=ring_on)
    ringer.start()
    begun = time.monotonic()
    changed = bell.wait(PATIENCE_S)
    took = time.monotonic() - begun
    done.set()
    ringer.join()

    assert changed == {Path("a.jsonl")}
    assert 0.4 < took < PATIENCE_S / 2


def test_stopping_from_another_thread_ends_the_wait_and_every_later_one():
    bell = Doorbell(debounce_s=0.05)
    stopper = threading.Timer(0.05, bell.stop)
    stopper.start()
    begun = time.monotonic()

    assert bell.wait(PATIENCE_S) == set()
    assert bell.wait(PATIENCE_S) == set()
    assert time.monotonic() - begun < PATIENCE_S / 2
    stopper.join()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_stopping_from_a_signals_handler_ends_the_wait():
    bell = Doorbell(debounce_s=0.05)
    before = signal.signal(signal.SIGUSR1, lambda number, frame: bell.stop())
    try:
        sender = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1))
        sender.start()
        begun = time.monotonic()

        assert bell.wait(PATIENCE_S) == set()
        assert time.monotonic() - begun < PATIENCE_S / 2
        sender.join()
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_closing_twice_is_fine(bell, tmp_path):
    bell.start([tmp_path])

    bell.close()
    bell.close()


def test_what_watchdog_says_as_it_is_stopped_does_not_reach_the_terminal(tmp_path):
    program = """
import logging, pathlib, sys
from agent_memory.tailing.watcher import Doorbell
bell = Doorbell(debounce_s=0.05)
bell.start([pathlib.Path(sys.argv[1])])
logging.getLogger("watchdog.observers.inotify").error("called when the thread is inactive")
bell.close()
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)

    assert done.stderr == ""
