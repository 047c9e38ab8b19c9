from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.sources.cursor_text import of_assistant, of_user, parse_iso, parse_time

PLAN = (
    "Implement the plan as specified, it is attached for your reference. Do NOT edit the plan file itself.\n\n"
    "To-do's from the plan have already been created. Do not create them again. Mark them as in_progress as you work,"
    " starting with the first one. Don't stop until you have completed all the to-dos."
)
NOTICE = (
    "<system_notification>\nThe following task has finished.\n\n<task>\nkind: shell\n</task>\n</system_notification>\n"
)
BRIEFLY = "Briefly inform the user about the task result and perform any follow-up actions (if needed)."


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("<user_query>\nfix it\n</user_query>", "fix it"),
        ("fix it", "fix it"),
        ("<user_query>why does </user_query> show up?</user_query>", "why does </user_query> show up?"),
        ("<user_query>a</user_query>\n<user_query>b</user_query>", "a\n\nb"),
        ("<user_query>never closed", "<user_query>never closed"),
        ("closed only</user_query>", "closed only</user_query>"),
        ("<image_files>\nx.png\n</image_files>\n[Image]\n<user_query>\nsee\n</user_query>", "see"),
        ("<attached_files>\n<code>x</code>\n</attached_files>\nexplain", "explain"),
        ("explain\n<system_reminder>\nbe nice\n</system_reminder>", "explain"),
        ("<user_info>\nOS\n</user_info>\n<rules>\nr\n</rules>\n<user_query>hi</user_query>", "hi"),
        ("why is <rules> in the middle </rules> here?", "why is <rules> in the middle </rules> here?"),
        ("<rules> open for ever", "<rules> open for ever"),
        ("<strong>ours</strong> is kept", "<strong>ours</strong> is kept"),
        ("<user_query>use <timestamp>now</timestamp></user_query>", "use <timestamp>now</timestamp>"),
    ],
)
def test_wrappers_go_and_words_stay(raw, text):
    assert of_user(raw).text == text
    assert not of_user(raw).injected


@pytest.mark.parametrize(
    "raw",
    [
        f"{NOTICE}<user_query>{BRIEFLY}</user_query>",
        NOTICE,
        BRIEFLY,
        "<user_query>The above subagent result is already visible to the user. DO NOT reiterate.</user_query>",
        PLAN,
        f"<user_query>\n{PLAN}\n</user_query>",
        "<user_query>\nImplement the plan as specified, it is attached for your reference.\n</user_query>",
        "This session is being continued from a previous conversation that ran out of context. We chose SQLite.",
        "<summary_content>\nWe chose SQLite.\n</summary_content>",
        "[Previous conversation summary]: we chose SQLite",
        "<system_reminder>x</system_reminder>",
        "<user_query>\n\n</user_query>",
        "",
    ],
)
def test_what_the_editor_says_in_a_persons_name_is_injected(raw):
    assert of_user(raw).injected


@pytest.mark.parametrize("raw", [f"{PLAN}\n\nuse Redis, though", f"use Redis, though\n\n{PLAN}"])
def test_a_sentence_beside_the_plan_order_is_kept(raw):
    said = of_user(f"<user_query>{raw}</user_query>")

    assert (said.text, said.injected) == ("use Redis, though", False)


def test_a_notice_in_front_of_a_real_message_leaves_the_message():
    said = of_user(f"{NOTICE}<user_query>thanks, now deploy</user_query>")

    assert (said.text, said.injected) == ("thanks, now deploy", False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tuesday, Jul 21, 2026, 6:57 PM (UTC+8)", "2026-07-21T10:57"),
        ("Monday, Sep 14, 2026, 8:31 AM (UTC+9)", "2026-09-13T23:31"),
        ("Monday, Sep 14, 2026, 8:31 AM (UTC)", "2026-09-14T08:31"),
        ("Monday, Sep 14, 2026, 12:05 AM (UTC-5:30)", "2026-09-14T05:35"),
        ("Monday, Sep 14, 2026, 12:05 PM (UTC−3)", "2026-09-14T15:05"),
        ("Monday, September 14, 2026, 8:31\u202fAM (UTC)", "2026-09-14T08:31"),
        ("Sep 14, 2026, 20:31 (UTC)", "2026-09-14T20:31"),
    ],
)
def test_times_are_read_whatever_the_offset(text, expected):
    found = parse_time(text)

    assert found is not None
    assert found.tzinfo is UTC
    assert found.isoformat().startswith(expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "Monday, Feb 31, 2026, 8:31 AM (UTC)",
        "Monday, Foo 14, 2026, 8:31 AM (UTC)",
        "Monday, Sep 14, 2026, 25:31 (UTC)",
        "Monday, Sep 14, 2026, 8:31 AM (UTC+99)",
        "Thursday, Jan 1, 1970, 12:00 AM (UTC)",
        "Monday, Sep 14, 0000, 8:31 AM (UTC)",
        "Friday, Dec 31, 9999, 11:59 PM (UTC-12)",
        "Monday, Sep 14, 2026, 8:31 AM",
    ],
)
def test_what_is_no_time_is_none(text):
    assert parse_time(text) is None


@pytest.mark.parametrize("value", [None, 17, "", "soon", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00"])
def test_a_foreign_timestamp_of_no_use_is_none(value):
    assert parse_iso(value) is None


def test_only_a_leading_time_counts():
    stamp = "<timestamp>Monday, Sep 14, 2026, 8:31 AM (UTC)</timestamp>"

    assert of_user(f"{stamp}\n<user_query>a</user_query>").at == datetime(2026, 9, 14, 8, 31, tzinfo=UTC)
    assert of_user(f"<user_query>{stamp} a</user_query>").at is None
    assert of_user(f"look: {stamp}").at is None


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Done.\n\n[REDACTED]"], "Done."),
        (["[REDACTED]"], ""),
        (["[REDACTED]", "Done. [REDACTED] [REDACTED]\n"], "Done."),
        (["The token is [REDACTED] in the log."], "The token is [REDACTED] in the log."),
        (["One.", "", " Two. "], "One.\n\nTwo."),
    ],
)
def test_the_stand_in_for_hidden_reasoning_goes(texts, expected):
    assert of_assistant(texts) == expected


@pytest.mark.parametrize(
    "unit",
    [
        " ",
        "<rules>",
        "</rules>",
        "<rules></rules>",
        "<user_query>",
        "</user_query>  ",
        "[REDACTED]",
        PLAN,
        "<timestamp>",
    ],
)
def test_four_times_the_hostile_text_takes_about_four_times_as_long(unit):
    def seconds(size: int) -> float:
        text = "x" + unit * (size // len(unit)) + "x"
        begun = time.process_time()
        of_user(text)
        of_user(unit * (size // len(unit)))
        of_assistant([text, unit * (size // len(unit))])
        return time.process_time() - begun

    small = min(seconds(200_000) for _ in range(3))

    assert min(seconds(800_000) for _ in range(2)) < 12 * small + 0.05


@given(st.text())
def test_any_text_is_survived(text):
    for said in (of_user(text), of_user(f"<user_query>{text}</user_query>")):
        assert said.text == said.text.strip()
    assert of_assistant([text]) == of_assistant([of_assistant([text])])
