"""Which conversations are in the workspace's folders, each once."""

from __future__ import annotations

import os
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


_Found = tuple[ConversationFile, FileIdentity]


def scan(folders: Sequence[Path], sources: Sequence[Source] = SOURCES) -> Scan:
    """List the conversations below ``folders``, each once, the one untouched longest first.

    Of two files with one id one that can be read on in counts more than one that is written anew, then the
    longer, then the newer; an empty one counts least. Of sources that lay their files out alike the first is believed.
    """
    troubles: list[Trouble] = []
    best: dict[str, _Found] = {}
    for file in _conversations(folders, sources, troubles):
        identity = _identify(file.path, troubles)
        if identity is not None:
            found, other = (file, identity), best.get(file.conversation)
            best[file.conversation] = found if other is None else max(other, found, key=_weight)
    ordered = sorted(best.values(), key=lambda found: (found[1].mtime_ns, found[0].conversation))
    return Scan(tuple(file for file, _ in ordered), tuple(troubles))


def _conversations(
    folders: Sequence[Path], sources: Sequence[Source], troubles: list[Trouble]
) -> Iterator[ConversationFile]:
    depth = max(source.depth for source in sources)

    def recognised(parts: tuple[str, ...]) -> tuple[str, str, str | None] | None:
        named = ((source.name, *ids) for source in sources if (ids := source.conversation_of(parts)))
        return next(named, None)

    for folder in folders:
        root = str(folder)
        for parts in files.walk(folder, depth, lambda error: troubles.append(_trouble(error)), recognised):
            if found := recognised(parts):
                source, conversation, parent = found
                yield ConversationFile(conversation, source, os.path.join(root, *parts), parent)  # noqa: PTH118


def _identify(path: str, troubles: list[Trouble]) -> FileIdentity | None:
    try:
        identity = files.identify(path)
    except FileError as error:
        troubles.append(_trouble(error))
        return None
    if identity is None and Path(path).is_symlink():
        troubles.append(Trouble(path, "It is a link to a file that is not there."))
    return identity


def _trouble(error: FileError) -> Trouble:
    return Trouble(str(error.facts["path"]), f"{error.message} {error.hint}".strip())


def _weight(found: _Found) -> tuple[bool, bool, int, int, str]:
    file, identity = found
    layouts = source_named(file.source).layouts
    appended = any(layout.appended for ending, layout in layouts.items() if file.path.endswith(ending))
    return identity.size > 0, appended, identity.size, identity.mtime_ns, file.path
