"""Law 3: a human's words are never overwritten, reordered away or reformatted."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.memory import Add, Amend, Batch, Change, Draft, Move, PageRef
from agent_memory.model.transcript import FileIdentity
from agent_memory.vault.apply import work_out
from agent_memory.vault.page import encode
from agent_memory.vault.view import StoredPage, View
from tests.vault.pages import TRICKY_LINES, drafts, moments

REF = PageRef("default", "decisions")
NOW = datetime(2026, 3, 20, tzinfo=UTC)

typed_lines = st.one_of(
    st.sampled_from([line for line in TRICKY_LINES if "<!--" not in line]), st.text(st.characters(codec="utf-8"))
)


def a_view(texts: dict[PageRef, bytes]) -> View:
    identity = FileIdentity(0, 0, 0, 0)
    return View(StoredPage(ref, identity, data) for ref, data in texts.items())


def written(texts: dict[PageRef, bytes], batch: Batch) -> dict[PageRef, bytes]:
    outcome = work_out(batch, a_view(texts), now=NOW)
    return texts | {ref: encode(page.render()) for ref, page in outcome.final.items()}


@st.composite
def machine_changes(draw: st.DrawFn, view: View) -> Change:
    memories = view.memories
    if not memories or draw(st.booleans()):
        return Add(REF, draw(drafts))
    memory = draw(st.sampled_from(memories))
    meta: dict[str, Any] = draw(st.dictionaries(st.sampled_from(["status", "votes", "keep"]), st.none() | st.text()))
    if draw(st.booleans()):
        return Move(memory.page, memory.id, meta)
    body, at = draw(st.none() | st.text()), draw(st.none() | moments)
    return Amend(memory.page, memory.id, body=body, tags=draw(st.none() | st.just(("new",))), at=at, meta=meta)


def survivors(text: str) -> Counter[str]:
    """The lines of a person's text that carry words; blank lines and separators belong to the page."""
    return Counter(line for line in text.split("\n") if line.strip(" \t\r") not in ("", "---"))


@given(st.lists(drafts, max_size=3), st.lists(typed_lines, min_size=1, max_size=5), st.data())
def test_what_a_person_typed_anywhere_survives_whatever_the_machine_does(
    first: list[Draft], typed: list[str], data: st.DataObject
) -> None:
    texts = written({}, Batch(tuple(Add(REF, draft) for draft in first)))
    page_lines = re.findall(r"[^\n]*\n|[^\n]+", texts.get(REF, b"").decode())
    place = data.draw(st.integers(0, len(page_lines)))
    human = "\n".join(("first words", *typed, "last words")) + "\n"
    texts[REF] = "".join((*page_lines[:place], human, *page_lines[place:])).encode()
    for _ in range(data.draw(st.integers(1, 5))):
        change = data.draw(machine_changes(a_view(texts)))
        texts = written(texts, Batch((change,)))
    everything = b"\n".join(texts.values()).decode()
    assert survivors(human) <= survivors(everything)
    if not any(line.startswith("## ") for line in typed):
        assert human.removesuffix("\n") in everything
