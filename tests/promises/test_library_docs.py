"""The examples of docs/library.md are run, and say what they print."""

import doctest
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_examples_of_the_library_print_what_they_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    done = doctest.testfile(
        str(DOCS / "library.md"),
        module_relative=False,
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE,
        encoding="utf-8",
    )

    assert done.attempted > 15
    assert done.failed == 0
