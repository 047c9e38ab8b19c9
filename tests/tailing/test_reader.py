from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent_memory.errors import FileError
from agent_memory.model.transcript import Bookmark, ConversationFile, Mark, SkippedLine
from agent_memory.tailing.reader import ClosedTurn, Reading, bookmark_after, open_reading
from agent_memory.tailing.reading import MARKS_KEPT
from tests.builders import TURN_ENDED, assistant_line, user_line

NOW = datetime(2026, 3, 16, 12, 0, tzinfo=UTC)
AT = "Monday, Mar 16, 2026, 10:30 AM (UTC)"
TOKEN = "ghp_" + "a1B2" * 9


@dataclass
class Reader:
    """Reads one file again and again, as the product does, and keeps what it was given."""

    path: Path
    bookmark: Bookmark | None = None
    parent: str | None = None
    taken: list[ClosedTurn] = field(default_factory=list)

    def open(self, *, idle: bool = False, now: datetime = NOW) -> Reading | None:
        file = ConversationFile("c", "cursor", str(self.path), self.parent)
        return open_reading(file, self.bookmark, idle=idle, now=now)

    def read(self, *, idle: bool = False) -> list[str] | None:
        """Take what is new, save the bookmark, and return the turns' texts; None if there was nothing to do."""
        reading = self.open(idle=idle)
        if reading is None:
            return None
        closed = list(reading.turns())
        self.taken += closed
        marks = [*reading.marks, *(turn.mark(f"memo {turn.turn.ordinal}") for turn in closed if not turn.provisional)]
        self.bookmark = bookmark_after(reading, marks, settled=idle)
        return [turn.turn.text for turn in closed]

    def write(self, data: bytes) -> None:
        self.path.write_bytes(data)

    def append(self, data: bytes) -> None:
        with self.path.open("ab") as handle:
            handle.write(data)


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path / "c.jsonl")


def test_an_unchanged_file_is_not_read_again(reader: Reader):
    reader.write(user_line("a") + assistant_line("b") + TURN_ENDED)

    assert reader.read(idle=True) == ["a", "b"]
    assert reader.read(idle=True) is None
    assert reader.read(idle=False) is None


def test_what_was_appended_is_all_that_is_read(reader: Reader):
    reader.write(user_line("a", at=AT) + assistant_line("b") + TURN_ENDED)
    reader.read()
    reader.append(user_line("c") + assistant_line("d") + TURN_ENDED)

    assert reader.read() == ["c", "d"]
    assert [closed.turn.ordinal for closed in reader.taken] == [0, 1, 2, 3]
    assert {closed.turn.at for closed in reader.taken} == {datetime(2026, 3, 16, 10, 30, tzinfo=UTC)}


def test_reading_goes_on_with_the_memo_of_its_mark(reader: Reader):
    reader.write(user_line("a") + assistant_line("b"))
    reader.read()
    reader.append(TURN_ENDED)

    reading = reader.open()

    assert reading is not None
    assert reading.resumed is not None
    assert reading.resumed.memo == "memo 0"
    assert reading.next_ordinal == 1
    assert next(reading.turns()).turn.text == "b"


def test_a_torn_last_line_waits(reader: Reader):
    line = user_line("é" * 10)
    reader.write(assistant_line("a") + line[:-9])

    assert reader.read() == []
    assert reader.read(idle=True) == ["a"]

    reader.append(line[-9:] + TURN_ENDED)
    assert reader.read() == ["a", "é" * 10]


def test_a_torn_last_line_is_no_unusable_line(reader: Reader):
    reader.write(user_line("a") + TURN_ENDED + user_line("b")[:-9])
    reading = reader.open(idle=True)
    assert reading is not None

    assert [closed.turn.text for closed in reading.turns()] == ["a"]
    assert reading.skipped == []
    assert reading.has_open_tail


def test_a_change_inside_the_last_turn_is_noticed(reader: Reader):
    before = user_line("x" * 2_000) + TURN_ENDED
    rest = assistant_line("and tests") + TURN_ENDED
    reader.write(before + assistant_line("use redis") + rest)
    reader.read()
    reader.write(before + assistant_line("use mysql") + rest + user_line("b") + TURN_ENDED)

    assert reader.read() == ["use mysql\n\nand tests", "b"]


def test_reading_goes_on_inside_a_line_of_glued_records(reader: Reader):
    reader.write(user_line("a").rstrip() + user_line("b").rstrip() + user_line("c"))
    assert reader.read() == ["a", "b"]
    reader.append(TURN_ENDED)

    assert reader.read() == ["c"]


def test_what_is_appended_while_reading_waits_for_the_next_time(reader: Reader):
    reader.write(user_line("a") + TURN_ENDED)
    reading = reader.open()
    assert reading is not None
    reader.append(user_line("b") + TURN_ENDED)

    closed = list(reading.turns())
    reader.bookmark = bookmark_after(reading, [turn.mark("{}") for turn in closed], settled=True)

    assert [turn.turn.text for turn in closed] == ["a"]
    assert reader.read() == ["b"]


def test_a_turn_that_a_rewrite_has_opened_again_is_read_again_whole(reader: Reader):
    reader.write(user_line("a") + assistant_line("b") + user_line("c") + TURN_ENDED)
    reader.read()
    reader.write(user_line("a") + assistant_line("b") + assistant_line("d") + TURN_ENDED)

    assert reader.read() == ["b\n\nd"]
    assert reader.taken[-1].turn.ordinal == 1


def test_a_whole_last_line_without_its_end_counts_once_the_file_is_still(reader: Reader):
    reader.write(assistant_line("a") + user_line("b")[:-1])

    assert reader.read() == []
    assert reader.read(idle=True) == ["a", "b"]
    assert [closed.provisional for closed in reader.taken] == [False, True]


def test_a_turn_closed_by_idleness_is_provisional_and_read_again_whole(reader: Reader):
    reader.write(user_line("a") + assistant_line("b"))
    assert reader.read(idle=True) == ["a", "b"]
    assert reader.taken[-1].provisional

    reader.append(assistant_line("c"))

    assert reader.read() == []
    assert reader.read(idle=True) == ["b\n\nc"]
    assert reader.taken[1].turn.digest in reader.taken[-1].turn.prefix_digests


def test_the_idle_close_comes_once(reader: Reader):
    reader.write(user_line("a") + assistant_line("b"))

    assert reader.read() == ["a"]
    assert reader.read() is None
    assert reader.read(idle=True) == ["b"]
    assert reader.read(idle=True) is None


def test_an_open_tail_is_told(reader: Reader):
    for tail, expected in (
        (b"", False),
        (TURN_ENDED, False),
        (user_line("b"), True),
        (b'{"role":', True),
        (b" \0", False),
    ):
        reader.write(user_line("a") + TURN_ENDED + tail)
        reading = reader.open()

        assert reading is not None
        assert list(reading.turns())
        assert reading.has_open_tail is expected


def test_a_close_that_vanishes_when_the_next_turn_begins_changes_nothing(reader: Reader):
    begun = user_line("a", at=AT) + assistant_line("b")
    reader.write(begun + TURN_ENDED)
    reader.read(idle=True)
    reader.write(begun + user_line("c"))
    reader.read()
    reader.append(assistant_line("d") + TURN_ENDED)
    reader.read()

    assert [closed.turn.text for closed in reader.taken] == ["a", "b", "c", "d"]


def test_a_file_that_shrank_is_read_on_from_the_last_place_that_stands(reader: Reader):
    turns = [user_line(f"turn {n}") + assistant_line(f"reply {n}") + TURN_ENDED for n in range(5)]
    reader.write(b"".join(turns))
    reader.read()
    reader.write(b"".join(turns[:2]) + user_line("changed my mind") + TURN_ENDED)

    assert reader.read() == ["changed my mind"]
    assert reader.taken[-1].turn.ordinal == 4


def test_a_rewrite_of_the_same_size_is_noticed(reader: Reader):
    reader.write(user_line("use redis") + TURN_ENDED)
    reader.read(idle=True)
    before = reader.path.stat()
    reader.write(user_line("use mysql") + TURN_ENDED)
    os.utime(reader.path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))

    assert reader.read() == ["use mysql"]
    assert reader.taken[-1].turn.ordinal == 0


def test_growth_behind_a_changed_beginning_is_read_from_the_start(reader: Reader):
    rest = b"".join(user_line(f"{n} " + "x" * 900) for n in range(20))
    reader.write(user_line("first") + rest)
    reader.read()
    reader.write(user_line("FIRST") + rest + TURN_ENDED)

    assert len(reader.read() or ()) == 21


def test_a_file_renamed_over_with_the_same_bytes_is_not_read_again(reader: Reader, tmp_path: Path):
    data = user_line("a") + assistant_line("b") + TURN_ENDED
    reader.write(data)
    reader.read()
    other = tmp_path / "tmp"
    other.write_bytes(data + user_line("c") + TURN_ENDED)
    other.replace(reader.path)

    assert reader.read() == ["c"]


def test_an_emptied_or_vanished_file_means_nothing(reader: Reader):
    data = user_line("a") + TURN_ENDED
    reader.write(data)
    reader.read(idle=True)
    remembered = reader.bookmark

    reader.write(b"")
    assert reader.read(idle=True) is None
    reader.path.unlink()
    assert reader.read(idle=True) is None
    assert reader.bookmark == remembered

    reader.write(data + user_line("b") + TURN_ENDED)
    assert reader.read() == ["b"]


def test_an_empty_new_file_is_nothing_to_do(reader: Reader):
    reader.write(b"")

    assert reader.read(idle=True) is None


def test_the_bookmark_stands_behind_the_last_turn_never_behind_a_status(reader: Reader):
    data = user_line("a") + assistant_line("b")
    reader.write(data + TURN_ENDED * 3)
    reader.read(idle=True)

    assert reader.bookmark is not None
    assert reader.bookmark.marks[-1].end_bytes == len(data) - 1


def test_the_last_sixteen_marks_are_kept(reader: Reader):
    reader.write(b"".join(user_line(f"turn {n}") for n in range(40)) + TURN_ENDED)
    reader.read()

    assert reader.bookmark is not None
    assert [mark.ordinal for mark in reader.bookmark.marks] == list(range(40 - MARKS_KEPT, 40))


def test_a_bookmark_of_half_a_reading_does_not_hide_the_other_half(reader: Reader):
    reader.write(b"".join(user_line(f"turn {n}") for n in range(4)) + TURN_ENDED)
    reading = reader.open(idle=True)
    assert reading is not None
    turns = reading.turns()
    marks: list[Mark] = [next(turns).mark("{}"), next(turns).mark("{}")]

    reader.bookmark = bookmark_after(reading, marks, settled=True)
    turns.close()  # type: ignore[attr-defined]

    assert not reader.bookmark.settled
    assert reader.read() == ["turn 2", "turn 3"]


def test_a_file_rewritten_while_it_is_read_is_read_again(reader: Reader):
    filler = assistant_line("x" * 400_000)
    reader.write(user_line("use redis") + filler + user_line("a") + TURN_ENDED)
    reading = reader.open()
    assert reading is not None
    turns = reading.turns()
    first = next(turns)
    with reader.path.open("r+b") as handle:
        handle.write(user_line("use mysql"))

    closed = [first, *turns]
    reader.bookmark = bookmark_after(reading, [turn.mark("{}") for turn in closed], settled=True)
    again = reader.open(now=NOW + timedelta(hours=1))

    assert again is not None
    assert again.resumed is None


def test_a_file_replaced_between_opening_and_reading_waits_for_next_time(reader: Reader, tmp_path: Path):
    reader.write(user_line("a") + TURN_ENDED)
    reading = reader.open()
    other = tmp_path / "tmp"
    other.write_bytes(user_line("b") + TURN_ENDED)
    other.replace(reader.path)

    assert reading is not None
    assert list(reading.turns()) == []
    assert not reading.finished
    assert reading.has_open_tail


def test_unusable_lines_cost_themselves_and_are_named(reader: Reader):
    reader.write(user_line("a") + b"garbage\n" + b"12 13\n" + assistant_line("b") + b'{"role":"oracle"}\n' + TURN_ENDED)
    reading = reader.open()
    assert reading is not None

    assert [closed.turn.text for closed in reading.turns()] == ["a", "b"]
    assert reading.skipped == [
        SkippedLine(2, "not JSON"),
        SkippedLine(3, "no JSON object"),
        SkippedLine(5, "unknown role"),
    ]


def test_lines_are_numbered_from_the_start_of_the_file_wherever_reading_goes_on(reader: Reader):
    reader.write(b"\n" + user_line("a") + b"\r\n" + user_line("b"))
    reader.read()
    reader.append(b"garbage\n" + TURN_ENDED)
    reading = reader.open()
    assert reading is not None

    assert [closed.turn.text for closed in reading.turns()] == ["b"]
    assert reading.skipped == [SkippedLine(5, "not JSON")]


def test_a_flood_of_garbage_is_counted_but_not_kept(reader: Reader):
    reader.write(b"x\n" * 5_000 + user_line("a") + TURN_ENDED)
    reading = reader.open()
    assert reading is not None

    assert [closed.turn.text for closed in reading.turns()] == ["a"]
    assert (len(reading.skipped), reading.skipped_lines) == (200, 5_000)


def test_a_forty_megabyte_line_is_passed_over_in_constant_memory(reader: Reader):
    with reader.path.open("wb") as handle:
        handle.write(user_line("a"))
        handle.writelines(b"x" * 1_000_000 for _ in range(40))
        handle.write(b"\n" + assistant_line("b") + TURN_ENDED)
    reading = reader.open()
    assert reading is not None

    assert [closed.turn.text for closed in reading.turns()] == ["a", "b"]
    assert reading.skipped == [SkippedLine(2, "longer than 8 MB")]
    reader.bookmark = None
    assert reader.read() == ["a", "b"]
    reader.append(user_line("c") + TURN_ENDED)
    assert reader.read() == ["c"]


def test_secrets_never_reach_a_turn(reader: Reader):
    todos = {"todos": [{"content": "rotate " + TOKEN}]}
    reader.write(
        user_line(f"the token is {TOKEN}")
        + assistant_line("fine", ("Read", {"path": f"/tmp/{TOKEN}"}), ("TodoWrite", todos))
        + assistant_line("clean")
        + TURN_ENDED
    )
    reading = reader.open()
    assert reading is not None

    turns = [closed.turn for closed in reading.turns()]

    assert TOKEN not in repr(turns)
    assert reading.redactions == 3
    assert [[record.redacted for record in turn.records] for turn in turns] == [[True], [True, False]]


def test_without_a_time_the_files_own_serves_at_most_now(reader: Reader):
    reader.write(user_line("a") + TURN_ENDED)
    os.utime(reader.path, (0, NOW.timestamp() - 60))
    reader.read()
    os.utime(reader.path, (0, NOW.timestamp() + 86_400 * 400))
    reader.bookmark = None
    reader.read()

    assert [closed.turn.at for closed in reader.taken] == [NOW - timedelta(minutes=1), NOW]
    assert all(closed.turn.approximate for closed in reader.taken)


def test_a_sub_agents_user_is_not_the_user(reader: Reader):
    reader.parent = "p"
    reader.write(user_line("do this") + TURN_ENDED)
    reader.read()

    assert reader.taken[0].turn.from_agent


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_we_may_not_read_says_so(reader: Reader):
    reader.write(user_line("a"))
    reader.path.chmod(0)

    with pytest.raises(FileError):
        reader.open()


def test_a_folder_in_the_place_of_a_transcript_says_so(reader: Reader):
    reader.path.mkdir()

    with pytest.raises(FileError):
        reader.open()
