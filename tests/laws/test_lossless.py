"""Law 3, the part of the codec: what nobody touched comes back byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.memory import Draft, PageRef
from agent_memory.model.text import clean
from agent_memory.vault import entry as entries_of
from agent_memory.vault.page import decode, encode, parse
from tests.vault.pages import drafts, page_texts

VAULTS = Path(__file__).parent.parent / "fixtures" / "vaults"
PAGES = sorted(VAULTS.rglob("*.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(VAULTS)))
def test_a_page_that_others_wrote_comes_back_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    assert encode(parse(decode(data)).render()) == data


@given(st.text())
def test_any_text_comes_back(text: str) -> None:
    assert parse(text).render() == text


@given(page_texts())
def test_any_page_comes_back(text: str) -> None:
    assert parse(text).render() == text


@given(st.binary())
def test_any_bytes_come_back(data: bytes) -> None:
    assert encode(parse(decode(data)).render()) == data


@given(page_texts(), drafts)
def test_what_was_added_can_be_removed_without_a_trace(text: str, draft: Draft) -> None:
    page = parse(text)
    added = parse(page.insert(entries_of.draft_text(draft, "99", page.newline)).render())
    position = added.find("99")
    assert position is not None
    assert added.remove(position).render() == text


@given(page_texts(), drafts)
def test_what_was_added_is_read_back_as_it_was_meant(text: str, draft: Draft) -> None:
    page = parse(text)
    added = parse(page.insert(entries_of.draft_text(draft, "99", page.newline)).render())
    memory = next(memory for memory in added.memories(PageRef("default", "decisions")) if memory.id == "99")
    meant = draft.body.replace("\r\n", "\n").replace("\r", "\n")
    assert memory.body == entries_of.trim(clean(meant))
    assert not memory.edited


@given(page_texts(), st.data())
def test_removing_one_entry_leaves_the_others_as_they_were(text: str, data: st.DataObject) -> None:
    page = parse(text + "\n\n<!-- id:7 -->\n")
    position = data.draw(st.integers(0, len(page.entries) - 1))
    left = [entry.raw for n, entry in enumerate(page.entries) if n != position]
    assert [entry.raw for entry in parse(page.remove(position).render()).entries] == left


@given(page_texts(), st.data())
def test_putting_an_entry_back_leaves_the_others_as_they_were(text: str, data: st.DataObject) -> None:
    page = parse(text + "\n\n<!-- id:7 -->\n")
    position = data.draw(st.integers(0, len(page.entries) - 1))
    again = page.remove(position).insert(page.entries[position].raw)
    assert sorted(entry.raw for entry in parse(again.render()).entries) == sorted(entry.raw for entry in page.entries)


@given(page_texts(), drafts)
def test_what_an_edit_returns_is_what_its_text_says(text: str, draft: Draft) -> None:
    page = parse(text)
    added = page.insert(entries_of.draft_text(draft, "99", page.newline))
    assert parse(added.render()) == added
