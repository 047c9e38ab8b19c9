"""Measure the terminal screen on a terminal of its own: opening a large vault, and keys that come faster than frames.

    bench_tui.py [--memories 10000] [--runs 9] [--keys 2000] [--only opening,keys]

Opening: `agent-memory tui` from its start until rows are on the screen and it is left again, in turns with
`python -c "import textual.app"`; the median of the ratios of processor time counts: at most 3.5. Once for the channel
with the most entries, and once for Votes, for which every page of the vault has to be read.
Keys: so many `j` in one go; every one must have moved the choice by a row.
The vault is generated, with the same seed each time. Exits with 1 where a target is missed. Needs a pseudo-terminal.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from contextlib import suppress
from pathlib import Path

from bench_cli import cost, entries

from agent_memory import open_memory

BASE = ("-c", "import textual.app")
MAX_RATIO = 3.5
DEADLINE_S = 60
DECISIONS, VOTES, DOWN, QUIT = b"7", b"6", b"j", b"q"


class Terminal:
    """The screen in a process of its own, on a pseudo-terminal of 80 by 24."""

    def __init__(self, folder: Path) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        words = [sys.executable, "-m", "agent_memory", "--dir", str(folder), "tui"]
        self._process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        self._seen = b""

    def write(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def wait_for(self, pattern: str) -> None:
        """Wait until something has come onto the screen since the last time."""
        limit = time.monotonic() + DEADLINE_S
        while not (found := re.search(pattern.encode(), self._seen)):
            if time.monotonic() > limit or not select.select([self._master], [], [], DEADLINE_S)[0]:
                sys.exit(f"{pattern} never came:\n{self._seen[-2000:].decode(errors='replace')}")
            self._seen += os.read(self._master, 1 << 16)
        self._seen = self._seen[found.end() :]

    def leave(self) -> float:
        """Leave it, and return the processor time that it took."""
        self.write(QUIT)
        with suppress(OSError):  # that is how the end of a terminal shows
            while select.select([self._master], [], [], DEADLINE_S)[0] and os.read(self._master, 1 << 16):
                pass
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        os.close(self._master)
        if self._process.returncode:
            sys.exit(f"the screen ended with {self._process.returncode}")
        return usage.ru_utime + usage.ru_stime


def opened(folder: Path, key: bytes, rows: str) -> float:
    terminal = Terminal(folder)
    terminal.wait_for("Decisions")
    terminal.write(key)
    terminal.wait_for(rows)
    return terminal.leave()


def opening(folder: Path, count: int, runs: int, most: int) -> bool:
    good = True
    for name, key, rows in (("the largest channel", DECISIONS, f"1/{most} "), ("all pages", VOTES, "Votes .. 0 ")):
        pairs = [(cost(BASE)[0], opened(folder, key, rows)) for _ in range(runs + 1)][1:]  # the first one compiles
        ratio = statistics.median(ours / base for base, ours in pairs)
        base_ms, ours_ms = (1000 * statistics.median(pair[n] for pair in pairs) for n in (0, 1))
        print(f"{count} memories, {name}: {ratio:.2f} times in CPU ({ours_ms:.0f} ms against {base_ms:.0f} ms)")
        good &= ratio <= MAX_RATIO
    return good


def pressing(folder: Path, most: int, keys: int) -> None:
    terminal = Terminal(folder)
    terminal.wait_for("Decisions")
    terminal.write(DECISIONS)
    terminal.wait_for(f"1/{most} ")
    started = time.perf_counter()
    terminal.write(DOWN * keys)
    terminal.wait_for(f" {min(keys + 1, most)}/{most} ")
    took = time.perf_counter() - started
    terminal.leave()
    print(f"{keys} keys in one go: none lost, {1000 * took / keys:.2f} ms of wall time each")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--keys", type=int, default=2000)
    parser.add_argument("--only", default="opening,keys")
    given = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory(prefix="agent-memory-bench-") as name:
        os.environ["HOME"] = os.environ["USERPROFILE"] = name
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ |= {"PYTHONPYCACHEPREFIX": f"{name}/bytecode", "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        folder = Path(name) / ".memory"
        with open_memory(folder) as memory:
            memory.add_all(entries(given.memories))
            most = len(memory.entries("decisions"))
        if "keys" in given.only:
            pressing(folder, most, given.keys)
        if "opening" in given.only:
            good &= opening(folder, given.memories, given.runs, most)
    print("every target is met" if good else "a target is missed")
    return not good


if __name__ == "__main__":
    sys.exit(main())
