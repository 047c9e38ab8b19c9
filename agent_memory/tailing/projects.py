"""Which of an editor's project folders belong to this workspace, and by what evidence.

A folder's own claim decides; then its log; then its name, which several workspaces may share. What stays
unclear is named and left out, never guessed. Other projects' transcripts are never listed.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from agent_memory.errors import FileError
from agent_memory.sources import wsl
from agent_memory.sources.base import Projects, Source
from agent_memory.system import files

MULTI_ROOT: Final = ".code-workspace"
TAIL_BYTES: Final = 64 * 1024
# The file may have comments, so it is not parsed; a root that is found in vain only makes things unclear.
_ROOT: Final = re.compile(r'"(?:path|uri)"\s*:\s*"((?:[^"\\]|\\.)+)"')


Ours = Literal["yes", "no", "unclear"]
_Judged = tuple[Ours, str] | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a project folder is this workspace's, and why; ``transcripts`` is where its conversations are."""

    folder: Path
    transcripts: Path
    ours: Ours
    why: str


def judge_projects(
    source: Source,
    *,
    home: str,
    data_dir: str | None,
    workspace: str,
    distribution: str = "",
    users: str = wsl.USERS,
) -> tuple[Verdict, ...]:
    """Return the project folders that something connects with ``workspace``, in the order of their names.

    Several may be its own. One that has had no chat yet may lack its transcripts folder. In a Linux inside Windows,
    a ``distribution``, those are looked through too that an editor on Windows keeps in the homes of its ``users``.
    """
    if source.projects is None:
        return ()
    found = list(map(_Judge(source.projects, workspace).verdict, _listed(source.projects, home, data_dir)))
    if distribution:
        judge = _Judge(source.projects, workspace, distribution)
        for user in _subfolders(Path(users)):
            with contextlib.suppress(FileError):  # somebody else's home
                found += map(judge.verdict, _listed(source.projects, str(user), None))
    return tuple(verdict for verdict in found if verdict is not None)


def _listed(projects: Projects, home: str, data_dir: str | None) -> list[Path]:
    return files.list_folder(Path(projects.root(home, data_dir)))


class _Judge:
    """Judge the folders of an editor that runs here or, where a ``distribution`` is named, outside, on Windows."""

    def __init__(self, projects: Projects, workspace: str, distribution: str = "") -> None:
        self._projects = projects
        self._distribution = distribution
        self._ours = os.path.realpath(workspace)
        named = (projects.names_of(self._as_seen(path)) for path in (self._ours, workspace))
        self._is_blind = _is_same(self._ours, self._ours.swapcase())
        self._names = {self._spelled(name) for names in named for name in names}
        several = (path for path in files.list_folder(Path(self._ours)) if path.name.endswith(MULTI_ROOT))
        self._multi_root = {self._name_of(path): path for path in several}

    def verdict(self, folder: Path) -> Verdict | None:
        judged = self._judge(folder)
        return Verdict(folder, folder / self._projects.transcripts, *judged) if judged else None

    def _judge(self, folder: Path) -> _Judged:
        fits = self._fits(folder.name)
        claimed = self._told(folder, self._projects.claim)
        if claimed is not None:
            return self._by_claim(folder.name, claimed, fits)
        if not fits:
            shared = self._projects.is_shared(folder.name) and folder.is_dir()
            return ("no", "It belongs to no single workspace.") if shared else None
        logged = self._told(folder, self._projects.log)
        if logged is not None:
            return "yes" if self._is_ours(logged) else "no", f"Its log names {logged}."
        return self._by_name(folder.name, fits)

    def _fits(self, name: str) -> str:
        """Say in which way a folder's name is the workspace's; empty if it is not."""
        spelled = self._spelled(name)
        if spelled in self._names:
            return "whole"
        if name in self._multi_root:
            return "multi-root"
        return "cut" if any(self._projects.is_cut(spelled, known) for known in self._names) else ""

    def _by_claim(self, name: str, claimed: str, fits: str) -> _Judged:
        if claimed.endswith(MULTI_ROOT):
            return self._by_roots(Path(claimed))
        if self._is_ours(claimed):
            rival = self._namesake(name) if not fits else None
            if rival:
                return "unclear", f"It claims this workspace, but is named for {rival}."
            return "yes", f"It claims {claimed}."
        if fits == "whole" and self._spelled(self._name_of(claimed)) not in self._names:
            return "unclear", f"It is named for this workspace, but claims {claimed}."
        return ("no", f"It claims {claimed}.") if fits in ("whole", "multi-root") else None

    def _by_name(self, name: str, fits: str) -> _Judged:
        if fits == "multi-root":
            return self._by_roots(self._multi_root[name])
        if fits == "cut":
            return "unclear", "Its name is a long one, cut, and it does not claim any workspace."
        rival = self._namesake(name)
        if rival:
            return "unclear", f"It does not claim any workspace, and {rival} has the same name for the editor."
        return "yes", "It is named for this workspace."

    def _by_roots(self, path: Path) -> _Judged:
        """Judge a workspace of several roots: ours if all are, unclear if only some."""
        written = [root.replace("\\\\", "\\") for root in _ROOT.findall(_end_of(path))]
        roots = ["://" not in root and self._is_ours(str(path.parent / root), within=True) for root in written]
        if roots and all(roots):
            return "yes", f"All roots of {path} are in this workspace."
        if any(roots) or self._is_ours(str(path.parent), within=True):
            return "unclear", f"{path} has roots outside this workspace."
        return None

    def _is_ours(self, path: str, *, within: bool = False) -> bool:
        """Tell whether ``path`` is the workspace, or in it, whatever links lead there and however it is spelled."""
        real = os.path.normcase(os.path.realpath(path))
        ours = os.path.normcase(self._ours)
        if real == ours or (within and real.startswith(ours + os.sep)):
            return True
        return real.casefold() == ours.casefold() and _is_same(real, ours)

    def _spelled(self, name: str) -> str:
        """Return a name as it compares: without case where the file system has none."""
        return name.casefold() if self._is_blind else name

    def _namesake(self, name: str) -> Path | None:
        anchor = Path(Path(self._ours).anchor)
        return next((path for path in self._named(anchor, name) if not self._is_ours(str(path), within=True)), None)

    def _named(self, folder: Path, name: str) -> Iterator[Path]:
        for entry in _subfolders(folder):
            here = self._name_of(entry)
            if here == name:
                yield entry
            if not here or here == name or name.startswith(here + "-"):
                yield from self._named(entry, name)

    def _name_of(self, path: Path | str) -> str:
        return self._projects.name_of(self._as_seen(str(path)))

    def _as_seen(self, path: str) -> str:
        return wsl.outward(path, self._distribution) if self._distribution else path

    def _told(self, folder: Path, where: tuple[str, Callable[[str], str | None]]) -> str | None:
        name, workspace_in = where
        told = workspace_in(_end_of(folder / name))
        return wsl.inward(told, self._distribution) if told and self._distribution else told


def _end_of(path: Path) -> str:
    """Return the text at the end of a file; empty where there is none that we may read: other evidence decides."""
    with contextlib.suppress(FileError), files.opened(path) as (handle, identity):
        handle.seek(max(identity.size - TAIL_BYTES, 0))
        return handle.read(TAIL_BYTES).decode("utf-8-sig", "replace")
    return ""


def _is_same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def _subfolders(folder: Path) -> Iterator[Path]:
    """Yield the folders in ``folder``, without links; none where we may not look."""
    try:
        with os.scandir(folder) as entries:
            yield from (Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return
