"""Workspaces in memory, where flushing costs nothing: what a process has written outlives it there just as well."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.workspace import Chat, Workspace

pytest.register_assert_rewrite("tests.crash.faults")
IN_MEMORY = Path("/dev/shm")
SIDE_BY_SIDE = 20
DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."
LESSON = "Root cause: the payment webhook was retried after 10 s, so every slow order was booked twice."


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Workspace]]:
    """Make workspaces, each with a HOME of its own, and take them away again."""
    top = Path(tempfile.mkdtemp(prefix="am-crash-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None)).resolve()
    top.chmod(0o755)  # some tests act as somebody else in it
    number = count()

    def _make() -> Workspace:
        # Processing lists each folder on the way to the workspace, so no folder holds hundreds of them.
        folder = top.joinpath(*(str(each) for each in divmod(next(number), SIDE_BY_SIDE)))
        (folder / "shop" / ".git").mkdir(parents=True)
        (folder / "home").mkdir()
        monkeypatch.setenv("HOME", str(folder / "home"))
        return Workspace(folder / "shop", folder / "home")

    yield _make
    shutil.rmtree(top)


@pytest.fixture
def undisturbed(make: Callable[[], Workspace]) -> Workspace:
    """The vault of one undisturbed run over the conversation."""
    workspace = make()
    say(workspace.chat()).save(written=workspace.long_ago())
    assert not workspace.process().failed
    assert workspace.memories()
    return workspace


def say(chat: Chat) -> Chat:
    """Write a conversation that has something of everything, and a turn in several pieces."""
    chat.user(DECISION).assistant("On it.").assistant(f"Done.\n\n{LESSON}\n\nStill to do:\n- [ ] rotate the old key")
    chat.user("Vamos usar o Redis para a fila de e-mails, porque o cron perdeu pedidos ontem.")
    chat.assistant("", {"name": "TodoWrite", "input": {"todos": [{"content": "Measure the queue", "status": "done"}]}})
    return chat.assistant("A fila está no ar.").ended()
