"""What stands on the screen: a stack of views over the channels, between a head and a foot; and following the disk.

Whatever is shown is asked of the desk and never waited for here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from textual.app import App as Toolkit
from textual.app import ComposeResult
from textual.widget import Widget
from textual.worker import Worker

from agent_memory.app import browse, recall
from agent_memory.errors import AgentMemoryError
from agent_memory.interfaces.tui import acts
from agent_memory.interfaces.tui.acts import Start
from agent_memory.interfaces.tui.channels import CHANNELS, FILTERS, Seeing
from agent_memory.interfaces.tui.fit import bar, headline, padded, wrapped
from agent_memory.interfaces.tui.keys import NUMBERS
from agent_memory.interfaces.tui.pane import Pane
from agent_memory.interfaces.tui.views import BLANK, Line, Rows, Text, View
from agent_memory.interfaces.tui.words import Words

if TYPE_CHECKING:
    from agent_memory.interfaces.tui.desk import Desk

FOLLOW_S: Final = 1.0
AUTO_TICKS: Final = 5
MOST_SAID: Final = 4

_LOGGER: Final = logging.getLogger("agent_memory")


class _Remarks(logging.Handler):
    """Passes what the product warns of, on whatever thread, to the screen: what is printed there, nobody sees."""

    def __init__(self, screen: Showing) -> None:
        super().__init__(logging.WARNING)
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        self._screen.call_later(self._screen.remark, record.getMessage())


class Showing(Toolkit[None]):
    """A screen that shows memories; what keys do to it is said elsewhere.

    ``desk`` answers for the product, ``start`` is what it has told before, ``agent`` is whose entries are shown,
    everybody's if None.
    """

    CSS = """
    Screen { overflow: hidden; }
    Screen, Pane, Input, Input:focus { background: ansi_default; color: ansi_default; }
    #head { dock: top; }
    #foot { dock: bottom; }
    Input, Input:focus { height: 1; border: none; padding: 0; dock: bottom; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, desk: Desk, start: Start, words: Words, agent: str | None = None) -> None:
        super().__init__(ansi_color=True)  # the terminal's own colours, or none
        self._desk, self._begun, self._words, self._agent = desk, start, words, agent
        self._channel, self._filter, self._auto, self._ticks = 0, 0, False, 0
        self._gone: set[tuple[str, ...]] = set()
        self._said = ""
        self._stamp: browse.Stamp | None = None
        self._looking = False
        self._remarks = _Remarks(self)
        self._head = Pane(self._head_line, id="head")
        self._body = Pane(self._body_line, id="body", focus=True)
        self._foot = Pane(self._foot_line, id="foot")
        self._views: list[View] = [self._rows()]

    def compose(self) -> ComposeResult:
        """Return the three parts of the screen."""
        return iter((self._head, self._body, self._foot))

    def on_mount(self) -> None:
        """Show the first channel, and follow what changes on the disk."""
        self.theme = "ansi-dark"
        _LOGGER.addHandler(self._remarks)
        self._body.focus()
        self._follow()
        self._home()
        self.set_interval(FOLLOW_S, self._follow)

    def on_unmount(self) -> None:
        """Let warnings go where they went before."""
        _LOGGER.removeHandler(self._remarks)

    def on_resize(self) -> None:
        """Fit in, once the new size is known."""
        self.call_after_refresh(self._draw)

    @property
    def _seeing(self) -> Seeing:
        return Seeing(self._words, self._begun.fading)

    @property
    def view(self) -> View:
        """What is on top."""
        return self._views[-1]

    # Moving.

    def action_move(self, by: int) -> None:
        """Choose another row, or scroll."""
        self._said = ""
        self.view.move(by, *reversed(self._body.size))
        self._draw()

    def action_page(self, pages: int) -> None:
        """Move by pages."""
        self.action_move(pages * max(self._body.size.height - 1, 1))

    def on_pane_wheel(self, event: Pane.Wheel) -> None:
        """Move as the wheel does."""
        self.action_move(event.rows)

    def on_pane_click(self, event: Pane.Click) -> None:
        """Choose the row that was clicked on."""
        if isinstance(self.view, Rows):
            self.action_move(self.view.top + event.place - self.view.cursor)

    # Views.

    def _rows(self) -> Rows:
        """Return the view of the channel that was gone to."""
        channel = CHANNELS[self._channel]
        recipe = partial(acts.rows, channel=channel, which=FILTERS[self._filter], agent=self._agent)
        setting = self._begun.off.get(channel.name)
        hint = self._words("off", setting=setting) if setting else ""
        return Rows(self._words(channel.name), recipe, channel.cells, self._seeing, channel.primary, hint)

    def _home(self) -> None:
        self._said = ""
        self._views[:] = [self._rows()]
        self._refresh()

    def _push(self, view: View) -> None:
        self._said = ""
        self._views.append(view)
        self._refresh()

    def _leave_texts(self) -> None:
        while isinstance(self.view, Text):
            self._views.pop()

    def _refresh(self) -> None:
        self._draw()
        self._go(partial(self._read, self.view))

    async def _read(self, view: View) -> None:
        """Ask for what a view shows, as it is now."""
        if isinstance(view, Rows):
            fading = await self._desk.ask(recall.fading)
            view.seeing = replace(view.seeing, fading=fading)
            view.take(await self._desk.ask(view.recipe), self._gone)
        elif view.recipe is not None:
            view.take(await self._desk.ask(view.recipe))
        self._draw()

    def _follow(self) -> None:
        self._ticks += 1
        if not self._looking:
            self._looking = True
            self._go(self._look)

    async def _look(self) -> None:
        """Read again what has changed, or what the clock says; an editor's rule follows what was done here."""
        try:
            stamp = await self._desk.ask(browse.stamp)
        finally:
            self._looking = False
        known, self._stamp = self._stamp, stamp
        by_clock = self._auto and self._ticks % AUTO_TICKS == 0
        if known not in (None, stamp) or by_clock:
            await self._read(self.view)
            await self._desk.ask(acts.follow)

    def _go(self, doing: Callable[[], Coroutine[Any, Any, None]]) -> None:
        _: Worker[None] = self.run_worker(partial(self._guarded, doing))

    async def _guarded(self, doing: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await doing()
        except AgentMemoryError as error:
            self.remark(f"{error.message} {error.hint}")
        except OSError as error:  # what no door has translated: a folder deleted under our feet, a full disk
            self.remark(str(error))

    # Lines.

    @property
    def _query(self) -> Widget | None:
        return next(iter(self.query("Input")), None)

    def _close_query(self) -> None:
        if self._query is not None:
            self._query.remove()
        self._foot.display = True
        self._body.focus()

    def remark(self, text: str) -> None:
        """Say something at the foot."""
        self._said = text
        self._draw()

    def _say(self, name: str, **given: str) -> None:
        self.remark(self._words(name, **given))

    def _draw(self) -> None:
        width, height = self._body.size
        self._head.styles.height = 1 + len(self._bar(self.size.width))
        self._foot.styles.height = len(self._foot_lines(self.size.width))
        self.view.settle(height, width)
        for pane in (self._head, self._body, self._foot):
            pane.refresh()

    def _bar(self, width: int) -> list[str]:
        names = [self._words(channel.name) for channel in CHANNELS]
        return bar(names, self._channel, NUMBERS, width, self.size.height // 4)

    def _head_line(self, place: int, width: int) -> Line:
        if place == 0:
            marks = [self._words(FILTERS[self._filter]), *([self._words("auto")] if self._auto else [])]
            right = " · ".join(filter(None, [self.view.title, self.view.position(), *marks]))
            return "bold", headline(self._begun.folder, right, width)
        lines = self._bar(width)
        return ("", lines[place - 1]) if place <= len(lines) else BLANK

    def _body_line(self, place: int, width: int) -> Line:
        return self.view.line(self.view.top + place, width)

    def _foot_line(self, place: int, width: int) -> Line:
        lines = self._foot_lines(width)
        return ("bold" if self._said else "dim", lines[place]) if place < len(lines) else BLANK

    def _foot_lines(self, width: int) -> list[str]:
        """Return what was said, in as few lines as it fits, or else the hints."""
        return wrapped(self._said, width)[:MOST_SAID] if self._said else [padded(self._words("hints"), width)]
