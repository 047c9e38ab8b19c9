from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory.errors import FileError
from agent_memory.vault.templates import seeds, template, title_of


@pytest.mark.parametrize(
    ("readme", "title"),
    [
        ("# Hive Log\n\ntext", "Hive Log"),
        ("[![ci](x)](y)\n\n#  The [Hive](https://h) ![logo](l.png) <b>Log</b>\n", "The Hive Log"),
        ("no title", "workspace"),
        ("# " + "word " * 100, None),
        ("\ufeff# Título\r\n", "Título"),
    ],
)
def test_the_project_takes_its_title_from_the_readme(tmp_path: Path, readme: str, title: str | None) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "README.md").write_text(readme, encoding="utf-8", newline="")
    found = title_of(workspace)
    assert found == title if title else len(found) <= 100


def test_without_a_readme_the_folder_gives_the_title(tmp_path: Path) -> None:
    assert title_of(tmp_path) == tmp_path.name


def test_a_readme_that_cannot_be_read_is_no_title(tmp_path: Path) -> None:
    (tmp_path / "README.md").mkdir()
    assert title_of(tmp_path) == tmp_path.name


def test_a_template_that_is_missing_is_one_sentence() -> None:
    with pytest.raises(FileError, match="missing") as failure:
        template("_project.md", "xx")
    assert failure.value.hint


@pytest.mark.parametrize(("language", "word"), [("en", "yours"), ("pt", "sua")])
def test_a_vault_starts_in_the_language_of_its_owner(tmp_path: Path, language: str, word: str) -> None:
    texts = seeds(tmp_path, language, new=True)
    assert word in texts["_project.md"]
    assert texts["_project.md"].startswith(f"# {tmp_path.name}\n")
    assert "2026-03-16T16:51" in texts["README.md"]


def test_an_old_folder_gets_no_word_to_its_owner(tmp_path: Path) -> None:
    assert set(seeds(tmp_path, "en", new=False)) == {".gitignore", ".gitattributes", "_project.md"}
