"""What was said: records as an editor wrote them, turns as people took them, and how far we have read."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final, Literal

from agent_memory.model.ids import digest
from agent_memory.model.origin import FileIdentity as FileIdentity
from agent_memory.model.origin import Origin as Origin

Role = Literal["user", "assistant"]
TURN_DIGEST_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Todo:
    """One line of an agent's own to-do list, with the editor's word for its state."""

    text: str
    status: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call: its name, the paths it touched, the to-do items it set; never its content."""

    name: str
    paths: tuple[str, ...] = ()
    todos: tuple[Todo, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One usable line of a transcript, and where in the file it ends.

    ``injected`` marks a user record that the editor wrote, not a person. ``redacted`` is set once
    redaction has taken something out of ``text``.
    """

    role: Role
    text: str
    end_bytes: int = 0
    tools: tuple[ToolUse, ...] = ()
    said_at: datetime | None = None
    injected: bool = False
    redacted: bool = False


@dataclass(frozen=True)
class Turn:
    """One user message, or all assistant records between two of them.

    ``at`` is UTC; ``approximate`` says that the editor gave no time and the file's had to serve.
    ``ordinal`` counts the turns of the conversation from 0. ``from_agent`` is set where the user of
    this conversation is another agent.
    """

    conversation: str
    source: str
    ordinal: int
    role: Role
    records: tuple[Record, ...]
    at: datetime
    approximate: bool = False
    from_agent: bool = False

    @cached_property
    def text(self) -> str:
        """The turn's prose: the texts of its records, a blank line apart. Spans count its characters."""
        return "\n\n".join(record.text for record in self.records if record.text)

    @cached_property
    def prefix_digests(self) -> tuple[str, ...]:
        """The digest after each record: a turn that has grown has its old digest among these."""
        chain: str = self.role
        digests = []
        for record in self.records:
            chain = digest(chain, record.text, *(tool.name for tool in record.tools), digits=TURN_DIGEST_DIGITS)
            digests.append(chain)
        return tuple(digests)

    @property
    def digest(self) -> str:
        """The digest of the whole turn: what an origin names, and a handoff's key starts from."""
        return self.prefix_digests[-1]

    @property
    def end_bytes(self) -> int:
        """Where its last record ends in the file."""
        return self.records[-1].end_bytes


@dataclass(frozen=True, slots=True)
class Mark:
    """A place behind a taken turn from which reading can go on; ``ordinal`` and ``role`` are that turn's.

    ``digest`` covers the ``window_bytes`` of the file that end at ``end_bytes``. ``memo`` is
    extraction's state after the turn, as JSON text. ``lines`` counts the line ends before the place;
    ``said_at`` is the last time that the transcript had told by then.
    """

    ordinal: int
    role: Role
    end_bytes: int
    window_bytes: int
    digest: str
    memo: str
    lines: int
    said_at: datetime | None


@dataclass(frozen=True, slots=True)
class Bookmark:
    """How far a conversation has been taken.

    ``marks`` are the last 16, oldest first; reading goes on behind the newest whose bytes are still
    there. ``settled`` says that the file, as ``identity`` describes it, has also had its idle close:
    until it changes there is nothing left to do. ``alarms`` are the kinds of what nobody could read in it.

    A file that is written anew each time has no places. Its marks are the last 50 turns by the digest of
    their last message, ``head_digest`` is that of all messages, ``identity`` the file as it was when they
    were first seen, ``chat`` the conversation that was in it, and ``tail`` the digest of its last message.
    """

    conversation: str
    path: str
    identity: FileIdentity
    head_bytes: int
    head_digest: str
    settled: bool = False
    marks: tuple[Mark, ...] = ()
    alarms: tuple[str, ...] = ()
    chat: str = ""
    tail: str = ""


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that could not be used, and why.

    ``kind`` names what it holds where that is something this version does not know; by it the format
    alarm counts.
    """

    line: int
    reason: str
    kind: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ConversationFile:
    """A conversation on disk: its id, its source, its path, and its parent where a sub-agent wrote it."""

    conversation: str
    source: str
    path: str
    parent: str | None = None
