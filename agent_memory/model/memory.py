"""What is remembered: candidates that extraction proposes, memories in the vault, and changes to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from agent_memory.model.origin import Origin

Author = Literal["heuristic", "reflection", "user", "agent", "compaction", "consolidation", "import"]
Why = Literal["stored", "duplicate", "reflected", "forgotten", "unheard"]

INACTIVE: Final = frozenset({"superseded", "proposed", "deprecated", "consolidated", "evicted"})
KEEP_TAG: Final = "keep"
ACTIVATION: Final = "activation"
"""The words of a comment that say when a lesson or a procedure comes to mind; they find it as its own words do."""
SYSTEM_TAGS: Final = frozenset({"auto-handoff", "session-close", "compacted", "auto-extract"})
OLD_SYSTEM_TAGS: Final = {
    "autoextract": "auto-extract",
    "autohandoff": "auto-handoff",
    "transcript": "auto-extract",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something proposed for remembering.

    ``key`` decides whether it has been taken before; ``words`` is the fingerprint of the quoted words
    alone, None where redaction touched them. ``approximate`` says that the editor gave no time, so
    ``said_at`` is the file's. ``replaces`` are the keys of earlier candidates that no longer hold once
    this one does. A task's body is one ``- [ ] …`` or ``- [x] …`` line.
    """

    category: str
    body: str
    key: str
    origin: Origin
    said_at: datetime
    words: str | None = None
    tags: tuple[str, ...] = ()
    confidence: float = 1.0
    by: Author = "heuristic"
    approximate: bool = False
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A small lasting fact, not yet a profile entry. One that is not pinned shows where a keyword comes up."""

    key: str
    value: str
    pinned: bool = True
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageRef:
    """Which page: an agent's category, or what upkeep moved out of it."""

    agent: str
    category: str
    archived: bool = False

    @property
    def path(self) -> str:
        """The page's path inside the vault, with forward slashes."""
        folder = f"{self.agent}/archive" if self.archived else self.agent
        return f"{folder}/{self.category}.md"

    @property
    def counterpart(self) -> PageRef:
        """The archive of a page, the page of an archive."""
        return PageRef(self.agent, self.category, not self.archived)


@dataclass(frozen=True, slots=True)
class Memory:
    """One entry as it stands in the vault.

    ``id`` is digits, or ``h-…`` while the entry has none. ``tags`` are the heading's and the hashtags
    of the body. ``meta`` is everything in the comment but the id. ``edited`` says that a person wrote
    or changed the words, so that the machine may only touch the comment. ``raw`` is its exact text.
    """

    page: PageRef
    id: str
    at: datetime
    body: str
    tags: tuple[str, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    edited: bool = False
    position: int = 0
    raw: str = ""

    @property
    def key(self) -> str | None:
        """The key it was taken under, None for what was written by hand."""
        return self.meta.get("key")

    @property
    def origin(self) -> Origin | None:
        """Where it was said, None if unknown."""
        return Origin.parse(self.meta.get("origin", ""))

    @property
    def status(self) -> str | None:
        """None while it is active."""
        return self.meta.get("status")

    @property
    def active(self) -> bool:
        """Whether it counts today: not superseded, proposed, consolidated or evicted, and no summary of others."""
        return self.status not in INACTIVE and not self.is_summary

    @property
    def is_summary(self) -> bool:
        """Whether upkeep wrote it for people, to say what has moved to the archive."""
        return self.meta.get("by") == "compaction"


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry to be written. ``meta`` holds the comment's keys except id, key, by, origin and sum; None is absent."""

    body: str
    at: datetime
    by: Author
    tags: tuple[str, ...] = ()
    id: str | None = None
    key: str | None = None
    origin: Origin | None = None
    meta: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Add:
    """Write a new entry into ``page``."""

    page: PageRef
    draft: Draft


@dataclass(frozen=True, slots=True)
class Amend:
    """Change an entry in place; what is None stays.

    ``meta`` sets comment keys, a None value removes one. A new ``at`` moves the entry to its place in
    time. ``by_person`` marks the new words as a person's (``edited:1``). Of several entries with its id the one
    with the text ``raw`` is meant.
    """

    page: PageRef
    id: str
    body: str | None = None
    tags: tuple[str, ...] | None = None
    at: datetime | None = None
    meta: Mapping[str, str | None] = field(default_factory=dict)
    by_person: bool = False
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """Move an entry, whole, between a page and its archive; ``page`` is where it stands now."""

    page: PageRef
    id: str
    meta: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remove:
    """Take an entry out of ``page``, of several with its id the one with the text ``raw``; the journal keeps it."""

    page: PageRef
    id: str
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Restore:
    """Put the exact text of an entry back into ``page``: in the place of the text ``instead_of``, else by its date.

    One that stands there is not put there again, unless it is to stand ``beside`` it.
    """

    page: PageRef
    raw: str
    instead_of: str | None = None
    beside: bool = False


Change = Add | Amend | Move | Remove | Restore


@dataclass(frozen=True, slots=True)
class TakenLine:
    """One line of the ledger of what was taken: key, entry, when, and the words' fingerprint."""

    key: str
    id: str
    at: datetime
    why: Why
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What one decision about the vault comes to: changes to pages and lines for the ledger.

    A ledger line whose ``id`` is empty takes the id of the entry that the batch adds under its key. ``unmade`` are
    pages whose file goes where the changes leave nothing in it that a new page has not.
    """

    changes: tuple[Change, ...] = ()
    taken: tuple[TakenLine, ...] = ()
    unmade: frozenset[PageRef] = frozenset()

    @classmethod
    def joined(cls, parts: Iterable[Batch]) -> Batch:
        """Return one batch that does what ``parts`` do, in their order."""
        held = tuple(parts)
        changes = (change for part in held for change in part.changes)
        unmade = (ref for part in held for ref in part.unmade)
        return cls(tuple(changes), tuple(line for part in held for line in part.taken), frozenset(unmade))

    def __bool__(self) -> bool:
        return bool(self.changes or self.taken)
