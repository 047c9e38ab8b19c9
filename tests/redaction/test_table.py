"""The table of secrets refuses malformed rows and names them."""

from __future__ import annotations

import pytest

from agent_memory.errors import TableError
from agent_memory.redaction.table import literals, load, parse

A_ROW = """
[[rule]]
kind = "a"
literals = ["A-"]
check = "shape"
regex = '(?P<secret>a-[0-9]+)'
examples = ["a-1"]
"""


def test_a_row_becomes_a_rule_with_literals_in_lower_case() -> None:
    (rule,) = parse(A_ROW, "secrets.toml")

    assert (rule.kind, rule.literals, rule.check) == ("a", frozenset({"a-"}), "shape")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('check = "shape"', 'check = "magic"'),
        ("(?P<secret>a-[0-9]+)", "a-[0-9]+"),
        ('literals = ["A-"]', "literals = []"),
        ('kind = "a"', ""),
    ],
)
def test_a_malformed_row_is_named(old: str, new: str) -> None:
    with pytest.raises(TableError, match=r"secrets\.toml, row 2"):
        parse(A_ROW + A_ROW.replace(old, new), "secrets.toml")


def test_what_is_no_toml_is_refused() -> None:
    with pytest.raises(TableError, match=r"secrets\.toml"):
        parse("[[rule", "secrets.toml")


def test_the_literals_are_those_of_all_rules_each_under_a_mark_that_stands_in_it() -> None:
    every = (literals(), literals(long=True))
    by_mark = [(mark, literal) for tier in every for mark, those in tier.items() for literal in those]

    assert {literal for _, literal in by_mark} == {literal for rule in load() for literal in rule.literals}
    assert all(mark in literal for mark, literal in by_mark)
