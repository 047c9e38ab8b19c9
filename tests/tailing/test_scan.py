from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agent_memory.errors import FileError
from agent_memory.sources.cursor import CURSOR
from agent_memory.tailing.scan import find_folders, scan

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


def a_project(home: Path, slug: str, claim: object = None) -> Path:
    project = home / ".cursor/projects" / slug
    (project / "agent-transcripts").mkdir(parents=True)
    if claim is not None:
        text = claim if isinstance(claim, str) else json.dumps(claim)
        (project / ".workspace-trusted").write_text(text, encoding="utf-8")
    return project / "agent-transcripts"


def found(home: Path, workspace: Path | str) -> list[Path]:
    return list(find_folders(CURSOR, home=str(home), data_dir=None, workspace=str(workspace)))


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


def test_a_project_is_ours_by_its_claim_or_else_by_its_name(home, tmp_path):
    workspace = tmp_path / "my_app"
    workspace.mkdir()
    by_name = a_project(home, "-".join(tmp_path.parts[1:]).replace("_", "-") + "-my-app")
    by_claim = a_project(home, "something-e83f160", {"workspacePath": str(workspace)})
    a_project(home, "unrelated", {"workspacePath": str(tmp_path / "other")})
    a_project(home, "empty-window")

    assert sorted(found(home, workspace)) == sorted([by_name, by_claim])


def test_a_project_that_claims_another_path_is_not_ours_whatever_its_name(home):
    a_project(home, "w-a-b", {"workspacePath": "/w/a-b"})

    assert found(home, "/w/a_b") == []
    assert found(home, "/w/a-b") == [home / ".cursor/projects/w-a-b/agent-transcripts"]


@pytest.mark.parametrize("claim", ["", "not json", "[]", '{"workspacePath": 7}', "[" * 100_000])
def test_a_broken_claim_leaves_it_to_the_name(home, claim):
    ours = a_project(home, "w-app", claim)

    assert found(home, "/w/app") == [ours]


def test_links_to_the_workspace_lead_to_the_same_project(home, tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    ours = a_project(home, "x", {"workspacePath": str(link)})

    assert found(home, real) == found(home, link) == [ours]


def test_stray_files_among_the_projects_are_no_projects(home):
    a_file(home / ".cursor/projects/w-app")
    a_file(home / ".cursor/projects/other")

    assert scan(found(home, "/w/app")).files == ()


def test_a_home_without_the_editor_has_no_folders(home):
    assert found(home, "/w/app") == []


def test_a_file_where_the_projects_should_be_says_so(home):
    a_file(home / ".cursor/projects")

    with pytest.raises(FileError):
        found(home, "/w/app")
