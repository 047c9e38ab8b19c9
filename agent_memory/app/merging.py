"""Pages in git: merging three versions of one when git asks, and telling git to ask.

The driver must work in any state of the vault, in the middle of a merge: it reads no settings, opens nothing of
ours and takes no lock. What was forgotten on either side is read from the ledgers of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from agent_memory.app.container import App
from agent_memory.fabric.forgotten import forgotten_at
from agent_memory.system import files, git, paths
from agent_memory.system.settings import environment
from agent_memory.vault import page as pages
from agent_memory.vault import taken
from agent_memory.vault.entry import Entry
from agent_memory.vault.layout import ref_of
from agent_memory.vault.taken import Taken
from agent_memory.vault.templates import GIT_ATTRIBUTES
from agent_memory.vault.threeway import Known, merged
from agent_memory.vault.view import View

SECTION: Final = "merge.agent-memory"
# Where the program is not installed git would take our side's page for the result, and lose theirs.
DRIVER: Final = (
    "if command -v agent-memory >/dev/null 2>&1; then agent-memory merge-driver %O %A %B %P %Y;"
    " else git merge-file -L ours -L base -L theirs %A %O %B; fi"
)
LEDGER: Final = "taken.jsonl"

_HEADS: Final = ("MERGE_HEAD", "ORIG_HEAD", "CHERRY_PICK_HEAD")
_REVISION: Final = re.compile(r"\w[\w./-]*")


def merge(base: Path, ours: Path, theirs: Path, path: str, label: str = "") -> bool:
    """Merge three versions of one file into the second, as git's merge drivers do.

    What is no page, or none that can be merged entry by entry, is merged as text.

    Args:
        base: The common ancestor's version.
        ours: Our version, which is replaced.
        theirs: The other side's version.
        path: Where the file stands in the repository, from its top, which is the working folder.
        label: What git calls the other side, if it says so; its first word may be a commit.

    Returns:
        Whether nothing is left for a person to resolve.
    """
    place = _vault_of(path)
    if place is not None and all(map(files.identify, (base, ours, theirs))):
        old, here, there = (_text_of(one) for one in (base, ours, theirs))
        ledgers = _Ledgers(place, label, environment())
        done = merged(old, here, there, Known(ledgers.forgets, ledgers.know_id))
        if done is not None:
            files.put(ours, pages.encode(done))
            return True
    return git.merge_text(ours, base, theirs)


def _vault_of(path: str) -> PurePosixPath | None:
    """Return the vault that a page stands in; None for what is no page."""
    parts = PurePosixPath(path).parts
    depth = 3 if parts[-2:-1] == ("archive",) else 2
    return PurePosixPath(*parts[:-depth]) if ref_of("/".join(parts[-depth:])) else None


def _text_of(path: Path) -> str:
    snapshot = files.read(path)
    return pages.decode(snapshot.data) if snapshot else ""


class _Ledgers:
    """The ledgers of both sides as one, read when first asked for."""

    def __init__(self, place: PurePosixPath, label: str, variables: Mapping[str, str]) -> None:
        self._place = place
        heads = [name.removeprefix("GITHEAD_") for name in variables if name.startswith("GITHEAD_")]
        self._revisions = [*heads, *label.split()[:1], *_HEADS]

    @cached_property
    def view(self) -> View:
        """A vault with nothing but the ledger: there the questions about forgotten words are answered."""
        return View(taken=Taken(line for text in self._texts() for line in taken.parse(text).lines))

    @cached_property
    def _forgotten_ids(self) -> frozenset[str]:
        return frozenset(line.id for line in self.view.taken.lines if line.why == "forgotten")

    def know_id(self, entry_id: str) -> bool:
        """Tell whether something that was taken has this id."""
        return self.view.taken.knows_id(entry_id)

    def forgets(self, entry: Entry) -> bool:
        """Tell whether an entry was forgotten, or is a machine's words that quote what was."""
        key, entry_id, ledger = entry.meta.get("key"), entry.id, self.view.taken
        if key is not None:
            line = ledger.by_key(key)
            if line is not None and line.why == "forgotten":
                return True
        elif entry_id in self._forgotten_ids:
            return True
        if entry.edited or entry.meta.get("by", "user") == "user":
            return False
        forgotten = forgotten_at(self.view, entry.body)
        return forgotten is not None and entry.at <= forgotten

    def _texts(self) -> Iterator[str]:
        yield _text_of(Path(self._place) / LEDGER)
        for revision in filter(_REVISION.fullmatch, dict.fromkeys(self._revisions)):
            yield git.output(Path(), "show", f"{revision}:{(self._place / LEDGER).as_posix()}") or ""


def is_offered(app: App) -> bool:
    """Whether the vault stands in a git repository that does not ask for our merges yet; no process is started."""
    root = paths.repository_root(app.folder.root)
    if root is None:
        return False
    config = (paths.main_worktree(root) or root) / ".git" / "config"
    return "agent-memory merge-driver" not in (files.read_text(config) or "agent-memory merge-driver")


def set_up(app: App) -> bool:
    """Have git merge the vault's pages by us, here and in every clone that says so too; tell whether git agreed.

    The vault's ``.gitattributes`` gets the lines of ours that it lacks; git's own settings are this clone's.
    """
    path = app.folder.root / ".gitattributes"
    text = files.read_text(path) or ""
    lacking = [line for line in GIT_ATTRIBUTES.splitlines() if line not in text.splitlines()]
    settings = {"name": "agent-memory: pages entry by entry", "driver": DRIVER}
    if any(git.output(app.folder.root, "config", f"{SECTION}.{key}", value) is None for key, value in settings.items()):
        return False
    if lacking:
        start = text if text.endswith("\n") or not text else f"{text}\n"
        files.put(path, (start + "".join(f"{line}\n" for line in lacking)).encode())
    return True


def take_back(app: App) -> bool:
    """Take our section out of git's settings of this clone, unless it calls something else; tell whether it was there.

    The vault's ``.gitattributes`` stays: where nobody is asked, git merges as ever.
    """
    root = paths.repository_root(app.folder.root)
    if root is None or is_offered(app):
        return False
    driver = git.output(app.folder.root, "config", f"{SECTION}.driver") or ""
    return "agent-memory merge-driver" in driver and (
        git.output(app.folder.root, "config", "--remove-section", SECTION) is not None
    )
