"""Our block in somebody's page: everything around it stays, byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.errors import FileError
from agent_memory.vault.block import ANY_BLOCK, spliced

OPEN, CLOSE = "<!-- agent-memory:project -->", "<!-- /agent-memory:project -->"


@given(st.text(alphabet="ab\n\r #<é\ufeff"), st.lists(st.text(alphabet="xyz -")), st.lists(st.text(alphabet="xyz -")))
def test_only_the_block_changes_and_it_is_found_again(text, lines, others):
    once = spliced(text, "project", ["first", *lines])
    again = spliced(once, "project", ["second", *others])

    assert once.startswith(text)
    assert again.startswith(text)
    assert len(ANY_BLOCK.findall(again)) == 1
    assert ANY_BLOCK.sub("", once).strip() == text.strip()
    assert spliced(again, "project", ["first", *lines]) == once


def test_what_stands_below_it_stays_below_and_line_ends_are_the_pages():
    page = f"# T\r\n\r\n{OPEN}\r\nold\r\n{CLOSE} mine\r\nrest \r\n"

    assert spliced(page, "project", ["new"]) == page.replace("old", "new")


def test_nothing_to_say_and_no_block_is_nothing_to_do():
    assert spliced("# T", "project", []) == "# T"


@pytest.mark.parametrize(
    "text",
    [
        f"{OPEN}\nx",
        f"x\n{CLOSE}",
        f"{CLOSE}\n{OPEN}",
        f"{OPEN}\n{CLOSE}\n{OPEN}\n{CLOSE}",
        f" {OPEN}\nx\n {CLOSE}",
        f"{OPEN}\nx\n  {CLOSE}",
        f"{OPEN}\nx\n{CLOSE}\n\t{OPEN}",
        f"{OPEN}\nx\n{CLOSE}".replace("<!-- ", "<!--").replace(" -->", "-->"),
    ],
)
def test_markers_that_are_no_pair_are_left_to_their_owner(text):
    with pytest.raises(FileError, match="one pair"):
        spliced(text, "project", ["new"])
