"""The vault as it was at one moment: every entry, the ledger, and the questions that decisions ask of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from agent_memory.model.memory import Memory, PageRef
from agent_memory.model.origin import FileIdentity
from agent_memory.system.files import digest_of
from agent_memory.vault.taken import Taken

if TYPE_CHECKING:
    from agent_memory.errors import FileError
    from agent_memory.vault.page import Page


@dataclass(frozen=True, slots=True)
class PageState:
    """What a reader needs to tell whether a page changed: which, its file's identity, its digest, its entries."""

    page: PageRef
    identity: FileIdentity
    digest: str
    load: Callable[[], Sequence[Memory]]


@dataclass(frozen=True)
class StoredPage:
    """A page as it is on disk: its bytes, and their meaning once somebody asks.

    ``before`` is the page as it was before, if anybody had asked: most of its entries are still the same.
    """

    ref: PageRef
    identity: FileIdentity
    data: bytes
    before: Page | None = field(default=None, compare=False)

    @cached_property
    def digest(self) -> str:
        """The digest of its bytes."""
        return digest_of(self.data)

    @cached_property
    def page(self) -> Page:
        """The page, parsed."""
        from agent_memory.vault import page as pages_of  # a search of what the mirror has parses nothing

        return pages_of.parse(pages_of.decode(self.data), self.before)

    @property
    def parsed(self) -> Page | None:
        """The page, if somebody has asked for it."""
        parsed: Page | None = self.__dict__.get("page")
        return parsed

    @cached_property
    def memories(self) -> tuple[Memory, ...]:
        """Its entries, in its order."""
        return self.page.memories(self.ref)

    @property
    def state(self) -> PageState:
        """What tells a reader whether it changed."""
        return PageState(self.ref, self.identity, self.digest, lambda: self.memories)


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
        self.memories = tuple(memory for stored in self.pages.values() for memory in stored.memories)
        self._by_id: dict[str, list[Memory]] = defaultdict(list)
        self._by_key: dict[str, list[Memory]] = defaultdict(list)
        written = {ref: -stored.identity.mtime_ns for ref, stored in self.pages.items()}
        for memory in sorted(self.memories, key=lambda memory: (memory.page.archived, written[memory.page])):
            self._by_id[memory.id].append(memory)
            if memory.key is not None:
                self._by_key[memory.key].append(memory)

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

    def refusal(self, agent: str, categories: Container[str]) -> FileError | None:
        """Return why a page or an archive of these cannot be read; None if all can."""
        refused = (page for page in self.unreadable if page.agent == agent and page.category in categories)
        return next((self.unreadable[page] for page in refused), None)

    def id_in_use(self, entry_id: str) -> bool:
        """Whether a page, an archive or the ledger has this id."""
        return entry_id in self._by_id or self.taken.knows_id(entry_id)

    def removed_words(self, words: str) -> datetime | None:
        """Return when quoted words were last taken whose entry is gone, or that were forgotten; None if never."""
        return self.taken.removed_words(words, self._by_id)
