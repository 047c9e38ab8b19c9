"""The handoff says what was asked, done and left, from the whole conversation, in its language."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_memory.extraction import Memo, handoff, restart_handoff, step
from agent_memory.model.ids import handoff_key
from agent_memory.model.memory import Candidate
from agent_memory.model.transcript import ToolUse, Turn
from tests.builders import A_CONVERSATION, a_turn

EDIT = (ToolUse("Write", ("src/queue.py",)), ToolUse("Read", ("README.md",)))
ENGLISH = (
    a_turn("please make the export safe for two processes"),
    a_turn("Switched the export to one writer process.", role="assistant", ordinal=1, tools=EDIT),
    a_turn("thanks, that works for both of them", ordinal=2),
)
PORTUGUESE = (
    a_turn("deixa a exportação segura para dois processos, por favor"),
    a_turn("Troquei a exportação por um processo só. Falta migrar os registros antigos.", role="assistant", ordinal=1),
)


def after(*turns: Turn) -> Memo:
    memo = Memo.empty()
    for turn in turns:
        memo, _ = step(memo, turn)
    return memo


def of(*turns: Turn) -> Candidate:
    written = handoff(after(*turns))
    assert written is not None
    return written


def test_it_says_what_was_asked_and_done_and_which_files_were_written() -> None:
    body = of(*ENGLISH).body

    assert "**Asked**\n\n- Make the export safe for two processes" in body
    assert "**Done**\n\n- Switched the export to one writer process." in body
    assert "src/queue.py" in body
    assert "README.md" not in body
    assert body.rstrip().endswith("**Stopped at**\n\n- Switched the export to one writer process.")


@pytest.mark.parametrize(
    ("paths", "shown"),
    [
        (("/home/ana/shop/src/queue.py", "/home/ana/shop/tests/test_queue.py"), "tests/test_queue.py, src/queue.py"),
        ((r"C:\shop\src\queue.py", r"C:\shop\app.py"), "app.py, src/queue.py"),
        (("/home/ana/shop/src/queue.py",), "src/queue.py"),
        (("src/queue.py", "app.py"), "app.py, src/queue.py"),
        (("/srv/a.py", "/opt/b.py"), "opt/b.py, srv/a.py"),
        (("queue.py",), "queue.py"),
    ],
)
def test_files_are_shown_below_the_folder_that_they_share(paths: tuple[str, ...], shown: str) -> None:
    worked = a_turn("Switched the export over.", role="assistant", ordinal=1, tools=(ToolUse("Write", paths),))

    assert f"**Files**\n\n- {shown}\n" in of(ENGLISH[0], worked).body


@pytest.mark.parametrize(
    "talk",
    [
        "thanks, looks good to me",
        "ok",
        "valeu, ficou muito bom mesmo",
        "Your app is production ready!",
        "All 12 tests pass.",
    ],
)
def test_small_talk_is_not_where_it_stopped(talk: str) -> None:
    spoken = a_turn(talk, role="assistant" if talk[0].isupper() else "user", ordinal=2)

    assert of(*ENGLISH[:2], spoken).body.endswith("**Stopped at**\n\n- Switched the export to one writer process.")


def test_work_that_nobody_reports_is_told_by_how_its_answer_begins() -> None:
    worked = a_turn("The photos of each farm are on one side of the split.", role="assistant", ordinal=1, tools=EDIT)

    assert "**Done**\n\n- The photos of each farm are on one side of the split." in of(ENGLISH[0], worked).body


def test_its_headings_speak_the_language_of_the_conversation() -> None:
    body = of(*PORTUGUESE).body

    assert body.startswith("**Pedido**")
    assert "**A seguir**" in body


def test_its_key_is_that_of_the_first_turn_and_its_origin_the_last() -> None:
    written = of(*ENGLISH)

    assert written.key == handoff_key(A_CONVERSATION, ENGLISH[0].digest)
    assert (written.origin.turn, written.origin.span, written.origin.digest) == (2, (0, 0), ENGLISH[2].digest)
    assert written.tags == ("auto-handoff",)


def test_there_is_none_under_two_turns_of_prose() -> None:
    assert handoff(Memo.empty()) is None
    assert handoff(after(ENGLISH[0])) is None


def test_there_is_none_of_small_talk() -> None:
    assert handoff(after(a_turn("hi"), a_turn("Hello!", role="assistant", ordinal=1), a_turn("bye", ordinal=2))) is None


def test_there_is_none_between_agents() -> None:
    assert handoff(after(*(replace(turn, from_agent=True) for turn in ENGLISH))) is None


def test_a_restarted_one_covers_only_what_follows() -> None:
    memo = restart_handoff(after(*ENGLISH), after=2)
    assert handoff(memo) is None

    later = [replace(turn, ordinal=turn.ordinal + 3) for turn in PORTUGUESE]
    for turn in (*ENGLISH[1:], *later):
        memo, _ = step(memo, turn)

    written = handoff(memo)
    assert written is not None
    assert written.key == handoff_key(A_CONVERSATION, later[0].digest)
    assert "export safe" not in written.body


def test_a_long_conversation_stays_short_and_keeps_its_beginning() -> None:
    turns = [
        a_turn(f"please never use the store {n} again because it is slow " + "word " * 60, ordinal=2 * n)
        for n in range(50)
    ]
    done = [
        a_turn(f"Switched the store number {n} to the queue.", role="assistant", ordinal=2 * n + 1, tools=EDIT)
        for n in range(50)
    ]

    memo = after(*(turn for pair in zip(turns, done, strict=True) for turn in pair))
    written = handoff(memo)

    assert written is not None
    assert len(written.body) <= 1500
    assert "the store 0 again" in written.body
    assert "number 49" in written.body
    assert len(memo.to_json()) < 12_000
