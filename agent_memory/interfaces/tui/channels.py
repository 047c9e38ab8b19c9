"""The channels: one table that says what each lists, and what of an entry stands in its row. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agent_memory.app.browse import Found
from agent_memory.interfaces.tui.fit import ROW_CHARS, Cells
from agent_memory.interfaces.tui.words import Words
from agent_memory.model.links import edges_of
from agent_memory.model.memory import ACTIVATION, Memory
from agent_memory.model.text import normalise, open_boxes
from agent_memory.model.votes import Fading, read

FILTERS: Final = ("active", "archived", "all")
PROPOSED: Final = "proposed"


@dataclass(frozen=True, slots=True)
class Item:
    """What a row is about: an entry and, where there is more to it, an open task or a link with its other end."""

    found: Found
    words: str = ""
    kind: str = ""
    other_id: str = ""
    other: Memory | None = None

    @property
    def memory(self) -> Memory:
        """The entry."""
        return self.found.memory

    @property
    def name(self) -> tuple[str, ...]:
        """What it is known by when it is read again."""
        memory = self.memory
        return self.found.place, memory.page.path, memory.id, self.words, self.kind, self.other_id


@dataclass(frozen=True, slots=True)
class Seeing:
    """What rows depend on besides their entries: the language, how far votes have faded, whether agents are named."""

    words: Words
    fading: Fading
    agents: bool = False


Pick = Callable[[Sequence[Found], str], list[Item]]


@dataclass(frozen=True, slots=True)
class Channel:
    """One channel: what it lists of the entries of some categories, or of all, and how wide its first column is."""

    name: str
    categories: frozenset[str] | None
    pick: Pick
    cells: Callable[[Item, Seeing], Cells]
    primary: int = 16


def shows(found: Found, which: str) -> bool:
    """Tell whether a filter lets an entry through."""
    current = found.memory.active and not found.memory.page.archived
    past = not current and found.memory.status != PROPOSED
    return which == "all" or (current if which == "active" else past)


def plain(found: Sequence[Found], which: str) -> list[Item]:
    """Return an item for each entry, the newest first."""
    return [Item(one) for one in _newest(found) if shows(one, which)]


def _newest(found: Iterable[Found]) -> list[Found]:
    return sorted(found, key=lambda one: one.memory.at, reverse=True)


def facts(found: Sequence[Found], which: str) -> list[Item]:
    """Return the facts by their keys."""
    return sorted(plain(found, which), key=lambda item: key_and_value(item.memory)[0])


def tasks(found: Sequence[Found], which: str) -> list[Item]:
    """Return an item for each open box; with the others also the entries that have none."""
    items: list[Item] = []
    for one in _newest(found):
        if shows(one, which):
            boxes = dict.fromkeys(open_boxes(one.memory.body))
            items += [Item(one, box) for box in boxes] or ([] if which == "active" else [Item(one)])
    return items


def proposals(found: Sequence[Found], _: str) -> list[Item]:
    """Return what waits to be accepted or rejected."""
    return [Item(one) for one in _newest(one for one in found if one.memory.status == PROPOSED)]


def voted(found: Sequence[Found], which: str) -> list[Item]:
    """Return what was voted on, the best first."""
    items = plain([one for one in found if one.memory.meta.get("votes")], which)
    return sorted(items, key=lambda item: read(item.memory.meta).score, reverse=True)


def links(found: Sequence[Found], which: str) -> list[Item]:
    """Return every link of the entries."""
    by_id = {one.memory.id: one.memory for one in found}
    shown = (one for one in _newest(found) if shows(one, which))
    return [Item(one, "", kind, to, by_id.get(to)) for one in shown for kind, to in edges_of(one.memory)]


def duplicates(found: Sequence[Found], which: str) -> list[Item]:
    """Return entries of one page that say the same, one group after the other, and those linked as saying it."""
    groups: dict[tuple[object, ...], list[Found]] = defaultdict(list)
    for one in _newest(found):
        page = one.memory.page
        if shows(one, which):
            groups[one.place, page.agent, page.category, normalise(one.memory.body)].append(one)
    same = [Item(one, kind=str(number)) for number, group in enumerate(_several(groups.values()), 1) for one in group]
    return same + [item for item in links(found, which) if item.kind == "duplicates"]


def _several(groups: Iterable[list[Found]]) -> list[list[Found]]:
    return [group for group in groups if len(group) > 1]


def others(found: Sequence[Found], which: str) -> list[Item]:
    """Return what no other channel lists."""
    return [item for item in plain(found, which) if item.memory.page.category not in _LISTED]


def key_and_value(memory: Memory) -> tuple[str, str]:
    """Return what a fact's entry says: a key, and its value."""
    key, colon, value = memory.body.partition(":")
    return (key.strip(), value.strip()) if colon else (memory.meta.get("fact", ""), memory.body)


def _entry(item: Item, seeing: Seeing) -> Cells:
    return Cells(_stamp(item.memory), item.memory.body, _meta(item, seeing))


def _fact(item: Item, seeing: Seeing) -> Cells:
    key, value = key_and_value(item.memory)
    pinned = "contextual" if item.memory.meta.get("pinned", "1") == "0" else "pinned"
    votes = seeing.fading.of(item.memory.meta)
    marks = [seeing.words(pinned), *([f"{votes:+.1f}"] if votes else []), *_marks(item, seeing)]
    return Cells(key, value, " · ".join(marks))


def _lesson(item: Item, seeing: Seeing) -> Cells:
    return Cells(_stamp(item.memory), item.memory.meta.get(ACTIVATION) or item.memory.body, _meta(item, seeing))


def _task(item: Item, seeing: Seeing) -> Cells:
    return Cells(_stamp(item.memory), f"[ ] {item.words}" if item.words else item.memory.body, _meta(item, seeing))


def _link(item: Item, seeing: Seeing) -> Cells:
    other = item.other.body[:ROW_CHARS] if item.other else f"{item.other_id} ({seeing.words('gone')})"
    category = item.other.page.category if item.other else ""
    return Cells(item.memory.body, f"{item.kind} → {other}", category)


def _vote(item: Item, seeing: Seeing) -> Cells:
    score = seeing.fading.of(item.memory.meta)
    return Cells(f"{'DOWN' if score < 0 else 'UP'} {score:+.1f}", item.memory.body, item.memory.page.category)


def _proposal(item: Item, seeing: Seeing) -> Cells:
    sure = item.memory.meta.get("confidence", "")
    return Cells(item.memory.page.category, item.memory.body, " ".join(filter(None, [sure, _meta(item, seeing)])))


def _duplicate(item: Item, seeing: Seeing) -> Cells:
    if item.other_id:
        return _link(item, seeing)
    return Cells(f"{item.kind} = {item.memory.page.category}", item.memory.body, _stamp(item.memory))


def near(item: Item, seeing: Seeing) -> Cells:
    """Return the row of a neighbour: how it is linked, what it says, what it is."""
    return Cells(item.kind, item.memory.body, " · ".join([item.memory.page.category, *_marks(item, seeing)]))


def hit(item: Item, seeing: Seeing) -> Cells:
    """Return the row of what a search has found."""
    return Cells(item.memory.page.category, item.memory.body, f"{item.memory.at:%Y-%m-%d} {_meta(item, seeing)}")


def _stamp(memory: Memory) -> str:
    return f"{memory.at:%Y-%m-%d %H:%M}"


def _meta(item: Item, seeing: Seeing) -> str:
    return " ".join([*_marks(item, seeing), *(f"#{tag}" for tag in item.memory.tags[:4])])


def _marks(item: Item, seeing: Seeing) -> list[str]:
    """Return what sets an entry apart: that it no longer counts, is for all projects, or is another agent's."""
    memory = item.memory
    past = not memory.active or memory.page.archived
    status = [memory.status or seeing.words("archived")] if past and memory.status != PROPOSED else []
    whose = [seeing.words("yours")] if item.found.place == "user" else [memory.page.agent] if seeing.agents else []
    return status + whose


CHANNELS: Final = (
    Channel("profile", frozenset({"profile"}), facts, _fact, 26),
    Channel("notes", frozenset({"notes"}), plain, _entry),
    Channel("lessons", frozenset({"lessons"}), plain, _lesson),
    Channel("procedures", frozenset({"procedures"}), plain, _lesson),
    Channel("links", None, links, _link, 28),
    Channel("votes", None, voted, _vote, 10),
    Channel("decisions", frozenset({"decisions"}), plain, _entry),
    Channel("tasks", frozenset({"tasks"}), tasks, _task),
    Channel("handoffs", frozenset({"handoffs"}), plain, _entry),
    Channel("proposals", None, proposals, _proposal, 12),
    Channel("duplicates", None, duplicates, _duplicate, 16),
    Channel("other", None, others, _entry),
)
_LISTED: Final = frozenset().union(*(channel.categories or () for channel in CHANNELS))
