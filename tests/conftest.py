"""What every test gets: a temporary HOME, none of our variables, and a fixed hypothesis profile."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from agent_memory.system.logs import LOGGER
from tests.fakes import FrozenClock
from tests.workspace import Workspace

settings.register_profile("ci", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", deadline=None, max_examples=2000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# They run the same code again and again, which measuring makes a third slower; the other tests reach what they reach.
UNMEASURED = {"crash", "laws", "matrix"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the longer versions of the suites too (marker: slow)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if not UNMEASURED.isdisjoint(item.path.parts):
            item.add_marker("no_cover")
    if config.getoption("--long") or "slow" in config.getoption("markexpr"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    items[:] = [item for item in items if item not in slow]
    config.hook.pytest_deselected(items=slow)


@pytest.fixture(autouse=True)
def _a_home_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    homes = tmp_path_factory.getbasetemp() / "homes"  # apart: processing lists the folders beside a workspace
    homes.mkdir(exist_ok=True)
    home = tempfile.mkdtemp(dir=homes)
    for name in list(os.environ):
        if name.startswith(("AGENT_MEMORY_", "XDG_", "CURSOR_")):
            monkeypatch.delenv(name)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)  # whatever language the computer speaks
    monkeypatch.setenv("PYTHONUTF8", "1")
    monkeypatch.setenv("AGENT_MEMORY_SEMANTIC_MODE", "off")  # whether or not the extra is installed
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("USERPROFILE", home)


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    logger = logging.getLogger(LOGGER)
    before = logger.level, logger.propagate, logger.handlers[:]
    yield
    logger.level, logger.propagate, logger.handlers[:] = before


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def workspace(tmp_path: Path, home: Path) -> Workspace:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "README.md").write_text("# The shop\n\nSells bread.\n", encoding="utf-8")
    return Workspace(root.resolve(), home)
