"""The pages that a batch has opened, as they become: what is put in and taken out, and where entries stand.

Pure. Where an entry stands is known by name, since to look through a page for every change would take squared time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from agent_memory.model.memory import PageRef
from agent_memory.vault import entry as entries_of
from agent_memory.vault import front
from agent_memory.vault.entry import NO_ID, Entry
from agent_memory.vault.page import Page
from agent_memory.vault.view import View


class Opened:
    """The pages of a view, and those of them that are ``changed`` meanwhile."""

    def __init__(self, view: View) -> None:
        self.changed: dict[PageRef, Page] = {}
        self._view = view
        self._places: dict[PageRef, dict[str, list[int]]] = {}
        self._names: dict[PageRef, Counter[str]] = {}

    def page(self, ref: PageRef) -> Page:
        """Return a page as it is now, a new one if there is none; why it cannot be read is an error."""
        if ref in self.changed:
            return self.changed[ref]
        if error := self._view.unreadable.get(ref):
            raise error
        stored = self._view.pages.get(ref)
        return stored.page if stored else new_page(ref)

    def insert(self, ref: PageRef, raw: str) -> None:
        """Put an entry's text at its place in time."""
        self.names(ref)[id_of(raw)] += 1
        self._places.pop(ref, None)
        self.changed[ref] = self.page(ref).insert(raw)

    def put(self, ref: PageRef, position: int, raw: str) -> None:
        """Put ``raw`` where the entry stands, or, if it was said at another minute, where it belongs in time."""
        page, new = self.page(ref), Entry(raw)
        old = page.entries[position]
        if new.at != old.at:
            self.take_out(ref, position)
            self.insert(ref, raw)
            return
        if id_of(raw) != id_of(old.raw):
            self.names(ref).update({id_of(old.raw): -1, id_of(raw): 1})
            self._places.pop(ref, None)
        self.changed[ref] = page.replace(position, raw)

    def take_out(self, ref: PageRef, position: int) -> None:
        """Take out what stands at a place."""
        page = self.page(ref)
        self.names(ref)[id_of(page.entries[position].raw)] -= 1
        self._places.pop(ref, None)
        self.changed[ref] = page.remove(position)

    def names(self, ref: PageRef) -> Counter[str]:
        """Return how many entries have which id, empty for none."""
        if ref not in self._names:
            self._names[ref] = Counter(id_of(entry.raw) for entry in self.page(ref).entries)
        return self._names[ref]

    def places(self, ref: PageRef, wanted: str = "") -> Mapping[str, list[int]]:
        """Return where names stand; made names, which cost a digest each, only where one is wanted."""
        entries, made = self.page(ref).entries, wanted.startswith(NO_ID)
        if made or ref not in self._places:
            places: dict[str, list[int]] = defaultdict(list)
            for place, name in enumerate(entries_of.numbered(entries) if made else (id_of(one.raw) for one in entries)):
                places[name].append(place)
            if made:
                return places
            self._places[ref] = places
        return self._places[ref]


def new_page(ref: PageRef) -> Page:
    """Return a page as it begins."""
    return Page(front.for_page(ref), "\n")


def id_of(raw: str) -> str:
    """Return the id of an entry, empty if it has none; thousands are asked, and what they are parsed to is not kept."""
    return Entry(raw).id
