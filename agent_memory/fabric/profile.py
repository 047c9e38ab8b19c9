"""What a change of the profile does to its page: set a fact, or remove one.

Pure. Nothing is overwritten: a new value supersedes, a removal leaves the last value readable with its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from agent_memory.errors import InvalidValue, UnknownEntry
from agent_memory.fabric import facts
from agent_memory.fabric.forgotten import forgotten_at
from agent_memory.fabric.versions import CATEGORY, GROUNDED, REMOVED, VALID_FROM, VALID_TO, Version, current
from agent_memory.model.ids import digest, fingerprint, next_free_id
from agent_memory.model.memory import Add, Amend, Author, Batch, Draft, Fact, Memory, Move, PageRef, TakenLine
from agent_memory.model.votes import Fading
from agent_memory.vault.taken import utc_text
from agent_memory.vault.view import View

# A day from the first that there is, so that no zone leads out of time.
EARLIEST: Final = datetime.min.replace(tzinfo=UTC) + timedelta(days=1)

Outcome = Literal["set", "unchanged", "amended", "blocked"]


@dataclass(frozen=True, slots=True)
class Assertion:
    """Somebody says that a fact holds.

    ``since`` is when it began to hold, None for now. ``said_at`` is when it was said, if that may have been long
    ago: then what has been said, removed or forgotten since outweighs it. ``grounded`` tells that the user's
    own words have the name.
    """

    fact: Fact
    now: datetime
    by: Author = "user"
    since: datetime | None = None
    said_at: datetime | None = None
    grounded: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What an assertion comes to, and the id of the entry that states the fact; empty if it is blocked."""

    outcome: Outcome
    entry: str
    batch: Batch


def assert_fact(view: View, page: PageRef, chain: Sequence[Version], said: Assertion, *, max_entries: int) -> Decision:
    """Decide what becomes of a fact: a new version, a change of when it is shown, or nothing.

    At most ``max_entries`` active facts may be unpinned; what is over goes to the archive. Where another key says the
    same, or the key has had a later value, it is an ``InvalidValue``.
    """
    holding = current(chain)
    mine = [version for version in chain if version.fact.key == said.fact.key]
    if said.said_at is not None and _is_outdated(view, mine, said, said.said_at):
        return Decision("blocked", "", Batch())
    same = holding.get(said.fact.key)
    if same and _is_hearsay(said) and same.confirmed and same.fact.value != said.fact.value:
        return Decision("blocked", "", Batch())
    if same and said.since is None and facts.same_value(same.fact.value, said.fact.value):
        return _again(same, said)
    other = facts.twin(said.fact, {key: version.fact for key, version in holding.items()})
    if other is not None:
        raise InvalidValue.of("key", f"the fact {other!r} says the same already.", hint=f"Set {other}.", existing=other)
    since = _begin(mine, said)
    entry = next_free_id(int(said.now.timestamp() * 1000), view.id_in_use)
    ends = [_end(memory, "superseded", since, entry) for memory in _active(view, page, said.fact.key)]
    add = Add(page, _draft(said, entry, since))
    words = fingerprint(facts.body_of(said.fact))  # by which it is known again if a person takes the entry out
    line = TakenLine(digest(CATEGORY, entry), entry, said.now, "stored", words)
    taken = (line,) if said.said_at else ()
    return Decision("set", entry, Batch((*ends, add, *_overflow(holding, said, max_entries)), taken))


def _is_outdated(view: View, mine: Sequence[Version], said: Assertion, said_at: datetime) -> bool:
    body = facts.body_of(said.fact)
    gone = [forgotten_at(view, body), view.removed_words(fingerprint(body))]
    moments = [*gone, *(moment for one in mine for moment in (one.valid_from, one.valid_to))]
    return any(moment is not None and said_at < moment for moment in moments)


def _is_hearsay(said: Assertion) -> bool:
    """Tell whether it is a name that nobody vouches for; it takes no confirmed one's place."""
    return facts.is_name(said.fact.key) and said.by != "user" and not said.grounded


def _again(same: Version, said: Assertion) -> Decision:
    """What is known already is not written twice; only when it is shown may be new, or that it is grounded."""
    meta: dict[str, str | None] = {GROUNDED: "1"} if said.grounded else {}
    if said.by != "reflection":  # which does not know when a person wants it shown
        meta |= {name: value for name, value in facts.meta_of(said.fact).items() if name != facts.FACT}
    if said.by == "user" and not same.confirmed:
        meta["by"] = "user"
    if all(same.memory.meta.get(name) == value for name, value in meta.items()):
        return Decision("unchanged", same.memory.id, Batch())
    return Decision("amended", same.memory.id, Batch((Amend(same.memory.page, same.memory.id, meta=meta),)))


def _begin(mine: Sequence[Version], said: Assertion) -> datetime:
    """Return when the new version begins: never before what the key has had."""
    last = max((moment for one in mine for moment in (one.valid_from, one.valid_to) if moment), default=EARLIEST)
    if said.since is not None and said.since > said.now:
        raise InvalidValue.of("from", "must not be in the future.")
    if said.since is not None and said.since < last:
        raise InvalidValue.of(
            "from", f"{said.fact.key} has had a value up to {utc_text(last)}.", hint="Give a later time, or none."
        )
    return max(said.since or said.said_at or said.now, last)


def _active(view: View, page: PageRef, key: str) -> list[Memory]:
    """Return the active entries of a key; people may have written several."""
    stated = ((memory, facts.fact_of(memory)) for memory in view.of(page.agent, CATEGORY) if memory.active)
    return [memory for memory, fact in stated if fact is not None and fact.key == key]


def _end(memory: Memory, status: str, at: datetime, by: str | None = None) -> Amend:
    meta = {"status": status, "superseded-by": by, VALID_TO: utc_text(at)}
    return Amend(memory.page, memory.id, meta=meta)


def _draft(said: Assertion, entry: str, since: datetime) -> Draft:
    meta = {**facts.meta_of(said.fact), VALID_FROM: utc_text(since), GROUNDED: "1" if said.grounded else None}
    return Draft(facts.body_of(said.fact), said.now, said.by, id=entry, meta=meta)


def _overflow(holding: Mapping[str, Version], said: Assertion, max_entries: int) -> list[Move]:
    """Return what moves the least wanted unpinned facts away; never a pinned one, nor the one being written."""
    unpinned = [one for key, one in holding.items() if not one.fact.pinned and key != said.fact.key]
    excess = len(unpinned) + (not said.fact.pinned) - max_entries
    movable = sorted(
        (one for one in unpinned if not one.memory.page.archived),
        key=lambda one: (Fading(said.now).of(one.memory.meta), one.recorded_at, one.memory.id),
    )
    meta = {"status": "evicted", VALID_TO: utc_text(said.now)}
    return [Move(one.memory.page, one.memory.id, meta=meta) for one in movable[: max(excess, 0)]]


def remove_fact(view: View, page: PageRef, chain: Sequence[Version], key: str, now: datetime) -> Batch:
    """Return the changes that leave of a key a tombstone: its last value, readable, and when it ended."""
    version = current(chain).get(key)
    if version is None:
        raise UnknownEntry(f"There is no fact {key!r}.", hint="`agent-memory profile list` shows the keys.", key=key)
    at = max(now, version.valid_from)
    return Batch(tuple(_end(memory, REMOVED, at) for memory in _active(view, page, key)))
