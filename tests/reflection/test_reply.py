import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.memory import Fact
from agent_memory.model.refining import Ballot, Evolution, Linking
from agent_memory.reflection.reply import MAX_LINES, Reply, Said, Set, parse


def facts(text: str) -> list[Fact]:
    return [line.fact for line in parse(text).lines if isinstance(line, Set)]


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("SET theme=dark", Fact("theme", "dark")),
        ("SET theme = dark mode ", Fact("theme", "dark mode")),
        ("SET url=a=b=c", Fact("url", "a=b=c")),
        ("SET deploy=main [pinned=false; keywords=CI,Produção]", Fact("deploy", "main", False, ("ci", "produção"))),
        ("SET deploy=main [pinned=false, keywords=ci,prod]", Fact("deploy", "main", False, ("ci", "prod"))),
        ("SET deploy=main [pinned=false;keywords=ci]", Fact("deploy", "main", False, ("ci",))),
        ("SET deploy=main [keywords=ci]", Fact("deploy", "main")),
        ("SET list=[1, 2]", Fact("list", "[1, 2]")),
        ("SET list=a [b]", Fact("list", "a [b]")),
    ],
)
def test_a_fact_is_a_key_a_value_and_what_it_is_shown_for(line, fact):
    assert facts(line) == [fact]


def test_the_last_of_two_values_counts():
    assert facts("SET theme=dark\nSET theme=light") == [Fact("theme", "light")]


def test_a_text_has_tags_in_any_alphabet_and_none_of_the_systems():
    reply = parse("NOTE A note with tags. [tags=Ação, c/d, keep, auto-handoff, a b, ação, x!]\r\nTASK Do it [soon]")

    assert reply.lines == (Said(1, "note", "A note with tags.", ("ação", "c/d")), Said(2, "task", "Do it [soon]"))


def test_hashtags_in_a_text_are_words():
    assert parse("NOTE Never #keep this, see #12 and #café").lines == (
        Said(1, "note", "Never keep this, see #12 and café"),
    )


def test_an_evolution_names_an_entry_and_tags():
    reply = parse("EVOLVE #12 [tags=a,b]\nEVOLVE #0 [tags=a]\nEVOLVE #13\nEVOLVE #x [tags=a]\nEVOLVE #12 [tags=c]")

    assert reply == Reply((Evolution(5, "12", ("c",)),), malformed=3)


def test_links_and_votes_name_entries_and_any_kind():
    lines = "LINK #12 caused-by #3\nLINK #12 eats #13\nVOTE up #12\nVOTE down #12\nVOTE out #12\nLINK 12 parent #13\n"

    assert parse(lines + "LINK #1 caused-by #2 #3\nvote up #4") == Reply(
        (Linking(1, "12", "caused-by", "3"), Linking(2, "12", "eats", "13"), Ballot(4, "12", "down")), malformed=3
    )


def test_lines_keep_their_numbers_whatever_stands_between_them():
    assert [line.number for line in parse("Hello\n\nNOTE one thing\nnoise\nTASK two things").lines] == [2, 4]


@pytest.mark.parametrize(
    "text", ["", "NONE", "none", "\n\n", "{}", '{"lines": []}', '{"lines": ["NONE"]}', "{" * 9_999]
)
def test_nothing_is_no_lines(text):
    assert parse(text) == Reply()


def test_a_reply_of_ten_thousand_lines_counts_for_nothing():
    assert parse("\n".join(f"NOTE number {n}" for n in range(10_000))) == Reply(malformed=1)
    assert parse("\n".join(f"NOTE number {n}" for n in range(MAX_LINES + 1))) == Reply(malformed=1)
    assert len(parse("\n".join(f"NOTE number {n}" for n in range(MAX_LINES))).lines) == MAX_LINES


@given(st.text() | st.lists(st.text()).map(lambda lines: json.dumps({"lines": lines})))
def test_any_text_is_a_reply(text):
    parse(text)


WORDS = st.sampled_from(
    "SET NOTE DECISION EVOLVE #1 theme= =x [tags=a] [pinned=false; NONE \n { } <think> </think> é".split(" ")
)


@given(st.lists(WORDS, max_size=40).map(" ".join))
def test_what_is_read_is_short_plain_and_on_one_line(text):
    for line in parse(text).lines:
        values = (line.text, *line.tags) if isinstance(line, Said) else ()
        values += (line.fact.key, line.fact.value) if isinstance(line, Set) else ()
        assert all(value and value.isprintable() and value == value.strip() for value in values)
