from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.errors import InvalidName
from agent_memory.model.ids import check_name, entry_id, fingerprint, key_of

NOW = datetime(2026, 3, 16, 12, 0, 30, tzinfo=UTC)


def nothing(_: str) -> bool:
    return False


def test_a_key_ignores_case_accents_and_spacing():
    assert key_of("c", "user", "Decisão:  usar SQLite!") == key_of("c", "user", "decisao usar sqlite")


def test_a_key_depends_on_conversation_and_speaker():
    keys = {key_of("a", "user", "x"), key_of("b", "user", "x"), key_of("a", "assistant", "x")}

    assert len(keys) == 3


def test_a_fingerprint_is_the_same_whoever_said_it():
    assert fingerprint("Use SQLite.") == fingerprint("use sqlite")


def test_an_id_is_in_the_minute_it_was_said():
    said = NOW - timedelta(hours=3)

    number = int(entry_id(said, "k", now=NOW, in_use=nothing))

    minute = int(said.replace(second=0).timestamp()) * 1000
    assert minute <= number < minute + 60_000


def test_the_same_thing_gets_the_same_id_however_late_it_is_read():
    said = NOW - timedelta(days=9)

    assert entry_id(said, "k", now=NOW, in_use=nothing) == entry_id(
        said, "k", now=NOW + timedelta(days=1), in_use=nothing
    )


def test_an_id_from_the_future_counts_as_now():
    later = entry_id(NOW + timedelta(days=400), "k", now=NOW, in_use=nothing)

    assert later == entry_id(NOW, "k", now=NOW, in_use=nothing)


def test_an_id_in_use_gives_way_to_the_next():
    first = entry_id(NOW, "k", now=NOW, in_use=nothing)

    assert int(entry_id(NOW, "k", now=NOW, in_use={first}.__contains__)) == int(first) + 1


@pytest.mark.parametrize("name", ["default", "José", "código-1", "日本", "a b", "v1.2", "Ω_x"])
def test_letters_of_any_alphabet_make_an_agent(name):
    assert check_name(name, "an agent") == name


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", ".git", "a/b", "a\\b", "../x", "CON", "nul.txt", "a\0b", "a\nb", "x" * 81, " a", "a ",
     "a.", "a:b", "archive", "conversations", "_project", "-rf", "a\u202eb"],
)  # fmt: skip
def test_what_cannot_be_a_folder_everywhere_is_refused(name):
    with pytest.raises(InvalidName) as caught:
        check_name(name, "an agent")

    assert caught.value.hint


@given(st.text())
def test_a_name_is_either_refused_or_one_harmless_path_component(name):
    try:
        check_name(name, "an agent")
    except InvalidName:
        return
    assert not set(name) & set('/\\:*?"<>|\0')
    assert name.strip(".") != ""
    assert not name.startswith(".")
