"""A viewer for all tests of the page, a browser for each module: playwright keeps an event loop while it is open."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from agent_memory.app.library import open_memory
from tests.interfaces.web.browsing import CHROMIUM, QUIET, Seen, Viewer, viewer

AGENT = """
import sys, time
asked = sys.stdin.read()
print(f"I was told {len(asked)} characters.", flush=True)
if "Take your time" in asked:
    time.sleep(600)
print("We decided to keep the sessions in Redis because Postgres was slow.", flush=True)
"""


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewer]:
    root = tmp_path_factory.mktemp("page")
    (root / "agent.py").write_text(AGENT, encoding="utf-8")
    with open_memory(root / ".memory", agent="default") as memory:
        memory.add("The staging database is copied every night.", category="notes")
    with viewer(root, AGENT_MEMORY_AGENTS_COMMAND=f"{sys.executable} {root / 'agent.py'}") as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield started
        started.close()


@pytest.fixture
def visit(server: Viewer, browser: Any) -> Iterator[Any]:
    """Open the page at a place in it; afterwards it has complained of nothing and asked nobody else."""
    seen = Seen()
    contexts = []
    expected = ["412"]  # a refused write, which Chromium writes into the console of whoever asked

    def open_at(place: str = "", *, allowed: tuple[str, ...] = (), **given: Any) -> Any:
        context = browser.new_context(**{"locale": "en-US", **given})
        contexts.append(context)
        expected.extend(allowed)
        page = context.new_page()
        page.set_default_timeout(20_000)
        seen.watch(page, server.url)
        page.goto(f"{server.url}{place}")
        page.wait_for_selector(".view > *")
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert [one for one in seen.complaints if not any(known in one for known in expected)] == []
    assert seen.strangers == []
