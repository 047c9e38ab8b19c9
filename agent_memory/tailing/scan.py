"""Which conversations are in the workspace's folders, each once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_memory.errors import FileError
from agent_memory.model.transcript import ConversationFile, FileIdentity
from agent_memory.sources import SOURCES, source_named
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


def scan(folders: Sequence[Path], sources: Sequence[Source] = SOURCES) -> Scan:
    """List the conversations below ``folders``, each once, the one untouched longest first.

    Of two files with one id one that can be read on in counts more than one that is written anew, then the
    longer, then the newer; an empty one counts least. Of sources that lay their files out alike the first is believed.
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


def _conversations(
    folders: Sequence[Path], sources: Sequence[Source], troubles: list[Trouble]
) -> Iterator[ConversationFile]:
    depth = max(source.depth for source in sources)

    def is_leaf(parts: tuple[str, ...]) -> bool:
        return any(source.conversation_of(parts) for source in sources)

    for folder in folders:
        for parts in files.walk(folder, depth, lambda error: troubles.append(_trouble(error)), is_leaf):
            recognised = next((found for source in sources if (found := _recognise(source, folder, parts))), None)
            if recognised is not None:
                yield recognised


def _recognise(source: Source, folder: Path, parts: tuple[str, ...]) -> ConversationFile | None:
    ids = source.conversation_of(parts)
    return ConversationFile(ids[0], source.name, str(folder.joinpath(*parts)), ids[1]) if ids else None


def _identify(path: Path, troubles: list[Trouble]) -> FileIdentity | None:
    try:
        identity = files.identify(path)
    except FileError as error:
        troubles.append(_trouble(error))
        return None
    if identity is None and path.is_symlink():
        troubles.append(Trouble(str(path), "It is a link to a file that is not there."))
    return identity


def _trouble(error: FileError) -> Trouble:
    return Trouble(str(error.facts["path"]), f"{error.message} {error.hint}".strip())


def _weight(found: _Found) -> tuple[bool, bool, int, int, str]:
    layouts = source_named(found.file.source).layouts
    appended = any(layout.appended for ending, layout in layouts.items() if found.file.path.endswith(ending))
    identity = found.identity
    return identity.size > 0, appended, identity.size, identity.mtime_ns, found.file.path
