"""The screen: a stack of views over the channels, and what each key does to them.

Whatever touches the vault is asked of the desk, in the order of the keys, and never waited for here; what a
key has removed is out of sight at once, so that the next key is about the next row.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.app import App as Toolkit
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.widget import Widget

from agent_memory.app import browse, recall
from agent_memory.app.container import App
from agent_memory.errors import AgentMemoryError, UsageError
from agent_memory.interfaces.tui import acts, channels, detail
from agent_memory.interfaces.tui.acts import Start
from agent_memory.interfaces.tui.channels import CHANNELS, FILTERS, Item, Seeing, padded
from agent_memory.interfaces.tui.keys import KEYS, NUMBERS, help_lines
from agent_memory.interfaces.tui.pane import Pane
from agent_memory.interfaces.tui.views import BLANK, Line, Rows, Text, View, bar, headline, wrapped
from agent_memory.interfaces.tui.words import Words
from agent_memory.model.text import open_boxes

if TYPE_CHECKING:
    from textual.widgets import Input

    from agent_memory.interfaces.tui.desk import Desk

FOLLOW_S: Final = 1.0
AUTO_TICKS: Final = 5
MOST_SAID: Final = 4


class Memories(Toolkit[None]):
    """The memory on a terminal.

    ``desk`` answers for the product, ``start`` is what it has told before, ``agent`` is whose entries are shown,
    everybody's if None; ``editing`` lets a person edit a file and comes back when that is over.
    """

    CSS = """
    Screen { overflow: hidden; }
    Screen, Pane, Input, Input:focus { background: ansi_default; color: ansi_default; }
    #head { dock: top; }
    #foot { dock: bottom; }
    Input, Input:focus { height: 1; border: none; padding: 0; dock: bottom; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(names, action, show=False) for key in KEYS for names, action in key.does
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, desk: Desk, start: Start, words: Words, editing: Callable[[Path], object], agent: str | None = None
    ) -> None:
        super().__init__(ansi_color=True)  # the terminal's own colours, or none
        self._desk, self._begun, self._words, self._editing, self._agent = desk, start, words, editing, agent
        self._channel, self._filter, self._auto, self._ticks = 0, 0, False, 0
        self._gone: set[tuple[str, ...]] = set()
        self._done: list[acts.Done] = []  # the desk's thread alone touches it, so that `u` waits for what it undoes
        self._said = ""
        self._stamp: browse.Stamp | None = None
        self._looking = False
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
        self._body.focus()
        self._home()
        self.set_interval(FOLLOW_S, self._follow)

    def on_resize(self) -> None:
        """Fit in."""
        self._draw()

    @property
    def _seeing(self) -> Seeing:
        return Seeing(self._words, self._begun.fading)

    @property
    def view(self) -> View:
        """What is on top."""
        return self._views[-1]

    # What the keys do.

    def action_move(self, by: int) -> None:
        """Choose another row, or scroll."""
        self._said = ""
        self.view.move(by, *reversed(self._body.size))
        self._draw()

    def action_page(self, pages: int) -> None:
        """Move by pages."""
        self.action_move(pages * max(self._body.size.height - 1, 1))

    def action_open(self) -> None:
        """Open what is chosen."""
        item = self.view.chosen
        if item is not None and isinstance(self.view, Rows):
            words = self._words
            self._push(Text(words("detail"), detail.lines_of(item, words), partial(acts.lines, item, words), item))

    def action_close(self) -> None:
        """Close what is on top: the line to search with, or a view."""
        if self._query is not None:
            self._close_query()
        elif len(self._views) > 1:
            self._views.pop()
            self._said = ""
            self._refresh()

    def action_channel(self, place: int) -> None:
        """Go to a channel."""
        self._channel = place % len(CHANNELS)
        self._home()

    def action_side(self, by: int) -> None:
        """Go to the channel beside."""
        self.action_channel(self._channel + by)

    def action_filter(self) -> None:
        """List what is active, archived, or all."""
        self._filter = (self._filter + 1) % len(FILTERS)
        self._home()

    def action_near(self) -> None:
        """Show what the entry leads to and what leads to it."""
        if item := self.view.chosen:
            title, seeing = self._words("near"), self._seeing
            self._push(Rows(title, partial(acts.near, item=item), channels.near, seeing, primary=18))

    def action_search(self) -> None:
        """Ask what to look for."""
        from textual.widgets import Input  # 60 ms, for who searches

        if self._query is None:
            self._foot.display = False
            query = Input(placeholder=self._words("look_for"), select_on_focus=False)
            self.mount(query)
            query.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Look for it."""
        self._close_query()
        if event.value.strip():
            recipe = partial(acts.search, text=event.value, agent=self._agent)
            title = f"{self._words('search')}: {event.value}"
            self._push(Rows(title, recipe, channels.hit, self._seeing, primary=10))

    def action_edit(self) -> None:
        """Edit the words in the editor of the person's choice."""
        if item := self.view.chosen:
            self._go(partial(self._edit, item))

    def action_tick(self) -> None:
        """Tick the box."""
        item = self.view.chosen
        if item and item.memory.page.category == "tasks" and open_boxes(item.memory.body):
            self._remove(item, acts.tick, "ticked")
        else:
            self._say("no_task")

    def action_delete(self) -> None:
        """Delete what is chosen."""
        if item := self.view.chosen:
            self._remove(item, acts.delete, "deleted")

    def action_forget(self) -> None:
        """Ask whether to forget it, and say what that would do."""
        if item := self.view.chosen:
            self._go(partial(self._ask_to_forget, item))

    def action_yes(self) -> None:
        """Confirm, or accept a proposal."""
        item, view = self.view.chosen, self.view
        if isinstance(view, Text) and view.yes is not None:
            self._leave_texts()
            self._go(partial(self._forget, self._desk.ask(view.yes)))
        elif item and item.memory.status == channels.PROPOSED:
            self._remove(item, acts.accept, "accepted")
        else:
            self._say("no_proposal")

    def action_no(self) -> None:
        """Do not confirm, or reject a proposal."""
        item, view = self.view.chosen, self.view
        if isinstance(view, Text) and view.yes is not None:
            self.action_close()
        elif item and item.memory.status == channels.PROPOSED:
            self._remove(item, acts.reject, "rejected")
        else:
            self._say("no_proposal")

    def action_undo(self) -> None:
        """Take back what was last done here."""
        undone = self._desk.ask(lambda app: acts.undo(app, self._done.pop()) if self._done else None)
        self._go(partial(self._undo, undone))

    def action_refresh(self) -> None:
        """Read again."""
        self._said = ""
        self._refresh()

    def action_auto(self) -> None:
        """Read again by the clock too, or no longer."""
        self._auto = not self._auto
        self._draw()

    async def action_quit(self) -> None:
        """Leave, once all that was asked is done."""
        await self._desk.ask(lambda app: None)
        self.exit()

    def action_help(self) -> None:
        """List the keys."""
        self._push(Text(self._words("help"), [("", line) for line in help_lines(self._words)]))

    def on_pane_wheel(self, event: Pane.Wheel) -> None:
        """Move as the wheel does."""
        self.action_move(event.rows)

    def on_pane_click(self, event: Pane.Click) -> None:
        """Choose the row that was clicked on."""
        if isinstance(self.view, Rows):
            self.action_move(self.view.top + event.place - self.view.cursor)

    # What comes of it.

    async def _edit(self, item: Item) -> None:
        path = await self._desk.ask(partial(acts.lay_out, item=item))
        failure = self._lent(partial(self._editing, path))
        if failure is not None:
            await self._desk.ask(partial(acts.leave, item=item, path=path, error=failure))
            raise failure
        changed = await self._desk.ask(lambda app: self._noted(acts.take_back(app, item, path)))
        self._say("saved" if changed else "unchanged")
        self._leave_texts()
        await self._read(self.view)

    def _lent(self, use: Callable[[], object]) -> AgentMemoryError | None:
        """Lend the terminal; return what went wrong, for what is raised in there would leave it lent."""
        failure: AgentMemoryError | None = None
        try:
            with self.suspend():
                try:
                    use()
                except AgentMemoryError as error:
                    failure = error
        except SuspendNotSupported:
            failure = UsageError(self._words("no_suspend"))
        return failure

    def _remove(self, item: Item, act: Callable[[App, Item], acts.Done], said: str) -> None:
        """Do what takes an item out of sight, at once for the eye."""
        self._gone.add(item.name)
        self._leave_texts()
        if isinstance(self.view, Rows):
            self.view.take(self.view.items or (), self._gone)
        self._draw()
        self._go(partial(self._act, item, self._desk.ask(lambda app: self._noted(act(app, item))), said))

    async def _act(self, item: Item, act: Awaitable[object], said: str) -> None:
        try:
            await act
            self._say(said)
        finally:
            self._gone.discard(item.name)
            self._refresh()

    def _noted(self, done: acts.Done | None) -> bool:
        self._done += [done] if done else []
        return done is not None

    async def _ask_to_forget(self, item: Item) -> None:
        preview, forget = acts.forgetting(item)
        found = await self._desk.ask(preview)
        self._push(Text(self._words("forget"), detail.forget_lines(item, self._words, found), yes=forget))

    async def _forget(self, forgetting: Awaitable[object]) -> None:
        await forgetting
        self._say("forgotten")
        await self._read(self.view)

    async def _undo(self, undone: Awaitable[Sequence[str] | None]) -> None:
        kept = await undone
        self._say("no_undo" if kept is None else "kept" if kept else "undone", ids=", ".join(kept or ()))
        await self._read(self.view)

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
        by_clock = self._auto and self._ticks % AUTO_TICKS == 0
        if stamp != self._stamp or by_clock:
            self._stamp = stamp
            await self._read(self.view)
            await self._desk.ask(acts.follow)

    def _go(self, doing: Callable[[], Coroutine[Any, Any, None]]) -> None:
        work: Callable[[], Coroutine[None, None, None]] = partial(self._guarded, doing)
        self.run_worker(work)

    async def _guarded(self, doing: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await doing()
        except AgentMemoryError as error:
            self._said = f"{error.message} {error.hint}"
            self._draw()

    # Lines.

    @property
    def _query(self) -> Widget | None:
        return next(iter(self.query("Input")), None)

    def _close_query(self) -> None:
        if self._query is not None:
            self._query.remove()
        self._foot.display = True
        self._body.focus()

    def _say(self, name: str, **given: str) -> None:
        self._said = self._words(name, **given)
        self._draw()

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
