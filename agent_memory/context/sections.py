"""The sections of a briefing: one table, a row for each. Whoever adds a section adds a row.

Pure. A row says what stands in the section and how it looks; ``budget`` decides what of it has room.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final

from agent_memory.context.render import label, levelled, plain, quoted, without_comments
from agent_memory.model.briefing import Item, Kind
from agent_memory.model.memory import KEEP_TAG
from agent_memory.model.recall import Hit
from agent_memory.model.text import Language, open_boxes, shorten

ROW_CHARS: Final = 8_000
PREVIEW_CHARS: Final = 160
FOUND_ROWS: Final = 3
POOL: Final = 75
MESSAGE_CHARS: Final = 100
MESSAGES: Final = 3

_READ_TIMES: Final = 4
_BLANK_LINE: Final = re.compile(r"\r?\n[ \t]*\r?\n")
_HEADING: Final = re.compile(r"\s*(#{1,6})(?:\s|$)")
# What a turn recalls is whatever has no section of its own there.
_OWN_SECTION: Final = frozenset({"profile", "lessons", "procedures", "tasks"})
_INDEXED: Final = ("decisions", "notes", "projects")

Message = tuple[str, str]
"""Something that was said in a session that is being recovered: who, and what."""


@dataclass(frozen=True)
class Source:
    """Where the items come from: what is asked, and whom to ask.

    ``command`` is what was said; ``query`` is what is looked for where that is something else.
    ``search`` takes a text, a category or None for any, and a limit, and returns the best first; ``latest`` takes a
    category and a limit, None for all, and returns the latest said first; ``tagged`` takes a tag and a limit. They know
    active memories of one agent only, and notes for all projects. ``profile`` returns the facts to tell for a text,
    the most important first; ``linked`` what was recalled, marked, and behind it what that is linked to.
    ``decisions`` and ``lessons`` are how many a session is told at most; ``…_rows`` and ``…_chars`` are for a turn.
    """

    command: str = ""
    query: str = ""
    search: Callable[[str, str | None, int], Sequence[Hit]] = lambda _text, _category, _limit: ()
    latest: Callable[[str, int | None], Sequence[Hit]] = lambda _category, _limit: ()
    tagged: Callable[[str, int], Sequence[Hit]] = lambda _tag, _limit: ()
    profile: Callable[[str], Sequence[Hit]] = lambda _text: ()
    linked: Callable[[Sequence[Hit]], Sequence[Hit]] = lambda hits: hits
    project: str = ""
    recovering: Sequence[Message] = ()
    decisions: int = 3
    lessons: int = 2
    recalled_rows: int = 8
    recalled_chars: int = PREVIEW_CHARS
    index_rows: int = 20
    index_chars: int = 90
    found_rows: Mapping[str, int] = field(default_factory=dict)

    def found(self, category: str, limit: int) -> Sequence[Hit]:
        """Return what the command speaks of; for an empty command, what stands."""
        if not self._asked:
            return self.standing(category, limit)
        return self.matching(category, limit)

    def matching(self, category: str, limit: int) -> Sequence[Hit]:
        """Return what the command speaks of, best first."""
        hits = [hit for hit in self._pool if hit.page.category == category][:limit]
        is_all = len(hits) == limit or len(self._pool) < POOL or not self.latest(category, 1)
        return hits if is_all else self.search(self._asked, category, limit)

    def relevant(self, category: str, limit: int) -> Sequence[Hit]:
        """Return what the command speaks of, or what stands if that is nothing."""
        return self.found(category, limit) or self.standing(category, limit)

    def standing(self, category: str, limit: int) -> Sequence[Hit]:
        """Return what is tagged ``#keep``, then the rest; the latest said first."""
        first = {place(hit): hit for hit in self._kept if hit.page.category == category}
        rest = {place(hit): hit for hit in self.latest(category, limit)}
        return list({**first, **rest}.values())[:limit]

    @cached_property
    def recalled(self) -> Sequence[Hit]:
        """Return the best that the command finds in any category without a section of its own, and what is linked."""
        return self.linked([hit for hit in self._pool if hit.page.category not in _OWN_SECTION][: self.recalled_rows])

    @property
    def _asked(self) -> str:
        return (self.query or self.command).strip()

    # One search for all sections: what it costs hardly depends on how much of it is kept.
    @cached_property
    def _pool(self) -> Sequence[Hit]:
        return self.search(self._asked, None, POOL) if self._asked else ()

    @cached_property
    def _kept(self) -> Sequence[Hit]:
        return latest_first(hit for hit in self.tagged(KEEP_TAG, 2 * POOL) if KEEP_TAG in hit.tags)


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a briefing.

    ``heading`` is by language. ``items`` returns what there is to show, the most important first. What has a
    lower ``priority`` takes its room earlier. ``max_tokens`` and ``rows`` are the most it may take. An
    ``essential`` section leaves at least the number of what it had; a ``whole`` one shows no part of an item; the
    heading of a ``dated`` one has date and id of its first item.
    """

    name: str
    kind: Kind
    heading: Mapping[Language, str]
    items: Callable[[Source], Iterable[Item]]
    priority: int
    max_tokens: int | None = None
    rows: int | None = None
    essential: bool = False
    whole: bool = False
    dated: bool = False


def place(hit: Hit) -> tuple[str, str]:
    """Return what makes a memory the same memory in two sections."""
    return hit.page.category, hit.id


def latest_first(hits: Iterable[Hit]) -> list[Hit]:
    """Return the latest said first."""
    return sorted(hits, key=lambda hit: hit.at, reverse=True)


def _rows(name: str, hits: Iterable[Hit], *, max_chars: int = ROW_CHARS, bare: bool = False) -> list[Item]:
    """Return an item of one line for each memory, the beginning of its words if they are many."""

    def line(hit: Hit) -> str:
        beginning = shorten(hit.body, _READ_TIMES * max_chars)  # so that a megabyte costs no more than a page
        words = shorten(levelled(plain(beginning)), max_chars)
        mark = f"[{hit.mark}] " if hit.mark else ""
        return f"- {words}" if bare else f"- {label(hit)} {mark}{words}"

    return [Item(name, (line(hit),), hit) for hit in hits]


def _project(source: Source) -> list[Item]:
    """Return an item for each paragraph of the project's page; a heading with nothing under it is none."""
    paragraphs = [text for text in _BLANK_LINE.split(without_comments(source.project)) if text.strip()]
    items = []
    for text, below in zip(paragraphs, [*paragraphs[1:], "#"], strict=False):
        is_empty = 0 < _level(below) <= _level(text) and "\n" not in text.strip()
        if not is_empty and (lines := quoted(text)):
            items.append(Item("project", lines))
    return items


def _level(text: str) -> int:
    """Return the level of the heading that a paragraph begins with, 0 if it begins with none."""
    heading = _HEADING.match(text)
    return len(heading[1]) if heading else 0


def _handoff(source: Source) -> list[Item]:
    """Return an item for each line of the last session's handoff."""
    return [Item("handoff", (line,), hit) for hit in source.latest("handoffs", 1) for line in quoted(hit.body)]


def _tasks(source: Source) -> list[Item]:
    """Return an item for each box that is not ticked."""
    boxes = ((task, words) for task in source.latest("tasks", None) for words in open_boxes(task.body))
    return [Item("tasks", (f"- [ ] {label(task)} {plain(words)}",), task, words) for task, words in boxes]


def _related(source: Source) -> list[Item]:
    """Return older handoffs and entries about projects of which the command speaks."""
    hits = [hit for category in ("handoffs", "projects") for hit in source.matching(category, FOUND_ROWS)]
    newest = {place(hit) for hit in source.latest("handoffs", 1)}
    return _rows("related", [hit for hit in hits if place(hit) not in newest], max_chars=2 * PREVIEW_CHARS)


def _recovering(source: Source) -> list[Item]:
    """Return an item for each of the last messages of the session that is being recovered."""
    said = list(source.recovering)[-MESSAGES:]
    return [Item("recovering", (f"> {plain(role)}: {shorten(plain(text), MESSAGE_CHARS)}",)) for role, text in said]


def _profile(source: Source) -> list[Item]:
    return _rows("profile", source.profile(source.command), bare=True)


def _recalled(source: Source) -> list[Item]:
    return _rows("recalled", source.recalled, max_chars=source.recalled_chars)


def _index(source: Source) -> list[Item]:
    """Return the beginnings of what was said latest, and of what was recalled."""
    rows = source.index_rows + source.recalled_rows  # some of which another section tells
    latest = [hit for category in _INDEXED for hit in source.latest(category, rows)]
    hits = {place(hit): hit for hit in (*source.recalled, *latest)}
    return _rows("memory-index", latest_first(hits.values()), max_chars=source.index_chars)


def _found(name: str) -> Callable[[Source], list[Item]]:
    """Return what fills a section with the best of the category of its own name."""
    return lambda source: _rows(name, source.found(name, source.found_rows.get(name, FOUND_ROWS)))


def _both(english: str, portuguese: str = "") -> Mapping[Language, str]:
    return MappingProxyType({"en": english, "pt": portuguese or english})


SECTIONS: Final = (
    Section("project", "session", _both("Project", "Projeto"), _project, priority=7, whole=True),
    Section(
        "handoff", "session", _both("Last session", "Última sessão"), _handoff, priority=1, essential=True, dated=True
    ),
    Section(
        "decisions",
        "session",
        _both("Relevant decisions", "Decisões relevantes"),
        lambda source: _rows("decisions", source.relevant("decisions", source.decisions)),
        priority=4,
    ),
    Section(
        "lessons",
        "session",
        _both("Relevant lessons", "Lições relevantes"),
        lambda source: _rows("lessons", source.relevant("lessons", source.lessons)),
        priority=5,
    ),
    Section("related", "session", _both("Related", "Relacionado"), _related, priority=6, rows=2),
    Section("tasks", "session", _both("Open tasks", "Tarefas abertas"), _tasks, priority=2, essential=True),
    Section(
        "recovering",
        "session",
        _both("Recovering previous session", "Retomando a sessão anterior"),
        _recovering,
        priority=3,
        max_tokens=200,
    ),
    Section("profile", "turn", _both("profile"), _profile, priority=1, max_tokens=512),
    Section("memory-index", "turn", _both("memory-index"), _index, priority=5, max_tokens=300),
    Section("recalled", "turn", _both("recalled"), _recalled, priority=2, max_tokens=400),
    Section("lessons", "turn", _both("lessons"), _found("lessons"), priority=3, max_tokens=300),
    Section("procedures", "turn", _both("procedures"), _found("procedures"), priority=4, max_tokens=400),
)
