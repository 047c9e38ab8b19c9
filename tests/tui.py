"""Somebody at the terminal screen: presses keys, waits until all is done, and sees what stands there."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_memory.app.container import App
from agent_memory.app.spoken import language_of
from agent_memory.interfaces.tui import acts
from agent_memory.interfaces.tui.desk import Desk
from agent_memory.interfaces.tui.screen import Memories
from agent_memory.interfaces.tui.words import Words
from tests.workspace import Workspace

DEADLINE_S = 60


@dataclass(frozen=True)
class Until:
    """Wait until these words are on the screen."""

    words: str


@dataclass(frozen=True)
class Resized:
    """Make the terminal so wide and so high."""

    width: int
    height: int


Keys = Sequence[str | Resized | Until | Callable[[], object]]

SCREENS: dict[str, tuple[str, ...]] = {
    "Profile": ("1",),
    "Profile, an entry": ("j", "enter"),
    "Notes": ("2",),
    "Notes, an entry": ("j", "enter"),
    "Notes, what one leads to": ("2", "g"),
    "Lessons": ("3",),
    "Procedures": ("4",),
    "Links": ("5",),
    "Votes": ("6",),
    "Decisions": ("7",),
    "Decisions, an entry": ("end", "enter"),
    "Tasks": ("8",),
    "Handoffs": ("9",),
    "Proposals": ("0",),
    "Forgetting": ("X",),
    "Duplicates": ("n", "right_square_bracket"),
    "Other": ("right_square_bracket",),
    "Search": ("slash", *"centeio", "enter"),
    "Keys": ("question_mark",),
}
"""Every screen, in the order of a tour: the keys that lead to each from the one before."""


class Lent(Memories):
    """The screen where there is no terminal to lend."""

    @contextmanager
    def suspend(self) -> Iterator[None]:
        yield


class Sitting:
    """A person at the screen of a workspace; whoever ``edits`` writes to the file that they are given."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        agent: str | None = None,
        size: tuple[int, int] = (80, 24),
        edits: Callable[[Path], object] | None = None,
        opened: Callable[[], AbstractContextManager[App]] | None = None,
        **flags: Any,
    ) -> None:
        self._opened = opened or (lambda: workspace.app(**flags))
        self._agent, self._size, self._edits = agent, size, edits

    def sees(self, *keys: str | Resized | Until | Callable[[], object]) -> str:
        """Return the screen after some keys; what is no key is done between them, by somebody else."""
        return self.tour({"": keys})[""]

    def tour(self, stops: Mapping[str, Keys]) -> dict[str, str]:
        """Return the screen at every stop, each after its keys."""
        return asyncio.run(self._tour(stops))

    async def _tour(self, stops: Mapping[str, Keys]) -> dict[str, str]:
        with self._opened() as app:
            start, words = acts.start(app), Words(language_of(app))
        self.desk, seen = Desk(self._opened), {}
        kind = Lent if self._edits else Memories
        screen = kind(self.desk, start, words, self._edits or Path.unlink, self._agent)
        try:
            async with screen.run_test(size=self._size) as pilot:
                await _settle(screen, pilot)
                for name, keys in stops.items():
                    for key in keys:
                        if isinstance(key, Until):
                            await _wait(screen, pilot, key.words)
                        elif isinstance(key, Resized):
                            await pilot.resize_terminal(key.width, key.height)
                        elif isinstance(key, str):
                            await pilot.press(key)
                        else:
                            key()
                        if name:
                            await _settle(screen, pilot)
                    await _settle(screen, pilot)
                    seen[name] = text_of(screen)
        finally:
            self.desk.close()
        return seen


async def _wait(screen, pilot, words: str) -> None:
    limit = time.monotonic() + DEADLINE_S
    while words not in text_of(screen):
        assert time.monotonic() < limit, f"{words!r} never came:\n{text_of(screen)}"
        await pilot.pause(0.02)


async def _settle(screen, pilot) -> None:
    await screen.workers.wait_for_complete()
    await pilot.pause()


def text_of(screen: Memories) -> str:
    """Return what stands on the screen; several empty lines are one."""
    return squeezed("\n".join(strip.text for strip in screen.screen._compositor.render_strips()))


def squeezed(text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
    return re.sub(r"\n{3,}", "\n\n", lines)
