"""One entry of a page: its exact text, and what that text means.

The text is kept as it stands; everything else is read from it. Words that the machine writes are
escaped, so that no line of theirs begins another entry, and are known again by their ``sum``. Words
without a matching ``sum`` are a person's, and nothing here ever rewrites them unless told to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final, TypeVar

from agent_memory.model.ids import EPOCH, digest, made_at
from agent_memory.model.memory import Draft, Memory, PageRef
from agent_memory.model.origin import Origin
from agent_memory.model.text import clean
from agent_memory.vault import comment as comments
from agent_memory.vault import heading as headings
from agent_memory.vault.comment import Comment
from agent_memory.vault.heading import Heading

T = TypeVar("T")

SUM_DIGITS: Final = 8
NO_ID: Final = "h-"

_LOOKS_LIKE_START: Final = re.compile(r"^(?=\\*(?:<!-- id:[0-9]|## [0-9]{4}-[0-9]{2}-[0-9]{2}))", re.MULTILINE)
_ESCAPED_START: Final = re.compile(r"^\\(?=\\*(?:<!-- id:[0-9]|## [0-9]{4}-[0-9]{2}-[0-9]{2}))", re.MULTILINE)
_TRAILING_BLANKS: Final = re.compile(r"(?<![ \t\r])[ \t\r]+$", re.MULTILINE)
BLANKS: Final = " \t\r\n"


@dataclass(frozen=True)
class Entry:
    """An entry as it stands.

    ``raw`` is its exact text without the end of its last line; ``tail`` is what follows up to the next
    entry: blank lines and the separator. What the text means is found out when somebody asks.
    """

    raw: str
    tail: str = ""

    @cached_property
    def _top(self) -> tuple[str, Heading | None, int]:
        comment, place = _first_of(comments.parse, self.raw, 0)
        heading, after = _first_of(lambda line: headings.parse(line, under_comment=bool(comment)), self.raw, place)
        return comment.id if comment else "", heading, after if heading else place

    @property
    def id(self) -> str:
        """The id in its comment, empty if it has none."""
        return self._top[0]

    @property
    def comment(self) -> Comment | None:
        """The comment at its top; rarely asked for and never kept, since thousands are a good deal of memory."""
        return _first_of(comments.parse, self.raw, 0)[0]

    @property
    def heading(self) -> Heading | None:
        """The heading, at its top or under the comment."""
        return self._top[1]

    @property
    def body_at(self) -> int:
        """Where in ``raw`` the body begins."""
        return self._top[2]

    @property
    def written_body(self) -> str:
        """The body as it stands in the page, with the page's line ends and escapes."""
        return self.raw[self.body_at :]

    @cached_property
    def body(self) -> str:
        """The body as it is meant: LF, no blank lines around it, escapes undone, fit to be stored anywhere."""
        text = trim(self.written_body.replace("\r\n", "\n"))
        return clean(unescape(text) if "sum" in self.meta else text)

    @cached_property
    def meta(self) -> dict[str, str]:
        """What the comment says besides the id."""
        return comment.meta if (comment := self.comment) else {}

    @property
    def at(self) -> datetime:
        """When it was said; without a heading, the time in its id."""
        if self.heading:
            return self.heading.at
        return made_at(self.id) or EPOCH

    @cached_property
    def sum(self) -> str:
        """The digest of heading and body, whatever the line ends and trailing blanks."""
        return sum_of(self.heading, self.written_body)

    @cached_property
    def edited(self) -> bool:
        """Whether the words are a person's."""
        meta = self.meta
        return meta.get("edited") == "1" or meta.get("sum") != self.sum

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The heading's tags and the hashtags of the body."""
        tags = self.heading.tags if self.heading else ()
        return tuple(dict.fromkeys((*tags, *headings.hashtags(self.body))))

    def memory(self, page: PageRef, entry_id: str, position: int) -> Memory:
        """Return what it means, under the id by which it is addressed."""
        return Memory(
            page, entry_id, self.at, self.body, self.tags, self.meta, self.edited, position=position, raw=self.raw
        )

    def is_older_than(self, other: Entry) -> bool:
        """Whether ``other`` stands above it: said later or, within a minute, in a later turn or under a later id."""
        mine, theirs = _minute(self.at), _minute(other.at)
        if mine != theirs:
            return mine < theirs
        here, there = Origin.parse(self.meta.get("origin", "")), Origin.parse(other.meta.get("origin", ""))
        if here and there and here.conversation == there.conversation and here.turn != there.turn:
            return here.turn < there.turn
        return not (self.id and other.id) or int(self.id) <= int(other.id)


def compose(comment: Comment | None, heading: Heading | None, written_body: str, newline: str) -> str:
    """Return the exact text of an entry from its parts; ``written_body`` has its escapes and line ends."""
    top = [part.render() for part in (comment, heading) if part]
    body = trim(written_body)
    return newline.join([*top, "", body] if body else top)


def draft_text(draft: Draft, entry_id: str, newline: str) -> str:
    """Return the exact text of a new entry."""
    heading = headings.heading_for(draft.at, draft.tags)
    body = write_body(draft.body, newline)
    meta: dict[str, str | None] = {
        "by": draft.by,
        "key": draft.key,
        "origin": str(draft.origin) if draft.origin else None,
        **draft.meta,
        "sum": sum_of(heading, body),
    }
    return compose(Comment(entry_id).changed(meta), heading, body, newline)


def write_body(body: str, newline: str) -> str:
    """Return a body as the machine writes it: look-alike lines escaped, line ends the page's."""
    text = clean(body).replace("\r\n", "\n").replace("\r", "\n")
    return escape(trim(text)).replace("\n", newline)


def escape(body: str) -> str:
    """Put a backslash before every line that looks like the start of an entry."""
    return _LOOKS_LIKE_START.sub(r"\\", body)


def unescape(body: str) -> str:
    """Take away the backslash that ``escape`` puts there."""
    return _ESCAPED_START.sub("", body)


def sum_of(heading: Heading | None, written_body: str) -> str:
    """Return the digest by which the machine knows its own words again."""
    text = f"{heading.render() if heading else ''}\n" + trim(written_body.replace("\r\n", "\n"))
    return digest(_TRAILING_BLANKS.sub("", text).rstrip("\n"), digits=SUM_DIGITS)


def trim(text: str) -> str:
    """Drop blank lines at both ends; the first line keeps its indentation."""
    bare = text.rstrip(BLANKS)
    if not bare:
        return ""
    end = text.find("\n", len(bare))
    start = text.rfind("\n", 0, len(text) - len(text.lstrip(BLANKS))) + 1
    return text[start:] if end < 0 else text[start:end]


def line_at(text: str, place: int) -> str:
    """Return the line that begins at ``place``, with its end."""
    end = text.find("\n", place)
    return text[place:] if end < 0 else text[place : end + 1]


def numbered(entries: Iterable[Entry]) -> list[str]:
    """Return the id by which each entry of a page is addressed: its own, or one made of its words."""
    seen: dict[str, int] = {}
    return [name(entry, seen) for entry in entries]


def name(entry: Entry, seen: dict[str, int]) -> str:
    """Return the id by which an entry is addressed behind those that have been ``seen``, and count it among them."""
    if entry.id:
        return entry.id
    made = NO_ID + entry.sum
    seen[made] = seen.get(made, 0) + 1
    return made if seen[made] == 1 else f"{made}-{seen[made]}"


def _first_of(parse: Callable[[str], T | None], raw: str, place: int) -> tuple[T | None, int]:
    """Parse the first line that is not blank, and return what it is and where the next begins."""
    start = place
    while (line := line_at(raw, start)) and not line.strip(BLANKS):
        start += len(line)
    found = parse(line)
    return found, start + len(line) if found else place


def _minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)
