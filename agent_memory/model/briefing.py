"""What an agent is told: a briefing, the items it is made of, and what became of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from agent_memory.model.ids import digest
from agent_memory.model.recall import Hit
from agent_memory.model.text import BRIEFING_END as BRIEFING_END
from agent_memory.model.text import BRIEFING_START as BRIEFING_START

Kind = Literal["session", "turn"]
KINDS: Final[tuple[Kind, ...]] = ("session", "turn")

Fate = Literal["shown", "shortened", "cut"]


@dataclass(frozen=True, slots=True)
class Item:
    """One row that a section has to show: lines that stay together, and the memory they are from.

    ``hit`` is None for what is from no memory, as the project's page; ``words`` are those that make the item
    what it is, where they are not all of the memory's. ``tokens`` is what it takes in the briefing, 0 once it is
    cut; ``reason`` says why it is not shown, or not whole.
    """

    section: str
    lines: tuple[str, ...]
    hit: Hit | None = None
    words: str = ""
    fate: Fate = "shown"
    tokens: int = 0
    reason: str = ""

    @property
    def digest(self) -> str:
        """What tells it from every other item, and from itself as it was before an edit."""
        if self.hit is None:
            return digest(*self.lines)
        return digest(self.hit.page.category, self.hit.id, self.words or self.hit.body)

    def cut(self, reason: str) -> Item:
        """Return it as one that is not shown."""
        return Item(self.section, self.lines, self.hit, self.words, "cut", 0, reason)


class Cut(NamedTuple):
    """How many items one section had to leave out, or none if it only had to shorten some, and why."""

    section: str
    items: int
    reason: str


@dataclass(frozen=True, slots=True)
class Briefing:
    """The block of text that an agent receives, and what was considered for it.

    ``text`` is ``prefix`` and ``tail``: the prefix depends on the kind and on the budget and on nothing else,
    so that a host can keep it where its cache is. ``tokens`` is the size of the whole by its counter. ``query``
    is what was looked for: the command, or what that became by what was said before it.
    """

    agent: str
    command: str
    kind: Kind
    text: str
    prefix: str
    tokens: int
    max_tokens: int
    items: tuple[Item, ...] = ()
    query: str = ""

    @property
    def tail(self) -> str:
        """The part that changes with the vault and the command."""
        return self.text[len(self.prefix) :]

    @property
    def sections(self) -> dict[str, int]:
        """What the items of each section take, in tokens; sections that show nothing are left out."""
        taken: Counter[str] = Counter()
        for item in self.items:
            if item.fate != "cut":
                taken[item.section] += item.tokens
        return dict(taken)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """What is missing, by section and reason."""
        missing: Counter[tuple[str, str]] = Counter()
        for item in self.items:
            if item.reason:
                missing[item.section, item.reason] += item.fate == "cut"
        return tuple(Cut(section, count, reason) for (section, reason), count in missing.items())

    @property
    def told(self) -> tuple[Hit, ...]:
        """The memories that it shows, whole or shortened."""
        return tuple(item.hit for item in self.items if item.hit and item.fate != "cut")

    @property
    def digests(self) -> tuple[str, ...]:
        """What to remember as shown."""
        return tuple(dict.fromkeys(item.digest for item in self.items if item.fate != "cut"))
