"""The one widget: lines that somebody else has, of which only those in sight are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from agent_memory.interfaces.tui.views import Line

STYLES: Final = {"": Style(), "bold": Style(bold=True), "dim": Style(dim=True), "reverse": Style(reverse=True)}
WHEEL_ROWS: Final = 3


class Pane(Widget):
    """Draws lines; ``line`` gives the one at a place for a width. Styles are no colours, so every terminal has them."""

    class Wheel(Message):
        """The wheel of a mouse was turned, down or up."""

        def __init__(self, rows: int) -> None:
            super().__init__()
            self.rows = rows

    class Click(Message):
        """A line was clicked on."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self, line: Callable[[int, int], Line], *, id: str, focus: bool = False) -> None:  # noqa: A002  (its name there)
        super().__init__(id=id)
        self._line = line
        self.can_focus = focus

    def render_line(self, y: int) -> Strip:
        """Return one line of the widget."""
        style, text = self._line(y, self.size.width)
        return Strip([Segment(text, STYLES[style])]).adjust_cell_length(self.size.width, STYLES[style])

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Pass the wheel on."""
        self.post_message(self.Wheel(WHEEL_ROWS))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Pass the wheel on."""
        self.post_message(self.Wheel(-WHEEL_ROWS))

    def on_click(self, event: events.Click) -> None:
        """Pass the place on."""
        self.post_message(self.Click(event.y))
