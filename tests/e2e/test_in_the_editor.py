"""From an empty repository to a new chat that knows what the first one decided, and then forgets it: real processes."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from agent_memory.editors.table import BRIEFING_RULE
from tests.app.test_watch import eventually
from tests.interfaces.hooks import compiled

pytestmark = pytest.mark.e2e

PROGRAM = [sys.executable, "-m", "agent_memory"]
DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."


def run(workspace, *words, stdin=""):
    done = subprocess.run(
        [*PROGRAM, *words],
        cwd=workspace.root, capture_output=True, text=True, check=False, input=stdin, env=compiled(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def told(workspace):
    """What a new session is told by the rule, and by the hook as the editor has it registered."""
    hooks = json.loads((workspace.root / ".cursor" / "hooks.json").read_text("utf-8"))["hooks"]
    words = hooks["sessionStart"][0]["command"].split()[1:]
    payload = json.dumps({"hook_event_name": "sessionStart", "workspace_roots": [str(workspace.root)]})
    return (workspace.root / BRIEFING_RULE).read_text("utf-8"), run(workspace, *words, stdin=payload)


def test_a_new_chat_knows_what_the_first_decided_until_it_is_forgotten(workspace):
    run(workspace, "init", "--yes")
    assert not any("SQLite" in text for text in told(workspace))
    task = json.loads((workspace.root / ".vscode" / "tasks.json").read_text("utf-8"))["tasks"][0]

    with subprocess.Popen([*PROGRAM, *task["args"]], cwd=workspace.root, stderr=subprocess.DEVNULL) as watching:
        try:
            workspace.chat().user(DECISION).assistant("Done.").ended().save(written=datetime.now(UTC))
            eventually(lambda: "SQLite" in told(workspace)[0], within_s=60)
            eventually(lambda: "SQLite" in told(workspace)[1], within_s=60)

            run(workspace, "forget", "--match", "SQLite for the order store, one file per shop", "--force")

            assert not any("SQLite" in text for text in told(workspace))
        finally:
            watching.terminate()
    assert not any("SQLite" in text for text in told(workspace))
