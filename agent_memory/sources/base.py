"""What an editor's transcripts have in common, so that everything above this package knows no editor.

A source names where to look and turns bytes into events. It is pure, and refuses to guess: what it does not
recognise becomes a skipped line with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from agent_memory.model.transcript import Record, SkippedLine

_LABEL: Final = re.compile(r"[A-Za-z0-9_.:-]{1,40}")


class Line(NamedTuple):
    r"""One line of a file: its bytes without the ``\n``, its number from 1, and where it begins.

    ``terminated`` is False where the file ended before a line end came. An ``oversize`` line was
    passed over without being kept; its ``raw`` is empty. Where a record takes several lines, they
    come as one.
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
class Layout:
    """How the bytes of one kind of file come apart.

    Attributes:
        gather: The file's lines → the lines of each record as one, in order and without a gap.
        is_whole: Whether a last line that the file does not end is complete, once nobody writes any more.
        events: What a line holds, in order; never raises.
        appended: Whether records are complete once written and others only come behind them, so that
            reading may go on from a mark. Else a changed file is read again whole.
    """

    gather: Callable[[Iterator[Line]], Iterator[Line]]
    is_whole: Callable[[Line], bool]
    events: Callable[[Line], Iterator[Event]]
    appended: bool


@dataclass(frozen=True, slots=True)
class Chat:
    """What a file holds that is written anew each time: a chat, or the end of one.

    ``chat_id`` and ``agent`` are empty where the file does not say. ``whole`` is False where the bytes
    are no whole file: somebody is writing it, or it is broken.
    """

    chat_id: str = ""
    agent: str = ""
    saved_at: datetime | None = None
    events: tuple[Record | SkippedLine, ...] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Projects:
    """Where an editor keeps the transcripts of each workspace, and how a project's folder tells whose it is.

    Attributes:
        root: Home and the folder the user moved the editor's files to (or None) → where the project folders stand.
        transcripts: Where in a project folder its transcripts are.
        claim: The file in it that says whose it is, and its text → the absolute path that it names, None if none.
        log: The same for a file that may mention the workspace.
        name_of: A workspace's absolute path → the name of its project folder; several share a name.
        names_of: All names that its folder may have.
        is_shared: Whether a folder of this name belongs to no single workspace.
        is_cut: Whether a folder's name may be a long name, cut.
    """

    root: Callable[[str, str | None], str]
    transcripts: str
    claim: tuple[str, Callable[[str], str | None]]
    log: tuple[str, Callable[[str], str | None]]
    name_of: Callable[[str], str]
    names_of: Callable[[str], frozenset[str]]
    is_shared: Callable[[str], bool]
    is_cut: Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Source:
    """An editor, or another program that writes conversations.

    Attributes:
        name: What origins call it.
        conversation_of: The parts of a path below a transcripts folder → conversation id and parent id
            (None unless a sub-agent wrote it); None for a file that is no conversation.
        depth: How many parts such a path has at most.
        layouts: The ending of a file's name → how its bytes come apart.
        projects: How its folders are found; None if its chats are in the memory folder.
        chat_of: What a file holds that is written anew each time; None where files have layouts.
    """

    name: str
    conversation_of: Callable[[tuple[str, ...]], tuple[str, str | None] | None]
    depth: int
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    projects: Projects | None = None
    chat_of: Callable[[bytes], Chat] | None = None

    def layout_of(self, path: str) -> Layout:
        """Return how the bytes of the conversation at ``path`` come apart."""
        return self.layouts[path[path.rindex(".") :]]


def kind_of(what: str, value: object) -> str:
    """Return the name by which something unknown is counted; what is no plain word is not repeated."""
    return f"{what} {value if isinstance(value, str) and _LABEL.fullmatch(value) else '?'}"
