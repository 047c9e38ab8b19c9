"""What a model says of memories that stand, made into changes: links, more tags, votes; never a word of a body.

It refuses whatever names an entry that the model was not shown. What supersedes another must be of the exchange that
was reflected on, of the same page and with words in common, and a person's words it supersedes never: a link can be
taken away, a decision that silently fell is not missed until it matters. Pure, and done twice it is done once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final

from agent_memory.fabric.lessons import is_kept
from agent_memory.fabric.telling import words_of
from agent_memory.model.links import LINKS, SUPERSEDED_BY, Kind, Link, drawn, made_links, text_of
from agent_memory.model.memory import Add, Amend, Batch, Change, Memory
from agent_memory.model.refining import Ballot, Evolution, Linking, Refinement
from agent_memory.model.votes import Fading
from agent_memory.vault.view import View

MAX_TAGS: Final = 16
MAX_BALLOTS: Final = 4
MAX_LINES: Final = 40
"""Numbers up to this are those of lines in a reply; ids are times, and far beyond."""
COUNTED: Final = "counted"
"""The comment's key for the exchanges that have voted, the last ones: a reply that is applied again votes once."""
MAX_COUNTED: Final = 4


@dataclass(frozen=True, slots=True)
class Bounds:
    """What may be done, given what the model was shown: each number at most, and none where it is 0.

    ``told`` are the ids that the conversation was told, ``near`` the others listed; ``exchange`` names what was
    reflected on, ``most_votes`` is where a score ends, ``fewest`` how many entries there must be to link any.
    """

    told: Set[str]
    near: Set[str]
    exchange: str
    fading: Fading
    links: int = 4
    fewest: int = 2
    tags: int = 2
    most_votes: float = 50.0


@dataclass(frozen=True, slots=True)
class Said:
    """What the same reply comes to otherwise: its changes, and the entry behind each of its lines."""

    batch: Batch = field(default_factory=Batch)
    lines: Mapping[str, str] = field(default_factory=dict)
    of_exchange: Set[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Refined:
    """The changes, how many of each kind were made, and why the rest was not."""

    changes: tuple[Change, ...]
    done: Counter[str]
    dropped: Counter[str]


def refine(view: View, wanted: Iterable[Refinement], said: Said, bounds: Bounds) -> Refined:
    """Decide what becomes of a reply's refinements, in their order."""
    desk = _Desk(view, said, bounds)
    for one in wanted:
        if why := desk.do(one):
            desk.dropped[why] += 1
    links = (Amend(desk.at[name].page, name, meta={LINKS: text_of(links)}) for name, links in desk.links.items())
    return Refined((*links, *desk.changes), desk.done, desk.dropped)


class _Desk:
    def __init__(self, view: View, said: Said, bounds: Bounds) -> None:
        self.changes: list[Change] = []
        self.links: dict[str, list[Link]] = {}
        self.done: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.at: dict[str, Memory] = {}
        self._places = Counter[str]()
        self._said, self._bounds = said, bounds
        new = [change for change in said.batch.changes if isinstance(change, Add)]
        for name in bounds.told | bounds.near | set(said.lines.values()):
            for memory in view.by_id(name)[:1]:
                self.at[name] = memory
        self.at |= {change.draft.id: _as_memory(change) for change in new if change.draft.id}
        self._own = said.of_exchange | set(said.lines.values())

    def do(self, one: Refinement) -> str:
        """Do what is wanted, or say why not."""
        match one:
            case Linking():
                return self._link(one)
            case Evolution():
                return self._tag(one)
            case Ballot():
                return self._vote(one)

    def _link(self, one: Linking) -> str:
        kind, source, target = drawn(one.kind), self._end(one.source), self._end(one.target)
        if kind is None:
            return "unknown kind"
        if source is None or target is None:
            return "not listed"
        standing = self.links.get(source.id, list(made_links(source)))
        if why := self._refused(kind, source, target, standing):
            return why
        self.links[source.id] = [*standing, (kind, target.id)]
        self.done["links"] += 1
        if kind == "supersedes":
            meta = {"status": "superseded", SUPERSEDED_BY: source.id}
            self.changes.append(Amend(target.page, target.id, meta=meta))
            self.at[target.id] = replace(target, meta={**target.meta, **meta})
        return ""

    def _refused(self, kind: Kind, source: Memory, target: Memory, standing: Sequence[Link]) -> str:
        bounds = self._bounds
        if source.id == target.id:
            return "self link"
        if len(bounds.told | bounds.near | self._own) < bounds.fewest:
            return "too few to link"
        if not self._has_room("links", bounds.links):
            return "too many"
        if (kind, target.id) in standing:
            return "nothing new"
        if not (source.active and target.active):
            return "gone"
        return "may not supersede" if kind == "supersedes" and not self._may_supersede(source, target) else ""

    def _tag(self, one: Evolution) -> str:
        memory = self.at.get(one.id) if one.id in self._bounds.told else None
        if memory is None:
            return "not listed"
        if not self._has_room("tags", self._bounds.tags):
            return "too many"
        if memory.edited or not memory.active:
            return "a person's" if memory.edited else "gone"
        tags = tuple(dict.fromkeys((*memory.tags, *one.tags)))[: max(MAX_TAGS, len(memory.tags))]
        if tags == memory.tags:
            return "nothing new"
        self.changes.append(Amend(memory.page, memory.id, tags=tags))
        self.done["tags"] += 1
        return ""

    def _vote(self, one: Ballot) -> str:
        memory, bounds = self.at.get(one.id), self._bounds
        if memory is None or one.id not in bounds.told:
            return "not listed"
        if not self._has_room("votes", MAX_BALLOTS if bounds.most_votes else 0):
            return "too many"
        if not memory.active:
            return "gone"
        counted = [name for name in memory.meta.get(COUNTED, "").split(",") if name]
        meta = bounds.fading.cast(memory.meta, one.direction, bounds.most_votes)
        if not meta or bounds.exchange in counted:
            return "nothing new"
        meta[COUNTED] = ",".join([*counted, bounds.exchange][-MAX_COUNTED:])
        self.changes.append(Amend(memory.page, memory.id, meta=meta))
        self.done["votes"] += 1
        return ""

    def _has_room(self, what: str, most: int) -> bool:
        """Take a place, also for what turns out to be done: the same reply has the same places whenever applied."""
        self._places[what] += 1
        return self._places[what] <= most

    def _end(self, name: str) -> Memory | None:
        """Return the entry that an end of a link names, by a line's number or by its id."""
        named = self._said.lines.get(name, "") if int(name) <= MAX_LINES else name
        known = named in self._bounds.told | self._bounds.near | self._own
        memory = self.at.get(named) if known else None
        return memory if memory is not None and memory.id.isdigit() else None

    def _may_supersede(self, source: Memory, target: Memory) -> bool:
        theirs = target.edited or is_kept(target) or target.meta.get("by") in (None, "user")
        later = (target.at, target.id) < (source.at, source.id) and target.id not in self._own
        common = words_of(source.body) & words_of(target.body)
        return source.id in self._own and source.page == target.page and later and bool(common) and not theirs


def _as_memory(change: Add) -> Memory:
    draft = change.draft
    meta = {key: value for key, value in draft.meta.items() if value is not None}
    return Memory(change.page, draft.id or "", draft.at, draft.body, draft.tags, {**meta, "by": draft.by})
