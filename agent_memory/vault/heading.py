"""The heading of an entry: when it was said, and its hashtags.

``## 2026-03-16T16:51 · #react #typescript``. The time is UTC. Under an id comment, older vaults may have any
text behind the separator. A date that no calendar has makes none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from agent_memory.model.memory import OLD_SYSTEM_TAGS

SEPARATOR: Final = " · "
_COLOUR: Final = re.compile("[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8}", re.IGNORECASE)

_HEADING: Final = re.compile(
    r"## (?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2})?)"
    r"(?:[ \t]+·[ \t]+(?P<tags>\S(?:.*\S)?))?[ \t\r]*\n?"
)
_CODE: Final = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)|`[^`\n]*`", re.DOTALL | re.MULTILINE)
# Behind a slash, a letter, a quote or "](" a number sign belongs to an address, not to a tag.
_HASHTAG: Final = re.compile(r"(?<![^\s(\[{,;])(?<!\]\()#(?P<tag>[^\s#]+)")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as written: its date, the time that is, and what stands behind the separator."""

    date: str
    at: datetime
    tag_text: str

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags, without ``#``, in the spelling of today."""
        written = (tag_of(word) for word in self.tag_text.split() if word.startswith("#"))
        return _unique(OLD_SYSTEM_TAGS.get(tag, tag) for tag in written)

    def render(self) -> str:
        """Return the line, without its end."""
        return f"## {self.date}" + (SEPARATOR + self.tag_text if self.tag_text else "")


def parse(line: str, *, under_comment: bool = False) -> Heading | None:
    """Read a line as a heading; None if it is none. Under an id comment anything goes behind the separator."""
    found = _HEADING.fullmatch(line)
    if found is None:
        return None
    tag_text = found["tags"] or ""
    if not under_comment and not all(word[0] == "#" and len(word) > 1 for word in tag_text.split()):
        return None
    at = _time_of(found["date"])
    return None if at is None else Heading(found["date"], at, tag_text)


def heading_for(at: datetime, tags: Iterable[str]) -> Heading:
    """Return the heading of an entry said at ``at``, an aware time."""
    minute = at.astimezone(UTC).replace(second=0, microsecond=0)
    return Heading(minute.isoformat(timespec="minutes")[:16], minute, tag_text(tags))


def tag_text(tags: Iterable[str]) -> str:
    """Return hashtags as they stand in a heading."""
    return " ".join(f"#{tag}" for tag in _unique(map(tag_of, tags)))


def tag_of(word: str) -> str:
    """Return ``word`` as a tag: all but letters, digits, ``_``, ``-``, ``/`` become ``-``; empty if that is all."""
    composed = unicodedata.normalize("NFC", word.lstrip("#"))
    tag = "".join(char if _in_tag(char) else "-" for char in composed)
    return tag if tag.strip("-/") else ""


def hashtags(body: str) -> tuple[str, ...]:
    """Return the hashtags in a body: not numbers, colours, headings, addresses, or anything in code."""
    if "#" not in body:
        return ()
    words = (_leading_tag(found["tag"]) for found in _HASHTAG.finditer(_CODE.sub(" ", body)))
    return _unique(word for word in words if not (word.isdigit() or _COLOUR.fullmatch(word)))


def _time_of(date: str) -> datetime | None:
    try:
        return datetime(*(int(part) for part in re.split("[-T:]", date)), tzinfo=UTC)  # type: ignore[misc, arg-type]
    except ValueError:
        return None


def _leading_tag(word: str) -> str:
    composed = unicodedata.normalize("NFC", word)
    length = next((n for n, char in enumerate(composed) if not _in_tag(char)), len(composed))
    return composed[:length].rstrip("-/")


def _in_tag(char: str) -> bool:
    return char in "_-/" or unicodedata.category(char)[0] in "LMN"


def _unique(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for tag in tags if tag))
