"""A note for Obsidian says what it is, links as Obsidian links, and tells whether somebody has edited it."""

import re

import frontmatter
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.vault.note import is_note, is_untouched, note_of, title_of
from tests.builders import a_memory


def note(memory, titles=None):
    return note_of(memory, (titles or {}).get)


def test_its_properties_are_yaml_whatever_the_words():
    read = frontmatter.loads(note(a_memory('Não: "x" #y\n---\nz', tags=("café", "a-b"), meta={"status": "superseded"})))

    assert (read["tags"], read["status"], read["aliases"]) == (["café", "a-b"], "superseded", ['Não: "x" y --- z'])
    assert read.content == 'Não: "x" #y\n---\nz'


def test_links_and_supersession_become_wikilinks():
    memory = a_memory(meta={"superseded-by": "7", "links": "relates-to>8,because>9,broken"})

    lines = note(memory, {"7": "Use Postgres", "9": "Slow"}).splitlines()

    assert lines[-3:] == ["- superseded-by [[7|Use Postgres]]", "- relates-to [[8]]", "- because [[9|Slow]]"]


def test_a_title_can_stand_in_a_link():
    assert title_of(a_memory("# [[x]] | `y`\n\n- **z**")) == "x y z"
    assert title_of(a_memory("##", id="5")) == "5"


@given(st.text() | st.text("\r\n-a"), st.integers(min_value=0), st.characters())
def test_any_edit_shows(body, place, typed):
    text = note(a_memory(body))
    edited = text[: place % len(text)] + typed + text[place % len(text) :]

    assert is_note(text)
    assert is_untouched(text)
    assert is_untouched(text.replace("\n", "\r\n"))
    assert not is_untouched(edited) or re.sub("\r+\n", "\n", edited) == text
    assert not is_note(body)
