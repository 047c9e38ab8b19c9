from __future__ import annotations

import pytest

from agent_memory.model.memory import PageRef
from agent_memory.vault.layout import ref_of


@pytest.mark.parametrize("category", ["decisions", "receitas", "数据", "v1.2"])
@pytest.mark.parametrize("archived", [False, True])
def test_a_page_is_found_again_by_its_path(category: str, archived: bool) -> None:
    ref = PageRef("ana maria", category, archived)
    assert ref_of(ref.path) == ref


@pytest.mark.parametrize(
    "path",
    [
        "_project.md",
        "README.md",
        ".vault/notes.md",
        "conversations/a.md",
        "default/decisions.txt",
        "default/.md",
        "default/.hidden.md",
        "default/archive.md",
        "default/archive/old/decisions.md",
        "default/other/decisions.md",
        "../default/decisions.md",
        "archive/decisions.md",
        "con/decisions.md",
        "default/decisions.md/",
        "",
    ],
)
def test_other_files_are_no_pages(path: str) -> None:
    assert ref_of(path) is None
