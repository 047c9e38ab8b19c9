"""Decisions, whichever conversation they are from, and which of two replaces the other by its own words. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

from agent_memory.fabric.lessons import is_kept
from agent_memory.fabric.merge import gist
from agent_memory.fabric.telling import MARKS, READ_CHARS, spelt, words_of
from agent_memory.mirror import fts
from agent_memory.model.ids import digest
from agent_memory.model.memory import Candidate, Memory, PageRef
from agent_memory.model.text import fold, words
from agent_memory.vault.view import View

DECISIONS: Final = "decisions"

_WITHIN: Final = r"(?:[^,.;:!?()\n]|\.(?=\w))"  # of a clause: a dot may be one of a name
_INSTEAD: Final = re.compile(
    r"\b(?:instead of|in place of|rather than|no longer use|(?:replaces|replacing|replaced|drop|dropping|dropped)"
    r"|(?:switch|switching|move|moving|migrat\w+) (?:away )?from|em vez d[eoa]s?|ao inves d[eoa]s?|no lugar d[eoa]s?"
    r"|(?:substitui\w*|trocamos|troca|abandonamos|largamos)|nao (?:usamos|vamos usar) mais)\s+"
    rf"(?:the |o |a |os |as )?(\w{_WITHIN}{{1,60}})"
)
_NO_LONGER: Final = re.compile(
    r"\b(?:no longer (?!than\b|use\b)\w+|nao (?!usamos\b|vamos usar\b)(?:\w+ ){1,2}mais(?! (?:d[eo]|que)\b))\s+"
    rf"(\w?{_WITHIN}{{1,60}})"
)
_ENDS: Final = re.compile(
    r"\b(?:for|with|to|by|so|para|por|pel[oa]|que|com|we|nos|and|e|the|is|are|uses?|vamos|usa|usamos|fica)\b"
)
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_REASON: Final = re.compile(r"\b(?:because|since|so that|porque|pois|ja que|para que)\b[^.;!?\n]*")
_DECIDING: Final = words_of(
    "use keep kept decide decided decision choose adopt run live manter decidimos escolhemos roda"
)
"""What choices are said with, and what none is about."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision that holds, and the conversation in which it was said, if in one."""

    page: PageRef
    id: str
    at: datetime
    body: str
    conversation: str
    gives_up: bool
    may_fall: bool = True

    @classmethod
    def of(cls, memory: Memory) -> Choice:
        """Return a decision as it stands."""
        body, conversation = memory.body, memory.origin.conversation if memory.origin else ""
        return cls(memory.page, memory.id, memory.at, body, conversation, gives_up(body), not is_kept(memory))

    @classmethod
    def new(cls, page: PageRef, entry: str, candidate: Candidate) -> Choice:
        """Return a decision as it will stand, to the minute."""
        at, body = candidate.said_at.replace(second=0, microsecond=0), candidate.body
        return cls(page, entry, at, body, candidate.origin.conversation, gives_up(body))


class Choices:
    """The decisions of a vault, by agent."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._known: dict[str, tuple[list[Choice], list[Choice]]] = {}

    def meet(self, new: Choice) -> Iterator[tuple[Choice, Choice]]:
        """Add a decision, and yield the pairs in which the later one replaces the older, in whatever order they came.

        Within one conversation that is extraction's to say.
        """
        known, giving_up = self._of(new.page.agent)
        for other in known if new.gives_up else giving_up:  # few give anything up, and a backlog is long
            older, later = sorted((other, new), key=lambda one: (one.at, one.id))
            apart = other.conversation != new.conversation and older.may_fall and later.gives_up
            if apart and replaces(later.body, older.body):
                yield older, later
        known.append(new)
        giving_up += [new] * new.gives_up

    def _of(self, agent: str) -> tuple[list[Choice], list[Choice]]:
        if agent not in self._known:
            standing = (memory for memory in self._view.of(agent, DECISIONS) if memory.active and memory.id.isdigit())
            known = [Choice.of(memory) for memory in standing]
            self._known[agent] = known, [one for one in known if one.gives_up]
        return self._known[agent]


def key_of_replaced(older: str, newer: str) -> str:
    """Return the ledger's key for a rule's finding that one entry replaces another: it is acted on once."""
    return digest("replaced", older, newer)


def replaced(memories: Sequence[Memory], is_new: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Yield the decisions that another one says it replaces, each with that one, in the order of the latter."""
    decisions = sorted((one for one in memories if one.page.category == DECISIONS), key=lambda one: (one.at, one.id))
    for number, memory in enumerate(decisions):
        for older in decisions[:number] if gives_up(memory.body) else ():
            named = not is_kept(older) and replaces(memory.body, older.body)
            if named and is_new(key_of_replaced(older.id, memory.id)):
                yield older.id, memory.id


def gives_up(body: str) -> bool:
    """Tell whether a text names anything that it replaces ("instead of …", "em vez de …")."""
    said = fold(body[:READ_CHARS])
    return any(phrase.search(said) for phrase in (_INSTEAD, _NO_LONGER))


def replaces(later: str, older: str) -> bool:
    """Tell whether a later choice names an older one as what it replaces.

    The older one must have all the words that are given up, outside of such a phrase of its own, and be about the same
    otherwise, as the later one is in whole or in the sentence that gives up: most of what the one that says less is
    about. One that says nothing else replaces what says little
    else, and is replaced by nothing that holds for one place only. What the older one says already is nothing new.
    """
    old = _parted(older)
    return any(
        names <= old.words and _is_about_the_same(new, old, names, negated=negated)
        for new in map(_parted, (later, *_SENTENCES.split(later[:READ_CHARS])))
        for names, negated in new.given_up
    )


def _is_about_the_same(new: _Parted, old: _Parted, names: Set[str], *, negated: bool) -> bool:
    named = words_of(" ".join(names))
    scope, rest = new.about - named, old.about - named
    chosen = new.words - fts.STOP_WORDS
    if gist(old.text).negations if negated else chosen and chosen <= old.words:  # the older one says so itself
        return False
    if not rest:
        return negated or len(scope) <= 1  # what is chosen instead
    if len(scope) <= 1:
        return len(rest) <= 2 * len(names)
    return 2 * len(rest & scope) >= min(len(rest), len(scope) - 1)


@dataclass(frozen=True, slots=True)
class _Parted:
    """A text without its reasons: what it gives up, whether by its own negation; all words of the rest; what tells."""

    text: str
    given_up: tuple[tuple[frozenset[str], bool], ...]
    words: frozenset[str]
    about: frozenset[str]


@lru_cache(maxsize=8_192)
def _parted(body: str) -> _Parted:
    given_up: list[tuple[frozenset[str], bool]] = []

    def take_out(match: re.Match[str]) -> str:
        negated = match.re is _NO_LONGER  # "we no longer keep it for a month": all of that
        phrase = match[1] if negated else _ENDS.split(match[1])[0]
        if gone := frozenset(words(phrase)) - fts.STOP_WORDS:
            given_up.append((gone, negated))
        return " " + match[1][len(phrase) :]

    said = _REASON.sub("", fold(body[:READ_CHARS]))
    rest = _NO_LONGER.sub(take_out, _INSTEAD.sub(take_out, said))
    told = spelt(rest)
    names = [term for term in told if not MARKS.isdisjoint(term)]
    about = frozenset(term for term, word in told.items() if all(word == name or word not in name for name in names))
    return _Parted(said, tuple(given_up), frozenset(words(rest)), about - _DECIDING)
