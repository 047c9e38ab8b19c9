"""From what turns propose to what the vault should change: taking everything once, whatever is read again.

Pure: a view of the vault as it is now goes in, a batch of changes comes out. The key decides first;
near-equality only afterwards, and only against active and archived entries of the same agent and category.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from typing import Final

from agent_memory.fabric.choices import DECISIONS, Choice, Choices, key_of_replaced
from agent_memory.fabric.forgotten import forgotten_at
from agent_memory.fabric.merge import Said
from agent_memory.model.ids import entry_id
from agent_memory.model.memory import (
    Add,
    Amend,
    Author,
    Batch,
    Candidate,
    Change,
    Draft,
    Memory,
    PageRef,
    TakenLine,
    Why,
)
from agent_memory.model.transcript import Turn
from agent_memory.vault.view import View

EXTRACT_TAG: Final = "auto-extract"
OPEN: Final = "- [ ] "
DONE: Final = "- [x] "
SUPERSEDED_BY: Final = "superseded-by"
VALID_TO: Final = "valid-to"
ACTIVE_AGAIN: Final = {"status": None, SUPERSEDED_BY: None, VALID_TO: None}
NEVER: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one turn proposes to remember, in whose pages, and who read it.

    Where the conversation is ``resumed``, what it says without a time was said now; an unknown one may be a copy.
    """

    turn: Turn
    candidates: tuple[Candidate, ...]
    agent: str
    resumed: bool
    by: Author = "heuristic"


@dataclass(frozen=True, slots=True)
class Rules:
    """What taking depends on besides the vault.

    ``propose`` keeps what is too uncertain as proposals; ``across`` lets decisions replace other conversations'.
    """

    now: datetime
    min_confidence: float
    propose: bool = False
    across: bool = True


@dataclass(frozen=True, slots=True)
class Taking:
    """The changes that proposals come to, and how many of each outcome there were, by category."""

    batch: Batch
    outcomes: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def count(self, outcome: str, category: str | None = None) -> int:
        """Return how often ``outcome`` (stored, proposed, known, duplicate, blocked, doubtful) came up."""
        return sum(n for (what, where), n in self.outcomes.items() if what == outcome and category in (None, where))


def take(view: View, proposals: Iterable[Proposal], rules: Rules) -> Taking:
    """Decide what becomes of every candidate, in the order in which things were said."""
    desk = _Desk(view, rules)
    for proposal in proposals:
        desk.take(proposal)
    return Taking(Batch(tuple(desk.changes), tuple(desk.lines.values())), desk.outcomes)


class _Desk:
    """The working state of one decision: the vault as it was seen, plus what has been decided so far."""

    def __init__(self, view: View, rules: Rules) -> None:
        self.changes: list[Change] = []
        self.lines: dict[str, TakenLine] = {}
        self.outcomes: Counter[tuple[str, str]] = Counter()
        self._view = view
        self._rules = rules
        self._proposal: Proposal
        self._new: dict[str, tuple[PageRef, Candidate]] = {}
        self._said: dict[PageRef, Said] = {}
        self._choices = Choices(view)
        self._meta: dict[str, dict[str, str | None]] = defaultdict(dict)
        self._by_conversation: dict[str, list[Memory]] = defaultdict(list)
        self._by_turn: dict[tuple[str, str], list[Memory]] = defaultdict(list)
        for memory in view.memories:
            if memory.origin and memory.key:
                self._by_conversation[memory.origin.conversation].append(memory)
                self._by_turn[memory.origin.conversation, memory.origin.digest].append(memory)

    def take(self, proposal: Proposal) -> None:
        self._proposal, self._grown_from = proposal, proposal.turn.prefix_digests[:-1]
        for candidate in proposal.candidates:
            self.outcomes[self._outcome(candidate), candidate.category] += 1
        self._let_go()

    def _outcome(self, candidate: Candidate) -> str:
        if candidate.confidence < self._rules.min_confidence and not self._rules.propose:
            return "doubtful"
        if candidate.key in self.lines:
            self._said_twice(candidate)
            return "known"
        line = self._view.taken.by_key(candidate.key)
        if line is not None and line.why == "forgotten":
            return "blocked"
        standing = self._view.by_key(candidate.key) or (self._view.by_id(line.id) if line else ())
        if standing:
            self._meet_again(standing[0], candidate)
            self._replace(candidate, standing[0].id)
            if line is None:
                self._note(candidate, "stored", standing[0].id)
            return "known"
        if line is not None or candidate.body.startswith(DONE):
            return "known"
        return self._outcome_of_new(candidate)

    def _outcome_of_new(self, candidate: Candidate) -> str:
        if self._was_removed(candidate):
            return "blocked"
        page = PageRef(self._proposal.agent, candidate.category)
        if (twin := self._twin(page, candidate)) is not None:
            self._note(candidate, "duplicate", twin)
            return "duplicate"
        now, in_use = self._rules.now, lambda entry: entry in self._new or self._view.id_in_use(entry)
        entry = entry_id(candidate.said_at, candidate.key, now=now, in_use=in_use)
        self._new[entry] = page, candidate
        self._said_on(page).add(entry, candidate.body)
        self._note(candidate, "stored", entry)
        draft = draft_of(candidate, entry)
        if candidate.confidence < self._rules.min_confidence:
            self.changes.append(Add(page, replace(draft, meta={**draft.meta, "status": "proposed"})))
            return "proposed"
        self.changes.append(Add(page, draft))
        self._replace(candidate, entry)
        if candidate.category == DECISIONS and self._rules.across:
            self._settle(page, entry, candidate)
        return "stored"

    def _meet_again(self, memory: Memory, candidate: Candidate) -> None:
        """Bring back what was said again, follow a turn that grew, and tick what is done."""
        known = {**memory.meta, **self._meta[memory.id]}
        replaced_later = minute_of(candidate.said_at) < (known.get(VALID_TO) or "")
        meta: dict[str, str | None] = {}
        if known.get("status") == "superseded" and not replaced_later:
            meta |= ACTIVE_AGAIN
        if candidate.body.startswith(DONE):
            if memory.body.startswith(OPEN) and not memory.edited:  # a person's words keep their boxes
                self.changes.append(Amend(memory.page, memory.id, body=DONE + memory.body.removeprefix(OPEN)))
        elif memory.key == candidate.key and memory.origin and memory.origin.digest in self._grown_from:
            meta["origin"] = str(candidate.origin)
        self._change(memory.page, memory.id, meta)

    def _said_twice(self, candidate: Candidate) -> None:
        """Within one batch: A, then B, then A again."""
        for entry, (page, other) in self._new.items():
            if other.key == candidate.key:
                if self._meta[entry].get("status"):
                    self._change(page, entry, ACTIVE_AGAIN)
                self._replace(candidate, entry)

    def _replace(self, candidate: Candidate, entry: str) -> None:
        """Mark what the candidate replaces, unless that was said later."""
        keys = candidate.replaces
        standing = [(memory.page, memory.id) for key in keys for memory in self._view.by_key(key)[:1] if memory.active]
        added = [(page, other) for other, (page, known) in self._new.items() if known.key in keys] if keys else []
        for page, old in standing + added:
            if old != entry:
                self._supersede(page, old, entry, candidate.said_at)

    def _settle(self, page: PageRef, entry: str, candidate: Candidate) -> None:
        """Let a decision take the place of what it names of another conversation, or give way to one said later."""
        for older, later in self._choices.meet(Choice.new(page, entry, candidate)):
            if not self._meta[older.id].get("status"):
                self._supersede(older.page, older.id, later.id, later.at)
                key = key_of_replaced(older.id, later.id)
                self.lines[key] = TakenLine(key, later.id, self._rules.now, "stored")

    def _supersede(self, page: PageRef, old: str, entry: str, at: datetime) -> None:
        self._change(page, old, {"status": "superseded", SUPERSEDED_BY: entry, VALID_TO: minute_of(at)})

    def _change(self, page: PageRef, entry: str, meta: Mapping[str, str | None]) -> None:
        if meta:
            self.changes.append(Amend(page, entry, meta=meta))
            self._meta[entry].update(meta)

    def _let_go(self) -> None:
        """Supersede what the turn proposed when it was shorter, and no longer proposes."""
        proposed = {candidate.key for candidate in self._proposal.candidates}
        conversation = self._proposal.turn.conversation
        shorter = (self._by_turn.get((conversation, digest), ()) for digest in dict.fromkeys(self._grown_from))
        for memory in chain.from_iterable(shorter):
            theirs = memory.meta.get("by") == self._proposal.by and memory.page.category != "handoffs"
            if memory.key not in proposed and theirs and memory.active and not memory.edited:
                self.changes.append(Amend(memory.page, memory.id, meta={"status": "superseded"}))

    def _was_removed(self, candidate: Candidate) -> bool:
        """Tell whether these words were said before a person removed their entry, or had them forgotten."""
        moments = [forgotten_at(self._view, candidate.body)]
        if candidate.words is not None:
            moments.append(self._view.removed_words(candidate.words))
        said_at = candidate.said_at
        if candidate.approximate:
            said_at = self._rules.now if self._proposal.resumed else NEVER
        return any(moment is not None and said_at <= moment for moment in moments)

    def _twin(self, page: PageRef, candidate: Candidate) -> str | None:
        if candidate.by == "reflection" and (found := self._found_before(candidate)):
            return found
        return self._said_on(page).first_like(candidate.body)

    def _said_on(self, page: PageRef) -> Said:
        """Return what stands on a page, and what has been added to it since."""
        if page not in self._said:
            self._said[page] = Said()
            for memory in self._view.of(page.agent, page.category):
                if memory.active:
                    self._said[page].add(memory.id, memory.body)
        return self._said[page]

    def _found_before(self, candidate: Candidate) -> str | None:
        """Return what stands already out of the very words that a model has retold, wherever they were said first."""
        quoted = self._view.taken.ids_of(candidate.words) if candidate.words else ()
        elsewhere = (memory for entry in quoted for memory in self._view.by_id(entry)[:1])
        for memory in (*self._by_conversation[candidate.origin.conversation], *elsewhere):
            kinds = {memory.page.category, candidate.category}
            apart = "handoffs" in kinds or ("tasks" in kinds and len(kinds) > 1)  # a task that follows is another thing
            ours = memory.active and memory.page.agent == self._proposal.agent and memory.meta.get("by") == "heuristic"
            origin = memory.origin
            if ours and not apart and (memory.id in quoted or (origin and origin.overlaps(candidate.origin))):
                return memory.id
        return None

    def _note(self, candidate: Candidate, why: Why, entry: str) -> None:
        self.lines[candidate.key] = TakenLine(candidate.key, entry, self._rules.now, why, candidate.words)


def minute_of(moment: datetime) -> str:
    """Return a time as headings and comments have it: UTC, to the minute."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M")


def draft_of(candidate: Candidate, entry: str) -> Draft:
    """Return what is written for a candidate under the id ``entry``."""
    tag = () if candidate.category == "handoffs" else (EXTRACT_TAG,)
    return Draft(
        body=candidate.body,
        at=candidate.said_at,
        by=candidate.by,
        tags=tuple(dict.fromkeys((*candidate.tags, *tag))),
        id=entry,
        key=candidate.key,
        origin=candidate.origin,
        meta={"confidence": f"{candidate.confidence:.2f}"},
    )
