"""Links and votes by hand: what an entry leads to, what speaks for or against it; here or in the user's own vault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent_memory.app.browse import homes
from agent_memory.app.container import App
from agent_memory.app.recall import fading
from agent_memory.app.vault import entry_named
from agent_memory.errors import InvalidValue, UnknownEntry
from agent_memory.fabric.relate import key_of_linked
from agent_memory.model.links import (
    DRAWN,
    LINKS,
    SUPERSEDED_BY,
    drawn,
    edges_of,
    heirs,
    made_links,
    successors,
    text_of,
)
from agent_memory.model.memory import Amend, Batch, Memory, TakenLine
from agent_memory.model.text import one_line, shorten
from agent_memory.model.votes import Direction
from agent_memory.redaction import redact
from agent_memory.vault.view import View

SNIPPET_CHARS: Final = 160
BACK: Final[Mapping[str, str]] = {"supersedes": SUPERSEDED_BY, SUPERSEDED_BY: "supersedes"}


@dataclass(frozen=True, slots=True)
class Linked:
    """A link from or to an entry: its kind, the other end, None if that is gone, and which way it goes."""

    kind: str
    id: str
    outgoing: bool
    other: Memory | None


def links(app: App, entry_id: str) -> list[Linked]:
    """Return what an entry leads to, then what leads to it.

    Raises:
        UnknownEntry: There is none with this id.
    """
    home, memory = held(app, entry_id)
    view = home.vault.view()

    def at(name: str) -> Memory | None:
        return next(iter(view.by_id(name)), None)

    edges = edges_of(memory)
    here = [Linked(kind, name, True, at(name)) for kind, name in edges]
    others = (one for one in view.memories if one.id != memory.id)
    there = [
        Linked(kind, one.id, False, one)
        for one in others
        for kind, name in edges_of(one)
        if name == memory.id and (BACK.get(kind), one.id) not in edges  # both ends know of a replacement: told once
    ]
    return here + there


def link_fields(link: Linked) -> dict[str, Any]:
    """Return a link as other programs are told of it."""
    other = link.other
    return {
        "kind": link.kind,
        "id": link.id,
        "direction": "to" if link.outgoing else "from",
        "category": other.page.category if other else None,
        "status": (other.status or "active") if other else "gone",
        "snippet": shorten(one_line(redact(other.body).text), SNIPPET_CHARS) if other else "",
    }


def link(app: App, entry_id: str, kind: str, other_id: str) -> None:
    """Draw a link; what is superseded by it no longer counts.

    Raises:
        UnknownEntry: One of them is not there.
        InvalidValue: The kind is none, the other end cannot be one, or each would replace the other.
    """
    named = drawn(kind)
    if named is None:
        raise InvalidValue.of("kind", f"{kind!r} is none.", hint=f"Kinds: {', '.join(DRAWN)}.")
    home, memory = held(app, entry_id)
    if other_id == memory.id or not other_id.isdigit():
        raise InvalidValue.of(
            "to", "must be the id of another entry.", hint="One without an id can link, not be linked."
        )
    entry_named(home, other_id)

    def plan(view: View) -> Batch:
        one, other = _of(view, entry_id), _of(view, other_id)
        if named == "supersedes" and other.id in heirs(one.id, successors(view.memories)):
            hint = f"`agent-memory links remove {other.id} {one.id}` takes that back."
            raise InvalidValue.of("to", "has taken the place of this one itself.", hint=hint)
        changes = [Amend(one.page, one.id, meta={LINKS: text_of((*made_links(one), (named, other.id)))})]
        if named == "supersedes" and other.active and one.id.isdigit():
            meta = {"status": "superseded", SUPERSEDED_BY: one.id}
            changes.append(Amend(other.page, other.id, meta=meta))
        return Batch(tuple(changes))

    home.vault.update(plan, verb="links add")


def unlink(app: App, entry_id: str, other_id: str, kind: str | None = None) -> int:
    """Take links between two entries away, of one kind or of all, and return how many; upkeep draws them no more.

    What stands in a body is a person's, and stays.

    Raises:
        UnknownEntry: The entry is not there, or has no such link.
    """
    home, _ = held(app, entry_id)
    gone: list[int] = []

    def plan(view: View) -> Batch:
        one = _of(view, entry_id)
        left = [link for link in made_links(one) if link[1] != other_id or kind not in (None, link[0])]
        gone[:] = [len(made_links(one)) - len(left)]
        changes = [Amend(one.page, one.id, meta={LINKS: text_of(left) or None})] if gone[0] else []
        for other in view.by_id(other_id)[:1]:
            back = other.meta.get(SUPERSEDED_BY) == one.id and other.status == "superseded"
            if gone[0] and back and kind in (None, "supersedes"):
                changes.append(Amend(other.page, other.id, meta={"status": None, SUPERSEDED_BY: None}))
        lines = (TakenLine(key_of_linked(one.id), one.id, app.clock.now(), "stored"),) if gone[0] else ()
        return Batch(tuple(changes), lines)

    home.vault.update(plan, verb="links remove")
    if not gone[0]:
        hint = f"`agent-memory links show {entry_id}` shows those it has; one in its words is yours to delete."
        raise UnknownEntry(f"{entry_id} has no such link to {other_id}.", hint=hint)
    return gone[0]


def vote(app: App, entry_id: str, direction: Direction) -> tuple[Memory, float]:
    """Vote for or against an entry; return it as it stands, and what its votes come to now.

    Raises:
        UnknownEntry: There is none with this id.
    """
    home, _ = held(app, entry_id)
    votes, most = fading(app), app.settings.number("voting.max_vote_per_item")

    def plan(view: View) -> Batch:
        one = _of(view, entry_id)
        meta = votes.cast(one.meta, direction, most)
        return Batch((Amend(one.page, one.id, meta=meta),)) if meta else Batch()

    run = home.vault.update(plan, verb=f"vote {direction}")
    memory = _of(home.vault.view(), (*run.ids("amend"), entry_id)[0])
    return memory, votes.of(memory.meta)


def held(app: App, entry_id: str) -> tuple[App, Memory]:
    """Return an entry, from this vault or the user's own, and where it is kept.

    Raises:
        UnknownEntry: Neither has it.
    """
    for home in homes(app):
        for memory in home.vault.view().by_id(entry_id)[:1]:
            return home, memory
    return app, entry_named(app, entry_id)


def _of(view: View, entry_id: str) -> Memory:
    for memory in view.by_id(entry_id)[:1]:
        return memory
    raise UnknownEntry(f"There is no entry {entry_id!r}.", hint="It may just have been removed.", id=entry_id)
