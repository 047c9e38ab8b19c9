"""Consolidation: what was said of one thing for a while becomes a lesson, and what it is drawn from steps back.

A machine's notes and lessons move to the archive, where their id finds them. A person's stay where they stand, and so
do decisions, which hold until another replaces them. Whatever a lesson rests on has a line in the ledger, so no other
lesson is made of it, though this one be undone or deleted. Pure; with the same view twice, the second time nothing is
left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from agent_memory.fabric.lessons import (
    LESSONS,
    PROCEDURES,
    Distilled,
    Keeping,
    deprecated,
    draft_of,
    is_kept,
    key_of_parent,
    let_go,
    parents_of,
    steps_text,
)
from agent_memory.fabric.notes import Use
from agent_memory.fabric.relate import LINKED, Likeness, Related, linkable, related
from agent_memory.jobs.cluster import Cluster, clusters
from agent_memory.jobs.outdated import without_replaced
from agent_memory.model.ids import digest, next_free_id
from agent_memory.model.links import LINKS, text_of
from agent_memory.model.memory import Add, Amend, Batch, Change, Memory, Move, PageRef, TakenLine
from agent_memory.model.votes import Fading
from agent_memory.vault.view import View

Distil = Callable[[Cluster, Likeness], Distilled | None]

BY_MACHINE: Final = frozenset({"heuristic", "reflection", "agent"})
_MOVED: Final = frozenset({"notes", "lessons"})
_TAKING_PART: Final = _MOVED | {"decisions"}


@dataclass(frozen=True, slots=True)
class Rules:
    """What consolidation depends on besides the vault.

    ``most_links`` is how many links an entry gets, ``keeping`` says by category what is let go, and when.
    """

    now: datetime
    fading: Fading
    cooldown: timedelta = timedelta(hours=24)
    fewest: int = 3
    most: int = 5
    sharing: bool = True
    most_links: int = 4
    keeping: Mapping[str, Keeping] = field(default_factory=dict)
    uses: Mapping[str, Use] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson that is made: its id, of what, and what it says; ``agent`` is whose."""

    agent: str
    id: str
    cluster: Cluster
    says: Distilled


@dataclass
class Plan:
    """What one run comes to, and the numbers that say why it is no more.

    Of what might make a lesson, ``young`` has to wait, and on ``spent`` one rests, or did.
    """

    candidates: int = 0
    young: int = 0
    spent: int = 0
    clusters: int = 0
    links: int = 0
    superseded: int = 0
    made: list[Lesson] = field(default_factory=list)
    let_go: list[tuple[Memory, str]] = field(default_factory=list)
    batch: Batch = field(default_factory=Batch)


def consolidate(view: View, rules: Rules, distil: Distil) -> Plan:
    """Decide what upkeep makes of a vault: links, lessons, and what is let go.

    Args:
        view: The vault.
        rules: What else counts.
        distil: Makes of a cluster what it comes to, or nothing.
    """
    view = view.about({*LINKED, *rules.keeping})
    plan, changes, lines, used, gone = Plan(), list[Change](), list[TakenLine](), set[str](), set[str]()
    now_ms = int(rules.now.timestamp() * 1000)
    for agent, known in sorted(linkable(view).items()):
        likeness, memories = Likeness(known), [memory for memory in known if memory.active]
        found = related(memories, likeness, partial(_is_new, view), most=rules.most_links)
        lines += [TakenLine(key, name, rules.now, "stored") for key, name in found.settled()]
        gone |= found.gone.keys()
        ready = _ready([memory for memory in memories if memory.id not in found.gone], view, rules, plan)
        told, declined = _told(ready, likeness, found, rules, distil, room=rules.most - len(plan.made))
        made = [Lesson(agent, _id_for(view, used, cluster, now_ms), cluster, says) for cluster, says in told]
        plan.made += made
        plan.clusters += len(made) + declined
        changes += _amended(memories, found, made)
        plan.links += sum(map(len, found.links.values()))
        plan.superseded += len(found.gone)
    for lesson in plan.made:
        changes += _added(lesson, view, used)
    corrected, plan.let_go = _let_go(view, gone, rules)
    lines += [
        TakenLine(key_of_parent(memory.id), lesson.id, rules.now, "stored")
        for lesson in plan.made
        for memory in lesson.cluster.members
    ]
    lines += _missing(view, rules.now)
    plan.batch = Batch((*changes, *corrected, *deprecated(plan.let_go)), tuple(lines))
    return plan


def _is_new(view: View, key: str) -> bool:
    return view.taken.by_key(key) is None


def _missing(view: View, now: datetime) -> Iterable[TakenLine]:
    """Yield the lines of what lessons rest on that a run which was cut short has not written any more."""
    for memory in view.memories:
        if memory.meta.get("by") == "consolidation" and memory.page.category == LESSONS:
            keys = map(key_of_parent, parents_of(memory))
            yield from (TakenLine(key, memory.id, now, "stored") for key in keys if _is_new(view, key))


def _let_go(view: View, gone: Container[str], rules: Rules) -> tuple[list[Amend], list[tuple[Memory, str]]]:
    """Return what becomes of older lessons: what is taken out of them, and which are let go, and why."""
    corrected, left = without_replaced(view, gone)
    for category, keeping in rules.keeping.items():
        known = {memory.id for memory, _ in left}
        standing = [one for one in view.memories if one.page.category == category and one.id not in known]
        left += let_go(standing, rules.uses, rules.fading, keeping)
    return corrected, left


def _told(
    ready: list[Memory], likeness: Likeness, found: Related, rules: Rules, distil: Distil, *, room: int
) -> tuple[list[tuple[Cluster, Distilled]], int]:
    """Return what clusters come to, ``room`` of them at most, and how many came to nothing.

    What was declined may be clustered otherwise without what a lesson was made of, so it is looked at again.
    """
    told: list[tuple[Cluster, Distilled]] = []
    while True:
        before, declined = len(told), 0
        for cluster in clusters(ready, likeness, found.links, fewest=rules.fewest, sharing=rules.sharing):
            says = distil(cluster, likeness) if len(told) < room else None
            if says is None:
                declined += 1
            else:
                told.append((cluster, says))
        if len(told) in (before, room):
            return told, declined
        taken = {memory.id for cluster, _ in told[before:] for memory in cluster.members}
        ready = [memory for memory in ready if memory.id not in taken]


def _ready(memories: Iterable[Memory], view: View, rules: Rules, plan: Plan) -> list[Memory]:
    """Return what a lesson may be made of, and count it, and what is too young or is what one rests on already."""
    standing = [memory for memory in memories if memory.page.category in _TAKING_PART]
    free = [memory for memory in standing if _is_new(view, key_of_parent(memory.id))]
    ready = [memory for memory in free if memory.at <= rules.now - rules.cooldown]
    plan.candidates += len(ready)
    plan.young += len(free) - len(ready)
    plan.spent += len(standing) - len(free)
    return ready


def _amended(memories: Iterable[Memory], found: Related, made: Iterable[Lesson]) -> Iterable[Change]:
    """Yield what becomes of entries that stand: new links, what replaces them, and the way to the archive."""
    into = {memory.id: lesson.id for lesson in made for memory in lesson.cluster.members}
    for memory in memories:
        meta: dict[str, str | None] = {}
        if memory.id in found.links:
            meta[LINKS] = text_of(found.links[memory.id])
        if memory.id in found.gone:
            meta |= {"status": "superseded", "superseded-by": found.gone[memory.id]}
        if memory.id in into and _may_leave(memory):
            meta |= {"status": "consolidated", "superseded-by": into[memory.id]}
            change = Amend if memory.page.archived else Move
            yield change(memory.page, memory.id, meta=meta)
        elif meta:
            yield Amend(memory.page, memory.id, meta=meta)


def _id_for(view: View, used: set[str], cluster: Cluster, number: int) -> str:
    """Return a lesson's id: that of the lesson which a run that was cut short has made of the same, or a free one."""
    standing = view.by_key(cluster.name)
    return standing[0].id if standing else _free_id(view, used, number)


def _free_id(view: View, used: set[str], number: int) -> str:
    name = next_free_id(number, lambda one: one in used or view.id_in_use(one))
    used.add(name)
    return name


def _may_leave(memory: Memory) -> bool:
    by_machine = memory.meta.get("by") in BY_MACHINE and not is_kept(memory)
    return by_machine and memory.page.category in _MOVED


def _added(lesson: Lesson, view: View, used: set[str]) -> Iterable[Add]:
    """Yield the lesson and, where there are steps, the procedure that rests on it, unless they stand already."""
    says, members = lesson.says, lesson.cluster.members
    at, parents = max(memory.at for memory in members), [memory.id for memory in members]
    key, steps_key = lesson.cluster.name, digest("procedure", lesson.cluster.name)
    if not view.by_key(key):
        draft = draft_of(says, lesson.id, parents, at, says.principle, key)
        yield Add(PageRef(lesson.agent, LESSONS), draft)
    if says.steps and not view.by_key(steps_key):
        name = _free_id(view, used, int(lesson.id))
        draft = draft_of(says, name, [lesson.id, *parents], at, steps_text(says.steps), steps_key)
        yield Add(PageRef(lesson.agent, PROCEDURES), draft)
