"""The one door to files: read with identity, replace atomically, append durably.

A replaced file is never half-written: its text goes to a unique temporary file beside it, is flushed
to the disk, and takes the name in one step. Not promised: that a file system without those
guarantees (some network shares) keeps them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Final

from agent_memory.errors import FileError, PageConflict
from agent_memory.model.origin import FileIdentity

PRIVATE_FOLDER: Final = 0o700
TEMPORARY_SUFFIX: Final = ".am-tmp"

_REASONS: Final = {
    "FileNotFoundError": ("is not there", "Check the path."),
    "PermissionError": ("may not be used by you", "Check its owner and its permissions."),
    "IsADirectoryError": ("is a folder where a file should be", "Move it away."),
    "NotADirectoryError": ("has a file where a folder should be", "Move the file away."),
    "FileExistsError": ("is a file where a folder should be", "Move it away."),
}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The bytes of a file as they were, and the identity it had then."""

    data: bytes
    identity: FileIdentity


def translated(error: OSError, path: Path) -> FileError:
    """Return what the system said about ``path`` as a sentence for people, with a hint."""
    what, hint = _REASONS.get(type(error).__name__, (f"cannot be used: {error.strerror or error}", "Check the disk."))
    return FileError(f"{path} {what}.", hint=hint, path=str(path), errno=error.errno)


def identify(path: Path) -> FileIdentity | None:
    """Return what ``stat`` says of ``path``; None if nothing is there."""
    try:
        return _identity_of(path.stat())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise translated(error, path) from error


def read(path: Path) -> Snapshot | None:
    """Return the file's bytes and identity, taken from one open file; None if nothing is there."""
    try:
        with path.open("rb") as handle:
            data = handle.read()
            return Snapshot(data, _identity_of(os.fstat(handle.fileno())))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise translated(error, path) from error


@contextlib.contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, FileIdentity]]:
    """Hold a file open for reading, with its identity of that moment.

    Raises:
        FileError: It cannot be opened, or reading it fails inside the block.
    """
    try:
        with path.open("rb") as handle:
            yield handle, _identity_of(os.fstat(handle.fileno()))
    except OSError as error:
        raise translated(error, path) from error


def read_text(path: Path) -> str | None:
    """Return a small text file in UTF-8, a BOM dropped; None if nothing is there."""
    snapshot = read(path)
    return None if snapshot is None else snapshot.data.decode("utf-8-sig", "replace")


def read_range(path: Path, start: int, end: int) -> bytes:
    """Return the bytes from ``start`` to ``end``, fewer where the file is shorter."""
    try:
        with path.open("rb") as handle:
            handle.seek(start)
            return handle.read(max(end - start, 0))
    except OSError as error:
        raise translated(error, path) from error


def digest_of(data: bytes) -> str:
    """Return the digest by which file contents are compared."""
    return hashlib.sha256(data).hexdigest()[:32]


def make_folder(path: Path, *, private: bool = False) -> None:
    """Create ``path`` with its parents, owner-only if ``private``; an existing folder is left alone."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if private and path.stat().st_mode & 0o077:
            path.chmod(PRIVATE_FOLDER)
    except OSError as error:
        raise translated(error, path) from error


def list_folder(path: Path) -> list[Path]:
    """Return the entries of a folder in the order of their names; none if it is not there."""
    try:
        return sorted(path.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise translated(error, path) from error


@dataclass(frozen=True, slots=True)
class Listed:
    """Something in a folder, and of which kind it is once links are followed; a link in a circle is neither."""

    name: str
    path: Path
    is_folder: bool
    is_file: bool
    is_link: bool


def scan_folder(path: Path) -> list[Listed]:
    """Return what ``list_folder`` does, with the kinds, which cost no further call."""
    try:
        with os.scandir(path) as entries:
            return sorted(map(_listed, entries), key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise translated(error, path) from error


def _listed(entry: os.DirEntry[str]) -> Listed:
    try:
        kinds = entry.is_dir(), entry.is_file()
    except OSError:
        kinds = False, False
    return Listed(entry.name, _path_of(entry.path), *kinds, entry.is_symlink())


@lru_cache(maxsize=8192)  # taking paths apart is most of what looking through a vault costs
def _path_of(text: str) -> Path:
    return Path(text)


def walk(
    folder: Path,
    depth: int,
    on_error: Callable[[FileError], None],
    is_leaf: Callable[[tuple[str, ...]], bool] = lambda parts: False,
) -> Iterator[tuple[str, ...]]:
    """Yield the files at most ``depth`` levels below ``folder``, each as its path's parts, in no order.

    Links to folders are not followed, and a folder that ``is_leaf`` is yielded like a file. A folder that
    cannot be listed goes to ``on_error``; one that is not there is empty.
    """
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        parts = waiting.pop()
        try:
            with os.scandir(folder.joinpath(*parts)) as entries:
                for entry in entries:
                    here = (*parts, entry.name)
                    if not entry.is_dir(follow_symlinks=False) or is_leaf(here):
                        yield here
                    elif len(here) < depth:
                        waiting.append(here)
        except FileNotFoundError:
            continue
        except OSError as error:
            on_error(translated(error, folder.joinpath(*parts)))


def is_folder(path: Path) -> bool:
    """Tell whether ``path`` is a folder, or a link to one."""
    try:
        return path.is_dir()
    except OSError as error:
        raise translated(error, path) from error


def replace(path: Path, data: bytes, *, expected: FileIdentity | None) -> FileIdentity:
    """Replace ``path`` by ``data`` in one durable step, keeping its permissions.

    Args:
        path: The file; a symbolic link is followed, so that the link stays.
        data: Its new bytes.
        expected: The identity it had when it was read, None if it was not there.

    Raises:
        PageConflict: It is no longer what was read; it has been left, or put back, as somebody else wrote it.
        FileError: The disk refused; the file is whole, as it was or, if only flushing failed, as it should be.
    """
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.urandom(6).hex()}{TEMPORARY_SUFFIX}")
    try:
        sweep(target.parent, f".{target.name}.")
        identity = _write_durably(temporary, data, mode=_mode_of(target))
        if not _exchange(temporary, target, expected):
            raise PageConflict(
                f"{path.name} changed while it was being written.",
                hint="Close what keeps writing to it, and try again.",
                path=str(path),
            )
        _flush_folder(target.parent)
    except OSError as error:
        raise translated(error, path) from error
    finally:
        _drop(temporary)
    return identity


def put(path: Path, data: bytes) -> None:
    """Replace a file of our own by ``data``, whatever is in it; one that has that already is left alone.

    Raises:
        PageConflict: Somebody else wrote to it in this moment.
        FileError: The disk refused.
    """
    snapshot = read(path)
    if snapshot is None or snapshot.data != data:
        replace(path, data, expected=snapshot.identity if snapshot else None)


def sweep(folder: Path, prefix: str = ".") -> None:
    """Delete the temporary files in ``folder`` that killed writers left.

    For those who hold the lock under which its files are written. A writer without one that still lives
    meets a conflict.
    """
    for path in list_folder(folder):
        if path.name.startswith(prefix) and path.name.endswith(TEMPORARY_SUFFIX):
            _drop(path)


def append(path: Path, text: str) -> None:
    """Append whole lines durably. A torn last line, left by a crash, is closed first."""
    try:
        with path.open("ab+") as handle:
            if handle.tell() > 0:
                handle.seek(-1, os.SEEK_END)
                if handle.read(1) != b"\n":
                    text = "\n" + text
            handle.write(text.encode("utf-8"))
            handle.flush()
            os.fsync(handle.fileno())
    except OSError as error:
        raise translated(error, path) from error


def put_aside(path: Path, suffix: str) -> Path:
    """Rename a file to ``<name><suffix>``, with a number between if that is taken; return its new path."""
    number = 1
    while (target := path.with_name(f"{path.name}{f'.{number}' if number > 1 else ''}{suffix}")).exists():
        number += 1
    try:
        path.rename(target)
        _flush_folder(path.parent)
    except OSError as error:
        raise translated(error, path) from error
    return target


def remove(path: Path) -> None:
    """Delete a file; one that is not there is fine."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise translated(error, path) from error


def _exchange(temporary: Path, target: Path, expected: FileIdentity | None) -> bool:
    """Give ``temporary`` the name of ``target``; tell whether that is what was expected to stand there.

    The old file has a second name meanwhile: if somebody writes to it between the last look and the
    exchange, it gets its first one back.
    """
    old = temporary.with_suffix(f".old{TEMPORARY_SUFFIX}")
    try:
        with contextlib.suppress(OSError):  # a file system without second names; or somebody made the file just now
            if expected is None:
                target.hardlink_to(temporary)
                return True
            old.hardlink_to(target)
        if identify(target) != expected or identify(temporary) is None:
            return False
        temporary.replace(target)
        if identify(old) in (None, expected):
            return True
        old.replace(target)
        return False
    finally:
        _drop(old)


def _drop(temporary: Path) -> None:
    with contextlib.suppress(OSError):  # the next writer of the same file sweeps
        temporary.unlink(missing_ok=True)


def _write_durably(path: Path, data: bytes, *, mode: int | None) -> FileIdentity:
    with path.open("xb") as handle:
        if mode is not None and os.name == "posix":
            os.fchmod(handle.fileno(), mode)
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
        return _identity_of(os.fstat(handle.fileno()))


def _identity_of(found: os.stat_result) -> FileIdentity:
    return FileIdentity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _mode_of(path: Path) -> int | None:
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return None


def _flush_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
