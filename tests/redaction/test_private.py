"""What stands between private tags is nobody's but its writer's, however the tags are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.redaction import redact
from agent_memory.redaction.private import PRIVATE

WORD = "zanzibarquokka"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"Use <private>{WORD}</private> for it.", f"Use {PRIVATE} for it."),
        (f"Use <PRIVATE>{WORD}</Private> for it.", f"Use {PRIVATE} for it."),
        (f"Use < private >{WORD}< / private > for it.", f"Use {PRIVATE} for it."),
        (f"Use <private\n>{WORD}\n\n{WORD}</private\t> for it.", f"Use {PRIVATE} for it."),
        (f'Use <private why="mine">{WORD}</private> for it.', f"Use {PRIVATE} for it."),
        (f"A <private>{WORD}</private> b <private>{WORD}</private> c", f"A {PRIVATE} b {PRIVATE} c"),
        (f"A <private>{WORD}", f"A {PRIVATE}"),
        (f"A <private>x<private>y</private>{WORD}</private> b", f"A {PRIVATE} b"),
        (f"A <private>x<private>y</private>{WORD}", f"A {PRIVATE}"),
        (f"<private>{WORD}</private>\nabc123XYZ890def", f"{PRIVATE}\n[REDACTED:token]"),
    ],
)
def test_what_is_marked_as_private_is_gone(text: str, left: str) -> None:
    assert redact(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        "private methods of class <Private", "a < privateer > b", "</private> alone", "<private/> alone", PRIVATE,
        "um campo <privado> de teste",
    ],
)  # fmt: skip
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert redact(text).text == text
    assert redact(text).count == 0


@given(st.lists(st.sampled_from(["<private>", "</private>", "<PRIVATE >", "< /private>", "a ", "\n", "<", ">"])))
def test_taking_it_out_again_changes_nothing(parts: list[str]) -> None:
    bare = redact("".join(parts))
    assert redact(bare.text).text == bare.text
    assert redact(bare.text).count == 0


@given(st.text(), st.text().filter(lambda text: "/" not in text), st.sampled_from(["<private>", "< PRIVATE>"]))
def test_nothing_behind_a_tag_is_left_while_it_is_open(before: str, behind: str, tag: str) -> None:
    assert WORD not in redact(before + tag + behind + WORD).text
