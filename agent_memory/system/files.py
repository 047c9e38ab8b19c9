"""The one door to files: read with identity, replace atomically, append durably.

A replaced file is never half-written: its text goes to a unique temporary file beside it, is flushed
to the disk, and takes the name in one step. Not promised: that a file system without those
guarantees (some network shares) keeps them.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from agent_memory.errors import PageConflict
from agent_memory.model.origin import FileIdentity
from agent_memory.system.folders import explained, translated
from agent_memory.system.folders import is_folder as is_folder
from agent_memory.system.folders import list_folder as list_folder
from agent_memory.system.folders import make_folder as make_folder
from agent_memory.system.folders import remove_empty as remove_empty
from agent_memory.system.folders import remove_folder as remove_folder
from agent_memory.system.folders import scan_folder as scan_folder
from agent_memory.system.folders import walk as walk

TEMPORARY_SUFFIX: Final = ".am-tmp"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The bytes of a file as they were, and the identity it had then."""

    data: bytes
    identity: FileIdentity


def identify(path: Path | str) -> FileIdentity | None:
    """Return what ``stat`` says of ``path``; None if nothing is there. A ``Path`` costs more to make than this."""
    try:
        return _identity_of(os.stat(path))  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise explained(error, Path(path)) from error


def read(path: Path) -> Snapshot | None:
    """Return the file's bytes and identity, taken from one open file; None if nothing is there."""
    with translated(path), contextlib.suppress(FileNotFoundError), path.open("rb") as handle:
        return Snapshot(handle.read(), _identity_of(os.fstat(handle.fileno())))
    return None


@contextlib.contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, FileIdentity]]:
    """Hold a file open for reading, with its identity of that moment; errors inside the block are ours too."""
    with translated(path), path.open("rb") as handle:
        yield handle, _identity_of(os.fstat(handle.fileno()))


def read_text(path: Path) -> str | None:
    """Return a small text file in UTF-8, a BOM dropped; None if nothing is there."""
    snapshot = read(path)
    return None if snapshot is None else snapshot.data.decode("utf-8-sig", "replace")


def digest_of(data: bytes) -> str:
    """Return the digest by which file contents are compared."""
    return hashlib.sha256(data).hexdigest()[:32]


def replace(path: Path, data: bytes | Iterator[bytes], *, expected: FileIdentity | None) -> FileIdentity:
    """Replace ``path``, or what it links to, by ``data``, whole or in parts, in one step, keeping its permissions.

    ``expected`` is the identity it had when it was read, None if it was not there.

    Raises:
        PageConflict: It is no longer what was read; it has been left, or put back, as somebody else wrote it.
        FileError: The disk refused; the file is whole, as it was or, if only flushing failed, as it should be.
    """
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.urandom(6).hex()}{TEMPORARY_SUFFIX}")
    with translated(path), contextlib.ExitStack() as at_last:
        at_last.callback(_drop, temporary)
        sweep(target.parent, f".{target.name}.")
        identity = _write_durably(temporary, data, like=target)
        if not _exchange(temporary, target, expected):
            raise PageConflict(
                f"{path.name} changed while it was being written.",
                hint="Close what keeps writing to it, and try again.",
                path=str(path),
            )
        _flush_folder(target.parent)
    return identity


def put(path: Path, data: bytes) -> None:
    """Replace a file of our own by ``data``, whatever is in it, if that is something else; raises like ``replace``."""
    snapshot = read(path)
    if snapshot is None or snapshot.data != data:
        replace(path, data, expected=snapshot.identity if snapshot else None)
    else:
        sweep(path.parent, f".{path.name}.")  # whoever wrote it may have been killed right behind


def sweep(folder: Path, prefix: str = ".") -> None:
    """Delete the temporary files in ``folder`` that killed writers left; for those who hold the lock of its files."""
    for path in list_folder(folder):
        if path.name.startswith(prefix) and path.name.endswith(TEMPORARY_SUFFIX):
            _drop(path)


def append(path: Path, text: str, more: Iterable[str] = ()) -> None:
    """Append whole lines, in parts if there is much, durably. A torn last line, left by a crash, is closed first."""
    with translated(path), path.open("ab+") as handle:
        if handle.tell() > 0:
            handle.seek(-1, os.SEEK_END)
            if handle.read(1) != b"\n":
                text = "\n" + text
        handle.writelines(part.encode("utf-8") for part in itertools.chain([text], more))
        handle.flush()
        os.fsync(handle.fileno())


def put_aside(path: Path, suffix: str) -> Path:
    """Rename a file to ``<name><suffix>``, with a number between if that is taken; return its new path."""
    number = 1
    while (target := path.with_name(f"{path.name}{f'.{number}' if number > 1 else ''}{suffix}")).exists():
        number += 1
    with translated(path):
        path.rename(target)
        _flush_folder(path.parent)
    return target


def remove(path: Path) -> None:
    """Delete a file; one that is not there is fine."""
    with translated(path):
        path.unlink(missing_ok=True)


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


def _write_durably(path: Path, data: bytes | Iterator[bytes], *, like: Path) -> FileIdentity:
    with path.open("xb") as handle:
        if os.name == "posix":
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(handle.fileno(), like.stat().st_mode & 0o777)
        handle.writelines([data] if isinstance(data, bytes) else data)
        handle.flush()
        os.fsync(handle.fileno())
        return _identity_of(os.fstat(handle.fileno()))


def _identity_of(found: os.stat_result) -> FileIdentity:
    return FileIdentity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _flush_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
