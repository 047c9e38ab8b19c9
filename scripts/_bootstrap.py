"""What every script starts with: a virtual environment of the checkout's own, with what is needed in it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
DEV_EXTRAS = "mcp,web,tui"  # what the tests run with; those of `semantic` say themselves that it is absent
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def in_venv(*, dev: bool) -> Path:
    """Make ``.venv`` if need be, install into it, and return its Python.

    ``dev`` adds the tools of the development group. What was installed for an unchanged
    ``pyproject.toml`` is not installed again.
    """
    if sys.version_info < (3, 11):  # noqa: UP036  the script runs under whatever python3 there is
        sys.exit(f"agent-memory needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    if not PYTHON.exists() and subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=False).returncode:
        sys.exit("python3 -m venv failed; on Debian and Ubuntu: apt install python3-venv")
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    stamp = VENV / ("dev.stamp" if dev else "run.stamp")
    if not stamp.exists() or stamp.read_text() != wanted:
        print("Setting up .venv …", file=sys.stderr, flush=True)
        # Dependency groups need pip 25.1, and the pip that comes with Python may be older.
        pip("install", "--upgrade", "pip>=25.1")
        group = ("--group", f"{ROOT / 'pyproject.toml'}:dev")
        pip("install", "--editable", f"{ROOT}[{DEV_EXTRAS}]" if dev else str(ROOT), *(group if dev else ()))
        stamp.write_text(wanted)
    return PYTHON


def pip(*arguments: str) -> None:
    """Run pip in the environment, quietly; its errors end the script."""
    command = [str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    if code := subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit(code)
