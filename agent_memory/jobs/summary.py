"""The summary of what has moved to an archive: one entry in the page, for people, short however much there is.

It is never recalled or briefed, since the archive itself is. Once a person has changed it or removed it, it is theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from agent_memory.model.ids import digest
from agent_memory.model.memory import Add, Amend, Batch, Draft, Memory, PageRef, TakenLine
from agent_memory.model.text import one_line, shorten
from agent_memory.vault.store import View

SUMMARY_TAG: Final = "compacted"
LINE_CHARS: Final = 120

_TITLES: Final = {
    "en": "Older entries, {first} to {last}: {count}, whole in `{page}`. The newest of them:",
    "pt": "Entradas mais antigas, {first} a {last}: {count}, inteiras em `{page}`. As mais recentes:",
}


def summed_up(  # noqa: PLR0913 (the facts of one summary, each from another hand)
    view: View,
    page: PageRef,
    archived: Sequence[Memory],
    *,
    chars: int,
    language: str,
    now: datetime,
    clean: Callable[[str], str],
) -> Batch:
    """Return what brings the summary of ``page`` in line with its archive as it will be.

    Args:
        view: The vault.
        page: The page that the entries have left.
        archived: What the archive will have.
        chars: How long the summary may be.
        language: English or Portuguese: ``en`` or ``pt``.
        now: The present.
        clean: Takes out of a text what may not be written again.
    """
    newest_first = sorted(archived, key=lambda memory: (memory.at, memory.body), reverse=True)
    if not newest_first:
        return Batch()
    at, body = newest_first[0].at, _body(page, newest_first, chars, language, clean)
    key = digest(page.agent, page.category, SUMMARY_TAG)
    standing = view.by_key(key)
    if standing:
        summary = standing[0]
        same = (summary.body, summary.at) == (body, at)
        return Batch() if same or summary.edited else Batch((Amend(summary.page, summary.id, body=body, at=at),))
    if view.taken.by_key(key) is not None:
        return Batch()
    draft = Draft(body, at, "compaction", (SUMMARY_TAG,), key=key)
    return Batch((Add(page, draft),), (TakenLine(key, "", now, "stored"),))


def _body(page: PageRef, newest_first: Sequence[Memory], chars: int, language: str, clean: Callable[[str], str]) -> str:
    first, last = (f"{memory.at:%Y-%m-%d}" for memory in (newest_first[-1], newest_first[0]))
    title = _TITLES[language].format(first=first, last=last, count=len(newest_first), page=page.counterpart.path)
    lines, room = [title, ""], chars - len(title) - 1
    for memory in newest_first:
        words = shorten(one_line(clean(memory.body)).lstrip("-* "), LINE_CHARS)
        line = f"- {memory.at:%Y-%m-%d} {words}"
        room -= len(line) + 1
        if room < 0:
            break
        lines += [line] if words else []
    return "\n".join(lines).rstrip()
