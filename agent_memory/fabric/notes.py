"""Notes: what may be one, when a new one says what an old one says, and which have to leave.

What says more is never thrown away: it is written, and linked to what it adds to. Nothing is deleted; what
leaves goes to the archive and can be read by its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from agent_memory.errors import InvalidValue
from agent_memory.fabric.merge import ALIKE, adds_to, alike, gist
from agent_memory.model.ids import EPOCH, next_free_id
from agent_memory.model.links import LINKS, Link, links_of, text_of
from agent_memory.model.memory import KEEP_TAG, Add, Amend, Author, Batch, Change, Draft, Memory, Move, PageRef
from agent_memory.model.text import clean
from agent_memory.model.votes import Fading
from agent_memory.vault.heading import tag_of
from agent_memory.vault.view import View

CATEGORY: Final = "notes"
MAX_TAGS: Final = 16
MAX_TAG_CHARS: Final = 40
MAX_LINKS: Final = 4

Outcome = Literal["stored", "known", "linked"]


@dataclass(frozen=True, slots=True)
class Use:
    """How often a note was recalled, and when last."""

    times: int = 0
    last: datetime = EPOCH


@dataclass(frozen=True, slots=True)
class Rules:
    """What storing depends on besides the vault."""

    now: datetime
    max_entries: int
    dedup: bool = True
    threshold: float = ALIKE
    by_use: bool = True
    uses: Mapping[str, Use] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Note:
    """What is to be noted, checked: its words, its tags, who says so."""

    text: str
    tags: tuple[str, ...]
    by: Author


@dataclass(frozen=True, slots=True)
class Decision:
    """What a note comes to: the entry that says it, and the changes; none if an entry said all of it before."""

    outcome: Outcome
    entry: str
    batch: Batch
    links: tuple[Link, ...] = ()


def checked_text(text: str, *, max_chars: int) -> str:
    """Return the words of a note as they are stored; ``InvalidValue`` if there are none, or too many."""
    body = clean(text).replace("\r\n", "\n").strip()
    if not body:
        raise InvalidValue.of("content", "must not be empty.")
    if len(body) > max_chars:
        raise InvalidValue.of(
            "content", f"has {len(body)} characters; {max_chars} is the most.", hint="Say it shorter."
        )
    return body


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags as headings have them, without repetitions; ``InvalidValue`` if they are too many or too long."""
    bare = tuple(dict.fromkeys(filter(None, (tag_of(clean(tag).strip()) for tag in tags))))
    if len(bare) > MAX_TAGS:
        raise InvalidValue.of("tags", f"are {len(bare)}; {MAX_TAGS} is the most.")
    for place, tag in enumerate(bare, 1):
        if len(tag) > MAX_TAG_CHARS:
            raise InvalidValue.of("tags", f"number {place} has {len(tag)} characters; {MAX_TAG_CHARS} is the most.")
    return bare


def store(view: View, page: PageRef, note: Note, rules: Rules) -> Decision:
    """Decide what becomes of a note.

    It is compared with the active notes of the same page and archive and no others, so neither with another
    project's nor with what has been archived away. One that adds nothing is known; one that says all of an old
    one and more supersedes it, unless a person wrote or keeps that; what is less alike is linked at most.
    """
    active = [memory for memory in view.of(page.agent, CATEGORY) if memory.active]
    twin = _twin(active, note, rules) if rules.dedup else None
    if twin is not None and _says_all(twin.body, note.text) and set(note.tags) <= set(twin.tags):
        return Decision("known", twin.id, Batch())
    entry = next_free_id(int(rules.now.timestamp() * 1000), view.id_in_use)
    changes: list[Change] = []
    links: tuple[Link, ...] = ()
    tags = note.tags
    if twin is not None and _says_all(note.text, twin.body):
        links = (("supersedes", twin.id),)
        if not (twin.edited or _is_exempt(twin)):
            changes.append(Amend(twin.page, twin.id, meta={"status": "superseded", "superseded-by": entry}))
            active.remove(twin)
            tags = tuple(dict.fromkeys((*note.tags, *twin.tags)))[:MAX_TAGS]
    elif rules.dedup:
        near = [twin] if twin else [memory for memory in active if adds_to(note.text, memory.body)]
        links = tuple(("relates-to", memory.id) for memory in near[:MAX_LINKS])
    links = tuple((kind, name) for kind, name in links if name.isdigit())
    draft = Draft(note.text, rules.now, note.by, tags, id=entry, meta={LINKS: text_of(links)} if links else {})
    batch = Batch((*changes, Add(page, draft), *_overflow(view, active, rules)))
    return Decision("linked" if links else "stored", entry, batch, links)


def _twin(active: Iterable[Memory], note: Note, rules: Rules) -> Memory | None:
    twins = [memory for memory in active if alike(memory.body, note.text, threshold=rules.threshold)]

    def likeness(memory: Memory) -> tuple[bool, int]:
        return _says_all(memory.body, note.text), len(set(note.tags) & set(memory.tags))

    return max(twins, key=likeness, default=None)


def _says_all(text: str, other: str) -> bool:
    """Tell whether every word of ``other`` stands in ``text``, which says the same."""
    return gist(other).vocabulary <= gist(text).vocabulary


def _overflow(view: View, active: Sequence[Memory], rules: Rules) -> list[Move]:
    """Return what moves the least wanted notes to the archive; never the one being written, nor a lesson's parent."""
    excess = len(active) + 1 - rules.max_entries
    if excess <= 0:
        return []
    parents = {entry for memory in view.memories if memory.page.category != CATEGORY for _, entry in links_of(memory)}
    movable = [memory for memory in active if not (memory.page.archived or memory.id in parents or _is_exempt(memory))]
    votes = Fading(rules.now)

    def worth(memory: Memory) -> tuple[object, ...]:
        use = rules.uses.get(memory.id, Use())
        used = (votes.of(memory.meta), use.times, use.last) if rules.by_use else ()
        return *used, memory.at, memory.id

    victims = sorted(movable, key=worth)[:excess]
    return [Move(memory.page, memory.id, meta={"status": "evicted"}) for memory in victims]


def _is_exempt(memory: Memory) -> bool:
    return KEEP_TAG in memory.tags or memory.meta.get("keep") == "1"
