"""What each key does.

What touches the vault is asked of the desk at once, in the order of the keys, and never waited for here; what a
key has removed is out of sight at once, so that the next key is about the next row.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType

from agent_memory.app.container import App
from agent_memory.errors import AgentMemoryError, UnknownEntry, UsageError
from agent_memory.interfaces.tui import acts, channels, detail
from agent_memory.interfaces.tui.acts import Start
from agent_memory.interfaces.tui.channels import CHANNELS, FILTERS, Item
from agent_memory.interfaces.tui.keys import KEYS, help_lines
from agent_memory.interfaces.tui.showing import Showing
from agent_memory.interfaces.tui.views import Rows, Text
from agent_memory.interfaces.tui.words import Words
from agent_memory.model.text import open_boxes

if TYPE_CHECKING:
    from textual.widgets import Input

    from agent_memory.interfaces.tui.desk import Desk


class Memories(Showing):
    """The memory on a terminal; ``editing`` lets a person edit a file and comes back when that is over."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(names, action, show=False) for key in KEYS for names, action in key.does
    ]

    def __init__(
        self, desk: Desk, start: Start, words: Words, editing: Callable[[Path], object], agent: str | None = None
    ) -> None:
        super().__init__(desk, start, words, agent)
        self._editing = editing
        self._done: list[acts.Done] = []  # the desk's thread alone touches it, so that `u` waits for what it undoes

    # What the keys do.

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
        """Ask whether to forget it, and say what that would do; until that is said, `y` is about nothing."""
        if item := self.view.chosen:
            question = Text(self._words("forget"), [("dim", self._words("reading"))])
            self._push(question)
            self._go(partial(self._ask_to_forget, item, question))

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
        if isinstance(view, Text) and view.item is None:
            self.action_close()
        elif item and item.memory.status == channels.PROPOSED:
            self._remove(item, acts.reject, "rejected")
        else:
            self._say("no_proposal")

    def action_undo(self) -> None:
        """Take back what was last done here."""
        self._go(partial(self._undo, self._desk.ask(self._take_back)))

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

    # What comes of it.

    async def _edit(self, item: Item) -> None:
        item, path = await self._desk.ask(partial(acts.lay_out, item=item))
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

    async def _ask_to_forget(self, item: Item, question: Text) -> None:
        preview, forget = acts.forgetting(item)
        try:
            found = await self._desk.ask(preview)
        except (AgentMemoryError, OSError):
            self._views[:] = [view for view in self._views if view is not question]
            raise
        question.take(detail.forget_lines(item, self._words, found))
        question.yes = forget
        self._draw()

    async def _forget(self, forgetting: Awaitable[object]) -> None:
        await forgetting
        self._say("forgotten")
        await self._read(self.view)

    def _take_back(self, app: App) -> Sequence[str] | None:
        if not self._done:
            return None
        try:
            kept = acts.undo(app, self._done[-1])
        except UnknownEntry:  # nothing of it is left to take back; after any other failure it still is
            self._done.pop()
            raise
        self._done.pop()
        return kept

    async def _undo(self, undone: Awaitable[Sequence[str] | None]) -> None:
        kept = await undone
        self._say("no_undo" if kept is None else "kept" if kept else "undone", ids=", ".join(kept or ()))
        await self._read(self.view)
