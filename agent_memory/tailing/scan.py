"""Which folders are this workspace's, and which conversations are in them.

Other projects' folders are asked for nothing but the small file in which they name their workspace;
their transcripts are never listed. A folder's name is a last resort, and one that names another
workspace is not ours, whatever it is called.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_memory.errors import FileError
from agent_memory.model.transcript import ConversationFile, FileIdentity
from agent_memory.sources import SOURCES
from agent_memory.sources.base import Source
from agent_memory.system import files


@dataclass(frozen=True, slots=True)
class Trouble:
    """A folder or file that could not be looked into, and why."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Scan:
    """The conversations found, oldest first, and what could not be looked into."""

    files: tuple[ConversationFile, ...]
    troubles: tuple[Trouble, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    file: ConversationFile
    identity: FileIdentity


def find_folders(source: Source, *, home: str, data_dir: str | None, workspace: str) -> tuple[Path, ...]:
    """Return the transcripts folders that belong to ``workspace``, in the order of their names.

    Several projects may claim one workspace: all count. A project that has had no chat yet may lack its
    transcripts folder.

    Raises:
        FileError: The folder that holds the projects cannot be listed.
    """
    wanted = os.path.realpath(workspace)
    real, given = (source.folders(home, data_dir, path) for path in (wanted, workspace))
    return tuple(
        project / real.transcripts
        for project in files.list_folder(Path(real.root))
        if _is_ours(source, project, real.claim, real.names | given.names, wanted)
    )


def scan(folders: Sequence[Path], sources: Sequence[Source] = SOURCES) -> Scan:
    """List the conversations below ``folders``, each once, the one untouched longest first.

    Of two files with one id the longer counts, then the newer. A folder that cannot be listed is
    reported, and the rest goes on.

    Args:
        folders: Transcripts folders.
        sources: Whose they are; where two lay their files out alike the first is believed.
    """
    troubles: list[Trouble] = []
    best: dict[str, _Found] = {}
    for file in _conversations(folders, sources, troubles):
        identity = _identify(Path(file.path), troubles)
        if identity is not None:
            found = _Found(file, identity)
            best[file.conversation] = max(best.get(file.conversation, found), found, key=_weight)
    ordered = sorted(best.values(), key=lambda found: (found.identity.mtime_ns, found.file.conversation))
    return Scan(tuple(found.file for found in ordered), tuple(troubles))


def _is_ours(source: Source, project: Path, claim: str, names: frozenset[str], wanted: str) -> bool:
    claimed = _claimed(source, project / claim)
    if claimed is None:
        return project.name in names
    return os.path.normcase(os.path.realpath(claimed)) == os.path.normcase(wanted)


def _claimed(source: Source, claim: Path) -> str | None:
    try:
        text = files.read_text(claim)
    except FileError:
        return None  # a stray file among the projects, or a claim we may not read: its name decides
    return source.claimed_workspace(text) if text else None


def _conversations(
    folders: Sequence[Path], sources: Sequence[Source], troubles: list[Trouble]
) -> Iterator[ConversationFile]:
    depth = max(source.depth for source in sources)
    for folder in folders:
        for parts in files.walk(folder, depth, lambda error: troubles.append(_trouble(error))):
            recognised = next((found for source in sources if (found := _recognise(source, folder, parts))), None)
            if recognised is not None:
                yield recognised


def _recognise(source: Source, folder: Path, parts: tuple[str, ...]) -> ConversationFile | None:
    ids = source.conversation_of(parts)
    return ConversationFile(ids[0], source.name, str(folder.joinpath(*parts)), ids[1]) if ids else None


def _identify(path: Path, troubles: list[Trouble]) -> FileIdentity | None:
    try:
        return files.identify(path)
    except FileError as error:
        troubles.append(_trouble(error))
        return None


def _trouble(error: FileError) -> Trouble:
    return Trouble(str(error.facts["path"]), f"{error.message} {error.hint}".strip())


def _weight(found: _Found) -> tuple[int, int, str]:
    return found.identity.size, found.identity.mtime_ns, found.file.path
