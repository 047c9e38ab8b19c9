"""The vault as it was at one moment: every entry, the ledger, and the questions that decisions ask of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final

from agent_memory.model.memory import Memory, PageRef
from agent_memory.model.origin import FileIdentity
from agent_memory.system.files import digest_of
from agent_memory.vault.taken import Taken

if TYPE_CHECKING:
    from agent_memory.errors import FileError
    from agent_memory.vault.page import Page

LONG_BYTES: Final = 100_000
_ID: Final = re.compile(rb"<!-- id:([0-9]+)")


@dataclass(frozen=True, slots=True)
class PageState:
    """What a reader needs to tell whether a page changed: which, its file's identity, its digest, its entries.

    ``load`` gives them in the page's order, and may make them anew each time.
    """

    page: PageRef
    identity: FileIdentity
    digest: str
    load: Callable[[], Iterable[Memory]]


@dataclass(frozen=True)
class StoredPage:
    """A page as it is on disk: its bytes, and their meaning once somebody asks."""

    ref: PageRef
    identity: FileIdentity
    data: bytes

    @cached_property
    def digest(self) -> str:
        """The digest of its bytes."""
        return digest_of(self.data)

    @cached_property
    def page(self) -> Page:
        """The page, parsed."""
        return self._parse(None)

    def renewed(self, identity: FileIdentity, data: bytes) -> StoredPage:
        """Return it as it is now; with its meaning, if somebody has asked for this one's: most entries are the same."""
        new = StoredPage(self.ref, identity, data)
        if "page" in self.__dict__:
            new.__dict__["page"] = new._parse(self.page)
        return new

    @cached_property
    def memories(self) -> tuple[Memory, ...]:
        """Its entries, in its order."""
        return self.page.memories(self.ref)

    @cached_property
    def ids(self) -> frozenset[bytes]:
        """The ids in it, without its being parsed; what a body quotes counts too."""
        return frozenset(_ID.findall(self.data))

    def read(self) -> Iterable[Memory]:
        """Return its entries for whoever looks at them one by one: of a long page that nobody has read none is kept."""
        if "memories" in self.__dict__ or len(self.data) < LONG_BYTES:
            return self.memories
        from agent_memory.vault import page as pages_of

        return pages_of.read(pages_of.decode(self.data), self.ref)

    def _parse(self, before: Page | None) -> Page:
        from agent_memory.vault import page as pages_of  # a search of what the mirror has parses nothing

        return pages_of.parse(pages_of.decode(self.data), before)

    @property
    def state(self) -> PageState:
        """What tells a reader whether it changed."""
        return PageState(self.ref, self.identity, self.digest, self.read)


class View:
    """Everything in the vault at one moment.

    ``memories`` are the entries of all pages and archives; an entry whose move to the archive was cut
    short is there twice. ``skipped`` names files that look like pages but lead out of the vault, ``unreadable``
    says of pages that could not be read why.
    """

    def __init__(
        self,
        pages: Iterable[StoredPage] = (),
        taken: Taken | None = None,
        agents: Iterable[str] = (),
        skipped: Iterable[str] = (),
        unreadable: Mapping[PageRef, FileError] | None = None,
    ) -> None:
        self.pages = {stored.ref: stored for stored in pages}
        self.taken = taken or Taken()
        self.agents = tuple(agents)
        self.skipped = tuple(skipped)
        self.unreadable = unreadable or {}

    @cached_property
    def memories(self) -> tuple[Memory, ...]:
        """Every entry."""
        return tuple(memory for stored in self.pages.values() for memory in stored.memories)

    @cached_property
    def _ordered(self) -> list[Memory]:
        written = {ref: -stored.identity.mtime_ns for ref, stored in self.pages.items()}
        return sorted(self.memories, key=lambda memory: (memory.page.archived, written[memory.page]))

    @cached_property
    def _by_id(self) -> dict[str, list[Memory]]:
        found: dict[str, list[Memory]] = defaultdict(list)
        for memory in self._ordered:
            found[memory.id].append(memory)
        return found

    @cached_property
    def _by_key(self) -> dict[str, list[Memory]]:
        found: dict[str, list[Memory]] = defaultdict(list)
        for memory in self._ordered:
            if memory.key is not None:
                found[memory.key].append(memory)
        return found

    def read(self, page: PageRef) -> Iterable[Memory]:
        """Return the entries of one page for whoever looks at them one by one; none if there is no such page."""
        stored = self.pages.get(page)
        return stored.read() if stored else ()

    def by_key(self, key: str) -> tuple[Memory, ...]:
        """Return the entries taken under ``key``; pages before archives, the latest saved first."""
        return tuple(self._by_key.get(key, ()))

    def by_id(self, entry_id: str) -> tuple[Memory, ...]:
        """Return the entries addressed as ``entry_id``; pages before archives, the latest saved first."""
        return tuple(self._by_id.get(entry_id, ()))

    def of(self, agent: str, category: str, archived: bool | None = None) -> tuple[Memory, ...]:
        """Return the entries of a page, of its archive, or of both, the page's first."""
        wanted = (False, True) if archived is None else (archived,)
        stored = (self.pages.get(PageRef(agent, category, which)) for which in wanted)
        return tuple(memory for page in stored if page for memory in page.memories)

    def about(self, categories: Container[str]) -> View:
        """Return it with the entries of some categories only; the other pages, often long ones, are not read."""
        narrowed = View(self.pages.values(), self.taken, self.agents, self.skipped, self.unreadable)
        wanted = (stored for stored in self.pages.values() if stored.ref.category in categories)
        narrowed.memories = tuple(memory for stored in wanted for memory in stored.memories)
        return narrowed

    def refusal(self, agent: str, categories: Container[str]) -> FileError | None:
        """Return why a page or an archive of these cannot be read; None if all can."""
        refused = (page for page in self.unreadable if page.agent == agent and page.category in categories)
        return next((self.unreadable[page] for page in refused), None)

    def id_in_use(self, entry_id: str) -> bool:
        """Whether a page, an archive or the ledger has this id."""
        wanted = entry_id.encode()
        return any(wanted in stored.ids for stored in self.pages.values()) or self.taken.knows_id(entry_id)

    def removed_words(self, words: str) -> datetime | None:
        """Return when quoted words were last taken whose entry is gone, or that were forgotten; None if never."""
        return self.taken.removed_words(words, self._by_id)
