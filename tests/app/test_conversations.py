"""What counts as a conversation of this workspace, and what is said about what does not or cannot be read."""

import json
import os
import stat
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent_memory.app import project
from agent_memory.app.status import status
from agent_memory.interfaces.cli.main import run
from tests.app.test_watch import bodies, eventually, watching
from tests.matrix.cases import DECISION, claim, dashboard, talk


def cli(workspace, capsys, *words):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(workspace.root)
        code = run(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def warnings(workspace):
    with workspace.app() as app:
        return status(app).warnings


def test_explain_says_which_folders_count_and_why(workspace, capsys):
    talk(workspace).save(written=workspace.long_ago())
    claim(workspace.transcripts.parent, workspace.root)
    (workspace.home / ".cursor/projects/empty-window").mkdir()
    claim(workspace.home / ".cursor/projects/other-people", "/home/other/people")
    (workspace.memory / "conversations").mkdir(parents=True)

    code, out, _ = cli(workspace, capsys, "project", "explain", "--json")
    told = json.loads(out)

    assert code == 0
    assert told["workspace"] == str(workspace.root)
    assert {(row["source"], Path(row["folder"]).name, row["ours"]) for row in told["folders"]} == {
        ("cursor", "empty-window", "no"),
        ("cursor", workspace.transcripts.parent.name, "yes"),
        ("dashboard", "conversations", "yes"),
    }
    assert all(row["why"] for row in told["folders"])
    assert "other" not in out

    code, out, _ = cli(workspace, capsys, "project", "explain")
    assert (code, f"counts: {workspace.transcripts.parent}" in out, "left out: " in out) == (0, True, True)


def test_explain_finds_nothing_where_there_is_nothing(workspace, capsys):
    code, out, _ = cli(workspace, capsys, "project", "explain")

    assert (code, "none found" in out) == (0, True)
    assert not workspace.memory.exists()


def test_an_unclear_folder_is_reported_skipped_and_no_failure(workspace, capsys):
    talk(workspace).save(written=workspace.long_ago())
    workspace.root.with_name("shop_").mkdir()

    code, out, err = cli(workspace, capsys, "process")

    assert code == 0
    assert "No conversations found" in out
    assert "has the same name for the editor" in err
    assert any("has the same name for the editor" in warning for warning in warnings(workspace))
    with workspace.app() as app:
        assert [one.ours for one in project.explain(app)] == ["unclear"]


def test_kinds_that_nobody_knows_are_told_by_process_and_remembered_by_status(workspace, capsys):
    chat = talk(workspace)
    chat.lines[2:2] = [b'{"type":"brand_new"}\n'] * 3
    chat.save(written=workspace.long_ago())

    _, out, _ = cli(workspace, capsys, "process", "--json")
    first = json.loads(out)["alarms"]
    _, out, _ = cli(workspace, capsys, "process", "--json")

    assert first == [{"source": "cursor", "kind": "line brand_new", "count": 3}]
    assert json.loads(out)["alarms"] == []
    assert warnings(workspace) == ("cursor: 1 times something that this version does not know: line brand_new.",)


def test_a_file_without_a_record_is_an_alarm_and_if_it_is_broken_a_failure(workspace, capsys):
    for number, data in enumerate([b'{"type":"turn_ended"}\n', b"\xff\xfe" * 50, b""], 1):
        chat = workspace.chat(number)
        chat.lines = [data]
        chat.save(written=workspace.long_ago())

    code, _, err = cli(workspace, capsys, "process")

    assert code == 1
    assert err.count("Nothing in it can be read.") == 1
    assert warnings(workspace) == ("cursor: 2 files hold nothing that this version can read.",)


def test_one_bad_file_of_each_sort_costs_only_itself(workspace, capsys):
    for number in range(1, 21):
        workspace.chat(number).user(f"{DECISION} Shop {number}.").save(written=workspace.long_ago())
    (workspace.transcripts / "0000aaaa.jsonl").mkdir()
    (workspace.transcripts / "0000bbbb.jsonl").symlink_to("nowhere")
    binary = workspace.transcripts / "0000cccc.jsonl"
    binary.write_bytes(bytes(range(256)) * 9)
    os.utime(binary, (1, 1))

    code, out, err = cli(workspace, capsys, "process", "--json")

    told = json.loads(out)
    failed = {Path(error["path"]).name for error in told["errors"] if error["line"] is None}
    assert (code, err) == (1, "")
    assert failed == {"0000aaaa.jsonl", "0000bbbb.jsonl", "0000cccc.jsonl"}
    assert told["turns"] == 20


def test_a_dashboards_pages_are_its_agents_whoever_is_asked_for(workspace):
    dashboard(workspace, [{"role": "user", "text": DECISION}, {"role": "agent", "text": "Done."}], agent="ops")
    workspace.process(agent="somebody")

    assert {memory.page.agent for memory in workspace.memories()} == {"ops"}


def test_a_dashboard_whose_agent_cannot_be_is_an_error_and_writes_nothing(workspace):
    folder = workspace.memory / "conversations"
    folder.mkdir(parents=True)
    (folder / "x.json").write_text(json.dumps({"agentId": "../../out", "messages": [{"role": "user", "text": "a"}]}))

    tally = workspace.process()

    assert tally.failed
    assert not workspace.memories()
    assert not workspace.root.parent.joinpath("out").exists()


def test_two_dashboards_with_one_chat_id_are_both_read(workspace):
    for agent, word in (("dev", "prices in cents"), ("ops", "logs in UTC")):
        text = f"Let's always store {word}, never otherwise, because it went wrong before."
        dashboard(workspace, [{"role": "user", "text": text}, {"role": "agent", "text": "Done."}], agent, chatId="1")

    assert {memory.page.agent for memory in workspace.memories()} == {"dev", "ops"}


@pytest.fixture
def linked(workspace, tmp_path):
    private = workspace.root / ".git" / "worktrees" / "fix"
    private.mkdir(parents=True)
    (private / "commondir").write_text("../..")
    root = tmp_path / "fix"
    root.mkdir()
    (root / ".git").write_text(f"gitdir: {private}")
    return root


def test_a_worktrees_chats_go_to_the_main_worktrees_memory(workspace, linked, capsys):
    workspace.root, main = linked, workspace.root
    talk(workspace).save(written=workspace.long_ago())

    assert cli(workspace, capsys, "process")[0] == 0

    assert (main / ".memory" / "default" / "decisions.md").exists()
    assert not (linked / ".memory").exists()


@pytest.mark.parametrize("where", ["environment", "config"])
def test_unless_settings_say_that_worktrees_are_separate(workspace, linked, capsys, monkeypatch, where):
    if where == "environment":
        monkeypatch.setenv("AGENT_MEMORY_WORKSPACE_SEPARATE_WORKTREES", "true")
    else:
        workspace.memory.mkdir()
        (workspace.memory / "config.toml").write_text("[workspace]\nseparate_worktrees = true\n")
    workspace.root, main = linked, workspace.root
    talk(workspace).save(written=workspace.long_ago())

    assert cli(workspace, capsys, "process")[0] == 0

    assert (linked / ".memory" / "default" / "decisions.md").exists()
    assert not (main / ".memory" / "default").exists()


@pytest.mark.skipif(os.name != "posix", reason="permissions are not these elsewhere")
def test_what_we_may_not_read_costs_itself(workspace, monkeypatch):
    for number in (1, 2, 3):
        talk(workspace, number).save(written=workspace.long_ago())
    workspace.chat(2).path.chmod(0)
    workspace.chat(3).path.parent.chmod(0)
    workspace.process(dry=True)  # whatever is imported late is, before we become somebody else
    with as_an_ordinary_user(workspace):
        tally = workspace.process()

    assert {Path(error.path).name[:8] for error in tally.errors} == {"00000002", "00000003"}
    assert (tally.failed, tally.decisions) == (True, 1)


@contextmanager
def as_an_ordinary_user(workspace):
    """Give a workspace to nobody and be nobody, where we are root: permissions mean nothing to root."""
    if os.geteuid() != 0:
        yield
        return
    for root in (workspace.root, workspace.home):
        for path in (root, *root.rglob("*")):
            os.chown(path, 65534, 65534)
        for path in list(root.parents)[:-2]:
            path.chmod(0o755)
        if closed := [path for path in root.parents if not path.stat().st_mode & stat.S_IXOTH]:
            pytest.skip(f"nobody but us may enter {closed[0]}")
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_watcher_takes_a_dashboards_chat_once_though_it_is_saved_again_and_again(workspace):
    folder = workspace.memory / "conversations"
    folder.mkdir(parents=True)
    messages = [{"role": "user", "text": DECISION}, {"role": "agent", "text": "Done, it is SQLite now."}]

    def save(*more):
        (folder / "dev.json").write_text(json.dumps({"savedAt": "now", "messages": [*messages, *more]}))

    with watching(workspace):
        save()
        eventually(lambda: bodies(workspace, "decisions") != [], within_s=10)
        save()
        eventually(lambda: bodies(workspace, "handoffs") != [], within_s=15)
        save({"role": "user", "text": "thanks"})

    workspace.process(full=True)
    assert [(memory.page.agent, memory.page.category) for memory in workspace.memories()] == [
        ("dev", "decisions"),
        ("dev", "handoffs"),
    ]
