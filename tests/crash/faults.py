"""Faults on purpose, from outside: the package runs as it is, and a profiler acts at the n-th call to the disk.

A profiler is told of every call into C before and after it, so a process can be killed or stopped behind
any durable step, and any call can fail as a disk makes it fail. Nothing in the package is replaced.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from agent_memory.errors import AgentMemoryError
from tests.workspace import Workspace, essence

STATEMENTS = frozenset({"Connection.execute", "Connection.executemany"})
SQL = STATEMENTS | {"connect"}
WRITES = frozenset(
    "mkdir fsync replace link unlink BufferedWriter.write BufferedWriter.flush"
    " BufferedRandom.write BufferedRandom.flush TextIOWrapper.write".split()
)
DURABLE = SQL | WRITES
REFUSABLE = DURABLE | {"open", "chmod", "fchmod", "flock", "scandir", "listdir"}


class AtStep:
    """A profiler that calls ``act`` at the n-th call among ``names``: behind it, or before it.

    ``name`` is the call it acted at, empty if there were fewer.
    """

    def __init__(
        self, number: int, act: Callable[[str], None], names: frozenset[str] = DURABLE, *, before: bool = False
    ) -> None:
        self.number = number
        self.name = ""
        self._act = act
        self._names = names
        self._event = "c_call" if before else "c_return"

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == self._event and (name := getattr(arg, "__qualname__", "")) in self._names:
            self.number -= 1
            if self.number == 0:
                self.name = name
                self._act(name)


@contextmanager
def profiled(profiler: AtStep) -> Iterator[None]:
    sys.setprofile(profiler)
    try:
        yield
    finally:
        sys.setprofile(None)


def states_of(workspace: Workspace, work: Callable[[], object]) -> list[dict[str, bytes]]:
    """Do ``work`` and return what was on disk after each durable step: what a kill at that moment would leave."""
    states = [workspace.files()]

    def look(name: str) -> None:
        if (now := workspace.files()) != states[-1]:
            states.append(now)
        profiler.number = 1

    profiler = AtStep(1, look)
    with profiled(profiler):
        work()
    return states


def put_back(workspace: Workspace, state: dict[str, bytes]) -> None:
    """Make the memory folder what it was, byte for byte."""
    if workspace.memory.exists():
        shutil.rmtree(workspace.memory)
    for name, data in state.items():
        path = workspace.memory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def kill(name: str = "") -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stop(name: str = "") -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def refuse(errno: int) -> Callable[[str], None]:
    """Return what makes a call fail with ``errno``, the way the file system or SQLite would say it."""

    def act(name: str) -> None:
        if name in SQL:
            error = sqlite3.OperationalError(f"disk I/O error ({os.strerror(errno)})")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error
        raise OSError(errno, os.strerror(errno))

    return act


def fork(work: Callable[[], object], profiler: AtStep | None = None) -> int:
    """Do ``work`` in a child that ends without cleaning up, and return its process id."""
    child = os.fork()
    if child:
        return child
    try:
        sys.setprofile(profiler)
        work()
        sys.setprofile(None)
        os._exit(0)
    except AgentMemoryError as error:
        print(repr(error), file=sys.__stderr__, flush=True)
        os._exit(1)
    finally:  # with an error of any other kind
        traceback.print_exc(file=sys.__stderr__)
        os._exit(2)


def result_of(child: int) -> int:
    """Wait for a child; return its exit code, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def assert_undisturbed(workspace: Workspace, reference: Workspace) -> None:
    """Fail unless the vault is as if nothing had happened: nothing lost, doubled, half done or left lying about."""
    found = workspace.memories()
    active = [memory for memory in found if memory.active]
    assert essence(found) == essence(reference.memories())
    assert len(active) == len(essence(found))
    assert len({memory.key for memory in found}) == len(found)
    with workspace.app() as app:
        assert not app.mirror.check(app.shelf.page_states())
    assert names(workspace) == names(reference)


def names(workspace: Workspace) -> set[str]:
    """Return the names of all files in the memory folder; those of SQLite and locks come and go."""
    return {name for name in workspace.files() if ".sqlite3" not in name and not name.endswith((".lock", ".who"))}
