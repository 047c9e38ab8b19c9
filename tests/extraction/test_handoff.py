"""The handoff says what was asked, done and left, from the whole conversation, in its language."""

from __future__ import annotations

from dataclasses import replace

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

    assert "**Asked**\n\n- please make the export safe for two processes" in body
    assert "**Done**\n\n- Switched the export to one writer process." in body
    assert "src/queue.py" in body
    assert "README.md" not in body
    assert body.rstrip().endswith("- thanks, that works for both of them")


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
