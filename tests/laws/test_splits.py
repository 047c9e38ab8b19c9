"""Law 2, below extraction: any split of the bytes gives the turns of one undisturbed reading."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.transcript import Bookmark, ConversationFile, Mark, Turn
from agent_memory.tailing.reader import bookmark_after, open_reading
from tests.builders import TURN_ENDED, assistant_line, user_line

NOW = datetime(2026, 3, 16, 12, 0, tzinfo=UTC)

LINES = st.one_of(
    st.builds(
        user_line,
        st.sampled_from(["não, SQLite", "e\u2028u", "ok", "", "Briefly inform the user about the task result"]),
    ),
    st.builds(lambda minute: user_line("às", at=f"Monday, Mar 16, 2026, 9:{minute:02} AM (UTC-3)"), st.integers(0, 59)),
    st.builds(
        assistant_line, st.sampled_from(["feito ✅", "[REDACTED]", "x" * 5_000]), st.just(("Read", {"path": "a.py"}))
    ),
    st.builds(assistant_line),
    st.sampled_from([TURN_ENDED, b'{"type":"progress"}\n', b"garbage\n", b"\r\n", b"\0\0\0\n", b"17\n", b"\xff\n"]),
    st.sampled_from(
        [user_line("glued").rstrip(b"\n"), assistant_line("ad\u00e9us").rstrip(b"\n"), b'{"role":"us', b"\xef\xbb\xbf"]
    ),
    st.builds(lambda line: line.replace(b"\n", b"\r\n"), st.just(user_line("crlf"))),
)


@dataclass
class Follower:
    """Reads a growing file as the product does; turns taken again replace what they were."""

    path: Path
    bookmark: Bookmark | None = None
    turns: dict[int, Turn] = field(default_factory=dict)
    final: set[int] = field(default_factory=set)

    def read(self, *, idle: bool, crash_after: int | None = None) -> None:
        file = ConversationFile("c", "cursor", str(self.path))
        reading = open_reading(file, self.bookmark, idle=idle, now=NOW)
        if reading is None:
            return
        marks: list[Mark] = list(reading.marks)
        for taken, closed in enumerate(reading.turns()):
            turn = closed.turn
            before = self.turns.get(turn.ordinal)
            assert turn.ordinal not in self.final or before == turn, "a taken turn changed"
            if before is not None:
                assert before.digest in turn.prefix_digests, "a turn grew into another one"
            self.turns[turn.ordinal] = turn
            if not closed.provisional:
                self.final.add(turn.ordinal)
                marks.append(closed.mark(str(turn.ordinal)))
                self.bookmark = bookmark_after(reading, marks, settled=False)
            if taken == crash_after:
                return
        self.bookmark = bookmark_after(reading, marks, settled=idle)


def told(turns: dict[int, Turn]) -> list[tuple[object, ...]]:
    """Everything about turns that must not depend on how they were read: all but approximate times."""
    ordered = [turns[ordinal] for ordinal in sorted(turns)]
    assert [turn.ordinal for turn in ordered] == list(range(len(ordered)))
    return [(turn.role, turn.records, turn.approximate, None if turn.approximate else turn.at) for turn in ordered]


def read_at_once(path: Path) -> list[tuple[object, ...]]:
    undisturbed = Follower(path)
    undisturbed.read(idle=True)
    return told(undisturbed.turns)


@given(lines=st.lists(LINES, max_size=12), data=st.data())
def test_any_split_of_the_bytes_gives_the_same_turns(lines, data):
    whole = b"".join(lines)
    cuts = data.draw(st.lists(st.integers(0, len(whole)), max_size=8).map(sorted))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.jsonl"
        follower = Follower(path)
        for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
            with path.open("ab") as handle:
                handle.write(whole[start:end])
            for _ in range(data.draw(st.integers(0, 2))):
                crash_after = data.draw(st.sampled_from([None, None, 0, 1]))
                follower.read(idle=data.draw(st.booleans()), crash_after=crash_after)
        follower.read(idle=False)
        follower.read(idle=True)

        assert told(follower.turns) == read_at_once(path)


@given(lines=st.lists(LINES, min_size=1, max_size=10), data=st.data())
def test_after_any_rewrite_the_turns_are_those_of_the_file_as_it_is(lines, data):
    """What was taken before and is no longer there stays behind; everything that is there comes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.jsonl"
        path.write_bytes(b"".join(lines))
        follower = Follower(path)
        follower.read(idle=data.draw(st.booleans()))
        keep = data.draw(st.integers(0, len(lines)))
        path.write_bytes(b"".join(lines[:keep]) + b"".join(data.draw(st.lists(LINES, max_size=5))) + b"\n")
        os.utime(path, ns=(0, 0))

        _replace_turns(follower)

        assert told(follower.turns) == read_at_once(path)


def _replace_turns(follower: Follower) -> None:
    """Read what is new, letting it replace every turn from there on; an emptied file keeps what it gave."""
    file = ConversationFile("c", "cursor", str(follower.path))
    reading = open_reading(file, follower.bookmark, idle=True, now=NOW)
    next_ordinal = reading.next_ordinal if reading else 0
    follower.turns = {ordinal: turn for ordinal, turn in follower.turns.items() if ordinal < next_ordinal}
    follower.turns.update((closed.turn.ordinal, closed.turn) for closed in (reading.turns() if reading else ()))
