"""What the screen shows, apart from any toolkit: rows to choose from, or text to read; where one is in it. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final, Literal

from rich.cells import cell_len, chop_cells

from agent_memory.app.container import App
from agent_memory.interfaces.tui.channels import Cells, Item, Seeing, padded, row
from agent_memory.model.terminal import printable

Style = Literal["", "bold", "dim", "reverse"]
Line = tuple[Style, str]

BLANK: Final[Line] = ("", "")


@dataclass
class Rows:
    """Rows, of which one is chosen. Only those in sight are ever drawn. ``items`` is None until they are read."""

    title: str
    recipe: Callable[[App], Sequence[Item]]
    cells: Callable[[Item, Seeing], Cells]
    seeing: Seeing
    primary: int = 16
    hint: str = ""
    items: list[Item] | None = None
    cursor: int = 0
    top: int = 0

    @property
    def chosen(self) -> Item | None:
        """The item that keys are about; None where there is none."""
        return self.items[self.cursor] if self.items else None

    def take(self, items: Sequence[Item], gone: Container[tuple[str, ...]] = ()) -> None:
        """Show these items but those that are ``gone``; the one that was chosen stays chosen, or its place does."""
        chosen, before = self.chosen, self.cursor
        self.items = [item for item in items if item.name not in gone]
        agents = {item.memory.page.agent for item in self.items if item.found.place == "workspace"}
        self.seeing = replace(self.seeing, agents=len(agents) > 1)
        names = (place for place, item in enumerate(self.items) if chosen and item.name == chosen.name)
        self.cursor = next(names, max(min(before, len(self.items) - 1), 0))

    def move(self, by: int, height: int, width: int) -> None:
        """Choose another row."""
        self.cursor = max(min(self.cursor + by, len(self.items or ()) - 1), 0)

    def settle(self, height: int, width: int) -> None:
        """Bring the chosen row into sight."""
        most = max(len(self.items or ()) - height, 0)
        self.top = max(min(self.top, self.cursor, most), self.cursor - height + 1, 0)

    def line(self, index: int, width: int) -> Line:
        """Return one line of the screen."""
        if not self.items:
            said = self.hint or self.seeing.words("reading" if self.items is None else "nothing")
            return ("dim", padded(f"  {said}", width)) if index == 0 else BLANK
        if index >= len(self.items):
            return BLANK
        here = index == self.cursor
        text = row(self.cells(self.items[index], self.seeing), self.primary, max(width - 2, 0))
        return ("reverse" if here else "", f"{'>' if here else ' '} {text}")

    def position(self) -> str:
        """Say where one is."""
        return "" if self.items is None else f"{self.cursor + 1}/{len(self.items)}" if self.items else "0"


@dataclass
class Text:
    """Text to read: an entry's, the keys, a question. ``yes`` is what a confirmation of it does."""

    title: str
    lines: Sequence[Line]
    recipe: Callable[[App], Sequence[Line]] | None = None
    item: Item | None = None
    yes: Callable[[App], object] | None = None
    top: int = 0
    _wrapped: dict[int, list[Line]] = field(default_factory=dict)

    @property
    def chosen(self) -> Item | None:
        """The item that keys are about; None where there is none."""
        return self.item

    def take(self, lines: Sequence[Line], gone: Container[tuple[str, ...]] = ()) -> None:
        """Show these lines instead."""
        self.lines = lines
        self._wrapped.clear()

    def move(self, by: int, height: int, width: int) -> None:
        """Scroll."""
        self.top = max(min(self.top + by, len(self._all(width)) - height), 0)

    def settle(self, height: int, width: int) -> None:
        """Leave no empty room below the last line that a smaller ``top`` would fill."""
        self.move(0, height, width)

    def line(self, index: int, width: int) -> Line:
        """Return one line of the screen."""
        lines = self._all(width)
        return lines[index] if index < len(lines) else BLANK

    def position(self) -> str:
        """Say where one is."""
        return ""

    def _all(self, width: int) -> list[Line]:
        if width not in self._wrapped:
            lines = ((style, part) for style, text in self.lines for part in wrapped(text, width))
            self._wrapped = {width: list(lines)}
        return self._wrapped[width]


View = Rows | Text


def wrapped(text: str, width: int) -> list[str]:
    """Return a text, safe for a terminal, in lines of at most ``width`` cells; its own line ends and indents stay."""
    return [part for line in printable(text).expandtabs(4).split("\n") for part in _folded(line, max(width, 1))]


def _folded(line: str, width: int) -> list[str]:
    if cell_len(line) <= width:
        return [line]
    if not line.isascii() and cell_len(line) != len(line):  # letters of two cells, which a count of letters gets wrong
        return chop_cells(line, width)
    indent = " " * min(len(line) - len(line.lstrip()), width // 2)
    return textwrap.wrap(line, width, subsequent_indent=indent, drop_whitespace=True, break_on_hyphens=False) or [""]


def bar(names: Sequence[str], chosen: int, numbers: str, width: int, most: int) -> list[str]:
    """Return the names of all channels, with their keys, in as many lines as they need; the chosen one in brackets.

    Where they need more lines than ``most``, there is one: that with the chosen one.
    """
    lines, held = [""], 0
    for place, name, number in zip(count(), names, numbers.ljust(len(names)), strict=False):
        label = f"{number} {name}".strip()
        shown = f"[{label}]" if place == chosen else f" {label} "
        if lines[-1] and cell_len(lines[-1] + shown) > width:
            lines.append("")
        lines[-1] += shown
        held = len(lines) - 1 if place == chosen else held
    return lines if len(lines) <= most else lines[held : held + 1]


def headline(left: str, right: str, width: int) -> str:
    """Return a line with something at each end; of the left there is what fits, its end rather than its beginning."""
    room = max(width - cell_len(right) - 2, 0)
    left = left if cell_len(left) <= room else "…" + left[len(left) - max(room - 1, 0) :]
    return padded(f"{padded(left, room)}  {right}", width)
