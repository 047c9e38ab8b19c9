"""Folders and what is in them, and the one place where what the system says of a path becomes an error of ours."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from agent_memory.errors import FileError

PRIVATE_FOLDER: Final = 0o700

_REASONS: Final = {
    "FileNotFoundError": ("is not there", "Check the path."),
    "PermissionError": ("may not be used by you", "Check its owner and its permissions."),
    "IsADirectoryError": ("is a folder where a file should be", "Move it away."),
    "NotADirectoryError": ("has a file where a folder should be", "Move the file away."),
    "FileExistsError": ("is a file where a folder should be", "Move it away."),
}


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise what the system says about ``path`` in the block as a ``FileError``, with a hint."""
    try:
        yield
    except OSError as error:
        raise explained(error, path) from error


def explained(error: OSError, path: Path) -> FileError:
    """Return what the system said about ``path`` as a sentence for people, with a hint."""
    what, hint = _REASONS.get(type(error).__name__, (f"cannot be used: {error.strerror or error}", "Check the disk."))
    return FileError(f"{path} {what}.", hint=hint, path=str(path), errno=error.errno)


def make_folder(path: Path, *, private: bool = False) -> None:
    """Create ``path`` with its parents, owner-only if ``private``; an existing folder is left alone."""
    with translated(path):
        path.mkdir(parents=True, exist_ok=True)
        if private and path.stat().st_mode & 0o077:
            path.chmod(PRIVATE_FOLDER)


def remove_empty(path: Path) -> None:
    """Delete a folder if there is nothing in it."""
    with contextlib.suppress(OSError):  # something is, or nobody may: it stays
        path.rmdir()


def remove_folder(path: Path) -> None:
    """Delete a folder with all that is in it, but nothing that links in it lead to; one that is not there is fine."""
    import shutil  # only who takes everything back

    with translated(path), contextlib.suppress(FileNotFoundError):
        shutil.rmtree(path)


@dataclass(frozen=True, slots=True)
class Listed:
    """Something in a folder, and of which kind it is once links are followed; a link in a circle is neither."""

    name: str
    path: Path
    is_folder: bool
    is_file: bool
    is_link: bool


def list_folder(path: Path) -> list[Path]:
    """Return the entries of a folder in the order of their names; none if it is not there."""
    return [entry.path for entry in scan_folder(path)]


def scan_folder(path: Path) -> list[Listed]:
    """Return what ``list_folder`` does, with the kinds, which cost no further call."""
    with translated(path), contextlib.suppress(FileNotFoundError), os.scandir(path) as entries:
        return sorted(map(_listed, entries), key=lambda entry: entry.name)
    return []


def _listed(entry: os.DirEntry[str]) -> Listed:
    try:
        kinds = entry.is_dir(), entry.is_file()
    except OSError:
        kinds = False, False
    return Listed(entry.name, _path_of(entry.path), *kinds, entry.is_symlink())


_path_of = lru_cache(maxsize=8192)(Path)  # taking paths apart is most of what looking through a vault costs


def walk(
    folder: Path,
    depth: int,
    on_error: Callable[[FileError], None],
    is_leaf: Callable[[tuple[str, ...]], object] = lambda parts: False,
) -> Iterator[tuple[str, ...]]:
    """Yield the files at most ``depth`` levels below ``folder``, each as its path's parts, in no order.

    Links to folders are not followed, and a folder that ``is_leaf`` is yielded like a file.
    """
    root = str(folder)
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        parts = waiting.pop()
        try:
            with os.scandir(os.path.join(root, *parts)) as entries:  # noqa: PTH118 - a Path costs as much as looking
                for entry in entries:
                    here = (*parts, entry.name)
                    if not entry.is_dir(follow_symlinks=False) or is_leaf(here):
                        yield here
                    elif len(here) < depth:
                        waiting.append(here)
        except FileNotFoundError:
            continue
        except OSError as error:
            on_error(explained(error, folder.joinpath(*parts)))


def is_folder(path: Path) -> bool:
    """Tell whether ``path`` is a folder, or a link to one."""
    with translated(path):
        return path.is_dir()
