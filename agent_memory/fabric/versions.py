"""Every value that a key of the profile has or had, and when: read from the entries of a page and its archive.

Pure. Time runs twice. A value is *valid* from one moment to the next value's, or to its removal; it was
*recorded* when the vault was told. An active entry holds today; one that is superseded or removed says until when.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from agent_memory.fabric import facts
from agent_memory.model.ids import digest, made_at
from agent_memory.model.memory import Fact, Memory
from agent_memory.vault.taken import utc_text, utc_time

CATEGORY: Final = "profile"
VALID_FROM: Final = "valid-from"
VALID_TO: Final = "valid-to"
RECORDED: Final = "recorded"
GROUNDED: Final = "grounded"
REMOVED: Final = "deprecated"


@dataclass(frozen=True, slots=True)
class Version:
    """A value that a key has or had: valid from one moment up to another, recorded at a third.

    ``memory`` is the entry that says so. ``valid_to`` is None while it holds.
    """

    memory: Memory
    fact: Fact
    valid_from: datetime
    recorded_at: datetime
    valid_to: datetime | None = None

    @property
    def holds(self) -> bool:
        """Whether it is the value of today."""
        return self.valid_to is None

    @property
    def status(self) -> str:
        """What has become of it: active, superseded, removed or evicted."""
        if self.holds:
            return "active"
        return {REMOVED: "removed", "evicted": "evicted"}.get(self.memory.status or "", "superseded")

    @property
    def confirmed(self) -> bool:
        """Whether it may be shown: a name only where a person wrote it or their own words have it."""
        meta = self.memory.meta
        by_person = self.memory.edited or meta.get("by", "user") == "user"
        return not facts.is_name(self.fact.key) or by_person or meta.get(GROUNDED) == "1"


@dataclass(frozen=True, slots=True)
class Ended:
    """A value that was changed where it stood: the entry as it was, and when the change was seen."""

    memory: Memory
    seen_at: datetime

    @property
    def key(self) -> str:
        """The key under which the value is put back."""
        return digest(CATEGORY, utc_text(self.seen_at), self.memory.raw)

    def renamed(self, entry: str) -> Ended:
        """Return it for an entry that has got another id."""
        return replace(self, memory=replace(self.memory, id=entry))


def versions(
    memories: Iterable[Memory], ended: Sequence[Ended] = (), seen: Mapping[str, datetime] = MappingProxyType({})
) -> list[Version]:
    """Return every version of every key of a page and its archive, by key and in the order of time.

    Of several active entries with one key the latest holds; the others held until then. ``ended`` is what was changed
    in place; what was written by hand was recorded when it was first ``seen``, by id.
    """
    standing = list(memories)
    here = {memory.id for memory in standing if not memory.page.archived}
    keys = {memory.key for memory in standing}
    found = []
    for memory in standing:
        if not (memory.page.archived and memory.id in here):  # a move that was cut short
            found += statements(memory, pending(memory, keys, ended), seen)
    by_key: dict[str, list[Version]] = defaultdict(list)
    for version in sorted(found, key=order):
        by_key[version.fact.key].append(version)
    return [version for key in sorted(by_key) for version in _one_at_a_time(by_key[key])]


def pending(memory: Memory, keys: Set[str | None], ended: Iterable[Ended]) -> list[Ended]:
    """Return the values that an entry had until a person changed it, and that no entry with one of ``keys`` has."""
    return [one for one in ended if one.memory.id == memory.id and one.key not in keys]


def statements(
    memory: Memory, waiting: Sequence[Ended], seen: Mapping[str, datetime] = MappingProxyType({})
) -> list[Version]:
    """Return the version that an entry states, after those that it stated before."""
    found: list[Version] = []
    since: datetime | None = None
    for stated, until in [*((one.memory, one.seen_at) for one in waiting), (memory, None)]:
        version = _version(stated, seen)
        if version and since:
            version = replace(version, valid_from=max(version.valid_from, since), recorded_at=since)
        if version:
            found.append(replace(version, valid_to=until or version.valid_to))
        since = until
    return found


def _version(memory: Memory, seen: Mapping[str, datetime]) -> Version | None:
    fact = facts.fact_of(memory)
    if fact is None or memory.status == "proposed":
        return None
    started = _time(memory, VALID_FROM) or memory.at
    ends = None if memory.active else _time(memory, VALID_TO) or started
    # An entry was made at the time of its id; one by hand, when it was seen, or says it was written.
    made = (made_at(memory.id) if facts.FACT in memory.meta else None) or seen.get(memory.id, memory.at)
    return Version(memory, fact, started, _time(memory, RECORDED) or made, ends)


def _time(memory: Memory, name: str) -> datetime | None:
    try:
        return utc_time(memory.meta.get(name))
    except ValueError:  # a person may have written anything there
        return None


def order(version: Version) -> tuple[datetime, datetime, bool, str]:
    """Return what sorts versions by time, and of those of one moment the one that holds last."""
    return version.valid_from, version.recorded_at, version.holds, version.memory.id


def _one_at_a_time(chain: Sequence[Version]) -> list[Version]:
    """Let each version end where the next begins, but the last active one, which holds."""
    holder = next((one for one in reversed(chain) if one.holds), None)
    following = [later.valid_from for later in chain[1:]] + [None]
    return [
        one if one is holder or end is None else replace(one, valid_to=min(one.valid_to or end, end))
        for one, end in zip(chain, following, strict=True)
    ]


def current(chain: Iterable[Version]) -> dict[str, Version]:
    """Return what holds today, by key."""
    return {version.fact.key: version for version in chain if version.holds}


def as_of(chain: Iterable[Version], moment: datetime) -> dict[str, Version]:
    """Return what held at ``moment``, by key."""
    return {
        version.fact.key: version
        for version in chain
        if version.valid_from <= moment and (version.valid_to is None or moment < version.valid_to)
    }


def shown(
    chain: Iterable[Version],
    message: str,
    *,
    gated: bool = True,
    hidden: Callable[[Memory], bool] = lambda _memory: False,
) -> list[Version]:
    """Return what an agent is told for ``message``: what is pinned, then what comes up in it; by key.

    Names that nobody vouches for are left out, and what is ``hidden``. Unless they are ``gated``, all contextual facts
    come up.
    """
    told = [one for one in current(chain).values() if one.confirmed and not hidden(one.memory)]
    pinned = [one for one in told if one.fact.pinned]
    return pinned + [one for one in told if not one.fact.pinned and (not gated or facts.comes_up(one.fact, message))]
