"""Front matter: where it ends, and what it says. It is read, never written again: a person's lines have an order."""

from __future__ import annotations

import json
import re
from typing import Final

from agent_memory.model.memory import PageRef
from agent_memory.vault import comment as comments
from agent_memory.vault import heading as headings

BOM: Final = "\ufeff"
FORMAT: Final = 1

_FENCE: Final = re.compile(r"---[ \t\r]*\n?")
_FIRST_KEY: Final = re.compile(r"[^\W\d][\w-]*:(?:\s.*)?\n?", re.DOTALL)
_PLAIN: Final = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)\Z)[a-z][a-z_-]*", re.IGNORECASE)
_FORMAT_NOW: Final = re.compile(rf"^format: {FORMAT}[ \t\r]*$", re.MULTILINE)


def length(text: str) -> int:
    """Return how much of ``text`` is a BOM and front matter, without the end of its last line."""
    start = len(BOM) if text.startswith(BOM) else 0
    lines = re.compile(r"[^\n]*\n|[^\n]+").finditer(text, start)
    first, second = next(lines, None), next(lines, None)
    if not (first and second and _FENCE.fullmatch(first[0]) and _FIRST_KEY.fullmatch(second[0])):
        return start
    after_blank = False
    for line in lines:
        if _FENCE.fullmatch(line[0]):
            return line.start() + len("---")
        if comments.parse(line[0]) or (after_blank and headings.parse(line[0])):
            return start
        after_blank = not line[0].strip(" \t\r\n")
    return start


def format_of(front: str) -> int:
    """Return the page format that front matter names; 1 where it names none."""
    if not front or _FORMAT_NOW.search(front):
        return FORMAT
    value = read(front).get("format")
    return int(value) if isinstance(value, int | str) and re.fullmatch("[0-9]{1,9}", str(value)) else FORMAT


def read(front: str) -> dict[str, object]:
    """Return what front matter says; where it is no YAML, or has keys that are no text, its ``word: …`` lines."""
    import frontmatter  # 55 ms, and only a page that others wrote needs it
    import yaml

    try:
        return dict(frontmatter.loads(front.removeprefix(BOM) + "\n").metadata)
    except (TypeError, ValueError, RecursionError, yaml.YAMLError):
        pairs = (line.split(":", 1) for line in front.split("\n") if ":" in line)
        return {key: value.strip() for key, value in pairs}


def for_page(page: PageRef) -> str:
    """Return the front matter of a new page, without the end of its last line."""
    return f"---\nagent: {_scalar(page.agent)}\ncategory: {_scalar(page.category)}\nformat: {FORMAT}\n---"


def _scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
