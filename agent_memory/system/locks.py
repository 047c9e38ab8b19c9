"""Locks between processes: taken with a deadline, given back whatever happens, named after who holds them.

A lock is the system's, so it goes with its holder however that ends; the file it hangs on stays.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from agent_memory.errors import LockTimeout
from agent_memory.system import files
from agent_memory.system.folders import translated

if TYPE_CHECKING:
    from filelock import FileLock


@contextlib.contextmanager
def locked(path: Path, *, timeout_s: float) -> Iterator[None]:
    """Hold the lock at ``path`` for a block; ``LockTimeout`` says who held it all of ``timeout_s``."""
    lock = _acquired(path, timeout_s)
    try:
        yield
    finally:
        _release(lock)


def try_lock(path: Path) -> FileLock | None:
    """Take the lock at ``path`` for the life of the process; None if somebody else has it."""
    try:
        return _acquired(path, 0)
    except LockTimeout:
        return None


def holder_of(path: Path) -> str:
    """Return what the lock's holder wrote about itself, empty if nobody did."""
    return (files.read_text(path.with_suffix(".who")) or "").strip()


def _acquired(path: Path, timeout_s: float) -> FileLock:
    from filelock import FileLock, Timeout  # 65 ms: only writers pay it

    files.make_folder(path.parent, private=True)
    lock = FileLock(path, thread_local=False)
    with translated(path):
        try:
            lock.acquire(timeout=timeout_s, poll_interval=0.02)
            path.with_suffix(".who").write_text(f"process {os.getpid()}\n", encoding="utf-8")
        except Timeout as error:
            who = holder_of(path) or "another process"
            raise LockTimeout(
                f"{path.name} is held by {who}, and {timeout_s:g} s have passed.",
                hint="Try again; if that process hangs, end it.",
                path=str(path),
                holder=who,
            ) from error
        except OSError:
            _release(lock)  # it may be ours already, and only its holder's name could not be written
            raise
    return lock


def _release(lock: FileLock) -> None:
    for _ in range(2):  # what a failed call leaves in doubt, a second one settles
        with contextlib.suppress(OSError):
            lock.release(force=True)
