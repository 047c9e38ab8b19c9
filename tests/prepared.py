"""A workspace in which every example of the help works, and running a line of help in it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent_memory.interfaces.cli.main import run
from tests.terminal import run_on_terminal
from tests.workspace import Workspace

PAGES = {
    "decisions": """<!-- id:1773679871840 by:user -->
## 2026-03-17T09:00 · #orders

The order store is SQLite, one file per shop.

---

<!-- id:1773679871839 by:user -->
## 2026-03-16T16:51 · #prices

Prices are in cents everywhere.

---
""",
    "lessons": """<!-- id:1773679871900 by:heuristic status:proposed -->
## 2026-03-16T17:00

Run the migrations before the tests, or they fail.

---

<!-- id:1773679871902 by:consolidation links:parent>1773679871839 confidence:0.60 activation:migrations -->
## 2026-03-16T17:00

Migrations that lock a table go out at night.

---
""",
    "notes": """<!-- id:1773679871901 by:user -->
## 2026-03-16T17:00 · #ops

The backup host is called gallery.

---
""",
    "procedures": """<!-- id:1773679871903 by:consolidation activation:release -->
## 2026-03-16T17:00

1. Tag the release.
2. Push the tag.

---
""",
}
CHAT = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."
LASTING = ("watch", "viewer", "tui", "mcp", "hook")


@dataclass(frozen=True)
class Ended:
    """What a line of help came to."""

    code: int
    out: str
    err: str


def prepare(workspace: Workspace) -> Workspace:
    """Fill a workspace: pages with ids that the examples name, a chat, a dashboard's chat, a checkpoint, a fact."""
    for category, text in PAGES.items():
        page = workspace.memory / "default" / f"{category}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"---\nagent: default\ncategory: {category}\nformat: 1\n---\n\n{text}", encoding="utf-8")
    written = datetime(2026, 3, 18, 9, 0, tzinfo=UTC)
    chat = workspace.chat().user(CHAT).assistant("Done, it is SQLite now.").ended().save(written=written)
    (workspace.root / "old-chats").mkdir()
    shutil.copy(chat.path, workspace.root / "old-chats" / "0000aaaa-0000-4000-8000-000000000009.jsonl")
    said = {"messages": [{"role": "user", "text": "We use tabs."}], "agentId": "default"}
    (workspace.memory / "conversations").mkdir()
    (workspace.memory / "conversations" / "default.json").write_text(json.dumps(said), encoding="utf-8")
    for name in ("base", "ours", "theirs"):
        shutil.copy(workspace.memory / "default" / "decisions.md", workspace.root / f"{name}.md")
    (workspace.root / "Ana.md").write_text("# Ana\n\n## Decisions\n\n- Bread is sold warm.\n", encoding="utf-8")
    for line in (
        "agent-memory process",
        "agent-memory profile set database postgres",
        "agent-memory profile set database sqlite",
        'echo \'{"messages": [{"role": "user", "text": "Where were we?"}]}\' | agent-memory session checkpoint',
        "agent-memory vault edit default decisions 871840 --content 'The order store is SQLite.'",
        "agent-memory links add 871840 relates-to 871839",
        "agent-memory search prices",
    ):
        done = execute(line, workspace)
        assert done.code == 0, (line, done)
    return workspace


def execute(line: str, workspace: Workspace, *more: str) -> Ended:
    """Run a line as the help shows it, in this process; what lasts, as a process that is ended again."""
    before, _, command = line.rpartition(" | ")
    words = [*shlex.split(command)[1:], *more]
    given = shlex.split(before)[1] + "\n" if before else ""
    if words[0] == "tui":
        return Ended(*run_on_terminal(words, workspace.root, (" Decisions", "q")), "")
    if words[0] in LASTING:
        return _as_process(words, given, workspace.root)
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.chdir(workspace.root)
        patch.setenv("HOME", str(workspace.home))
        patch.setattr(sys, "stdin", io.StringIO(given))
        return Ended(run(words), out.getvalue(), err.getvalue())


def _as_process(words: list[str], given: str, where: Path) -> Ended:
    command = [sys.executable, "-m", "agent_memory", *words]
    with subprocess.Popen(
        command, cwd=where, env={**os.environ}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        if words[0] in ("watch", "viewer"):  # which say one line once they are there, and then go on
            speaking = process.stderr if words[0] == "watch" else process.stdout
            assert speaking is not None
            told = speaking.readline()
            process.terminate()
            out, err = process.communicate(timeout=60)
            return Ended(process.returncode, out, told + err)
        out, err = process.communicate(given, timeout=60)
        return Ended(process.returncode, out, err)


def examples(path: str) -> list[str]:
    """Return the lines that the help of a command shows as examples."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run([*path.split(), "--help"]) == 0
    lines = out.getvalue().partition("Examples:\n")[2].splitlines()
    return [line.strip() for line in lines if line.startswith("    ") and "agent-memory " in line]


def commands(command: Any, path: str = "") -> list[str]:
    """Return the path of every command that does something."""
    children = getattr(command, "commands", None)
    if children is None:
        return [path]
    return [found for name, child in children.items() for found in commands(child, f"{path} {name}".strip())]
