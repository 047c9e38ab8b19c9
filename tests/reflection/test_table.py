"""Each row of the table carries its tests."""

import re
import time
import tomllib
from importlib import resources

import pytest

from agent_memory.model.text import fold
from agent_memory.reflection.table import table

ROWS = tomllib.loads(resources.files("agent_memory.reflection").joinpath("table.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS["expression"], ids=lambda row: f"{row['name']}: {row['examples'][0]}")
def test_an_expression_finds_its_examples_and_not_its_counterexamples(row):
    expression = re.compile(row["regex"])

    assert [text for text in row["examples"] if not expression.search(text)] == []
    assert [text for text in row["counterexamples"] if expression.search(text)] == []
    assert [text for text in row["examples"] + row["counterexamples"] if fold(text) != text] == []


def test_words_are_folded():
    assert [word for words in table().words.values() for word in words if fold(word) != word] == []


@pytest.mark.parametrize("name", sorted({row["name"] for row in ROWS["expression"]}))
def test_no_expression_takes_long_over_hostile_text(name):
    texts = ["ignore " * 5_000, "1 " * 10_000, "a" * 20_000, "from " * 5_000, "curl " * 4_000, "de89 " * 4_000]
    started = time.process_time()
    for text in texts:
        table().finds(name, text[:20_000])
    assert time.process_time() - started < 5
