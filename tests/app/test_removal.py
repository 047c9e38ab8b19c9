"""Taking the memory itself away: all that is ours, and nothing of anybody else."""

import json
import subprocess
import sys

import pytest

from agent_memory.app import removal, setup, vault
from agent_memory.app.container import open_app
from agent_memory.errors import UsageError
from agent_memory.system import locks


def everything(workspace):
    return {
        path.relative_to(workspace.root): path.is_file() and path.read_bytes() for path in workspace.root.rglob("*")
    }


def remembered(workspace):
    with workspace.app() as app:
        setup.init(app, setup.rows_for(None, [], []))
        vault.add(app, "default", "decisions", "Preços em centavos.", [])
        vault.add(app, "ana", "lessons", "Nunca usar float.", [])


def purged(workspace):
    with workspace.app() as app:
        setup.uninstall(app)
        return removal.purge(app)


def test_nothing_is_left(workspace):
    before = everything(workspace)
    remembered(workspace)

    assert purged(workspace).kept == ()
    assert everything(workspace) == before


def test_what_others_have_put_there_stays_and_is_named(workspace):
    remembered(workspace)
    theirs = {"conversations/ana.json": b"{}", "default/sketch.png": b"png", "Ana.md": b"# flat", ".git-note": b"x"}
    for path, data in theirs.items():
        (workspace.memory / path).parent.mkdir(exist_ok=True)
        (workspace.memory / path).write_bytes(data)
    (workspace.memory / "README.md").write_text("My own words.\n", encoding="utf-8")

    done = purged(workspace)

    assert set(done.kept) == {*theirs, "README.md"}
    assert set(workspace.files()) == set(done.kept)


def test_links_in_it_lead_nowhere(workspace, tmp_path):
    remembered(workspace)
    (tmp_path / "theirs.md").write_text("kept", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "decisions.md").write_text("kept", encoding="utf-8")
    (workspace.memory / "default" / "lessons.md").symlink_to(tmp_path / "theirs.md")
    (workspace.memory / "bea").symlink_to(tmp_path / "folder")
    (workspace.memory / ".vault" / "link").symlink_to(tmp_path / "folder")

    assert purged(workspace).kept == ("bea",)
    assert (tmp_path / "theirs.md").exists()
    assert (tmp_path / "folder" / "decisions.md").exists()


def test_who_watches_or_shares_the_memory_is_named_and_nothing_goes(workspace, tmp_path):
    remembered(workspace)
    before = everything(workspace)
    lock = locks.try_lock(workspace.memory / ".vault" / "watch-0123.lock")
    assert lock
    with workspace.app() as app, pytest.raises(UsageError, match="process"):
        removal.plan(app)
    lock.release()

    note = workspace.memory / ".vault" / "setup.json"
    note.write_text(json.dumps({**json.loads(note.read_text("utf-8")), "/another": {"a": {}}}), encoding="utf-8")
    with workspace.app() as app, pytest.raises(UsageError, match="/another"):
        removal.plan(app)

    (tmp_path / "elsewhere").mkdir()
    with (
        open_app(directory=str(workspace.memory), workspace=str(tmp_path / "elsewhere")) as app,
        pytest.raises(UsageError, match="not this workspace's"),
    ):
        removal.plan(app)
    assert set(everything(workspace)) >= set(before)


def test_a_folder_that_is_no_memory_keeps_all_that_is_in_it(workspace):
    page = workspace.root / "notes" / "shop" / "decisions.md"  # named as a page would be
    page.parent.mkdir(parents=True)
    page.write_text("mine", encoding="utf-8")
    with (
        open_app(directory=str(workspace.root / "notes"), workspace=str(workspace.root)) as app,
        pytest.raises(UsageError, match="no memory"),
    ):
        removal.purge(app)

    assert page.exists()


@pytest.mark.e2e
def test_the_command_asks_shows_and_then_deletes(workspace):
    remembered(workspace)
    program = [sys.executable, "-m", "agent_memory", "uninstall", "--purge"]

    def uninstall(*words):
        done = subprocess.run([*program, *words], cwd=workspace.root, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    code, said = uninstall()
    assert (code, "Nobody is there to confirm" in said) == (2, True)
    code, said = uninstall("--dry-run")
    assert (code, f"delete {workspace.memory}/default/decisions.md" in said) == (0, True)
    assert (workspace.memory / "default" / "decisions.md").exists()
    code, said = uninstall("--yes")
    assert (code, "Your memory is deleted" in said) == (0, True)
    assert not workspace.memory.exists()
    code, said = uninstall("--yes")
    assert (code, "memory" in said) == (0, False)  # there is none
