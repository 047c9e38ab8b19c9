"""What a turn proposes to remember, and what it must not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_memory.extraction import Memo, step
from agent_memory.model.ids import fingerprint, key_of
from agent_memory.model.memory import Candidate
from agent_memory.model.transcript import Role, Todo, ToolUse, Turn
from tests.builders import A_CONVERSATION, A_DAY, a_turn

SURE = 0.5
EDIT = ToolUse("Write", ("src/queue.py",))


def told(*turns: tuple[Role, str]) -> list[Candidate]:
    """Take a conversation of (role, text) and return what would be stored of it."""
    memo, found = Memo.empty(), list[Candidate]()
    for ordinal, (role, text) in enumerate(turns):
        tools = (EDIT,) if role == "assistant" else ()
        memo, candidates = step(memo, a_turn(text, role=role, ordinal=ordinal, tools=tools))
        found += [one for one in candidates if one.confidence >= SURE]
    return found


def said(*turns: tuple[Role, str]) -> list[tuple[str, str]]:
    return [(one.category, one.body) for one in told(*turns)]


OPENING: tuple[tuple[Role, str], ...] = (
    ("user", "look at the queue"),
    ("assistant", "Two processes may write. A lock, or one writer for all?"),
)
ABERTURA: tuple[tuple[Role, str], ...] = (
    ("user", "olha a fila"),
    ("assistant", "Dois processos gravam. Um lock, ou um processo só?"),
)


def test_an_english_rule_of_the_user_is_a_decision() -> None:
    assert said(*OPENING, ("user", "never lock. all writes always go through one process, from now on")) == [
        ("decisions", "Never lock. All writes always go through one process, from now on.")
    ]


def test_a_portuguese_rule_of_the_user_is_a_decision() -> None:
    assert said(*ABERTURA, ("user", "então nunca usa lock, sempre um processo só grava na fila")) == [
        ("decisions", "Nunca usa lock, sempre um processo só grava na fila.")
    ]


def test_an_english_root_cause_is_a_lesson() -> None:
    assert said(
        *OPENING[:1],
        (
            "assistant",
            "Root cause: the driver never releases a handle that a signal interrupted, so the second open fails.",
        ),
    ) == [("lessons", "The driver never releases a handle that a signal interrupted, so the second open fails.")]


def test_a_portuguese_root_cause_is_a_lesson() -> None:
    assert said(
        *ABERTURA[:1],
        (
            "assistant",
            "**Causa raiz:** o driver não solta o arquivo quando um sinal interrompe, então a segunda abertura falha.",
        ),
    ) == [("lessons", "O driver não solta o arquivo quando um sinal interrompe, então a segunda abertura falha.")]


def test_open_boxes_are_tasks_and_ticked_ones_are_not() -> None:
    assert said(*OPENING, ("user", "go on"), ("assistant", "- [ ] rotate the key\n- [x] write the lock")) == [
        ("tasks", "- [ ] Rotate the key.")
    ]


def test_what_stands_under_a_portuguese_to_do_heading_is_a_task() -> None:
    assert said(
        *ABERTURA,
        ("user", "segue"),
        ("assistant", "## Pendências\n\n- falta migrar os registros antigos para a fila nova"),
    ) == [("tasks", "- [ ] Falta migrar os registros antigos para a fila nova.")]


def test_a_bare_number_is_stored_as_the_option_it_names() -> None:
    options = "1. a lock file for each shard\n2. one writer process with a queue\n\nWhich one?"

    (one,) = told(OPENING[0], ("assistant", options), ("user", "2"))

    assert one.body == "One writer process with a queue."
    assert one.key == key_of(A_CONVERSATION, "assistant", "one writer process with a queue")
    assert one.origin.turn == 1
    assert options[slice(*one.origin.span)] == "one writer process with a queue"


def test_options_above_a_question_are_not_stored_before_one_is_chosen() -> None:
    options = (
        "1. a lock never works on that share, so each shard must always keep its own file\n"
        "2. one process always writes, because the driver cannot share a handle\n\nWhich one?"
    )

    assert said(OPENING[0], ("assistant", options)) == []


def test_a_portuguese_option_by_letter_is_stored_as_what_it_settles() -> None:
    options = "Opção A: um lock por partição\n\nOpção B: um processo gravador com fila\n\nQual?"

    (one,) = told(ABERTURA[0], ("assistant", options), ("user", "opção B"))

    assert one.body == "Um processo gravador com fila."


@pytest.mark.parametrize("yes", ["yes", "go ahead", "sim", "pode"])
def test_a_plain_yes_settles_what_was_recommended(yes: str) -> None:
    found = told(OPENING[0], ("assistant", "I recommend one writer process with a queue. Shall I?"), ("user", yes))

    assert [one.body for one in found] == ["I recommend one writer process with a queue."]


def test_a_plain_yes_to_an_offer_settles_nothing() -> None:
    assert said(OPENING[0], ("assistant", "Want me to run the tests again?"), ("user", "yes")) == []


@pytest.mark.parametrize(
    "text",
    [
        "Let me use ripgrep to find the callers.",
        "The issue is probably a stale cache, so the lookup might miss.",
        "Option 1 (recommended): always keep the table and never add a column.",
        "Should we always use one channel per room?",
        "Want me to switch it to the new client for good?",
        "You're right, I apologise, I should have used the cache.",
        "We haven't decided on a database yet.",
        "Your app is now production ready and robust!",
        "Updated 3 files, added 2 tests.",
        "No follow-up needed.",
        "Vou usar o grep para achar as chamadas.",
        "O problema deve ser o cache, talvez o lookup falhe.",
        "Opção A (recomendada): sempre manter a tabela.",
        "Quer que eu troque para o cliente novo de vez?",
        "Você tem razão, desculpe, devia ter usado o cache.",
        "Ainda não decidi o banco.",
        "O sistema está 100% pronto para produção!",
        "Alterados 3 arquivos, criados 2 testes.",
        "Nenhuma pendência nesta etapa.",
        "> We decided to always use one queue.",
        "```\n# important: never force the content type, always use json\n```",
        'The ticket says: "we decided to always use one queue and never two".',
    ],
)
def test_what_only_looks_like_it_is_not_stored(text: str) -> None:
    assert said(OPENING[0], ("assistant", text)) == []


def test_a_question_of_the_user_is_not_stored() -> None:
    assert said(*OPENING, ("user", "should we always use one writer?")) == []


def test_a_pasted_log_is_not_stored() -> None:
    assert said(*OPENING, ("user", "2026-02-23 23:10:04 WARN pool - from now on always use 8 workers, never 16")) == []


def test_the_agent_that_speaks_to_a_sub_agent_is_no_user() -> None:
    memo, _ = step(Memo.empty(), a_turn("go"))

    _, found = step(memo, replace(a_turn("never lock, always use one process", ordinal=1), from_agent=True))

    assert found == ()


def test_the_reason_in_the_next_sentence_stays_with_the_decision() -> None:
    (one,) = told(*OPENING, ("user", "never use a lock file, always one writer. Because the share has no locks"))

    assert one.body.endswith("Because the share has no locks.")


def test_an_agent_repeating_a_decision_adds_nothing() -> None:
    found = told(
        *OPENING,
        ("user", "all writes always go through one writer process, never a lock"),
        ("assistant", "All writes now always go through one writer process."),
    )

    assert [one.origin.turn for one in found] == [2]


def test_a_candidate_says_where_it_came_from() -> None:
    turn = a_turn("ok so never use redis for the queue, always sqlite", ordinal=2)
    memo = Memo.empty()
    for ordinal, (role, text) in enumerate(OPENING):
        memo, _ = step(memo, a_turn(text, role=role, ordinal=ordinal))

    (one,) = step(memo, turn)[1]

    quoted = turn.text[slice(*one.origin.span)]
    assert quoted == turn.text
    assert one.key == key_of(A_CONVERSATION, "user", quoted)
    assert one.words == fingerprint(quoted)
    assert one.origin.digest == turn.digest
    assert one.said_at == A_DAY
    assert one.tags == ("redis", "sqlite")
    assert one.body.startswith("Never use redis")


def test_words_that_redaction_touched_have_no_fingerprint() -> None:
    turn = a_turn("never use [REDACTED:token] for the queue, always sqlite", ordinal=2)
    redacted = replace(turn, records=tuple(replace(record, redacted=True) for record in turn.records))

    _, found = step(Memo.empty(), redacted)

    assert [one.words for one in found] == [None]


def todo_turn(*todos: tuple[str, str], ordinal: int) -> Turn:
    tool = ToolUse("TodoWrite", todos=tuple(Todo(text, state) for text, state in todos))
    return a_turn("Working on it.", role="assistant", ordinal=ordinal, tools=(tool,))


def test_open_to_do_items_become_tasks_and_are_ticked_later() -> None:
    memo, first = step(
        Memo.empty(), todo_turn(("port the parser", "pending"), ("write the lock", "completed"), ordinal=1)
    )
    memo, second = step(memo, todo_turn(("port the parser", "completed"), ordinal=3))

    assert [one.body for one in first] == ["- [ ] port the parser"]
    assert [one.body for one in second] == ["- [x] port the parser"]
    assert first[0].key == second[0].key
    assert memo.tasks == ()


def test_a_to_do_item_of_several_lines_becomes_one_line() -> None:
    _, (one,) = step(
        Memo.empty(), todo_turn(("port\nthe\n  parser " + "and more " * 60, "pending"), ("x", "done"), ordinal=1)
    )

    assert one.body.startswith("- [ ] port the parser and more")
    assert "\n" not in one.body
    assert len(one.body) <= 306


def test_the_same_words_said_again_are_proposed_again() -> None:
    found = told(
        *OPENING,
        ("user", "all writes always go through one process"),
        ("assistant", "Done. A lock again, or stay with it?"),
        ("user", "no, never a single writer, always a lock for each shard"),
        ("assistant", "Done. Stay with it, or go back?"),
        ("user", "all writes always go through one process"),
    )

    assert [one.origin.turn for one in found] == [2, 4, 6]
    assert found[0].key == found[2].key


def test_the_same_box_twice_in_one_turn_is_one_task() -> None:
    assert len(told(*OPENING[:1], ("assistant", "- [ ] fix it\n\n- [ ] fix it"))) == 1


def test_a_task_reported_done_is_proposed_again_as_done() -> None:
    memo, (opened,) = step(Memo.empty(), a_turn("- [ ] repair the nightly export job", role="assistant", ordinal=1))
    memo, found = step(memo, a_turn("Fixed: the nightly export job works again.", role="assistant", ordinal=3))

    assert [(one.key, one.body) for one in found if one.category == "tasks"] == [
        (opened.key, "- [x] Repair the nightly export job.")
    ]


def test_a_very_long_sentence_is_not_stored() -> None:
    assert said(*OPENING, ("user", "never use a lock and always " + "really " * 300 + "one writer")) == []


def test_a_list_that_was_never_kept_is_a_plan_and_leaves_no_tasks():
    _, found = step(
        Memo.empty(), todo_turn(("port the parser", "in_progress"), ("write the lock", "pending"), ordinal=1)
    )

    assert found == ()


@pytest.mark.parametrize(
    "turns",
    [
        (
            ("user", "let's use redis for the queue"),
            ("assistant", "Done. Redis, or a table?"),
            ("user", "no, use sqlite for the queue instead of redis"),
            ("assistant", "Done. Sqlite for good?"),
            ("user", "let's use redis for the queue"),
        ),
        (
            ("user", "vamos usar redis na fila"),
            ("assistant", "Feito. Redis ou uma tabela?"),
            ("user", "não, usa sqlite na fila em vez de redis"),
            ("assistant", "Feito. Fica sqlite?"),
            ("user", "vamos usar redis na fila"),
        ),
    ],
)
def test_a_b_a_replaces_each_time_what_held_before(turns: tuple[tuple[Role, str], ...]) -> None:
    first, second, third = [one for one in told(*turns) if one.category == "decisions"]

    assert (first.replaces, second.replaces, third.replaces) == ((), (first.key,), (second.key,))
    assert third.key == first.key


def test_a_task_that_only_points_back_takes_what_it_points_at_along() -> None:
    (one,) = told(*ABERTURA, ("user", "quero um histórico das notas. isso fica pra depois das férias"))

    assert one.body == "- [ ] Quero um histórico das notas. Isso fica pra depois das férias."


@pytest.mark.parametrize("text", ["leave it as it is", "ok keep that then", "deixa como está", "deixa assim mesmo"])
def test_leaving_things_as_they_are_is_no_decision(text: str) -> None:
    assert said(*OPENING, ("user", text)) == []


@pytest.mark.parametrize(
    ("question", "explanation"),
    [
        (
            "what's the difference between the two joins?",
            "An inner join only returns rows that match, so the rest is lost.",
        ),
        ("qual a diferença dos dois joins", "O inner join só devolve linhas que casam, então o resto se perde."),
    ],
)
def test_an_explanation_without_any_work_is_no_lesson(question: str, explanation: str) -> None:
    memo, _ = step(Memo.empty(), a_turn(question))
    _, found = step(memo, a_turn(explanation, role="assistant", ordinal=1))

    assert [one for one in found if one.confidence >= SURE] == []
