from __future__ import annotations

import random
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.memory import TakenLine, Why
from agent_memory.vault.taken import Taken, line, parse
from tests.builders import A_DAY


def a_line(
    key: str = "k1", *, entry: str = "1", hours: int = 0, why: Why = "stored", words: str | None = None
) -> TakenLine:
    return TakenLine(key, entry, A_DAY + timedelta(hours=hours), why, words)


lines = st.builds(
    TakenLine,
    key=st.text(),
    id=st.text(),
    at=st.datetimes().map(lambda at: at.replace(tzinfo=A_DAY.tzinfo)),
    why=st.sampled_from(("stored", "duplicate", "reflected", "forgotten")),
    words=st.none() | st.text(),
)


@given(st.lists(lines))
def test_what_is_written_is_read_again(written: list[TakenLine]) -> None:
    taken = parse("\n".join(map(line, written)))
    assert taken.lines == frozenset(written)
    assert taken.skipped == 0


@given(st.text())
def test_any_text_is_a_ledger(text: str) -> None:
    parse(text)


def test_a_line_has_the_fields_of_the_format() -> None:
    assert line(a_line(words="w1")) == (
        '{"k": "k1", "id": "1", "t": "2026-03-16T10:30:00Z", "w": "w1", "why": "stored"}'
    )
    assert '"w"' not in line(a_line())


def test_marks_of_a_merge_and_torn_lines_are_passed_over_and_counted() -> None:
    text = "\n".join(
        [
            "<<<<<<< ours",
            line(a_line("k1")),
            "=======",
            line(a_line("k2")) + "\r",
            ">>>>>>> theirs",
            line(a_line("k3"))[:-9],
            '{"k": 1, "id": "1", "t": "2026-03-16T10:30:00Z", "why": "stored"}',
            '{"k": "a", "id": "1", "t": "2026-03-16T10:30:00", "why": "stored"}',
            '{"k": "a", "id": "1", "t": "2026-03-16T10:30:00Z", "why": "sold"}',
            '{"k": "a", "id": "1", "t": "2026-03-16T10:30:00Z", "why": []}',
            "[" * 100_000,
            "",
        ]
    )
    taken = parse(text)
    assert {found.key for found in taken.lines} == {"k1", "k2"}
    assert taken.skipped == 9


def test_order_and_repetition_mean_nothing_and_forgotten_outweighs_the_rest() -> None:
    written = [a_line(hours=2), a_line(hours=1), a_line(hours=3, why="forgotten"), a_line(hours=0, why="duplicate")]
    for _ in range(5):
        random.shuffle(written)
        found = Taken([*written, written[0]]).by_key("k1")
        assert found is not None
        assert found.why == "forgotten"
    assert Taken(written[:0]).by_key("k1") is None


def test_words_count_as_removed_once_their_entry_is_in_no_page() -> None:
    taken = Taken([a_line(entry="1", words="w", hours=1), a_line("k2", entry="2", words="w", hours=2)])
    assert taken.removed_words("w", {"1", "2"}) is None
    assert taken.removed_words("w", {"2"}) == A_DAY + timedelta(hours=1)
    assert taken.removed_words("w", set()) == A_DAY + timedelta(hours=2)
    assert taken.removed_words("other", set()) is None


def test_forgotten_words_are_removed_whatever_stands_in_the_pages() -> None:
    assert Taken([a_line(words="w", why="forgotten")]).removed_words("w", {"1"}) == A_DAY


def test_an_id_is_known_once_a_line_names_it() -> None:
    assert Taken([a_line(entry="7")]).knows_id("7")
    assert not Taken([a_line(entry="7")]).knows_id("8")


def test_what_came_behind_a_ledger_is_added_to_it():
    first, second = (line(TakenLine(key, "1", A_DAY, "stored")) + "\n" for key in ("a" * 16, "b" * 16))

    grown = parse(second + "torn\n", parse(first + "{\n"))

    assert grown.lines == parse(first + second).lines
    assert grown.skipped == 2
