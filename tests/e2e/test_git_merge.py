"""Two clones of one vault, and git itself merging them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent_memory.interfaces.cli.main import run
from agent_memory.vault.page import parse

pytestmark = pytest.mark.e2e


class Clone:
    """A person's clone, with the program on its PATH."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        bin_folder = home / "bin"
        bin_folder.mkdir(exist_ok=True)
        program = bin_folder / "agent-memory"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agent_memory "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        who = {f"GIT_{role}_{what}": "a@b.c" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        path = os.pathsep.join([str(bin_folder), os.environ["PATH"]])
        self.environment = {**os.environ, **who, "HOME": str(home), "PATH": path, "GIT_CONFIG_NOSYSTEM": "1"}

    def run(self, *command: str, ok: bool = True) -> str:
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) is ok, (command, done.stdout, done.stderr)
        return done.stdout.strip()

    def git(self, *arguments: str, ok: bool = True) -> str:
        return self.run("git", *arguments, ok=ok)

    def ours(self, *arguments: str) -> None:
        """Run a command of ours, in this process, which is quicker."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.root)
            assert run(arguments) == 0

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "work")

    @property
    def page(self) -> Path:
        return self.root / ".memory" / "default" / "decisions.md"

    def bodies(self) -> list[str]:
        return sorted(entry.body for entry in parse(self.page.read_text(encoding="utf-8")).entries)

    def id_of(self, body: str) -> str:
        entries = parse(self.page.read_text(encoding="utf-8")).entries
        return next(entry.comment.id for entry in entries if entry.comment and entry.body == body)

    def add(self, body: str) -> None:
        self.ours("vault", "add", "default", "decisions", "--content", body)


@pytest.fixture
def clones(tmp_path: Path, home: Path) -> tuple[Clone, Clone]:
    """Two clones that have the same three decisions, and a merge driver."""
    (tmp_path / "one").mkdir()
    one = Clone(tmp_path / "one", home)
    one.git("init", "-q", "-b", "main")
    for body in ("Use SQLite.", "Prices are in cents.", "Deploy on Mondays."):
        one.add(body)
    one.ours("init", "--yes", "--only", "rule", "--merge-driver")
    one.commit()
    one.git("clone", "-q", str(one.root), str(tmp_path / "two"))
    two = Clone(tmp_path / "two", home)
    two.ours("init", "--yes", "--only", "rule", "--merge-driver")
    return one, two


def diverge(one: Clone, two: Clone) -> None:
    """One forgets a decision that two edits; two deletes one that stays with one; both edit the third."""
    one.ours("forget", one.id_of("Use SQLite."), "--force")
    two.ours("vault", "edit", "default", "decisions", two.id_of("Use SQLite."), "--content", "Use SQLite, always.")
    two.ours("vault", "delete", "default", "decisions", two.id_of("Prices are in cents."), "--force")
    for clone, day in ((one, "Tuesdays"), (two, "Fridays")):
        entry = clone.id_of("Deploy on Mondays.")
        clone.ours("vault", "edit", "default", "decisions", entry, "--content", f"Deploy on {day}.")
        clone.add(f"Added by {day}.")
        clone.commit()


EXPECTED = ["Added by Fridays.", "Added by Tuesdays.", "Deploy on Fridays.", "Deploy on Tuesdays."]


def test_git_merges_pages_entry_by_entry_whichever_way(clones: tuple[Clone, Clone]) -> None:
    diverge(*clones)
    one, two = clones
    for into, other, how in ((one, two, "merge"), (two, one, "merge"), (two, one, "rebase")):
        into.git("tag", "-f", "before")
        into.git("fetch", "-q", str(other.root), "main")
        into.git(how, "-q", "FETCH_HEAD")

        assert into.bodies() == EXPECTED, how
        assert into.git("status", "--porcelain") == ""
        into.git("reset", "-q", "--hard", "before")


def test_a_shared_page_that_both_changed_is_merged_as_text_and_a_page_of_the_future_is_left_to_a_person(
    clones: tuple[Clone, Clone],
) -> None:
    one, two = clones
    for clone, word in ((one, "cents"), (two, "pence")):
        text = clone.page.read_text(encoding="utf-8")
        clone.page.write_text(text.replace("format: 1", "format: 2").replace("cents", word + "!"), encoding="utf-8")
        clone.commit()
    two.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main", ok=False)

    text = two.page.read_text(encoding="utf-8")
    assert text.count("<<<<<<<") == text.count(">>>>>>>") == 1
    assert "pence!" in text
    assert "cents!" in text


def test_uninstall_takes_the_setting_back_and_init_alone_only_says_how(
    clones: tuple[Clone, Clone],
) -> None:
    one, _ = clones
    one.ours("uninstall", "--yes")
    assert "agent-memory" not in one.git("config", "--list", "--local")

    one.ours("init", "--yes", "--only", "rule")
    assert "agent-memory" not in one.git("config", "--list", "--local")


def test_without_the_program_git_marks_the_conflict(clones: tuple[Clone, Clone]) -> None:
    one, two = clones
    diverge(one, two)
    two.environment["PATH"] = two.environment["PATH"].partition(os.pathsep)[2]
    if subprocess.run(
        ["sh", "-c", "command -v agent-memory"], env=two.environment, capture_output=True, check=False
    ).stdout:
        pytest.skip("the program is installed on this PATH too")
    two.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main", ok=False)

    assert "<<<<<<<" in two.page.read_text(encoding="utf-8")
