"""The handoff of a conversation: what was asked, what was done, what is next, where it stopped.

It is gathered turn by turn in the memo, from the whole conversation, and rendered when somebody asks. It
refuses to speak of fewer than two turns of prose, and of conversations between agents.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from agent_memory.extraction.body import without_lead_in
from agent_memory.extraction.memo import Coverage, Memo, OpenTask
from agent_memory.extraction.observe import Observation, writes
from agent_memory.model.ids import handoff_key
from agent_memory.model.memory import Candidate, Memory
from agent_memory.model.text import shorten
from agent_memory.model.transcript import Origin, Turn

MAX_HANDOFF_CHARS: Final = 1500
MIN_PROSE_TURNS: Final = 2
MAX_LINE_CHARS: Final = 160
OPENING_SENTENCES: Final = 3
TELLING_WORDS: Final = 4
MAX_ASKED: Final = 6
MAX_DONE: Final = 8
MAX_FILES: Final = 12
# Sentences that tell a later session nothing.
EMPTY: Final = frozenset({"veto:cheer", "veto:offer", "veto:apology", "veto:usage"})
OPEN: Final = frozenset({"veto:question", "leftover", "hedge", "label:aside", "under:aside"})
COUNTS: Final = re.compile(
    r"\b\d+ (?:\w+ )?(?:files?|tests?|lines|arquivos?|ficheiros?|testes?|linhas?)\b|\btest(?:e?s)? pass|\bgreen\b",
    re.IGNORECASE,
)
SMALL_TALK: Final = re.compile(
    r"(?:thanks?|thx|obrigad[oa]|valeu|perfect|perfeito|great|show|[oó]timo|nice|cool|awesome|boa)\b", re.IGNORECASE
)
SMALL_TALK_WORDS: Final = 8
RESULTS: Final = frozenset({"work-log", "switched", "now-state", "done-report", "label:decision", "under:decision"})
HANDOFF_TAG: Final = "auto-handoff"
CLOSE_TAG: Final = "session-close"

_TITLES: Final = {
    "en": ("Asked", "Done", "Files", "Next", "Stopped at"),
    "pt": ("Pedido", "Feito", "Arquivos", "A seguir", "Parou em"),
}


def cover(memo: Memo, turn: Turn, observed: list[Observation]) -> Coverage:
    """Return the coverage once ``turn`` belongs to it."""
    old = memo.coverage
    if turn.ordinal <= old.after:
        return old
    prose = [one for one in observed if "veto:quotation" not in one.signals]
    said = [one for one in prose if turn.role == "user" or not one.sentence.text.endswith(":")]
    last = next(_telling(reversed(said)), "")
    files = [path for record in turn.records for tool in record.tools if writes(tool) for path in tool.paths]
    opening = list(islice(_telling(said), OPENING_SENTENCES)) if turn.role == "user" else []
    asked = [max(opening, key=len)] if opening else []
    done = _results(said, worked=bool(files)) if turn.role == "assistant" else []
    return Coverage(
        after=old.after,
        key=old.key,
        first_digest=old.first_digest or turn.digest,
        last_digest=turn.digest,
        last_turn=turn.ordinal,
        last_at=turn.at.astimezone(UTC).isoformat(),
        approximate=turn.approximate,
        prose_turns=old.prose_turns + bool(prose),
        asked=_some(old.asked, asked, MAX_ASKED),
        done=_some(old.done, done, MAX_DONE),
        files=_last_of(old.files, files),
        stopped=shorten(last, MAX_LINE_CHARS) or old.stopped,
    )


def _telling(said: Iterable[Observation]) -> Iterator[str]:
    """Give what sentences say, without lead-ins; leave out small talk, offers, cheers and mere counts."""
    for one in said:
        whole = one.sentence.text
        chat = whole.count(" ") < SMALL_TALK_WORDS and (SMALL_TALK.match(whole) or COUNTS.search(whole))
        if chat or not EMPTY.isdisjoint(one.signals):
            continue
        text = without_lead_in(whole)
        if text.count(" ") + 1 >= TELLING_WORDS:
            yield text if text == whole else text[0].upper() + text[1:]


def _results(said: list[Observation], *, worked: bool) -> list[str]:
    """Return what a turn's answer reports as done; if it changed files and reports nothing, how it begins."""
    answer = [one for one in said if "answer" in one.signals and OPEN.isdisjoint(one.signals)]
    results = (one for one in answer if not RESULTS.isdisjoint(one.signals))
    return list(islice(_telling(results), 2)) or list(islice(_telling(answer), int(worked)))


def _some(old: tuple[str, ...], new: list[str], limit: int) -> tuple[str, ...]:
    """Keep the first line, which says what it is about, and the newest of the rest."""
    lines = tuple(dict.fromkeys((*old, *(shorten(line, MAX_LINE_CHARS) for line in new))))
    return lines if len(lines) <= limit else (lines[0], *lines[1 - limit :])


def _last_of(old: tuple[str, ...], new: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*new[::-1], *old]))[:MAX_FILES]


def handoff(memo: Memo, summary: str = "") -> Candidate | None:
    """Return the handoff of what the memo covers; None under two turns of prose, between agents, after small talk.

    A host's ``summary`` stands instead of what was gathered, of a single turn too.
    """
    covered = memo.coverage
    body = summary or _render(memo)
    too_little = not covered.first_digest if summary else covered.prose_turns < MIN_PROSE_TURNS
    if too_little or memo.from_agent or not body:
        return None
    return Candidate(
        category="handoffs",
        body=body,
        key=covered.key or handoff_key(memo.conversation, covered.first_digest),
        origin=Origin(memo.source, memo.conversation, covered.last_turn, (0, 0), covered.last_digest),
        said_at=datetime.fromisoformat(covered.last_at),
        tags=(CLOSE_TAG if summary else HANDOFF_TAG,),
        by="agent" if summary else "heuristic",
        approximate=covered.approximate,
    )


def restart_handoff(memo: Memo, *, after: int) -> Memo:
    """Return the memo with nothing covered yet: a new handoff begins behind the turn with the ordinal ``after``."""
    return replace(memo, coverage=Coverage(after=after))


def pick_up(written: Memory, tasks: tuple[OpenTask, ...]) -> Memo:
    """Return the memo of a conversation of which nothing is left but its handoff, and the tasks that are open.

    The last turn that the handoff covers is covered again: it may have grown.
    """
    found: dict[str, list[str]] = defaultdict(list)
    title = ""
    for line in written.body.split("\n"):
        if line.startswith("- "):
            found[title].append(line.removeprefix("- "))
        elif line.startswith("**"):
            title = line.strip("*")
    language = max(_TITLES, key=lambda name: len(found.keys() & set(_TITLES[name])))
    asked, done, _, _, stopped = (tuple(found[title]) for title in _TITLES[language])
    origin = written.origin or Origin("", "", -1, (0, 0), "")
    coverage = Coverage(
        after=origin.turn - 1,
        key=written.key or "",
        first_digest=origin.digest,
        last_digest=origin.digest,
        last_turn=origin.turn,
        last_at=written.at.isoformat(),
        prose_turns=MIN_PROSE_TURNS,
        asked=asked,
        done=done,
        stopped=" ".join(stopped),
    )
    spoken = {"pt": (origin.turn, 0), "en": (0, origin.turn)}[language]
    return Memo(portuguese=spoken[0], english=spoken[1], tasks=tasks, coverage=coverage)


def _render(memo: Memo) -> str:
    covered = memo.coverage
    titles = _TITLES["pt" if memo.portuguese > memo.english else "en"]
    following = tuple(task.text for task in memo.tasks[-MAX_DONE:])
    parts = (covered.asked, covered.done, (", ".join(_relative(covered.files)),), following, (covered.stopped,))
    share = (MAX_HANDOFF_CHARS - sum(len(title) + 8 for title in titles)) // len(parts)
    sections = [
        f"**{title}**\n\n" + _bullets(lines, share) for title, lines in zip(titles, parts, strict=True) if any(lines)
    ]
    return "\n\n".join(sections)


def _relative(paths: Sequence[str]) -> list[str]:
    """Return paths without the folders that all of them share; one alone keeps the folder it stands in."""
    split = [path.replace("\\", "/").split("/") for path in paths]
    if not split or not all(len(parts) > 1 for parts in split):
        return list(paths)
    shared = 0
    while all(len(parts) > shared + 1 and parts[shared] == split[0][shared] for parts in split):
        shared += 1
    shared = len(split[0]) - 2 if len(split) == 1 else shared
    return ["/".join(parts[shared:]) for parts in split]


def _bullets(lines: tuple[str, ...], room_chars: int) -> str:
    """Render what fits into ``room_chars``: the first line, then the newest ones."""
    kept: list[str] = []
    room = room_chars - len(lines[0]) - 3
    for line in reversed(lines[1:]):
        room -= len(line) + 3
        if room < 0:
            break
        kept.insert(0, line)
    return "\n".join(f"- {shorten(line, room_chars - 3)}" for line in (lines[0], *kept))
