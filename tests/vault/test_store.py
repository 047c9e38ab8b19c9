from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_memory.errors import FileError, InvalidName, LockTimeout, PageConflict, UnknownEntry
from agent_memory.model.memory import Add, Amend, Batch, Move, PageRef, TakenLine
from agent_memory.model.transcript import FileIdentity
from agent_memory.system import locks
from agent_memory.system.paths import MemoryFolder
from agent_memory.vault.page import Page
from agent_memory.vault.store import Vault, View
from tests.builders import A_DAY
from tests.fakes import FrozenClock
from tests.vault.worlds import ARCHIVE, REF, a_draft

VAULTS = Path(__file__).parent.parent / "fixtures" / "vaults"

posix = pytest.mark.skipif(os.name != "posix", reason="links and modes are those of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "workspace" / ".memory"


def a_vault(root: Path) -> Vault:
    return Vault(MemoryFolder(root), FrozenClock(), lock_timeout_s=5)


def add(body: str = "Use SQLite.", *, ref: PageRef = REF, key: str | None = None) -> Callable[[View], Batch]:
    return lambda view: Batch((Add(ref, a_draft(body, key=key)),))


def take(*keys: str) -> Callable[[View], Batch]:
    """Add what no page and no line of the ledger has yet, as ingestion does."""

    def plan(view: View) -> Batch:
        new = [key for key in keys if not view.by_key(key)]
        lines = [TakenLine(key, "", A_DAY, "stored") for key in keys if view.taken.by_key(key) is None]
        return Batch(tuple(Add(PageRef("default", key), a_draft(key, key=key)) for key in new), tuple(lines))

    return plan


def everything(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def truth(root: Path) -> dict[str, bytes]:
    return {name: data for name, data in everything(root).items() if not name.startswith(".vault")}


def test_looking_at_a_vault_that_does_not_exist_shows_nothing_and_writes_nothing(root: Path) -> None:
    vault = a_vault(root)
    view = vault.view()
    assert (view.memories, view.agents, vault.shelf.agents(), vault.shelf.page_states()) == ((), (), [], [])
    assert (vault.journal_runs(), vault.shelf.project_text()) == ((), "")
    assert vault.update(lambda view: Batch(), verb="x").changes == ()
    assert not root.exists()


def test_a_plan_that_fails_leaves_no_trace(root: Path) -> None:
    with pytest.raises(UnknownEntry):
        a_vault(root).update(lambda view: Batch((Amend(REF, "1", body="x"),)), verb="x")
    assert truth(root) == {}


def test_the_first_write_makes_the_folder_what_a_vault_starts_as(root: Path) -> None:
    root.parent.mkdir()
    (root.parent / "README.md").write_text("# Hive Log\n", encoding="utf-8")
    a_vault(root).update(add(), verb="add")
    assert set(truth(root)) == {".gitignore", ".gitattributes", "_project.md", "README.md", "default/decisions.md"}
    assert (root / ".gitignore").read_text(encoding="utf-8").split() == [".vault/", "conversations/", "*.am-tmp"]
    attributes = (root / ".gitattributes").read_text(encoding="utf-8").splitlines()
    assert attributes == [
        "taken.jsonl merge=union", "*/*.md merge=agent-memory", "*/archive/*.md merge=agent-memory",
    ]  # fmt: skip
    assert a_vault(root).shelf.project_text().startswith("# Hive Log\n")


@posix
def test_what_is_the_machines_is_for_its_owner_only(root: Path) -> None:
    a_vault(root).update(add(), verb="add")
    assert (root / ".vault").stat().st_mode & 0o777 == 0o700


def test_a_file_that_is_there_is_never_written_over(root: Path) -> None:
    root.mkdir(parents=True)
    for name in (".gitignore", ".gitattributes", "_project.md"):
        (root / name).write_text("mine", encoding="utf-8")
    a_vault(root).update(add(), verb="add")
    assert {data for name, data in truth(root).items() if not name.startswith("default")} == {b"mine"}
    assert not (root / "README.md").exists()


def test_what_its_owner_deletes_later_is_not_made_again(root: Path) -> None:
    vault = a_vault(root)
    vault.update(add(), verb="add")
    (root / "_project.md").unlink()
    vault.update(add("more"), verb="add")
    assert not (root / "_project.md").exists()


def test_an_empty_batch_changes_no_byte(root: Path) -> None:
    vault = a_vault(root)
    vault.update(add(key="k"), verb="add")
    before = everything(root)
    vault.update(lambda view: Batch(), verb="x")
    vault.update(lambda view: Batch((Amend(REF, view.memories[0].id, meta={"status": None}),)), verb="x")
    assert everything(root) == before


def test_an_update_says_what_it_did_and_the_journal_says_it_too(root: Path) -> None:
    vault = a_vault(root)
    added = vault.update(add(), verb="vault add")
    amended = vault.update(
        lambda view: Batch((Amend(REF, added.ids("add")[0], body="x"),)), verb="vault edit", undoes="r"
    )
    assert added.ids("add") == amended.ids("amend")
    first, second = vault.journal_runs()
    assert (first, second) == (added, amended)
    assert (second.verb, second.undoes) == ("vault edit", "r")
    assert second.changes[0].before == first.changes[0].after


def test_a_hand_edit_is_seen_at_once(root: Path) -> None:
    vault = a_vault(root)
    vault.update(add(), verb="add")
    assert [state.page for state in vault.shelf.page_states()] == [REF]
    (state,) = vault.shelf.page_states()
    path = vault.shelf.path_of(REF)
    path.write_bytes(path.read_bytes() + b"\n## 2026-01-01\n\nBy hand.\n")
    (changed,) = vault.shelf.page_states()
    assert changed.digest != state.digest
    assert [memory.body for memory in changed.load()] == ["Use SQLite.", "By hand."]
    assert len(vault.view().memories) == 2


def test_a_vault_of_the_npm_package_is_read_and_grows_without_a_byte_lost(root: Path) -> None:
    shutil.copytree(VAULTS / "npm", root)
    before = truth(root)
    vault = a_vault(root)
    assert vault.shelf.agents() == ["dev"]
    vault.update(add(ref=PageRef("dev", "decisions")), verb="add")
    after = truth(root)
    new_entry = after["dev/decisions.md"].replace(before["dev/decisions.md"].split(b"<!-- id:1795900000000")[0], b"")
    assert b"Use SQLite." in new_entry
    assert before.keys() <= after.keys()
    assert all(after[name] == before[name] for name in before if name != "dev/decisions.md")


def test_pages_before_archives_and_the_latest_saved_first(root: Path) -> None:
    for name, text in {"a/archive/tasks.md": "archived", "a/tasks.md": "older", "b/tasks.md": "newer"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"<!-- id:1 key:k -->\n## 2026-03-16\n\n{text}\n", encoding="utf-8")
    os.utime(root / "a/tasks.md", ns=(1, 1))
    view = a_vault(root).view()
    assert [memory.body for memory in view.by_id("1")] == ["newer", "older", "archived"]
    assert view.by_id("1") == view.by_key("k")
    assert [memory.body for memory in view.of("a", "tasks")] == ["older", "archived"]
    assert view.agents == ("a", "b")
    assert view.id_in_use("1")
    assert not view.id_in_use("2")


def test_a_page_that_changes_while_it_is_decided_on_is_decided_on_again(root: Path) -> None:
    vault = a_vault(root)
    vault.update(add("first"), verb="add")
    path, calls = vault.shelf.path_of(REF), []

    def plan(view: View) -> Batch:
        calls.append(len(view.memories))
        if len(calls) == 1:
            path.write_bytes(path.read_bytes() + b"\n## 2026-01-01\n\nBy hand.\n")
        return add("second")(view)

    vault.update(plan, verb="add")
    assert calls == [1, 2]
    assert sorted(memory.body for memory in vault.view().memories) == [
        "By hand.",
        "Use SQLite."[:0] + "first",
        "second",
    ]


def test_a_page_that_never_stands_still_is_given_up_with_nothing_lost(root: Path) -> None:
    vault = a_vault(root)
    vault.update(add("first"), verb="add")
    path, calls = vault.shelf.path_of(REF), []

    def plan(view: View) -> Batch:
        calls.append(1)
        path.write_bytes(path.read_bytes() + b"\nagain\n")
        return add("second")(view)

    with pytest.raises(PageConflict) as failure:
        vault.update(plan, verb="add")
    assert failure.value.hint
    assert len(calls) == 5
    assert path.read_bytes().endswith(b"\nagain\n" * 5)
    assert len(vault.journal_runs()) == 1


def test_many_writers_lose_nothing(root: Path) -> None:
    def write(name: str) -> None:
        vault = a_vault(root)
        for n in range(8):
            vault.update(add(f"{name}{n}"), verb="add")

    writers = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    memories = a_vault(root).view().memories
    assert sorted(memory.body for memory in memories) == sorted(f"{name}{n}" for name in "abc" for n in range(8))
    assert len({memory.id for memory in memories}) == 24


def test_a_held_lock_is_waited_for_and_then_reported(root: Path) -> None:
    vault = Vault(MemoryFolder(root), FrozenClock(), lock_timeout_s=0)
    with locks.locked(root / ".vault" / "vault.lock", timeout_s=1), pytest.raises(LockTimeout):
        vault.update(add(), verb="add")


@pytest.mark.parametrize("name", ["../escaped", "conversations", ".hidden", "", "a/b", "nul"])
def test_a_hostile_name_is_refused_and_nothing_is_written(root: Path, name: str) -> None:
    vault = a_vault(root)
    for ref in (PageRef(name, "decisions"), PageRef("default", name)):
        with pytest.raises(InvalidName):
            vault.update(add(ref=ref), verb="add")
    assert truth(root) == {}
    assert list(root.parent.parent.rglob("*.md")) == []


@posix
def test_a_link_that_leads_out_of_the_vault_is_passed_over_and_refused(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "decisions.md").write_text("## 2026-03-16\n\nSecret.\n", encoding="utf-8")
    vault = a_vault(root)
    vault.update(add(), verb="add")
    (root / "linked").symlink_to(outside)
    (root / "default" / "lessons.md").symlink_to(outside / "decisions.md")
    (root / "default" / "tasks.md").symlink_to(outside / "new.md")
    view = vault.view()
    assert view.agents == ("default",)
    assert [memory.body for memory in view.memories] == ["Use SQLite."]
    assert view.skipped == ("default/lessons.md",)
    for ref in (PageRef("linked", "decisions"), PageRef("default", "lessons"), PageRef("default", "tasks")):
        with pytest.raises(FileError):
            vault.update(add(ref=ref), verb="add")
    assert [path.name for path in outside.iterdir()] == ["decisions.md"]


@posix
def test_links_in_a_circle_are_passed_over_and_refused(root: Path) -> None:
    vault = a_vault(root)
    vault.update(add(), verb="add")
    (root / "circle").symlink_to(root / "circle")
    (root / "default" / "tasks.md").symlink_to(root / "default" / "tasks.md")
    assert len(vault.view().memories) == 1
    for ref in (PageRef("circle", "decisions"), PageRef("default", "tasks")):
        with pytest.raises(FileError):
            vault.update(add(ref=ref), verb="add")


@posix
def test_the_machines_own_folder_may_not_be_a_link_out_of_the_vault(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    root.mkdir(parents=True)
    (root / ".vault").symlink_to(tmp_path / "outside")
    vault = a_vault(root)
    for attempt in (
        lambda: vault.update(add(), verb="add"),
        vault.prepare,
        lambda: vault.rewrite_project(lambda text: "x"),
    ):
        with pytest.raises(FileError):
            attempt()
    assert list((tmp_path / "outside").iterdir()) == []


@posix
def test_the_shared_page_and_the_ledger_may_not_be_links_out_of_the_vault(root: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("secret", encoding="utf-8")
    root.mkdir(parents=True)
    for name in ("_project.md", "taken.jsonl"):
        (root / name).symlink_to(tmp_path / "key")
    vault = a_vault(root)
    for attempt in (vault.shelf.project_text, lambda: vault.rewrite_project(lambda text: "x"), vault.view):
        with pytest.raises(FileError):
            attempt()
    assert (tmp_path / "key").read_text(encoding="utf-8") == "secret"


def test_a_page_of_a_newer_format_is_read_and_not_written(root: Path) -> None:
    vault = a_vault(root)
    path = vault.shelf.path_of(REF)
    path.parent.mkdir(parents=True)
    text = "---\ntitle: 'x: y'\nformat: 2\non: yes\n---\n\n## 2026-03-16\n\nFrom the future.\n"
    path.write_text(text, encoding="utf-8")
    assert len(vault.view().memories) == 1
    with pytest.raises(FileError, match="newer"):
        vault.update(add(), verb="add")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("front", ["title: a: b", "content: x", "on: yes", "1: 2", "a: [", "format: soon", "a: \udc80"])
def test_front_matter_that_is_no_yaml_is_kept_and_harms_nothing(root: Path, front: str) -> None:
    vault = a_vault(root)
    path = vault.shelf.path_of(REF)
    path.parent.mkdir(parents=True)
    top = f"---\nname: x\n{front}\n---\n".encode("utf-8", "surrogateescape")
    path.write_bytes(top)
    vault.update(add(), verb="add")
    assert path.read_bytes().startswith(top + b"\n<!-- id:")


@pytest.mark.parametrize("what", ["default", "default/decisions.md", "taken.jsonl", ".vault"])
def test_a_file_where_a_folder_should_be_and_the_reverse_is_one_sentence(root: Path, what: str) -> None:
    root.mkdir(parents=True)
    if what.endswith(("md", "jsonl")):
        (root / what).mkdir(parents=True)
    else:
        (root / what).write_text("x", encoding="utf-8")
    with pytest.raises(FileError) as failure:
        a_vault(root).update(take("decisions"), verb="add")
    assert failure.value.hint


def test_the_shared_page_is_its_owners(root: Path) -> None:
    vault = a_vault(root)
    vault.rewrite_project(lambda text: "# Nosso\r\n\r\nConvenções.\r\n")
    assert (root / "_project.md").read_bytes() == "# Nosso\r\n\r\nConvenções.\r\n".encode()
    assert vault.shelf.project_text() == "# Nosso\r\n\r\nConvenções.\r\n"
    vault.update(add(), verb="add")
    assert vault.shelf.project_text().startswith("# Nosso")


class Killed(Exception):
    """The process was ended here."""


class MortalVault(Vault):
    """A vault whose process is ended before or after its nth write of a page."""

    steps: int
    after: bool

    def _write_page(self, ref: PageRef, page: Page, expected: FileIdentity | None) -> FileIdentity:
        self.steps -= 1
        if self.steps == 0 and not self.after:
            raise Killed
        identity = super()._write_page(ref, page, expected)
        if self.steps == 0:
            raise Killed
        return identity


def killed(root: Path, plan: Callable[[View], Batch], steps: int, *, after: bool) -> None:
    vault = MortalVault(MemoryFolder(root), FrozenClock(), lock_timeout_s=5)
    vault.steps, vault.after = steps, after
    with pytest.raises(Killed):
        vault.update(plan, verb="process")


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_taking_again_after_a_kill_gives_what_one_undisturbed_run_gives(root: Path, steps: int, after: bool) -> None:
    undisturbed = root.parent / "undisturbed"
    plan = take("one", "two", "three")
    a_vault(undisturbed).update(plan, verb="process")
    killed(root, plan, steps, after=after)
    a_vault(root).update(plan, verb="process")
    assert truth(root).keys() == truth(undisturbed).keys()
    assert all(data == truth(undisturbed)[name] for name, data in truth(root).items() if name.startswith("default"))
    assert sorted(truth(root)["taken.jsonl"].splitlines()) == sorted(truth(undisturbed)["taken.jsonl"].splitlines())


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("back", [False, True])
def test_a_move_that_was_killed_never_loses_the_entry_and_is_finished_by_doing_it_again(
    root: Path, steps: int, after: bool, back: bool
) -> None:
    vault = a_vault(root)
    (name,) = vault.update(add(), verb="add").ids("add")
    source, target = REF, ARCHIVE
    if back:
        vault.update(lambda view: Batch((Move(REF, name),)), verb="compact")
        source, target = ARCHIVE, REF
    raw = vault.view().by_id(name)[0].raw

    def move(view: View) -> Batch:
        standing = {memory.page for memory in view.by_id(name)}
        return Batch((Move(source, name),) if source in standing else ())

    killed(root, move, steps, after=after)
    copies = a_vault(root).view().by_id(name)
    assert {memory.raw for memory in copies} == {raw}
    a_vault(root).update(move, verb="compact")
    assert [(memory.page, memory.raw) for memory in a_vault(root).view().memories] == [(target, raw)]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_killed_move_of_entries_without_ids_is_finished_without_doubling_them(
    root: Path, steps: int, after: bool
) -> None:
    vault = a_vault(root)
    path = vault.shelf.path_of(REF)
    path.parent.mkdir(parents=True)
    same = "## 2026-03-16\n\nsame\n"
    path.write_text(f"<!-- id:1 -->\n{same}\n{same}\n{same}", encoding="utf-8")

    def move(view: View) -> Batch:
        return Batch(tuple(Move(REF, memory.id) for memory in view.of("default", "decisions", archived=False)))

    killed(root, move, steps, after=after)
    vault.update(move, verb="compact")
    assert [(memory.page, memory.body) for memory in vault.view().memories] == [(ARCHIVE, "same")] * 3
