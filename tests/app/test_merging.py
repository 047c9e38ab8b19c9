"""The merge driver as git calls it: three files, a path, and a repository that may be in any state."""

from __future__ import annotations

import pytest

from agent_memory.app import merging
from tests.vault.test_threeway import BASE, add, bodies, changed


@pytest.fixture
def three(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paths = [tmp_path / name for name in ("base", "ours", "theirs")]
    texts = BASE, changed(BASE, add("Ours.", "7")), changed(BASE, add("Theirs.", "8"))
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def merge(three, path, label=""):
    base, ours, theirs = three
    return merging.merge(base, ours, theirs, path, label)


@pytest.mark.parametrize("path", ["default/decisions.md", ".memory/Ana Mária/archive/lessons.md", "a/b/.memory/x/y.md"])
def test_a_page_is_merged_entry_by_entry_wherever_the_vault_lies(three, path):
    assert merge(three, path)
    assert sorted(bodies(three[1].read_text(encoding="utf-8"))) == ["First.", "Ours.", "Second.", "Theirs."]


@pytest.mark.parametrize("path", [".memory/_project.md", "README.md", ".memory/default/taken.jsonl", "", "../x"])
def test_what_is_no_page_is_merged_as_text(three, path):
    for file, text in zip(three, ("one\ntwo\n", "one\ntwo!\n", "one\ntwo?\n"), strict=True):
        file.write_text(text, encoding="utf-8")

    assert not merge(three, path)
    assert three[1].read_text(encoding="utf-8").startswith("one\n<<<<<<< ours\ntwo!\n")


def test_bytes_that_are_no_text_are_kept(three):
    three[2].write_bytes(BASE.replace("First.", "\0First.").encode() + b"\xff\xfe\n")
    assert merge(three, "default/decisions.md")

    assert b"\xff\xfe" in three[1].read_bytes()


def test_a_file_that_is_not_there_is_a_conflict_and_nothing_is_made(three):
    three[0].unlink()
    three[1].unlink()

    assert not merge(three, "default/decisions.md")
    assert not three[1].exists()


@pytest.mark.parametrize("line", ["<<<<<<< HEAD", '{"k": 1}', "\0", '{"k":"a","id":"7","t":"never","why":"forgotten"}'])
def test_a_ledger_in_the_middle_of_a_merge_stops_nothing(three, tmp_path, line):
    (tmp_path / "taken.jsonl").write_text(line + "\n", encoding="utf-8")

    assert merge(three, "default/decisions.md", "-x 'of; nowhere")


def test_what_the_ledger_here_says_is_forgotten_does_not_come_back(three, tmp_path):
    forgotten = '{"k": "a", "id": "1", "t": "2026-03-20T00:00:00Z", "why": "forgotten"}'
    (tmp_path / "taken.jsonl").write_text(forgotten + "\n", encoding="utf-8")
    three[1].write_text(changed(BASE).replace("First.", "Edited."), encoding="utf-8")
    gone = [entry for entry in BASE.split("---\n\n") if "First." not in entry]
    three[2].write_text("---\n\n".join(gone), encoding="utf-8")

    assert merge(three, "default/decisions.md")
    assert bodies(three[1].read_text(encoding="utf-8")) == ["Second."]
