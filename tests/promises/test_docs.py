"""What README and docs promise is executed."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "tests" / "fixtures" / "demo"
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = [line for block in SHELL.findall(README) for line in block.splitlines() if line.strip()]


def test_the_first_screen_says_what_it_writes_and_how_to_remove_it():
    first_screen = "\n".join(README.splitlines()[:20])

    assert "What it writes" in first_screen
    assert "stop and remove" in first_screen


def test_every_command_of_the_readme_is_known_here():
    kinds = {shlex.split(command)[0] for command in COMMANDS}

    assert kinds == {"./scripts/demo", "./scripts/test", "pipx", "agent-memory"}


def test_the_scripts_of_the_readme_are_there_to_be_run():
    for command in COMMANDS:
        if command.startswith("./"):
            assert (ROOT / command).stat().st_mode & 0o111


@pytest.mark.e2e
def test_every_command_of_the_readme_works_in_a_project(workspace):
    text = "Let's keep a session cookie instead of tokens, because the login page must work without scripts."
    workspace.chat().user(text).assistant("Done, it is a session cookie.").ended().save(written=workspace.long_ago())

    for command in (shlex.split(line) for line in COMMANDS):
        if command[0] == "agent-memory" and command[1] != "watch":  # it runs until it is stopped: test_watch.py
            done = subprocess.run(
                [sys.executable, "-m", "agent_memory", *command[1:]],
                cwd=workspace.root, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
            )  # fmt: skip
            assert done.returncode == 0, (command, done.stderr)
            assert done.stdout.strip(), command


@pytest.mark.e2e
def test_the_demo_shows_the_main_job():
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "demo_tour.py")], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert re.search(r"Took [1-9]\d* decisions, [1-9]\d* lessons, [1-9]\d* tasks, 3 handoffs", done.stdout)
    assert "agent-memory:briefing" in done.stdout
    assert "3 conversations were up to date" in done.stdout
    planted = re.findall(
        r"API_KEY=([A-Za-z0-9]{32})", "".join(path.read_text("utf-8") for path in DEMO.glob("*.jsonl"))
    )
    assert planted
    assert not [secret for secret in planted if secret in done.stdout]


def test_the_task_that_we_use_is_the_one_that_the_readme_names():
    import json

    task = json.loads((ROOT / ".vscode" / "tasks.json").read_text(encoding="utf-8"))["tasks"][0]

    assert task["label"] == "agent-memory: watch transcripts"
    assert [task["command"], *task["args"]] == ["agent-memory", "watch", "--wait-for-transcripts"]
    assert task["runOptions"] == {"runOn": "folderOpen", "instanceLimit": 1}
    assert task["presentation"]["reveal"] == "never"
    assert "agent-memory watch --wait-for-transcripts" in README
