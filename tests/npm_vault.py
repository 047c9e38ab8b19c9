"""A workspace as the npm package leaves it: ``fixtures/npm_vault`` in place, its transcripts where Cursor has them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.workspace import Workspace

FIXTURE = Path(__file__).parent / "fixtures" / "npm_vault"
TAKEN, HALF_TAKEN, NEW = (f"1f0c2d3e-0000-4000-8000-{number:012d}" for number in (1, 2, 3))


def installed(workspace: Workspace) -> Workspace:
    """Lay the fixture out, last touched long ago."""
    shutil.copytree(FIXTURE / "memory", workspace.memory)
    shutil.copytree(FIXTURE / "transcripts", workspace.transcripts)
    then = workspace.long_ago().timestamp()
    for path in (*workspace.memory.rglob("*"), *workspace.transcripts.rglob("*")):
        os.utime(path, (then, then))
    return workspace


def transcript(workspace: Workspace, name: str) -> Path:
    return workspace.transcripts / name / f"{name}.jsonl"


def pages(workspace: Workspace) -> dict[str, bytes]:
    """The pages as they are, byte for byte."""
    return {name: data for name, data in workspace.files().items() if name.endswith(".md") and "/" in name}


def untouched() -> dict[str, bytes]:
    """The pages as the package wrote them."""
    found = (FIXTURE / "memory").glob("*/*.md")
    return {path.relative_to(FIXTURE / "memory").as_posix(): path.read_bytes() for path in found}
