"""The lossless codec of a page: text in, entries out, and every byte where it stood.

Text that no rule recognises is kept: before the first entry as the preamble, behind it as part of the
entry above. Nothing is normalised, sorted or repaired. An edit touches the entry it is about and
the blank lines around it; what was added can be removed again without a trace.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
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
        return self.front + self.preamble + "".join(entry.raw + entry.tail for entry in self.entries)

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
        ids = entries_of.numbered(self.entries)
        pairs = enumerate(zip(self.entries, ids, strict=True))
        return tuple(entry.memory(ref, entry_id, position) for position, (entry, entry_id) in pairs)

    def find(self, entry_id: str) -> int | None:
        """Return the position of the first entry with this id."""
        ids = entries_of.numbered(self.entries)
        return ids.index(entry_id) if entry_id in ids else None

    def insert(self, raw: str) -> Page:
        """Put an entry's text at its place in time: before the first older one, else at the end."""
        new = entries_of.read(raw)
        place = next((n for n, entry in enumerate(self.entries) if entry.is_older_than(new)), len(self.entries))
        if place == len(self.entries):
            return self._append(new)
        newline = self.newline
        return self._joined(place, (replace(new, tail=f"{newline}{newline}{SEPARATOR}{newline}{newline}"),), place)

    def replace(self, position: int, raw: str) -> Page:
        """Put another text in an entry's place."""
        tail = self.entries[position].tail
        return self._joined(position, (entries_of.read(raw, tail),), position + 1)

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
        text = self.render()
        newline = "\r\n" if text.endswith("\r") else self.newline
        missing = _missing_line_ends(text.removeprefix(front.BOM))
        after = 2 - missing if text.removeprefix(front.BOM) else 1
        tail = self.newline * 2 + SEPARATOR + self.newline * after
        longer = _ending(self, _end(self) + newline * missing) if new.comment else _closed(self, newline)
        return replace(longer, entries=(*longer.entries, replace(new, tail=tail)))

    def _joined(self, start: int, new: tuple[Entry, ...], end: int) -> Page:
        """Put ``new`` where the entries from ``start`` to ``end`` stood, so that all of them are still seen."""
        before = replace(self, entries=self.entries[:start])
        after = (*new, *self.entries[end:])
        if after and after[0].comment is None:
            before = _closed(before, self.newline)
        return replace(before, entries=(*before.entries, *after))


def parse(text: str, known: Page | None = None) -> Page:
    """Read a page; ``parse(text).render()`` is ``text``, for any text.

    Entries that the page ``known`` from a moment ago has with the same text are taken from it, which is quicker.
    """
    top = front.length(text)
    starts = list(_starts(text, top))
    blocks = [text[start:end] for start, end in itertools.pairwise((*starts, len(text)))]
    preamble = text[top : starts[0]] if starts else text[top:]
    standing = {entry.raw + entry.tail: entry for entry in known.entries} if known else {}
    return Page(text[:top], preamble, tuple(standing.get(block) or _split(block) for block in blocks))


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
    found = [match.start() for match in _MAY_START.finditer(text, top + 1)]
    for place in [top, *found] if text.startswith((comments.OPEN, HEADING), top) else found:
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


def _split(block: str) -> Entry:
    """Part an entry's block into its words and the blank lines and separator behind them."""
    words = block.rstrip(BLANKS)
    cut = _end_of_line(block, len(words))
    line_start = words.rfind("\n") + 1
    before = block[:line_start]
    if block[line_start:cut].rstrip(BLANKS) == SEPARATOR and _ends_blank(before):
        cut = _end_of_line(block, len(before.rstrip(BLANKS)))
    return entries_of.read(block[:cut], block[cut:])


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
