"""The line scanner finds the prose that a full Markdown parser finds, and knows where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent_memory.extraction.prose import blocks, is_machine_line
from agent_memory.model.text import without_briefings

WORDS = st.lists(st.sampled_from(["cache", "não", "the", "fica", "`x`", "12", "a.b"]), min_size=1, max_size=5).map(
    " ".join
)
PARTS = st.one_of(
    WORDS,
    st.tuples(WORDS, WORDS).map("\n".join),
    WORDS.map("# {}".format),
    st.lists(WORDS, min_size=1, max_size=3).map(lambda lines: "\n".join(f"- {line}" for line in lines)),
    st.lists(WORDS, min_size=1, max_size=3).map(lambda lines: "\n".join(f"{n}. {x}" for n, x in enumerate(lines, 1))),
    WORDS.map("```py\n{}\n\n- no\n```".format),
    WORDS.map("~~~~\n{}\n~~~\n~~~~".format),
    WORDS.map("    {}".format),
    WORDS.map("> {}\n> and more".format),
    WORDS.map("> {}\nlazily continued".format),
    WORDS.map("<details>\n{}\n</details>".format),
    WORDS.map("<!-- {} -->".format),
    WORDS.map("| a | b |\n|---|---|\n| {} | x |".format),
    st.just("---"),
)


def prose_by_oracle(text: str) -> list[str]:
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    found, skipping = [], 0
    for token in tokens:
        if token.type in ("blockquote_open", "table_open"):
            skipping += 1
        elif token.type in ("blockquote_close", "table_close"):
            skipping -= 1
        elif token.type == "inline" and not skipping:
            found.append("\n".join(line.strip() for line in token.content.splitlines()))
    return found


def prose_by_us(text: str) -> list[str]:
    return [
        "\n".join(line.strip() for line in text[block.start : block.end].splitlines())
        for block in blocks(text)
        if block.kind != "cell"
    ]


@given(st.lists(PARTS, max_size=6).map("\n\n<!-- -->\n\n".join))
def test_the_prose_is_what_a_full_parser_finds(text: str) -> None:
    assert prose_by_us(text) == prose_by_oracle(text)


@given(st.text(max_size=300))
def test_any_text_gives_blocks_in_order_inside_it(text: str) -> None:
    spans = [(block.start, block.end) for block in blocks(text)]

    assert spans == sorted(spans)
    assert all(0 <= start <= end <= len(text) for start, end in spans)


def test_a_checkbox_is_known_and_its_state_kept() -> None:
    found = blocks("- [ ] write it\n- [x] done\n* plain")

    assert [(block.kind, block.mark) for block in found] == [("checkbox", " "), ("checkbox", "x"), ("bullet", "")]


def test_a_cell_knows_the_heading_of_its_column() -> None:
    text = "| Problem | Cause |\n|---|---|\n| slow | no index |\n"

    assert [(block.column, text[block.start : block.end]) for block in blocks(text)] == [
        ("Problem", "slow"),
        ("Cause", "no index"),
    ]


def test_an_open_fence_swallows_the_rest() -> None:
    assert [block.kind for block in blocks("said\n\n```\ncode\n\nmore code")] == ["paragraph"]


def test_a_briefing_is_blanked_and_everything_else_keeps_its_place() -> None:
    text = "before <!-- agent-memory:briefing v1 -->\nuse X\n<!-- /agent-memory:briefing --> after"

    blanked = without_briefings(text)

    assert len(blanked) == len(text)
    assert blanked.split() == ["before", "after"]


def test_an_unbalanced_briefing_reaches_to_the_end() -> None:
    assert without_briefings("a <!-- agent-memory:briefing -->\nuse X").split() == ["a"]


@pytest.mark.parametrize(
    "line",
    [
        "2026-02-23 23:10:04 INFO pool - started",
        "    at com.example.Pool.create(Pool.java:68)",
        'File "app.py", line 3, in main',
        "TypeError: unsupported operand",
        "npm ERR! code E404",
        "fatal: refusing to merge unrelated histories",
        "@@ -1,3 +1,4 @@",
        "$ make test",
        "112000;14:02:11",
    ],
)
def test_a_line_that_a_program_wrote_is_known(line: str) -> None:
    assert is_machine_line(line)


@pytest.mark.parametrize("line", ["errors go to the log", "- use the long form", "não usa cache", "at noon we deploy"])
def test_a_line_that_a_person_wrote_is_known(line: str) -> None:
    assert not is_machine_line(line)
