#!/usr/bin/env python3
"""Take the pictures of docs/viewer.md: a small vault in a real browser, light and dark, English and Portuguese.

    ./scripts/viewer_pictures.py [FOLDER]

Needs Debian's chromium. The folder is docs/viewer unless another is given.
"""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from _bootstrap import ROOT, in_venv

ENTRIES = (
    ("decisions", "sqlite performance", "The mirror stays in **WAL mode**: readers must never wait for a writer."),
    ("decisions", "auth jwt", "Decidimos autenticar com JWT de curta duração; o refresh fica em cookie `HttpOnly`."),
    ("decisions", "tooling", "pnpm instead of yarn.\n\n- workspaces install faster\n- the lock file can be read"),
    ("decisions", "deploy", "Deploys go out on Tuesdays, never on Fridays."),
    ("lessons", "storage", "After a rename, `fsync` the folder too, or the name may be lost."),
    ("lessons", "testes", "Testes de fuso horário precisam de um relógio injetado."),
    ("tasks", "migration", "- [ ] write the migration for `users.email`\n- [x] add the index\n- [ ] tell support"),
    ("handoffs", "auto-handoff", "### Requested\nMake login work on Safari.\n\n### Next\nTell support."),
    ("notes", "staging", "The staging database is copied every night at two."),
)
PROJECT = "# Loja\n\nA bookshop in **FastAPI** and React.\n\n- Postgres 16\n- deployed with Terraform\n"


def fill(memory: Any, entry: Any) -> None:
    """Write what the pictures show."""
    memory.add_all(
        entry(body, category, tags=tuple(tags.split()), at=datetime(2026, 3, 2 + number, 9, 15, tzinfo=UTC))
        for number, (category, tags, body) in enumerate(ENTRIES)
    )
    memory.add("Components own their styles.", category="decisions", agent="frontend")


def take(browser: Any, url: str, folder: Path) -> None:
    """Take the four pictures."""

    def page(place: str, **given: Any) -> Any:
        size = given.pop("viewport", {"width": 1180, "height": 720})
        opened = browser.new_context(viewport=size, **given).new_page()
        opened.goto(f"{url}{place}")
        opened.wait_for_selector(".view .card")
        return opened

    light = page("#/vault/default/decisions", locale="en-US", color_scheme="light")
    light.keyboard.press("j")
    light.keyboard.press("j")
    light.keyboard.press("e")
    light.screenshot(path=folder / "memories.png")
    dark = page("#/briefing/default", locale="en-US", color_scheme="dark")
    dark.get_by_label("Budget").fill("250")
    dark.locator(".spent", has_text="of 250 tokens").wait_for()
    dark.screenshot(path=folder / "briefing.png")
    portuguese = page("#/vault/default/decisions", locale="pt-BR", color_scheme="dark")
    portuguese.keyboard.press("/")
    portuguese.keyboard.type("autenticação")
    portuguese.locator(".result").first.wait_for()
    portuguese.screenshot(path=folder / "busca.png")
    small = page("#/vault/default/tasks", locale="pt-BR", color_scheme="light", viewport={"width": 380, "height": 720})
    small.screenshot(path=folder / "tarefas.png")


def main(folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    from agent_memory.app.library import NewEntry, open_memory
    from tests.interfaces.web.browsing import CHROMIUM, QUIET, viewer

    if CHROMIUM is None:
        sys.exit("There is no chromium here; on Debian and Ubuntu: apt install chromium")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "loja"
        root.mkdir()
        with open_memory(root / ".memory", agent="default") as memory:
            fill(memory, NewEntry)
        (root / ".memory" / "_project.md").write_text(PROJECT, encoding="utf-8")
        with viewer(root) as running, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
            take(browser, running.url, folder)
            browser.close()
    print(f"four pictures in {folder}")


if __name__ == "__main__":
    if Path(sys.prefix) != ROOT / ".venv":
        import subprocess

        sys.exit(subprocess.run([str(in_venv(dev=True)), *sys.argv], cwd=ROOT, check=False).returncode)
    sys.path.insert(0, str(ROOT))
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "viewer")
