"""A real browser in front of the real program: what the tests of the page and the pictures of it start from."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agent_memory.app.library import NewEntry, open_memory

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --no-first-run"
    " --disable-sync --no-proxy-server"
).split()


@dataclass
class Viewer:
    """The program, serving one memory folder."""

    root: Path
    url: str
    process: subprocess.Popen[str]

    @property
    def memory(self) -> Path:
        return self.root / ".memory"


@contextlib.contextmanager
def viewer(root: Path, **environment: str) -> Iterator[Viewer]:
    """Run ``agent-memory viewer`` in a folder, with a HOME of its own, until the block ends."""
    home = root / "home"
    home.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGENT_MEMORY_", "XDG_"))}
    env = {**kept, "HOME": str(home), "AGENT_MEMORY_SEMANTIC_MODE": "off", **environment}
    command = [
        sys.executable,
        "-m",
        "agent_memory",
        "viewer",
        "--no-open",
        "--port",
        "0",
        "--dir",
        str(root / ".memory"),
    ]
    process = subprocess.Popen(command, cwd=root, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, "the viewer says where it is"
        yield Viewer(root, found[0], process)
    finally:
        process.terminate()
        process.communicate(timeout=20)


@dataclass
class Seen:
    """What a page did besides what it should: complaints in its console, and requests that left this host."""

    complaints: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def watch(self, page: Any, url: str) -> None:
        """Listen to a page that is served from this address."""
        host = urlsplit(url).netloc

        def heard(said: Any) -> None:
            if said.type in ("error", "warning"):
                self.complaints.append(said.text)

        def asked(request: Any) -> None:
            if urlsplit(request.url).netloc != host:
                self.strangers.append(request.url)

        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", heard)
        page.on("request", asked)


def remember(server: Viewer, agent: str, category: str, *bodies: str, **given: Any) -> list[str]:
    """Write memories, a minute apart, and return their ids."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    entries = [
        NewEntry(body, category, agent, at=at + timedelta(minutes=number), **given)
        for number, body in enumerate(bodies)
    ]
    with open_memory(server.memory) as memory:
        return memory.add_all(entries)


def told(server: Viewer, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """Return what the API answers, as somebody else than the page would be told."""
    sent = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(
        f"{server.url.rstrip('/')}{path}", sent, {"Content-Type": "application/json"}, method=method
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def words_of(server: Viewer, page: str) -> str:
    """Return a page as it stands on the disk."""
    return (server.memory / page).read_text(encoding="utf-8")
