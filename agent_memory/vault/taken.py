"""The ledger of what was taken, ``taken.jsonl``: the reason why reading twice writes once.

It is only ever appended to, and git merges it line by line, so the lines are a set: their order means
nothing and a doubled line is one. What is no line of ours, such as a merge's marks, is passed over.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import Final

from agent_memory.model.memory import TakenLine, Why

# Of several lines with one key, the first of these speaks for it.
_WEIGHT: Final[dict[Why, int]] = {"forgotten": 0, "stored": 1, "duplicate": 2, "reflected": 3, "unheard": 4}


class Taken:
    """The ledger, looked up by key, id and words.

    ``forgotten`` has the fingerprints of words that were forgotten, and when; ``unheard`` the marks of what was said
    in a pause, and when that was noted; ``skipped`` counts the lines that were passed over.
    """

    def __init__(self, lines: Iterable[TakenLine] = (), *, skipped: int = 0) -> None:
        self.lines = frozenset(lines)
        self.skipped = skipped
        self._by_key: dict[str, TakenLine] = {}
        self.forgotten: dict[str, datetime] = {}
        self.unheard: dict[str, datetime] = {}
        for line in sorted(self.lines, key=lambda line: (_WEIGHT[line.why], line.at, line.id)):
            self._by_key.setdefault(line.key, line)
            if line.why == "unheard":
                self.unheard[line.key] = line.at
            elif line.words is not None and line.why == "forgotten":
                self.forgotten[line.words] = line.at  # sorted by time: the latest stays

    @cached_property
    def _by_words(self) -> Mapping[str, list[TakenLine]]:
        found: dict[str, list[TakenLine]] = defaultdict(list)
        for line in self.lines:
            if line.words is not None and line.why != "unheard":
                found[line.words].append(line)
        return found

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(line.id for line in self.lines)

    def by_key(self, key: str) -> TakenLine | None:
        """Return the line that speaks for ``key``: forgotten outweighs the rest, then the earliest."""
        return self._by_key.get(key)

    def knows_id(self, entry_id: str) -> bool:
        """Whether some line names this entry."""
        return entry_id in self._ids

    def ids_of(self, words: str) -> frozenset[str]:
        """Return the entries that quoted words were taken as."""
        return frozenset(line.id for line in self._by_words.get(words, ()) if line.why != "forgotten")

    def removed_words(self, words: str, ids_in_pages: Container[str]) -> datetime | None:
        """Return when words were last taken whose entry is in no page, or that were forgotten; None if never."""
        lines = self._by_words.get(words, ())
        return max((line.at for line in lines if line.why == "forgotten" or line.id not in ids_in_pages), default=None)


def parse(text: str, known: Taken | None = None) -> Taken:
    """Read the ledger, or what came behind ``known``; what is not one of its lines is counted and passed over."""
    written = [line for line in text.split("\n") if line.strip()]
    lines = list(filter(None, map(_parse_line, written)))
    before = known or Taken()
    return Taken(before.lines.union(lines), skipped=before.skipped + len(written) - len(lines))


def line(taken: TakenLine) -> str:
    """Return one line of the ledger, without its end."""
    fields = {"k": taken.key, "id": taken.id, "t": utc_text(taken.at), "w": taken.words, "why": taken.why}
    return json.dumps({name: value for name, value in fields.items() if value is not None})


def utc_text(moment: datetime) -> str:
    """Return an aware time as ISO 8601 in UTC, with a Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


@lru_cache(maxsize=16)  # all that is taken together has one time
def utc_time(text: object) -> datetime:
    """Read what ``utc_text`` wrote; ``ValueError`` if it is no time, or one without a zone."""
    moment = datetime.fromisoformat(text if isinstance(text, str) else "")
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no zone")
    return moment.astimezone(UTC)


def _parse_line(text: str) -> TakenLine | None:
    try:
        fields = json.loads(text)
        key, entry_id, words, why = fields["k"], fields["id"], fields.get("w"), fields["why"]
        sound = isinstance(key, str) and isinstance(entry_id, str) and isinstance(words, str | None) and why in _WEIGHT
        return TakenLine(key, entry_id, utc_time(fields["t"]), why, words) if sound else None
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None
