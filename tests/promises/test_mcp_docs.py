"""docs/mcp.md is followed: its program runs, its table has every tool, its entry starts what it says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agent_memory.interfaces.cli.main import run
from agent_memory.interfaces.mcp_server.tools import TOOLS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")


def block(language):
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return found


def test_the_table_has_every_tool_and_what_it_takes_to_have_it():
    rows = re.findall(r"^\| `(memory_\w+)` \|.*\| (.*?) ?\|$", PAGE, re.MULTILINE)

    assert rows == [
        (tool.name, ", ".join(['`mcp.tools = "all"`'] * tool.extra + ["reads"] * tool.reads)) for tool in TOOLS
    ]


def test_the_entry_for_a_client_names_a_command_that_there_is(capsys):
    (server,) = json.loads(block("json"))["mcpServers"].values()

    assert server["command"] == "agent-memory"
    assert run([server["args"][0], "--help"]) == 0
    assert server["args"][1] in capsys.readouterr().out


@pytest.mark.e2e
def test_the_program_of_the_page_runs(tmp_path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-c", block("python")], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path},
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "project" / ".memory" / "default" / "notes.md").exists()
