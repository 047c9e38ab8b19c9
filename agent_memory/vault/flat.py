"""Flat notes, one ``<Agent>.md`` for everything, as hosts of the npm package kept them before there were pages.

Pure. A level-two heading says of what kind the text below it is, in Portuguese or English. No words are
dropped but headings that the category already says; what stands in a code fence is never a heading.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from agent_memory.model.text import normalise
from agent_memory.vault.entry import trim

FALLBACK: Final = "lessons"

# Where a title has words of several rows the first row decides.
_TITLES: Final = {
    "decisions": "decisões técnicas|decisões tomadas|decisões|decisão|technical decisions|decisions|decision",
    "lessons": "notas de sessão|notas|aprendizados|aprendizagens|lições aprendidas|lições|preferências do utilizador|"
    "preferências do usuário|preferências|lessons learned|lessons|learnings|findings|notes|user preferences|"
    "preferences",
    "projects": "contexto de projeto|contexto do projeto|contexto|projetos|projectos|projeto|project context|projects|"
    "project|context",
    "tasks": "tarefas|pendências|por fazer|a fazer|tasks|to do|todo",
    "handoffs": "passagem de turno|handoffs|handoff",
}
_CATEGORIES: Final = {normalise(title): category for category, titles in _TITLES.items() for title in titles.split("|")}
_HEADING: Final = re.compile(r"## +(\S.*)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_ONLY_TITLE: Final = re.compile(r"\s*(?:# .*)?\s*")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it; ``title`` is empty for what comes before the first."""

    title: str
    text: str

    @property
    def category(self) -> str:
        """What kind of memory the heading announces; lessons where it does not say."""
        title = normalise(self.title)
        named = (category for words, category in _CATEGORIES.items() if f" {words} " in f" {title} ")
        return _CATEGORIES.get(title) or next(named, FALLBACK)

    @property
    def body(self) -> str:
        """The words to keep; empty if there are none. A title that says more than the category stays above them."""
        text = trim(self.text)
        if not self.title:
            return "" if _ONLY_TITLE.fullmatch(text) else text
        return text if not text or self.is_plain else f"**{self.title}**\n\n{text}"

    @property
    def is_plain(self) -> bool:
        """Whether the title says no more than the category."""
        return normalise(self.title) in _CATEGORIES


def sections(text: str) -> Iterator[Section]:
    """Part a flat note at its level-two headings, in their order."""
    title, held, fence = "", list[str](), ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and not line.strip(" `~"))):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is None:
            held.append(line)
        else:
            yield Section(title, "\n".join(held))
            title, held = heading[1].rstrip(" #"), []
    yield Section(title, "\n".join(held))


def is_held(text: str, bodies: Collection[str]) -> bool:
    """Tell whether all that a flat note says stands in ``bodies``; of a note that says nothing nobody can tell."""
    found = list(sections(text))
    said = [section.body for section in found if section.body]
    nameless = [section for section in found if section.title and not section.body and not section.is_plain]
    return bool(said) and not nameless and all(any(one in body for body in bodies) for one in said)
