"""A workspace in which what the help shows works, anew for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.prepared import prepare
from tests.workspace import Workspace


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prepared") / "all"


@pytest.fixture
def ready(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A copy of the prepared workspace, at the place where it was made: chats are found by where it lies."""
    if not original.exists():
        root, home = original / "now" / "shop", original / "now" / "home"
        (root / ".git").mkdir(parents=True)
        home.mkdir()
        monkeypatch.setenv("HOME", str(home))
        prepare(Workspace(root, home))
        shutil.copytree(original / "now", original / "kept")
    shutil.rmtree(original / "now")
    shutil.copytree(original / "kept", original / "now")
    monkeypatch.setenv("HOME", str(original / "now" / "home"))
    return Workspace(original / "now" / "shop", original / "now" / "home")
