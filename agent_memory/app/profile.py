"""Profile facts: set, list, history, remove; in the workspace's vault, or in the user's own.

What is about the person goes to the user's vault, whatever the workspace: name, language, time zone, and what
is set for the user on purpose. Where both vaults have a key, the workspace's counts.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from agent_memory.app.browse import Place
from agent_memory.app.changes import day
from agent_memory.app.container import App
from agent_memory.app.recall import fading
from agent_memory.errors import InvalidValue, UnknownEntry
from agent_memory.fabric import byhand, facts, versions
from agent_memory.fabric.byhand import Replay
from agent_memory.fabric.profile import Assertion, Decision, Outcome, assert_fact, remove_fact
from agent_memory.fabric.versions import CATEGORY, Version
from agent_memory.model.memory import Author, Batch, Fact, Memory, PageRef
from agent_memory.model.recall import Hit
from agent_memory.redaction import redact
from agent_memory.system.paths import USER_AGENT
from agent_memory.vault.store import View


@dataclass(frozen=True, slots=True)
class Known:
    """A version of a fact, and in which of the vaults it stands, by name and by path."""

    version: Version
    place: Place
    folder: Path

    @property
    def key(self) -> str:
        """What it is about."""
        return self.version.fact.key

    @property
    def value(self) -> str:
        """What holds, or held."""
        return self.version.fact.value


@dataclass(frozen=True, slots=True)
class Listing:
    """Facts by key.

    ``whole_from`` is set where the journal cannot tell all that was known at the moment asked for: it was lost,
    or facts were recorded on another computer. From then on it can.
    """

    facts: tuple[Known, ...]
    whole_from: datetime | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a fact that was to be set, the fact as it stands, and how many secrets were taken out."""

    outcome: Outcome
    known: Known | None
    redactions: int = 0


@dataclass(frozen=True)
class _Profile:
    """One profile: a vault, and the page in it."""

    app: App
    page: PageRef
    place: Place

    def replayed(self, until: datetime | None = None) -> Replay:
        return byhand.replay(self.app.vault.journal_runs(byhand.PAGE), until=until)

    def entries(self) -> list[Memory]:
        """Return the entries of the page and its archive, without a look at the others."""
        pages = (stored for stored in self.app.shelf.pages(fresh=False) if stored.ref.category == CATEGORY)
        return [memory for stored in pages if stored.ref.agent == self.page.agent for memory in stored.memories]

    def chain(self) -> list[Version]:
        """Return every version; what was changed by hand is noted first."""
        self.app.witness()
        return self.replayed().chain(self.page, self.entries())

    def known(self, version: Version) -> Known:
        return Known(version, self.place, self.app.folder.root)

    def current(self) -> dict[str, Version]:
        return versions.current(versions.versions(self.entries()))


def set_fact(  # noqa: PLR0913 (one argument for each thing that may be known of an assertion)
    app: App,
    fact: Fact,
    *,
    for_user: bool = False,
    agent: str | None = None,
    by: Author = "user",
    since: datetime | None = None,
    said_at: datetime | None = None,
    said: Iterable[str] = (),
) -> Kept:
    """Say that a fact holds; an earlier value of its key is superseded and stays readable.

    Args:
        app: The product.
        fact: What holds.
        for_user: Keep it in the user's own vault, for every workspace.
        agent: Whose profile; the workspace's own, if None.
        by: Who says so.
        since: When it began to hold; now, if None.
        said_at: When it was said, if that may be long ago; what was said or removed since then outweighs it.
        said: The user's own words, which alone vouch for a name that ``by`` is not the user.

    Raises:
        InvalidValue: Key, value or keywords cannot be, or another key says the same; ``facts["field"]`` says which.
    """
    checked, redactions = _checked(fact)
    here, other = _homes(app, checked.key, agent, for_user=for_user)
    elsewhere = other.current() if other else {}
    twin = facts.twin(checked, {key: version.fact for key, version in elsewhere.items()})
    if twin is not None:
        raise InvalidValue.of("key", f"the fact {twin!r} says the same already.", hint=f"Set {twin}.", existing=twin)
    grounded = facts.is_name(checked.key) and facts.vouched_for(checked.value, said)
    decision = _write(here, lambda: Assertion(checked, app.clock.now(), by, since, said_at, grounded=grounded))
    written = here.current().get(checked.key) if decision.entry else None
    return Kept(decision.outcome, here.known(written) if written else None, redactions)


def remove(app: App, key: str, *, for_user: bool = False, agent: str | None = None) -> Known:
    """End a fact; its last value stays readable in its history.

    Raises:
        UnknownEntry: Neither vault has such a fact.
    """
    wanted = facts.checked_key(key)
    homes = [home for home in _profiles(app, agent) if home.place == "user" or not for_user]
    home = next((home for home in homes if wanted in home.current()), None)
    if home is None:
        raise _unknown(app, wanted, agent)
    _settle(home)
    home.app.vault.update(
        lambda view: remove_fact(
            view, home.page, versions.versions(view.of(home.page.agent, CATEGORY)), wanted, app.clock.now()
        ),
        verb="profile remove",
    )
    return home.known([version for version in home.chain() if version.fact.key == wanted][-1])


def listed(
    app: App, *, as_of: datetime | None = None, known_at: datetime | None = None, agent: str | None = None
) -> Listing:
    """Return the facts that hold, by key.

    Args:
        app: The product.
        as_of: Those that held then.
        known_at: As far as they were recorded then; about that moment, unless ``as_of`` names another.
        agent: Whose profile; the workspace's own, if None.
    """
    found: dict[str, Known] = {}
    whole: list[datetime] = []
    for home in reversed(list(_profiles(app, agent))):
        chain = home.chain()
        if known_at is not None:
            since = home.replayed().whole_from
            if since is not None and known_at < since:
                whole.append(since)
            chain = home.replayed(known_at).chain(home.page)
        moment = as_of or known_at
        holding = versions.current(chain) if moment is None else versions.as_of(chain, moment)
        found |= {key: home.known(version) for key, version in holding.items()}
    return Listing(tuple(found[key] for key in sorted(found)), max(whole, default=None))


def history(app: App, key: str, *, agent: str | None = None) -> list[Known]:
    """Return every value that a key has or had, the oldest first.

    Raises:
        UnknownEntry: It never had one.
    """
    wanted = facts.checked_key(key)
    found = [
        home.known(version) for home in _profiles(app, agent) for version in home.chain() if version.fact.key == wanted
    ]
    if not found:
        raise _unknown(app, wanted, agent)
    return sorted(found, key=lambda known: versions.order(known.version))


def fact_fields(known: Known) -> dict[str, Any]:
    """Return a version of a fact as the command line prints it."""
    version = known.version
    return {
        "key": known.key,
        "value": known.value,
        "pinned": version.fact.pinned,
        "keywords": list(version.fact.keywords),
        "confirmed": version.confirmed,
        "valid_from": version.valid_from.isoformat(),
        "valid_to": version.valid_to.isoformat() if version.valid_to else None,
        "recorded_at": version.recorded_at.isoformat(),
        "status": version.status,
        "by": version.memory.meta.get("by", "user"),
        "id": version.memory.id,
        "vault": known.place,
    }


def moment(text: str | None) -> datetime | None:
    """Read the moment that a person means by a date: the end of that day, in UTC; with a time, that time.

    Raises:
        UsageError: It is no date.
    """
    found = day(text)
    if text is None or found is None or len(text.strip()) > len("2026-03-16"):
        return found
    return found + timedelta(hours=23, minutes=59, seconds=59, microseconds=999_999)


def told(app: App, agent: str, message: str) -> list[Hit]:
    """Return what a briefing has of the profile for a message: what is pinned, then what comes up in it; by key."""
    if not app.settings.flag("profile.enabled"):
        return []
    gated = app.settings.flag("profile.contextual_keyword_gate")
    holding: dict[str, Version] = {}
    for home in reversed(list(_profiles(app, agent))):
        holding |= home.current()
    votes, most = fading(app), app.settings.number("voting.profile_filter_threshold")
    chain = [holding[key] for key in sorted(holding)]
    found = versions.shown(chain, message, gated=gated, hidden=lambda one: 0 < most <= -votes.of(one.meta))
    return [_hit(version) for version in found]


def _hit(version: Version) -> Hit:
    memory, words = version.memory, redact(facts.body_of(version.fact)).text
    return Hit(memory.page, memory.id, memory.at, memory.tags, words, score=0.0)


def _checked(fact: Fact) -> tuple[Fact, int]:
    for field, word in [("key", fact.key), *(("keywords", word) for word in fact.keywords)]:
        if redact(word).count:
            raise InvalidValue.of(field, "looks like a secret.", hint="Name it by what it is.")
    value = redact(fact.value)
    return facts.checked(Fact(fact.key, value.text, fact.pinned, fact.keywords)), value.count


def _profiles(app: App, agent: str | None) -> Iterator[_Profile]:
    """Yield the workspace's profile and the user's; once, if the workspace's vault is the user's."""
    if app.folder.root != app.user.folder.root:
        yield _Profile(app, PageRef(app.agent_named(agent or app.agent), CATEGORY), "workspace")
    yield _Profile(app.user, PageRef(USER_AGENT, CATEGORY), "user")


def _homes(app: App, key: str, agent: str | None, *, for_user: bool) -> tuple[_Profile, _Profile | None]:
    """Return the profile that a fact goes to, and the other; what a workspace already has of its own stays there."""
    *workspace, user = _profiles(app, agent)
    own = workspace[0] if workspace else None
    if own is None or for_user or (facts.is_about_the_person(key) and key not in own.current()):
        return user, own
    return own, user


def _write(home: _Profile, said: Callable[[], Assertion]) -> Decision:
    """Write what is ``said`` once nobody else writes: who waited for another says it after them."""
    limit, decided = home.app.settings.count("profile.max_entries"), list[Decision]()

    def plan(view: View) -> Batch:
        decided[:] = [
            assert_fact(
                view, home.page, versions.versions(view.of(home.page.agent, CATEGORY)), said(), max_entries=limit
            )
        ]
        return decided[0].batch

    _settle(home)
    home.app.vault.update(plan, verb="profile set")
    return decided[0]


def _settle(home: _Profile) -> None:
    """Give values that a person has changed in place entries of their own, in a run that no undo of ours touches."""
    home.app.witness()
    known = home.replayed()
    if known.ended:
        home.app.vault.update(lambda view: byhand.put_back(view, home.page, known), verb="profile")


def _unknown(app: App, key: str, agent: str | None) -> UnknownEntry:
    keys = {version.fact.key for home in _profiles(app, agent) for version in home.chain()}
    near = difflib.get_close_matches(key, sorted(keys), n=1)
    hint = f"Did you mean {near[0]}?" if near else "`agent-memory profile list` shows the keys."
    if key in keys:
        hint = f"It has ended; `agent-memory profile history {key}` shows what it was."
    return UnknownEntry(f"There is no fact {key!r}.", hint=hint, key=key)
