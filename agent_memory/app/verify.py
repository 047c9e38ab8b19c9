"""Whether memories still say where they came from: each origin, read again in its transcript.

A transcript is opened once and read from the start, one turn in memory at a time. Nothing is changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from agent_memory.app.container import App
from agent_memory.app.conversations import Options, transcript_folders
from agent_memory.app.hearing import Ears
from agent_memory.errors import AgentMemoryError
from agent_memory.extraction.tasks import todos_of
from agent_memory.model.ids import handoff_key, key_of
from agent_memory.model.memory import Memory
from agent_memory.model.transcript import ConversationFile, Origin, Turn
from agent_memory.sources import SOURCES, source_named
from agent_memory.tailing.reader import open_reading
from agent_memory.tailing.scan import scan

Finding = Literal["verified", "changed", "gone"]

NOWHERE: Final = (0, 0)


@dataclass(frozen=True, slots=True)
class Checked:
    """A memory that names its origin, and what became of that.

    ``verified``: the words are there as they were quoted. ``changed``: the transcript is there, and no longer
    has them. ``gone``: it is not there.
    """

    memory: Memory
    finding: Finding


def verify(app: App, memories: Iterable[Memory] | None = None) -> list[Checked]:
    """Check the origin of each memory, by default of the whole vault with its archives, against its transcript.

    What has no origin is left out, and what a host handed over: its conversations are not ours to read.
    """
    found = _files(app)
    sources = {source.name for source in SOURCES}
    named = app.vault.view().memories if memories is None else memories
    with_origin = [memory for memory in named if memory.origin and memory.origin.source in sources]
    waiting: dict[str, list[Memory]] = defaultdict(list)
    for memory in with_origin:
        if memory.origin:
            waiting[memory.origin.conversation].append(memory)
    findings: dict[str, Finding] = {}
    for file in found:
        findings |= _check(app, file, _memories_of(file, waiting))
    return [Checked(memory, findings.get(memory.raw, "gone")) for memory in with_origin]


def conversations_of(app: App, origin: Origin) -> list[ConversationFile]:
    """Return the files that may hold an origin's turn; a dashboard's file has whatever chat it has."""
    mine = [file for file in _files(app) if file.source == origin.source]
    return [file for file in mine if source_named(file.source).chat_of or file.conversation == origin.conversation]


def _files(app: App) -> tuple[ConversationFile, ...]:
    options = Options(agent=app.agent, idle_after=timedelta(0))
    return scan(transcript_folders(app, options)).files


def _memories_of(file: ConversationFile, waiting: dict[str, list[Memory]]) -> list[Memory]:
    """Return the memories that a file may be the origin of; a dashboard's file has whatever chat it has."""
    if source_named(file.source).chat_of is None:
        return waiting.get(file.conversation, [])
    memories = (memory for group in waiting.values() for memory in group)
    return [memory for memory in memories if memory.origin and memory.origin.source == file.source]


def _check(app: App, file: ConversationFile, memories: list[Memory]) -> dict[str, Finding]:
    """Return the findings on ``memories`` by their exact text; nothing of what cannot be told."""
    if not memories:
        return {}
    rewritten = source_named(file.source).chat_of is not None
    findings: dict[str, Finding] = {} if rewritten else {memory.raw: "changed" for memory in memories}
    pairs = [(memory, memory.origin) for memory in memories if memory.origin]
    seen: set[str] = set()
    for turn in turns_of(app, file):
        seen.update(turn.prefix_digests)
        for memory, origin in pairs:
            if origin.digest in turn.prefix_digests and findings.get(memory.raw) != "verified":
                if _holds(memory, origin, turn, seen):
                    findings[memory.raw] = "verified"
                elif not (rewritten and memory.page.category == "handoffs"):  # there the beginning was cut off
                    findings[memory.raw] = "changed"
    return findings


def turns_of(app: App, file: ConversationFile) -> Iterator[Turn]:
    """Yield what a file can still be read to say."""
    try:
        reading = open_reading(file, None, idle=True, now=app.clock.now())
        if reading is not None:
            reading.hush = Ears(app).hush(file)
        for closed in reading.turns() if reading else ():
            yield closed.turn
    except AgentMemoryError:
        return  # whoever cannot be read any more has changed


def _holds(memory: Memory, origin: Origin, turn: Turn, seen: set[str]) -> bool:
    """Tell whether the words that gave the memory its key stand in the turn, where the origin says."""
    if memory.meta.get("by") == "reflection":
        return origin.span[1] <= len(turn.text)  # retold: the turn's digest says that its words still stand
    if origin.span != NOWHERE:
        return key_of(origin.conversation, turn.role, turn.text[slice(*origin.span)]) == memory.key
    if memory.page.category == "handoffs":
        return any(handoff_key(origin.conversation, digest) == memory.key for digest in seen)
    return any(key_of(origin.conversation, turn.role, text) == memory.key for text in todos_of(turn))
