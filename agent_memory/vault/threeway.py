"""Three versions of a page into one, entry by entry: what two people, or two computers, did to it at the same time.

An entry is known by its key, or else its id; one that has neither, by its words. What one side changed and the other
left alone is as the changed side has it; where both changed the words, both versions stand, each saying that it
contradicts the other. Pure. It refuses to guess: a page that would not read back as what was merged is not merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agent_memory.model.ids import next_free_id
from agent_memory.model.links import LINKS
from agent_memory.model.votes import VOTED, VOTES
from agent_memory.vault import entry as entries_of
from agent_memory.vault import front as fronts
from agent_memory.vault import marks
from agent_memory.vault import page as pages_of
from agent_memory.vault.entry import NO_ID, Entry
from agent_memory.vault.page import SEPARATOR, Page

Name = tuple[str, str, int]
"""Whether it is a key or an id, which, and how many in the page have it before."""

ASIDE: Final = frozenset({LINKS, VOTES, VOTED})
"""What may have changed in an entry that the other side has removed without bringing it back."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the merge must know of the rest of the vault.

    ``is_forgotten`` is asked about entries that one side does not have; ``in_use`` tells whether something else has
    an id.
    """

    is_forgotten: Callable[[Entry], bool] = lambda entry: False
    in_use: Callable[[str], bool] = lambda entry_id: False


def merged(base: str, ours: str, theirs: str, known: Known) -> str | None:
    """Return the page that has what both sides did since ``base``; None where that cannot be told.

    Which side is which decides where text stands, never which entries there are.
    """
    old, mine, other = (pages_of.parse(_plain(text) if _is_crlf(text) else text) for text in (base, ours, theirs))
    if any(fronts.format_of(page.front) > fronts.FORMAT for page in (old, mine, other)):
        return None
    before = _by_name(old)
    entries = _Entries(before, _named(mine, before), _named(other, before), known)
    page = replace(
        mine,
        front=_lines_merged(old.front, mine.front, other.front, above=SEPARATOR),
        preamble=_lines_merged(old.preamble, mine.preamble, other.preamble),
    )
    wanted = entries.merged()
    done = _assembled(page, list(entries.mine), wanted)
    read_back = Counter(_plain(entry.raw) for entry in pages_of.parse(done.render()).entries)
    if read_back != Counter(_plain(raw) for raws in wanted.values() for raw in raws):
        return None
    return done.render().replace("\n", "\r\n") if _is_crlf(ours) else done.render()


def _named(page: Page, before: Mapping[Name, Entry]) -> dict[Name, Entry]:
    """Return a page's entries by name; one that got its id since ``before`` is named as it was without."""
    here = _by_name(page)
    return {_former(name, entry, before, here): entry for name, entry in here.items()}


def _by_name(page: Page) -> dict[Name, Entry]:
    seen: Counter[tuple[str, str]] = Counter()
    found: dict[Name, Entry] = {}
    for entry, entry_id in zip(page.entries, entries_of.numbered(page.entries), strict=True):
        name = ("key", entry.meta["key"]) if "key" in entry.meta else ("id", entry_id)
        found[*name, seen[name]] = entry
        seen[name] += 1
    return found


def _former(name: Name, entry: Entry, known: Mapping[Name, Entry], here: Mapping[Name, Entry]) -> Name:
    nameless = ("id", NO_ID + entry.sum, 0)
    return nameless if name not in known and nameless in known and nameless not in here else name


class _Entries:
    """The entries of the three versions, by name, and what becomes of them."""

    def __init__(self, old: dict[Name, Entry], mine: dict[Name, Entry], other: dict[Name, Entry], known: Known) -> None:
        self.old, self.mine, self.other = old, mine, other
        self._known = known
        every = (entry for side in (old, mine, other) for entry in side.values())
        self._ids = {entry.id for entry in every if entry.id}

    def merged(self) -> dict[Name, list[str]]:
        """Return the texts that each entry ends as: none, one, or both where both sides changed the words."""
        first: dict[str, Name] = {}
        wanted: dict[Name, list[str]] = {}
        moves: list[tuple[Name, str, str]] = []
        for name in sorted(self.mine.keys() | self.other.keys(), key=self._order):
            wanted[name] = raws = self._outcome(name)
            comment = Entry(raws[0]).comment if raws else None
            if comment is None:
                continue
            holder = first.setdefault(comment.id, name)
            if holder != name and not self._together(holder, name):
                moves.append((name, comment.id, self._free_id(comment.id)))
                raws[0] = marks.under(raws[0], replace(comment, id=moves[-1][-1]))
        for name, was, now in moves:
            self._follow(wanted, name, was, now)
        return wanted

    def _follow(self, wanted: dict[Name, list[str]], moved: Name, was: str, now: str) -> None:
        """Have what only the side of a moved entry says of it say that under its new id."""
        side, other = (self.mine, self.other) if moved in self.mine else (self.other, self.mine)
        for name in side.keys() & wanted.keys():
            elsewhere = (one[name] for one in (self.old, other) if name in one)
            if marks.leads(side[name], was) and not any(marks.leads(entry, was) for entry in elsewhere):
                wanted[name] = [marks.relinked(raw, was, now) for raw in wanted[name]]

    def _order(self, name: Name) -> tuple[object, ...]:
        """What was there before, then what was said first, keeps its id."""
        entry = min((side[name] for side in (self.mine, self.other) if name in side), key=lambda entry: entry.raw)
        return name not in self.old, entry.at, name

    def _together(self, one: Name, two: Name) -> bool:
        return any(one in side and two in side for side in (self.mine, self.other))

    def _outcome(self, name: Name) -> list[str]:
        old, mine, other = self.old.get(name), self.mine.get(name), self.other.get(name)
        if mine is None or other is None:
            left = mine or other
            if left is None or self._known.is_forgotten(left) or (old is not None and not _is_touched(old, left)):
                return []
            return [left.raw]
        if _plain(mine.raw) == _plain(other.raw) or (old and _plain(other.raw) == _plain(old.raw)):
            return [mine.raw]
        if old and _plain(mine.raw) == _plain(old.raw):
            return [other.raw]
        return self._both(old, mine, other)

    def _both(self, old: Entry | None, mine: Entry, other: Entry) -> list[str]:
        """Merge what both sides changed: what the comments say key by key, and the words, or keep both of these."""
        if mine.comment is None and other.comment is None:
            return [max(mine.raw, other.raw)]  # all but blanks is the same, or they would have other names
        if mine.sum == other.sum or (old and old.sum in (mine.sum, other.sum)):
            words, aside = (other, mine) if old and mine.sum == old.sum else (mine, other)
            return [marks.under(words.raw, marks.merged(old, words, aside))]
        # The same way from either side: a person's words stay where they were.
        stays, goes = sorted((mine, other), key=lambda entry: (not entry.edited, entry.raw))
        first = marks.merged(old, stays, goes)
        second = marks.merged(None, goes, goes).changed({"key": None})
        second = replace(second, id=self._free_id(first.id))
        if old is not None or "key" in stays.meta:  # two versions of one thing, not two things under one id
            first, second = marks.contradicting(first, second.id), marks.contradicting(second, first.id)
        return [marks.under(stays.raw, first), marks.under(goes.raw, second)]

    def _free_id(self, entry_id: str) -> str:
        chosen = next_free_id(int(entry_id) + 1, lambda wanted: wanted in self._ids or self._known.in_use(wanted))
        self._ids.add(chosen)
        return chosen


def _is_touched(old: Entry, new: Entry) -> bool:
    """Tell whether an entry was changed in more than its votes and links."""
    if old.sum != new.sum:
        return True
    before, after = ({k: v for k, v in entry.meta.items() if k not in ASIDE} for entry in (old, new))
    return before != after


def _is_crlf(text: str) -> bool:
    return 0 < text.count("\n") == text.count("\r\n")


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _lines_merged(was: str, mine: str, other: str, *, above: str = "") -> str:
    """Return text with the lines that either side added, without those that either took away.

    What the other side added comes at the end, before blank lines and a last line ``above`` which it belongs.
    """
    if mine == other or other == was:
        return mine
    if mine == was:
        return other
    old, here, there = (text.splitlines(keepends=True) for text in (was, mine, other))
    gone = {line for line in old if line not in there and line.strip()}
    kept = [line for line in here if line not in gone]
    added = [line if line.endswith("\n") else f"{line}\n" for line in there if line not in old and line not in here]
    place = next((n for n, line in reversed(list(enumerate(kept, 1))) if line.strip() not in ("", above)), 0)
    return "".join([*kept[:place], *added, *kept[place:]])


def _assembled(page: Page, names: Sequence[Name], wanted: Mapping[Name, Sequence[str]]) -> Page:
    """Put into a page, whose entries have these names, the texts that are wanted; what stays keeps its place."""
    newline, new = page.newline, [raw for name in wanted.keys() - set(names) for raw in wanted[name]]
    for position, name in reversed(list(enumerate(names))):
        standing, raws = page.entries[position], list(wanted[name])
        if raws and Entry(raws[0]).at == standing.at:
            raw = raws.pop(0)
            if _plain(raw) != _plain(standing.raw):
                page = page.replace(position, _plain(raw).replace("\n", newline))
        else:
            page = page.remove(position)
        new += raws
    for raw in sorted(new, key=lambda raw: (Entry(raw).at, raw)):
        page = page.insert(_plain(raw).replace("\n", newline))
    return page
