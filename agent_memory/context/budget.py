"""What of a briefing fits into its space.

Pure. Sections take their room in the order of their priority, so what comes last is cut first, and a
memory that one shows is not shown by another. The essential ones are never left out without a trace: where
not even one line has room, a line that says how many there are takes its place. Sizes are in a counter's
units, each line with its newline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from agent_memory.context.counting import Counter
from agent_memory.context.render import label
from agent_memory.context.sections import Section, place
from agent_memory.model.briefing import Item
from agent_memory.model.text import Language

MAX_LINE_TOKENS: Final = 100
"""In a section that does not fit, no single line may take more than this from the others."""
MIN_LINE_TOKENS: Final = 15
"""The beginning of a line that is shorter than this says too little to be worth its room."""

MORE: Final = {"en": "… {} more", "pt": "… mais {}"}


class Shown(NamedTuple):
    """A section as it will be shown, and every item that was considered for it; no ``lines`` if it has no room."""

    lines: tuple[str, ...]
    items: tuple[Item, ...]

    @property
    def tells(self) -> bool:
        """Whether it has more than the number of what was cut."""
        return any(item.fate != "cut" for item in self.items)


class Space(NamedTuple):
    """How things are counted and said in one briefing."""

    counter: Counter
    language: Language
    max_tokens: int

    def size(self, items: Iterable[Item]) -> int:
        """Return the units that items take."""
        return self.counter.size(line for item in items for line in item.lines)

    def heading(self, section: Section, items: Sequence[Item]) -> tuple[str, ...]:
        """Return the blank line and the heading of a section with these items."""
        first = items[0].hit if section.dated and items else None
        return "", f"### {section.heading[self.language]} {label(first) if first else ''}".rstrip()

    def more(self, number: int) -> str:
        """Return the line that stands for what was cut."""
        return MORE[self.language].format(number)


def pack(sections: Sequence[tuple[Section, Sequence[Item]]], room: int, space: Space) -> dict[str, Shown]:
    """Fit sections with what they have to show into ``room`` units; the result is by name, in the same order."""
    packed: dict[str, Shown] = {}
    told: dict[tuple[str, str], str] = {}
    waiting = sorted(sections, key=lambda pair: pair[0].priority)
    while waiting:
        section, items = waiting.pop(0)
        items, repeated = _new(section, items, told)
        later = sum(_taken(other, its, space) for other, its in waiting if other.essential and its)
        heading = space.heading(section, items)
        shown = fit(section, items, room - min(later, room // 2) - space.counter.size(heading), space)
        if section.essential and items and not packed and not shown.tells:
            heading, shown = _at_least_the_beginning(section, items, room, space)
        lines = (*heading, *shown.lines) if shown.lines else ()
        room -= space.counter.size(lines)
        told |= {place(item.hit): section.name for item in shown.items if item.hit and item.fate != "cut"}
        packed[section.name] = Shown(lines, (*shown.items, *repeated))
    return {section.name: packed[section.name] for section, _ in sections}


def fit(section: Section, items: Sequence[Item], room: int, space: Space) -> Shown:
    """Return as many of a section's first items as ``room`` units hold, or as the section may take with its heading."""
    limit, per_token = space.max_tokens, space.counter.units_per_token
    if section.max_tokens is not None:
        own = section.max_tokens * per_token - space.counter.size(space.heading(section, items))
        limit, room = (section.max_tokens, own) if own < room else (limit, room)
    reason = f"no room left within {limit} tokens"
    if space.size(items) <= room:
        return _shown(items, (), space, reason)
    short = items if section.whole else [_shortened(item, MAX_LINE_TOKENS * per_token, space, limit) for item in items]
    if space.size(short) <= room:
        return _shown(short, (), space, reason)
    closing = space.counter.size([space.more(len(items))])
    kept = _leading(short, room - closing, space)
    if not kept and not section.whole and room - closing > MIN_LINE_TOKENS * per_token:
        kept = [_shortened(short[0], room - closing - space.counter.units("\n"), space, limit)]
    if not kept and (not section.essential or closing > room):
        return Shown((), _cut(items, reason))
    return _shown(kept, items[len(kept) :], space, reason)


def _at_least_the_beginning(
    section: Section, items: Sequence[Item], room: int, space: Space
) -> tuple[tuple[str, ...], Shown]:
    """Give the first section all the room there is and, if that is too little for a heading, go without one."""
    heading = space.heading(section, items)
    shown = fit(section, items, room - space.counter.size(heading), space)
    if shown.tells:
        return heading, shown
    first = _shortened(items[0], room - space.counter.units("\n"), space, space.max_tokens)
    rest = _cut(items[1:], f"no room left within {space.max_tokens} tokens")
    return (), Shown(first.lines, (_counted(first, space), *rest))


def _new(section: Section, items: Sequence[Item], told: dict[tuple[str, str], str]) -> tuple[list[Item], list[Item]]:
    """Part the items into those that no section has told yet, as many as may be, and the others."""
    new, repeated = [], []
    for item in items:
        where = told.get(place(item.hit)) if item.hit else None
        if where is None:
            new.append(item)
        else:
            repeated.append(item.cut(f"already in {where}"))
    return new[: section.rows], repeated


def _taken(section: Section, items: Sequence[Item], space: Space) -> int:
    return space.counter.size(space.heading(section, items)) + space.size(items)


def _shown(kept: Sequence[Item], dropped: Sequence[Item], space: Space, reason: str) -> Shown:
    lines = tuple(line for item in kept for line in item.lines)
    more = (space.more(len(dropped)),) if dropped else ()
    return Shown(lines + more, (*(_counted(item, space) for item in kept), *_cut(dropped, reason)))


def _counted(item: Item, space: Space) -> Item:
    return replace(item, tokens=space.counter.tokens("\n".join(item.lines)))


def _cut(items: Sequence[Item], reason: str) -> tuple[Item, ...]:
    return tuple(item.cut(reason) for item in items)


def _shortened(item: Item, room: int, space: Space, limit: int) -> Item:
    """Return a one-line item so that it takes at most ``room`` units."""
    short = space.counter.clip(item.lines[0], room)
    if short == item.lines[0]:
        return item
    return replace(item, lines=(short,), fate="shortened", reason=f"shortened to stay within {limit} tokens")


def _leading(items: Sequence[Item], room: int, space: Space) -> list[Item]:
    kept = []
    for item in items:
        room -= space.size([item])
        if room < 0:
            break
        kept.append(item)
    return kept
