"""The door to git: what a repository holds and how it is set up. It is asked only for a command that is about git."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

TIMEOUT_S: Final = 20.0


def output(where: Path, *arguments: str) -> str | None:
    """Return what git prints when run in a folder; None where it fails, is not there, or takes too long."""
    ended = _run(where, *arguments)
    return ended.stdout.decode("utf-8", "surrogateescape") if ended and ended.returncode == 0 else None


def merge_text(ours: Path, base: Path, theirs: Path) -> bool:
    """Merge three files as text into the first, as git would by itself; tell whether no conflict is marked there."""
    names = ("-L", "ours", "-L", "base", "-L", "theirs")
    paths = (str(path.absolute()) for path in (ours, base, theirs))
    ended = _run(ours.absolute().parent, "merge-file", *names, *paths)
    return ended is not None and ended.returncode == 0


def _run(where: Path, *arguments: str) -> subprocess.CompletedProcess[bytes] | None:
    try:
        return subprocess.run(  # noqa: S603
            ["git", "-C", str(where), *arguments],  # noqa: S607  whichever git the user has
            capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=TIMEOUT_S,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
