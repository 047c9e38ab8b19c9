from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_memory.tailing.scan import scan

A, B, C = (
    "aaaaaaaa-0000-4000-8000-00000000000a",
    "bbbbbbbb-0000-4000-8000-00000000000b",
    "cccccccc-0000-4000-8000-0000000000cc",
)


def a_file(path: Path, *, size: int = 10, written_at: int = 1_000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (written_at, written_at))
    return path


def test_every_layout_is_found_the_one_untouched_longest_first(tmp_path):
    a_file(tmp_path / A / f"{A}.jsonl", written_at=3_000)
    a_file(tmp_path / f"{B}.jsonl", written_at=1_000)
    a_file(tmp_path / A / "subagents" / f"{C}.jsonl", written_at=2_000)

    assert [(file.conversation, file.parent) for file in scan([tmp_path]).files] == [(B, None), (C, A), (A, None)]


def test_other_names_are_ignored(tmp_path):
    for name in (
        f"{A}/notes.jsonl",
        f"{A}/{A}.txt",
        f"{A}/subagents/deep/{B}.jsonl",
        "README",
        ".DS_Store",
        f"{A}/x/y/z/w",
    ):
        a_file(tmp_path / name)

    assert scan([tmp_path]) == scan([])


def test_a_folder_whose_chat_has_not_begun_is_nothing(tmp_path):
    (tmp_path / A).mkdir()

    assert scan([tmp_path]).files == ()


def test_of_two_files_with_one_id_the_longer_counts_then_the_newer(tmp_path):
    longer = a_file(tmp_path / "one" / A / f"{A}.jsonl", size=20, written_at=1_000)
    a_file(tmp_path / "two" / f"{A}.jsonl", size=10, written_at=2_000)
    newer = a_file(tmp_path / "one" / f"{B}.jsonl", written_at=2_000)
    a_file(tmp_path / "two" / f"{B}.jsonl", written_at=1_000)

    for folders in ([tmp_path / "one", tmp_path / "two"], [tmp_path / "two", tmp_path / "one"]):
        assert {file.path for file in scan(folders).files} == {str(longer), str(newer)}


def test_a_folder_that_is_not_there_is_empty(tmp_path):
    assert scan([tmp_path / "later"]) == scan([])


def test_what_cannot_be_listed_is_reported_and_costs_itself(tmp_path):
    a_file(tmp_path / "good" / f"{A}.jsonl")
    bad = a_file(tmp_path / "bad")

    result = scan([bad, tmp_path / "good"])

    assert [file.conversation for file in result.files] == [A]
    assert [(trouble.path, "file where a folder should be" in trouble.message) for trouble in result.troubles] == [
        (str(bad), True)
    ]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may list everything")
def test_a_folder_we_may_not_enter_is_reported(tmp_path):
    a_file(tmp_path / f"{A}.jsonl")
    locked = tmp_path / B
    locked.mkdir(mode=0)

    result = scan([tmp_path])

    assert [file.conversation for file in result.files] == [A]
    assert [trouble.path for trouble in result.troubles] == [str(locked)]


def test_a_link_to_nowhere_is_no_conversation(tmp_path):
    (tmp_path / f"{A}.jsonl").symlink_to(tmp_path / "gone")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    assert scan([tmp_path]).files == ()


def test_a_link_to_nowhere_and_a_folder_named_like_a_chat_are_reported(tmp_path):
    (tmp_path / f"{A}.jsonl").symlink_to(tmp_path / "gone")
    (tmp_path / f"{B}.jsonl").mkdir()

    result = scan([tmp_path])

    assert [(trouble.path, trouble.message) for trouble in result.troubles] == [
        (str(tmp_path / f"{A}.jsonl"), "It is a link to a file that is not there.")
    ]
    assert [file.conversation for file in result.files] == [B]  # reading it says what it is


def test_of_twins_the_one_that_is_no_plain_text_counts_unless_it_is_empty(tmp_path):
    a_file(tmp_path / f"{A}.txt", size=90)
    newer = a_file(tmp_path / f"{A}.jsonl", size=10)
    older = a_file(tmp_path / f"{B}.txt", size=90)
    a_file(tmp_path / f"{B}.jsonl", size=0)

    assert {file.path for file in scan([tmp_path]).files} == {str(newer), str(older)}


def test_a_dashboards_chat_is_found_by_the_name_of_its_file(tmp_path):
    a_file(tmp_path / "dev.json")
    a_file(tmp_path / "below" / "dev.json")
    a_file(tmp_path / ".tmp.json")

    assert [(file.source, file.conversation) for file in scan([tmp_path]).files] == [("dashboard", "dev.json")]
