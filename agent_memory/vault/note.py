"""A memory as a note for Obsidian, and how a note is known again as ours that nobody has touched since.

Pure. A note carries a digest of itself; one whose digest does not match has been edited, and is somebody's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Final

from agent_memory.model.ids import digest
from agent_memory.model.memory import Memory
from agent_memory.model.text import one_line, shorten

MAX_TITLE_CHARS: Final = 80

_OURS: Final = re.compile(r"(---\n.*?)^agent-memory-export: ([0-9a-f]{16})\n(---\n.*)", re.DOTALL | re.MULTILINE)
_LINE_END: Final = re.compile(r"\r+\n")
_MARKUP: Final = re.compile(r"[#*`>|\[\]]+|^\s*[-+] ", re.MULTILINE)


def title_of(memory: Memory) -> str:
    """Return how a memory's words begin, without markup."""
    return shorten(one_line(_MARKUP.sub(" ", memory.body)), MAX_TITLE_CHARS) or memory.id


def note_of(memory: Memory, title: Callable[[str], str | None]) -> str:
    """Return the text of a memory's note; ``title`` gives an entry's title by its id, None if it is not there."""
    properties = {
        "id": memory.id,
        "aliases": [title_of(memory)],
        "agent": memory.page.agent,
        "category": memory.page.category,
        "date": memory.at.strftime("%Y-%m-%dT%H:%M"),
        "tags": list(memory.tags),
        "status": memory.status or "active",
        "archived": memory.page.archived,
        "by": memory.meta.get("by", "user"),
    }
    # A JSON value is a YAML value, whatever it holds.
    top = "---\n" + "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in properties.items())
    named = ((kind, entry, title(entry)) for kind, entry in _links(memory))
    links = "\n".join(
        f"- {kind} [[{entry}|{name}]]" if name else f"- {kind} [[{entry}]]" for kind, entry, name in named
    )
    rest = _with_lf("---\n\n" + "\n\n".join(part for part in (memory.body, links) if part) + "\n")
    return f"{top}agent-memory-export: {digest(top, rest)}\n{rest}"


def is_note(text: str) -> bool:
    """Tell whether ``text`` was exported, whatever has become of it since."""
    return _OURS.match(_with_lf(text)) is not None


def is_untouched(text: str) -> bool:
    """Tell whether ``text`` was exported and nobody has changed it since; line ends aside."""
    found = _OURS.match(_with_lf(text))
    return found is not None and digest(found[1], found[3]) == found[2]


def _with_lf(text: str) -> str:
    return _LINE_END.sub("\n", text)


def _links(memory: Memory) -> Iterator[tuple[str, str]]:
    for kind in ("supersedes", "superseded-by"):
        for entry in filter(None, memory.meta.get(kind, "").split(",")):
            yield kind, entry
    for link in memory.meta.get("links", "").split(","):
        kind, found, entry = link.partition(">")
        if found and entry:
            yield kind, entry
