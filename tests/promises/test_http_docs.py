"""docs/http.md is followed: its session runs against a server, and what it says of routes is so."""

import os
import re
import subprocess
import sys
from pathlib import Path

from agent_memory.interfaces.web.server import MAX_BODY_BYTES, PATIENCE_S
from agent_memory.interfaces.web.table import DOCUMENT, EVENTS, ROUTES
from tests.web import site

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "http.md").read_text(encoding="utf-8")


def test_the_session_of_the_page_runs_in_twenty_lines(workspace):
    (program,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len([line for line in program.splitlines() if line.strip()]) <= 20
    with site(workspace) as api:
        done = subprocess.run(
            [sys.executable, "-c", program, f"{api.url}/"],
            cwd=workspace.root, env=os.environ, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        kept = api.listed("decisions", "dev")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("You run the bakery's booking.")
    assert done.stdout.endswith("1 decision and 1 handoff\n")
    assert "queue for the ovens" in kept[0]["content"]


def test_every_route_that_the_page_names_is_there():
    named = set(re.findall(r"`?(?:GET|POST) (/api/[\w/.]+)`|`(/api/\w[\w/.]+)`", PAGE))
    assert {one or other for one, other in named} <= {*(route.path for route in ROUTES), EVENTS, DOCUMENT}
    assert (f"{MAX_BODY_BYTES // 1_000_000} MB" in PAGE, PATIENCE_S) == (True, 10)
