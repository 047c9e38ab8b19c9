"""What an editor's transcripts have in common, so that everything above this package knows no editor.

A source names where to look and turns lines into events. It is pure: it never opens, lists or stats
anything, and it refuses to guess, so what it does not recognise becomes a skipped line with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agent_memory.model.transcript import Record, SkippedLine


@dataclass(frozen=True, slots=True)
class Line:
    r"""One line of a file: its bytes without the ``\n``, its number from 1, and where it begins.

    ``terminated`` is False where the file ended before a line end came. An ``oversize`` line was
    passed over without being kept; its ``raw`` is empty.
    """

    number: int
    start_bytes: int
    raw: bytes
    terminated: bool = True
    oversize: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    """A line without a message: it shows that the one before is complete, and may end the turn."""

    ends_turn: bool = False


Event = Record | Status | SkippedLine


@dataclass(frozen=True, slots=True)
class ProjectFolders:
    """Where an editor keeps the transcripts of one workspace.

    Below ``root`` stands one folder per project. A project's folder is the workspace's if the file
    ``claim`` in it says so, or, where there is no such file, if its name is one of ``names``. The
    transcripts are in ``transcripts`` inside it.
    """

    root: str
    names: frozenset[str]
    claim: str
    transcripts: str


@dataclass(frozen=True, slots=True)
class Source:
    """An editor.

    Attributes:
        name: What origins call it.
        folders: Home, the folder the user moved the editor's files to (or None), and the workspace's
            absolute path → where to look.
        claimed_workspace: The text of a claim file → the absolute path that it names, None if none.
        conversation_of: The parts of a path below a transcripts folder → conversation id and parent id
            (None unless a sub-agent wrote it); None for a file that is no conversation.
        depth: How many parts such a path has at most.
        events: What a line holds, in order; never raises.
    """

    name: str
    folders: Callable[[str, str | None, str], ProjectFolders]
    claimed_workspace: Callable[[str], str | None]
    conversation_of: Callable[[tuple[str, ...]], tuple[str, str | None] | None]
    depth: int
    events: Callable[[Line], Iterator[Event]]
