"""The handoff of a conversation: what was asked, what was done, what is next, where it stopped.

It is gathered turn by turn in the memo, from the whole conversation, and rendered when somebody asks. It
refuses to speak of fewer than two turns of prose, and of conversations between agents.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from agent_memory.extraction.memo import Coverage, Memo
from agent_memory.extraction.observe import Observation, writes
from agent_memory.model.ids import handoff_key
from agent_memory.model.memory import Candidate
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
RESULTS: Final = frozenset({"work-log", "switched", "now-state", "done-report", "label:decision", "under:decision"})
HANDOFF_TAG: Final = "auto-handoff"

_TITLES: Final = {
    "en": ("Asked", "Done", "Files", "Next", "Stopped at"),
    "pt": ("Pedido", "Feito", "Arquivos", "A seguir", "Parou em"),
}


def cover(memo: Memo, turn: Turn, observed: list[Observation]) -> Coverage:
    """Return the coverage once ``turn`` belongs to it."""
    old = memo.coverage
    if turn.ordinal <= old.after:
        return old
    said = [one.sentence.text for one in observed if "veto:quotation" not in one.signals]
    line = shorten(max(said[:OPENING_SENTENCES], key=len, default=""), MAX_LINE_CHARS)
    telling = [text for text in said if len(text.split()) >= TELLING_WORDS]
    done = [one.sentence.text for one in observed if _is_result(one)] if turn.role == "assistant" else []
    files = [path for record in turn.records for tool in record.tools if writes(tool) for path in tool.paths]
    return replace(
        old,
        first_digest=old.first_digest or turn.digest,
        last_digest=turn.digest,
        last_turn=turn.ordinal,
        last_at=turn.at.astimezone(UTC).isoformat(),
        approximate=turn.approximate,
        prose_turns=old.prose_turns + bool(said),
        asked=_some(old.asked, [line] if telling and turn.role == "user" else [], MAX_ASKED),
        done=_some(old.done, [shorten(text, MAX_LINE_CHARS) for text in done[:2]], MAX_DONE),
        files=_last_of(old.files, files),
        stopped=shorten(telling[-1], MAX_LINE_CHARS) if telling else old.stopped,
    )


def _is_result(one: Observation) -> bool:
    """A statement in a turn's answer that reports work, and no narration."""
    return "answer" in one.signals and not RESULTS.isdisjoint(one.signals)


def _some(old: tuple[str, ...], new: list[str], limit: int) -> tuple[str, ...]:
    """Keep the first line, which says what it is about, and the newest of the rest."""
    lines = tuple(dict.fromkeys((*old, *new)))
    return lines if len(lines) <= limit else (lines[0], *lines[1 - limit :])


def _last_of(old: tuple[str, ...], new: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*new[::-1], *old]))[:MAX_FILES]


def handoff(memo: Memo) -> Candidate | None:
    """Return the handoff of what the memo covers; None under two turns of prose, or between agents."""
    covered = memo.coverage
    if covered.prose_turns < MIN_PROSE_TURNS or memo.from_agent:
        return None
    return Candidate(
        category="handoffs",
        body=_render(memo),
        key=handoff_key(memo.conversation, covered.first_digest),
        origin=Origin(memo.source, memo.conversation, covered.last_turn, (0, 0), covered.last_digest),
        said_at=datetime.fromisoformat(covered.last_at),
        tags=(HANDOFF_TAG,),
        approximate=covered.approximate,
    )


def restart_handoff(memo: Memo, *, after: int) -> Memo:
    """Return the memo with nothing covered yet: a new handoff begins behind the turn with the ordinal ``after``."""
    return replace(memo, coverage=Coverage(after=after))


def _render(memo: Memo) -> str:
    covered = memo.coverage
    titles = _TITLES["pt" if memo.portuguese > memo.english else "en"]
    following = tuple(task.text for task in memo.tasks[-MAX_DONE:])
    parts = (covered.asked, covered.done, (", ".join(covered.files),), following, (covered.stopped,))
    share = (MAX_HANDOFF_CHARS - sum(len(title) + 8 for title in titles)) // len(parts)
    sections = [
        f"**{title}**\n\n" + _bullets(lines, share) for title, lines in zip(titles, parts, strict=True) if any(lines)
    ]
    return "\n\n".join(sections)


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
