"""The lossless codec of a page: text in, entries out, and every byte where it stood.

Text that no rule recognises is kept: before the first entry as the preamble, behind it as part of the
entry above. Nothing is normalised, sorted or repaired. An edit touches the entry it is about and
the blank lines around it; what was added can be removed again without a trace.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from agent_memory.model.memory import Memory, PageRef
from agent_memory.vault import comment as comments
from agent_memory.vault import entry as entries_of
from agent_memory.vault import front
from agent_memory.vault import heading as headings
from agent_memory.vault.entry import BLANKS, Entry

SEPARATOR: Final = "---"
HEADING: Final = "## "

_MAY_START: Final = re.compile(f"^(?:{re.escape(comments.OPEN)}|{HEADING})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """A page: front matter (with a BOM, without its last line's end), preamble, entries."""

    front: str = ""
    preamble: str = ""
    entries: tuple[Entry, ...] = ()

    def render(self) -> str:
        """Return the page's text; of an untouched page, exactly what was parsed."""
        return "".join(self.parts())

    def parts(self) -> Iterator[str]:
        """Yield the text in parts."""
        written = (part for entry in self.entries for part in (entry.raw, entry.tail))
        return itertools.chain((self.front, self.preamble), written)

    @property
    def newline(self) -> str:
        """The line end of the page's first line."""
        written = (part for entry in self.entries for part in (entry.raw, entry.tail))
        for text in itertools.chain((self.front, self.preamble), written):
            end = text.find("\n")
            if end >= 0:
                return "\r\n" if text[end - 1 : end] == "\r" else "\n"
        return "\n"

    def memories(self, ref: PageRef) -> tuple[Memory, ...]:
        """Return what the entries mean, in the page's order."""
        return tuple(_read(self.entries, ref))

    def find(self, entry_id: str) -> int | None:
        """Return the position of the first entry with this id."""
        ids = entries_of.numbered(self.entries)
        return ids.index(entry_id) if entry_id in ids else None

    def insert(self, raw: str) -> Page:
        """Put an entry's text at its place in time: before the first older one, else at the end."""
        new = Entry(raw)
        place = next((n for n, entry in enumerate(self.entries) if entry.is_older_than(new)), len(self.entries))
        if place == len(self.entries):
            return self._append(new)
        newline = self.newline
        return self._joined(place, (replace(new, tail=f"{newline}{newline}{SEPARATOR}{newline}{newline}"),), place)

    def replace(self, position: int, raw: str) -> Page:
        """Put another text in an entry's place."""
        tail = self.entries[position].tail
        return self._joined(position, (Entry(raw, tail),), position + 1)

    def remove(self, position: int) -> Page:
        """Take an entry out, with its separator and the blank lines that came with it."""
        if position < len(self.entries) - 1:
            return self._joined(position, (), position + 1)
        shorter = replace(self, entries=self.entries[:position])
        end = _end(shorter)
        for _ in range(2 - self.entries[position].tail.rpartition(SEPARATOR)[2].count("\n")):
            end = end.removesuffix("\r\n") if end.endswith("\r\n") else end.removesuffix("\n")
        return _ending(shorter, end)

    def _append(self, new: Entry) -> Page:
        """Add an entry at the end.

        How many line ends follow it tells ``remove`` how many had to be added before it.
        """
        last = self.entries[-1] if self.entries else None
        text = last.raw + last.tail if last else self.front + self.preamble
        newline = "\r\n" if text.endswith("\r") else self.newline
        missing = _missing_line_ends(text.removeprefix(front.BOM))
        after = 2 - missing if text.removeprefix(front.BOM) else 1
        tail = self.newline * 2 + SEPARATOR + self.newline * after
        longer = _ending(self, _end(self) + newline * missing) if new.id else _closed(self, newline)
        return replace(longer, entries=(*longer.entries, replace(new, tail=tail)))

    def _joined(self, start: int, new: tuple[Entry, ...], end: int) -> Page:
        """Put ``new`` where the entries from ``start`` to ``end`` stood, so that all of them are still seen."""
        before = replace(self, entries=self.entries[:start])
        after = (*new, *self.entries[end:])
        if after and not after[0].id:
            before = _closed(before, self.newline)
        return replace(before, entries=(*before.entries, *after))


def parse(text: str, known: Page | None = None) -> Page:
    """Read a page; ``parse(text).render()`` is ``text``, for any text.

    Entries that the page ``known`` from a moment ago has with the same text are taken from it, which is quicker.
    """
    top = front.length(text)
    starts = list(_starts(text, top))
    standing = {entry.raw: entry for entry in known.entries} if known else {}
    return Page(text[:top], text[top : starts[0]] if starts else text[top:], tuple(_parts(text, starts, standing)))


def read(text: str, ref: PageRef) -> Iterator[Memory]:
    """Yield what the entries of a page mean, one by one, and keep none: a long page has a good deal of memory."""
    return _read(_parts(text, list(_starts(text, front.length(text))), {}), ref)


def decode(data: bytes) -> str:
    """Return the text of any bytes; what is not UTF-8 comes back unharmed from ``encode``."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes of a page's text."""
    return text.encode("utf-8", "surrogateescape")


def _starts(text: str, top: int) -> Iterator[int]:
    """Return where entries begin.

    A heading belongs to the id comment above it, with or without blank lines between; otherwise it
    begins an entry at the top or after a blank line.
    """
    comment_end = -1
    # Walking over every line would take many times as long.
    found = (match.start() for match in _MAY_START.finditer(text, top + 1))
    for place in itertools.chain([top] if text.startswith((comments.OPEN, HEADING), top) else [], found):
        line = entries_of.line_at(text, place)
        if comments.parse(line):
            yield place
            comment_end = place + len(line)
            continue
        under_comment = comment_end >= 0 and not text[comment_end:place].strip(BLANKS)
        comment_end = -1
        above = max(text.rfind("\n", 0, place - 1) + 1, top)
        after_blank = place == top or not text[above:place].strip(BLANKS)
        if after_blank and not under_comment and line.startswith(HEADING) and headings.parse(line):
            yield place


def _parts(text: str, starts: list[int], standing: Mapping[str, Entry]) -> Iterator[Entry]:
    return (_split(text[start:end], standing) for start, end in itertools.pairwise((*starts, len(text))))


def _split(block: str, standing: Mapping[str, Entry]) -> Entry:
    """Part an entry's block into its words and the blank lines and separator behind them.

    Nearly all end alike, and one text for that does for all.
    """
    words = block.rstrip(BLANKS)
    cut = _end_of_line(block, len(words))
    line_start = words.rfind("\n") + 1
    before = block[:line_start]
    if block[line_start:cut].rstrip(BLANKS) == SEPARATOR and _ends_blank(before):
        cut = _end_of_line(block, len(before.rstrip(BLANKS)))
    raw, tail = block[:cut], block[cut:]
    known = standing.get(raw)
    return known if known and known.tail == tail else Entry(raw, sys.intern(tail))


def _read(entries: Iterable[Entry], ref: PageRef) -> Iterator[Memory]:
    seen: dict[str, int] = {}
    return (entry.memory(ref, entries_of.name(entry, seen), at) for at, entry in enumerate(entries))


def _end(page: Page) -> str:
    """Return what stands behind the last entry's words, or the whole preamble."""
    return page.entries[-1].tail if page.entries else page.preamble


def _ending(page: Page, end: str) -> Page:
    if not page.entries:
        return replace(page, preamble=end)
    return replace(page, entries=(*page.entries[:-1], replace(page.entries[-1], tail=end)))


def _closed(page: Page, newline: str) -> Page:
    """End so that a heading without a comment begins an entry of its own: in a blank line, or at the top.

    Behind an id comment that has nothing under it a blank line is not enough.
    """
    if not page.entries:
        return _ending(
            page, page.preamble + newline * _missing_line_ends(page.preamble or page.front.removeprefix(front.BOM))
        )
    last = page.entries[-1]
    if last.heading is None and not last.written_body.strip(BLANKS) and SEPARATOR not in last.tail:
        return _ending(page, newline * 2 + SEPARATOR + newline * 2)
    return _ending(page, last.tail + newline * _missing_line_ends(last.raw + last.tail))


def _end_of_line(text: str, place: int) -> int:
    end = text.find("\n", place)
    line_end = len(text) if end < 0 else end
    return place + len(text[place:line_end].rstrip("\r"))


def _ends_blank(text: str) -> bool:
    return text.endswith("\n") and not text[text.rfind("\n", 0, -1) + 1 :].strip(BLANKS)


def _missing_line_ends(text: str) -> int:
    """Return how many line ends are missing before a next line comes after a blank one, or at the top."""
    if not text or _ends_blank(text):
        return 0
    return 1 if text.endswith("\n") or not text[text.rfind("\n") + 1 :].strip(BLANKS) else 2
