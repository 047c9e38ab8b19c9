from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_memory.errors import FileError
from agent_memory.sources import wsl
from agent_memory.sources.cursor import CURSOR, cursor_slug
from agent_memory.sources.dashboard import DASHBOARD
from agent_memory.tailing.projects import judge_projects
from agent_memory.tailing.scan import scan
from tests.tailing.test_scan import a_file


def a_project(home: Path, slug: str, claim: object = None) -> Path:
    project = home / ".cursor/projects" / slug
    (project / "agent-transcripts").mkdir(parents=True)
    if claim is not None:
        text = claim if isinstance(claim, str) else json.dumps(claim)
        (project / ".workspace-trusted").write_text(text, encoding="utf-8")
    return project / "agent-transcripts"


def found(home: Path, workspace: Path | str) -> list[Path]:
    judged = judge_projects(CURSOR, home=str(home), data_dir=None, workspace=str(workspace))
    return [verdict.transcripts for verdict in judged if verdict.ours == "yes"]


def judged(home: Path, workspace: Path | str) -> dict[str, tuple[str, str]]:
    found = judge_projects(CURSOR, home=str(home), data_dir=None, workspace=str(workspace))
    return {verdict.folder.name: (verdict.ours, verdict.why) for verdict in found}


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


def test_what_has_nothing_to_do_with_the_workspace_is_not_named(home):
    a_project(home, "w-other")
    a_project(home, "x", {"workspacePath": "/w/secret"})
    a_project(home, "1778382652592", {"workspacePath": "/w/secret"})

    assert judged(home, "/w/app") == {}


def test_folders_of_no_single_workspace_are_left_out_and_named(home):
    for name in ("empty-window", "1778382652592", "agent-transcripts"):
        a_project(home, name)

    found = judged(home, "/w/app")

    assert set(found) == {"empty-window", "1778382652592", "agent-transcripts"}
    assert set(found.values()) == {("no", "It belongs to no single workspace.")}


def test_a_name_that_two_folders_share_decides_nothing(home, tmp_path):
    (tmp_path / "a-b").mkdir()
    (tmp_path / "a_b").mkdir()
    a_project(home, cursor_slug(str(tmp_path / "a_b")))

    ((ours, why),) = judged(home, tmp_path / "a_b").values()

    assert ours == "unclear"
    assert str(tmp_path / "a-b") in why


def test_a_folder_deeper_or_higher_may_share_the_name_too(home, tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a-b").mkdir()
    (tmp_path / "持久化").mkdir()
    a_project(home, cursor_slug(str(tmp_path / "a-b")))
    a_project(home, cursor_slug(str(tmp_path)))

    assert [ours for ours, _ in judged(home, tmp_path / "a-b").values()] == ["unclear"]
    assert [ours for ours, _ in judged(home, tmp_path / "持久化").values()] == ["unclear"]
    assert [ours for ours, _ in judged(home, tmp_path).values()] == ["yes"]  # what is inside it is no rival


def test_links_that_go_round_are_not_followed(home, tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "_").symlink_to(tmp_path)
    (tmp_path / "app_").symlink_to(tmp_path / "app")
    a_project(home, cursor_slug(str(tmp_path / "app")))

    assert [ours for ours, _ in judged(home, tmp_path / "app").values()] == ["yes"]


@pytest.mark.parametrize(
    ("log", "ours"),
    [
        ("x\n[info] workspacePath=/w/app pid=3\n", "yes"),
        ('{"workspacePath": "/w/app"}\n', "yes"),
        ("workspacePath=/w/a pp\nworkspacePath=/w/app", "yes"),
        ("workspacePath=/w/app10\n", "no"),
        ("nothing is said\n", "yes"),
    ],
)
def test_a_log_outweighs_the_name(home, log, ours):
    project = a_project(home, "w-app").parent
    (project / "worker.log").write_text("x" * 100_000 + "\n" + log, encoding="utf-8")

    assert judged(home, "/w/app")["w-app"][0] == ours


def test_a_long_name_that_was_cut_needs_other_evidence(home):
    workspace = "/private/tmp/somebody/code/switchboard-of-the-office"
    name = "private-tmp-somebody-code-switchbo-157e277"
    project = a_project(home, name).parent
    assert judged(home, workspace)[name][0] == "unclear"

    (project / "worker.log").write_text(f"workspacePath={workspace}\n", encoding="utf-8")
    assert judged(home, workspace)[name][0] == "yes"


def test_a_workspace_file_in_the_workspace_counts_if_all_its_roots_are_there(home, tmp_path):
    (tmp_path / "all.code-workspace").write_text('{"folders": [{"path": "."}, {"path": "api"}]} // ours')
    a_project(home, cursor_slug(str(tmp_path / "all.code-workspace")))
    assert [ours for ours, _ in judged(home, tmp_path).values()] == ["yes"]

    (tmp_path / "all.code-workspace").write_text('{"folders": [{"path": "."}, {"uri": "vscode-remote://x/y"}]}')
    assert [ours for ours, _ in judged(home, tmp_path).values()] == ["unclear"]


def test_a_claim_to_a_workspace_file_elsewhere_is_ours_only_as_far_as_its_roots(home, tmp_path):
    for name in ("app", "app10"):
        (tmp_path / name).mkdir()
    file = tmp_path / "both.code-workspace"
    file.write_text('{"folders": [{"path": "app10"}]}')
    a_project(home, "1778382652592", {"workspacePath": str(file)})
    assert judged(home, tmp_path / "app") == {}

    file.write_text('{"folders": [{"path": "app10"}, {"path": "app"}]}')
    assert judged(home, tmp_path / "app")["1778382652592"][0] == "unclear"


def test_a_source_without_projects_has_none(home):
    assert judge_projects(DASHBOARD, home=str(home), data_dir=None, workspace="/w") == ()


def judged_inside_windows(home, users, workspace):
    found = judge_projects(
        CURSOR, home=str(home), data_dir=None, workspace=str(workspace), distribution="Ubuntu-24.04", users=str(users)
    )
    return {verdict.folder.name: verdict.ours for verdict in found}


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ("/mnt/c/dev/my app", "c:\\dev\\my app"),
        ("/mnt/d/", "d:\\"),
        ("/home/u/proj", "\\\\wsl.localhost\\Ubuntu-24.04\\home\\u\\proj"),
        ("/", "\\\\wsl.localhost\\Ubuntu-24.04\\"),
        ("/mnt/wsl/x", "\\\\wsl.localhost\\Ubuntu-24.04\\mnt\\wsl\\x"),
    ],
)
def test_windows_and_a_linux_inside_it_name_the_same_folders(inside, outside):
    assert wsl.outward(inside, "Ubuntu-24.04") == outside
    assert wsl.inward(outside, "ubuntu-24.04") == inside
    assert wsl.inward(outside.replace("\\", "/").replace("wsl.localhost", "wsl$"), "Ubuntu-24.04") == inside
    assert wsl.inward(inside, "Ubuntu-24.04") == inside


def test_inside_windows_its_homes_are_looked_through_too(home, tmp_path):
    users, workspace = tmp_path / "Users", tmp_path / "proj"
    workspace.mkdir()
    seen = wsl.outward(str(workspace), "Ubuntu-24.04")
    a_project(users / "ana", cursor_slug(seen))
    a_project(users / "ana", cursor_slug(str(workspace)))  # of a Linux without Windows: not this one
    a_project(users / "bea", "x", {"workspacePath": seen})
    a_project(users / "bea", "y", {"workspacePath": seen.replace("Ubuntu-24.04", "Debian")})
    a_file(users / "eve" / ".cursor" / "projects")  # a home that cannot be looked through
    a_project(home, "z", {"workspacePath": str(workspace)})

    assert judged_inside_windows(home, users, workspace) == {"z": "yes", cursor_slug(seen): "yes", "x": "yes"}
    assert list(judged(home, workspace)) == ["z"]
    assert judged_inside_windows(home, tmp_path / "nowhere", workspace) == {"z": "yes"}


def test_inside_windows_a_name_that_two_folders_share_decides_nothing_either(home, tmp_path):
    for name in ("a-b", "a_b"):
        (tmp_path / name).mkdir()
    name = cursor_slug(wsl.outward(str(tmp_path / "a_b"), "Ubuntu-24.04"))
    a_project(tmp_path / "Users" / "ana", name)

    assert judged_inside_windows(home, tmp_path / "Users", tmp_path / "a_b") == {name: "unclear"}


def test_a_folder_of_windows_is_known_by_its_drive(home, tmp_path):
    a_project(tmp_path / "ana", "C-dev-app")
    a_project(tmp_path / "ana", "other", {"workspacePath": "C:\\dev\\app"})

    assert judged_inside_windows(home, tmp_path, "/mnt/c/dev/app") == {"C-dev-app": "yes", "other": "yes"}
