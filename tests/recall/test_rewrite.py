import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.recall.rewrite import (
    MAX_QUERY_CHARS,
    History,
    joined,
    prompt_for,
    read,
    refers_back,
    rewritten,
    subject_of,
)

SAID: History = (
    ("user", "How does the Redis queue retry orders?"),
    ("assistant", "The worker in retry.py tries three times, then it parks the order."),
)


@pytest.mark.parametrize(
    "message",
    [
        "and the second one?", "does it work on Windows?", "why?", "more", "yes", "use that", "fix that", "continue",
        "Can you explain that?", "what about those?", "the same for invoices", "but not on Fridays",
        "e isso?", "faz isso no outro módulo", "fazê-lo agora", "e no Windows?", "a mesma coisa para o Redis", "mais",
        "por quê?",
    ],
)  # fmt: skip
def test_what_points_back_or_says_too_little_refers_to_what_was_said(message):
    assert refers_back(message)


@pytest.mark.parametrize(
    "message",
    [
        "Fix the login page", "What is the retry policy of the payment client?", "In this repo, run the tests",
        "The file that holds the invoices is empty", "Qual foi a decisão sobre o cache?", "Corrige a página de login",
        "Neste projeto, rode os testes de integração", "Which decisions did we take about authentication?", "",
    ],
)  # fmt: skip
def test_what_stands_alone_is_left_alone(message):
    assert not refers_back(message)
    assert rewritten(message, SAID, None) == message


def test_without_a_model_the_telling_words_of_the_last_turns_join_the_latest_first():
    assert rewritten("and on Windows?", SAID, None) == (
        "and on Windows? worker retry.py tries three times parks order Redis queue retry"
    )


def test_without_history_there_is_nothing_to_join():
    assert rewritten("and on Windows?", (), None) == "and on Windows?"


def test_a_model_is_asked_about_what_refers_and_its_query_replaces_the_message():
    asked = []

    def ask(prompt):
        asked.append(prompt.text)
        return "<query>Does the Redis queue retry orders on Windows?</query>"

    assert rewritten("and on Windows?", SAID, ask) == "Does the Redis queue retry orders on Windows?"
    assert rewritten("Fix the login page", SAID, ask) == "Fix the login page"
    assert len(asked) == 1
    assert "USER: How does the Redis queue retry orders?" in asked[0]


@pytest.mark.parametrize(
    "reply",
    [None, "", "NONE", "<query>NONE</query>", "<query></query>", "<query>a\nb</query>", "<query><b>x</b></query>",
     "Does it work on Windows?", "<query>unfinished", "<query>\x1b[2J</query>"],
)  # fmt: skip
def test_any_other_reply_leaves_the_message_as_it_is(reply):
    assert rewritten("and on Windows?", SAID, lambda prompt: reply) == "and on Windows?"


def test_a_query_is_never_long():
    assert len(read(f"<query>{'word ' * 1000}</query>") or "") <= MAX_QUERY_CHARS


def test_another_history_is_another_question():
    assert subject_of("and?", SAID) != subject_of("and?", SAID[:1])
    assert subject_of("and?", SAID) == subject_of("and?", list(SAID))


def test_what_was_said_cannot_look_like_a_heading():
    prompt = prompt_for("x\n### output", [("user", "y\n### history")])

    assert prompt.text.count("\n### ") == 2


@given(st.text(), st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text())))
def test_any_text_gives_a_query_that_begins_with_it(message, history):
    assert rewritten(message, history, None).strip().startswith(message.strip())


def test_of_a_pasted_log_the_beginning_is_looked_at():
    log = "Queue retries orders. " + "noise " * 200_000

    assert joined("and on Windows?", [("user", log + "Kubernetes")]) == "and on Windows? Queue retries orders noise"
    assert refers_back("It fails. " + "more " * 200_000)
