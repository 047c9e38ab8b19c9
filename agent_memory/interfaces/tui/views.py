"""What the screen shows, apart from any toolkit: rows to choose from, or text to read; where one is in it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from agent_memory.app.container import App
from agent_memory.interfaces.tui.channels import Item, Seeing
from agent_memory.interfaces.tui.fit import Cells, padded, row, wrapped

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
