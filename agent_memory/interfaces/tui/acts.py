"""What the screen asks of the product and has done by it, each a call that runs where the product lives.

What writes is imported by whoever first does it: a screen that is only read should open quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent_memory.app import browse, recall
from agent_memory.app.browse import Found, Place, home_of
from agent_memory.app.container import App
from agent_memory.app.switches import CHANNELS, is_on
from agent_memory.errors import AgentMemoryError
from agent_memory.interfaces.tui.channels import Channel, Item, key_and_value
from agent_memory.interfaces.tui.detail import About, lines_of
from agent_memory.interfaces.tui.views import Line
from agent_memory.interfaces.tui.words import Words
from agent_memory.model.links import KINDS
from agent_memory.model.recall import Query
from agent_memory.model.syntax import parse
from agent_memory.model.votes import Fading

if TYPE_CHECKING:
    from agent_memory.app.forget import Forgetting
    from agent_memory.app.profile import Known

MAX_HITS: Final = 100


@dataclass(frozen=True, slots=True)
class Start:
    """What the screen has to know at first: where the vault is, how votes fade, which channels are switched off."""

    folder: str
    fading: Fading
    off: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Done:
    """What was done here: the run that can be taken back, and the vault it is of."""

    place: Place
    run: str | None


def start(app: App) -> Start:
    """Return what the screen has to know at first."""
    off = {channel: setting for channel, setting in CHANNELS.items() if not is_on(app, channel)}
    root, home = app.folder.root, app.places.home
    folder = f"~/{root.relative_to(home)}" if root.is_relative_to(home) else str(root)
    return Start(folder, recall.fading(app), off)


def rows(app: App, channel: Channel, which: str, agent: str | None) -> list[Item]:
    """Return what a channel lists."""
    found = browse.entries(app, channel.categories, agent) if is_on(app, channel.name) else []
    return channel.pick(found, which)


def search(app: App, text: str, agent: str | None) -> list[Item]:
    """Return what a person looks for, the best first, as entries that keys are good for."""
    given = Query("", agent=agent, limit=MAX_HITS)
    hits = recall.search(app, parse(text, given)) if text.strip() else []
    wanted = {(hit.page.agent, hit.page.category, hit.id): rank for rank, hit in enumerate(hits)}
    pages = frozenset(hit.page.category for hit in hits)
    found: dict[int, Item] = {}
    for one in browse.entries(app, pages):
        rank = wanted.get((one.memory.page.agent, one.memory.page.category, one.memory.id))
        if rank is not None and one.place == "workspace":
            found.setdefault(rank, Item(one))
    return [found[rank] for rank in sorted(found)]


def near(app: App, item: Item) -> list[Item]:
    """Return what an entry leads to and what leads to it, as far as it is there."""
    from agent_memory.app import tending

    linked = tending.links(app, item.memory.id)
    return [
        Item(Found(one.other, item.found.place), kind=f"{'→' if one.outgoing else '←'} {one.kind}")
        for one in linked
        if one.other
    ]


def about(app: App, item: Item) -> About:
    """Return what the detail of an entry has besides the entry."""
    from agent_memory.app import profile, tending
    from agent_memory.app.quote import quote

    memory = item.memory
    chain: Sequence[Known] = ()
    if memory.page.category == "profile" and (key := key_and_value(memory)[0]):
        chain = [one for one in profile.history(app, key, agent=_agent(item)) if one.place == item.found.place]
    return About(
        quote(app, memory),
        [tending.link_fields(link) for link in tending.links(app, memory.id)],
        [profile.fact_fields(one) for one in chain],
        recall.fading(app).of(memory.meta),
    )


def lines(item: Item, words: Words, app: App) -> list[Line]:
    """Return the detail of an entry, with all that has to be looked up."""
    item = current(app, item)
    return lines_of(item, words, about(app, item))


def current(app: App, item: Item) -> Item:
    """Return an item with its entry as it is now.

    Raises:
        UnknownEntry: It is gone.
    """
    from agent_memory.app import vault

    page, home = item.memory.page, home_of(app, item.found.place)
    memory = vault.entry(home, page.agent, page.category, item.memory.id)
    return replace(item, found=replace(item.found, memory=memory))


def delete(app: App, item: Item) -> Done:
    """Take away what a row is about: a link, a fact, or an entry."""
    from agent_memory.app import profile, tending, vault

    page, memory_id = item.memory.page, item.memory.id
    if item.other_id:
        kind = next((one for one in KINDS if one == item.kind), None)
        tending.unlink(app, memory_id, item.other_id, kind)
        return _done(app, item, "links remove")
    if page.category == "profile" and item.memory.active and (key := key_and_value(item.memory)[0]):
        profile.remove(app, key, for_user=item.found.place == "user", agent=_agent(item))
        return _done(app, item, "profile remove")
    vault.delete(home_of(app, item.found.place), page.agent, page.category, memory_id)
    return _done(app, item, "vault delete")


def tick(app: App, item: Item) -> Done:
    """Tick the box of a row."""
    from agent_memory.app import tasks

    tasks.done(home_of(app, item.found.place), item.memory.page.agent, item.memory.id, item.words)
    return _done(app, item, "tasks done")


def accept(app: App, item: Item) -> Done:
    """Let a proposal count."""
    from agent_memory.app import vault

    page = item.memory.page
    vault.accept(home_of(app, item.found.place), page.agent, page.category, item.memory.id)
    return _done(app, item, "vault accept")


def reject(app: App, item: Item) -> Done:
    """Drop a proposal."""
    from agent_memory.app import vault

    page = item.memory.page
    vault.reject(home_of(app, item.found.place), page.agent, page.category, item.memory.id)
    return _done(app, item, "vault reject")


def lay_out(app: App, item: Item) -> tuple[Item, Path]:
    """Put the words of an entry, as they are now, where an editor finds them."""
    from agent_memory.app import editor

    item = current(app, item)
    return item, editor.lay_out(app, item.found)


def take_back(app: App, item: Item, path: Path) -> Done | None:
    """Store what the editor has left; None where that is what was there."""
    from agent_memory.app import editor

    if not editor.take_back(app, item.found, path):
        return None
    return _done(app, item, "profile set" if item.memory.page.category == "profile" else "vault edit")


def leave(app: App, item: Item, path: Path, error: AgentMemoryError) -> None:
    """Tidy up after an editor that has failed."""
    from agent_memory.app import editor

    editor.leave(item.found, path, error)


def undo(app: App, done: Done) -> Sequence[str]:
    """Take back what was done; return what had to be left."""
    from agent_memory.app import changes

    return changes.undo(home_of(app, done.place), done.run).kept


def forgetting(item: Item) -> tuple[Callable[[App], Forgetting], Callable[[App], Forgetting]]:
    """Return what says what forgetting an entry would do, and what forgets it."""
    from agent_memory.app import forget

    return (
        lambda app: forget.preview(app, forget.words_of(app, item.memory.id, None)),
        lambda app: forget.forget(app, forget.words_of(app, item.memory.id, None)),
    )


def follow(app: App) -> None:
    """Bring an editor's rule up to date with what was done here, if anything was."""
    if app.has_changed:
        from agent_memory.app import rule

        rule.follow(app)


def _done(app: App, item: Item, verb: str) -> Done:
    from agent_memory.app import changes

    return Done(item.found.place, changes.latest(home_of(app, item.found.place), verb))


def _agent(item: Item) -> str | None:
    return None if item.found.place == "user" else item.memory.page.agent
