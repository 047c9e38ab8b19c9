"""Locks between processes: taken with a deadline, given back whatever happens, named after who holds them.

A lock is the system's, so it goes with its holder however that ends; the file it hangs on stays. Beside
it, the holder writes who it is, for the sentence that others give up with.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from agent_memory.errors import LockTimeout
from agent_memory.system import files

if TYPE_CHECKING:
    from filelock import FileLock


@contextlib.contextmanager
def locked(path: Path, *, timeout_s: float) -> Iterator[None]:
    """Hold the lock at ``path`` for the length of a ``with`` block.

    Raises:
        LockTimeout: Somebody else still held it after ``timeout_s``; the message says who.
    """
    lock = _lock(path)
    _acquire(lock, path, timeout_s)
    try:
        yield
    finally:
        _release(lock)


def try_lock(path: Path) -> FileLock | None:
    """Take the lock at ``path`` for the life of the process; None if somebody else has it."""
    lock = _lock(path)
    try:
        _acquire(lock, path, 0)
    except LockTimeout:
        return None
    return lock


def holder_of(path: Path) -> str:
    """Return what the lock's holder wrote about itself, empty if nobody did."""
    text = files.read_text(path.with_suffix(".who"))
    return (text or "").strip()


def _lock(path: Path) -> FileLock:
    from filelock import FileLock  # 65 ms: only writers pay it

    files.make_folder(path.parent, private=True)
    return FileLock(path, thread_local=False)


def _acquire(lock: FileLock, path: Path, timeout_s: float) -> None:
    from filelock import Timeout

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
    except OSError as error:
        _release(lock)  # it may be ours already, and only its holder's name could not be written
        raise files.translated(error, path) from error


def _release(lock: FileLock) -> None:
    for _ in range(2):  # what a failed call leaves in doubt, a second one settles
        with contextlib.suppress(OSError):
            lock.release(force=True)
