"""The summary of what has moved to an archive: one entry in the page, for people, short however much there is.

It is never recalled or briefed, since the archive itself is. Once a person has changed it or removed it, it is theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from heapq import nlargest
from typing import Final

from agent_memory.model.ids import digest
from agent_memory.model.memory import Add, Amend, Batch, Draft, Memory, PageRef, TakenLine
from agent_memory.model.text import one_line, shorten
from agent_memory.vault.store import View

SUMMARY_TAG: Final = "compacted"
LINE_CHARS: Final = 120
FEWEST_CHARS: Final = len("- 2026-03-16 \n")

_TITLES: Final = {
    "en": "Older entries, {first} to {last}: {count}, whole in `{page}`. The newest of them:",
    "pt": "Entradas mais antigas, {first} a {last}: {count}, inteiras em `{page}`. As mais recentes:",
}


def summed_up(  # noqa: PLR0913 (the facts of one summary, each from another hand)
    view: View,
    page: PageRef,
    archived: Iterable[Memory],
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
    dates: list[datetime] = []
    newest_first = nlargest(chars // FEWEST_CHARS + 1, _dated(archived, dates), key=lambda one: (one.at, one.body))
    if not newest_first:
        return Batch()
    at, body = newest_first[0].at, _body(page, newest_first, dates, chars, language, clean)
    key = digest(page.agent, page.category, SUMMARY_TAG)
    where = [
        stored for ref in (page, page.counterpart) if (stored := view.pages.get(ref)) and key.encode() in stored.data
    ]
    entries = (memory for stored in where for memory in stored.read())
    summary = next((memory for memory in entries if memory.key == key), None)
    if summary is not None:
        same = (summary.body, summary.at) == (body, at)
        return Batch() if same or summary.edited else Batch((Amend(summary.page, summary.id, body=body, at=at),))
    if view.taken.by_key(key) is not None:
        return Batch()
    draft = Draft(body, at, "compaction", (SUMMARY_TAG,), key=key)
    return Batch((Add(page, draft),), (TakenLine(key, "", now, "stored"),))


def _dated(memories: Iterable[Memory], dates: list[datetime]) -> Iterator[Memory]:
    """Pass entries on one by one, and note when they were said."""
    for memory in memories:
        dates.append(memory.at)
        yield memory


def _body(
    page: PageRef,
    newest_first: Sequence[Memory],
    dates: Sequence[datetime],
    chars: int,
    language: str,
    clean: Callable[[str], str],
) -> str:
    first, last = (f"{at:%Y-%m-%d}" for at in (min(dates), max(dates)))
    title = _TITLES[language].format(first=first, last=last, count=len(dates), page=page.counterpart.path)
    lines, room = [title, ""], chars - len(title) - 1
    for memory in newest_first:
        words = shorten(one_line(clean(memory.body)).lstrip("-* "), LINE_CHARS)
        line = f"- {memory.at:%Y-%m-%d} {words}"
        room -= len(line) + 1
        if room < 0:
            break
        lines += [line] if words else []
    return "\n".join(lines).rstrip()
