"""The tables: every row's examples are its tests, malformed rows are named, cues and weights fit together."""

from __future__ import annotations

import pytest

from agent_memory.errors import TableError
from agent_memory.extraction.table import FILES, Cue, fold_sentence, index, load, parse, text_of, weights

ROWS = [(name, cue) for name in FILES for cue in parse(text_of(name), name)]
A_ROW = """
[[cue]]
id = "a"
words = "alpha"
examples = ["alpha"]
"""


def found(cue: Cue, text: str) -> bool:
    role = "user" if cue.role == "user" else "assistant"
    table = index({"en": (cue,), "pt": (cue,)})
    return bool(table.find(text, role) | table.find_label(fold_sentence(text)))


@pytest.mark.parametrize(("name", "cue"), ROWS, ids=[f"{name}-{cue.id}" for name, cue in ROWS])
def test_a_row_finds_its_examples_and_not_its_counterexamples(name: str, cue: Cue) -> None:
    assert cue.examples
    assert [text for text in cue.examples if not found(cue, text)] == []
    assert [text for text in cue.counterexamples if found(cue, text)] == []


def test_every_cue_and_label_exists_in_both_languages() -> None:
    english, portuguese = ({cue.id for cue in parse(text_of(name), name)} for name in FILES)

    assert english == portuguese


def test_every_category_has_weights_for_both_speakers() -> None:
    assert set(weights()) == {
        f"{kind}.{role}" for kind in ("decisions", "lessons", "tasks") for role in ("user", "assistant")
    }
    assert all("bias" in row for row in weights().values())


def test_accents_make_no_difference() -> None:
    assert load().find("nao guarda senha, so o codigo", "user") == load().find("não guarda senha, só o código", "user")


def test_a_veto_stands_alone() -> None:
    assert load().find("Let me always use the cache.", "assistant") == {"vetoed", "veto:narration"}


def test_a_cue_for_one_speaker_is_not_found_in_the_others_words() -> None:
    assert "want" in load().find("I want one file", "user")
    assert "want" not in load().find("I want one file", "assistant")


@pytest.mark.parametrize(
    "row",
    [
        A_ROW.replace('id = "a"', ""),
        A_ROW.replace("examples", "samples"),
        A_ROW + 'kind = "magic"',
        A_ROW + 'role = "nobody"',
        A_ROW + "regex = '('",
        A_ROW.replace('words = "alpha"', ""),
    ],
)
def test_a_malformed_row_is_named(row: str) -> None:
    with pytest.raises(TableError, match=r"en\.toml, row 2"):
        parse(A_ROW + row, "en.toml")


def test_what_is_no_toml_is_refused() -> None:
    with pytest.raises(TableError, match=r"pt\.toml"):
        parse("[[cue", "pt.toml")
