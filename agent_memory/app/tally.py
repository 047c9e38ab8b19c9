"""What a run came to: counts, troubles that cost a file or a line, format alarms; what was moved and what was not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from agent_memory.fabric.take import Taking

NOTHING: Final = "nothing"
UNCLEAR: Final = "unclear project"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that could not be used: where, and why."""

    path: str
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Alarm:
    """A sign that a format has moved under us: how often a source had something of a kind we cannot read.

    ``kind`` is ``nothing`` for files without a record of a known kind, ``unclear project: …`` for a
    project folder of which nobody can tell whose it is, else the kind of an unknown record.
    """

    source: str
    kind: str
    count: int

    @property
    def sentence(self) -> str:
        """The alarm in words."""
        if self.kind == NOTHING:
            return f"{self.source}: {self.count} files hold nothing that this version can read."
        if self.kind.startswith(UNCLEAR):
            return f"{self.source}: left out, {self.kind} `agent-memory project explain` says more."
        return f"{self.source}: {self.count} times something that this version does not know: {self.kind}."


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was moved, or not: what, and what became of it or why it was left."""

    what: str
    why: str


@dataclass
class Report:
    """What was taken, or would be, and what was skipped."""

    taken: list[Row] = field(default_factory=list)
    skipped: list[Row] = field(default_factory=list)

    def take(self, what: str, how: str) -> None:
        """Note something that was taken, and what became of it."""
        self.taken.append(Row(what, how))

    def skip(self, what: str, why: str) -> None:
        """Note something that was left, and why."""
        self.skipped.append(Row(what, why))


def alarms_of(counts: Mapping[tuple[str, str], int]) -> list[Alarm]:
    """Return an alarm for each source and kind that was met."""
    return [Alarm(source, kind, count) for (source, kind), count in sorted(counts.items())]


@dataclass
class Tally:
    """What a run came to."""

    sessions_found: int = 0
    sessions_processed: int = 0
    sessions_up_to_date: int = 0
    turns: int = 0
    decisions: int = 0
    lessons: int = 0
    tasks: int = 0
    handoffs: int = 0
    duplicates: int = 0
    redactions: int = 0
    skipped_lines: int = 0
    errors: list[Trouble] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether something could not be read at all; lines that were skipped are no failure."""
        return any(trouble.line is None for trouble in self.errors)

    def add(self, taking: Taking) -> None:
        """Count what a taking stored."""
        self.decisions += taking.count("stored", "decisions")
        self.lessons += taking.count("stored", "lessons")
        self.tasks += taking.count("stored", "tasks")
        self.duplicates += taking.count("duplicate")

    def sound(self, source: str, kinds: Mapping[str, int]) -> None:
        """Add to the alarms what a file of ``source`` had of each kind."""
        counts = {(alarm.source, alarm.kind): alarm.count for alarm in self.alarms}
        for kind, count in kinds.items():
            counts[source, kind] = counts.get((source, kind), 0) + count
        self.alarms = alarms_of(counts)
