"""What extraction remembers between two turns of a conversation: small, frozen, and JSON text on demand.

It holds only what a later turn may need: what was offered, what was decided lately, which tasks are open,
and the handoff so far. It refuses to grow with the conversation: every list in it has a limit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, TypeVar

FORMAT: Final = 2
Part = TypeVar("Part", "Memo", "Coverage", "Proposal", "OpenTask", "Option", "Said")


@dataclass(frozen=True, slots=True)
class Option:
    """Something that was offered: its number or letter, its words, and their span in the turn."""

    mark: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an assistant's turn put before the user: the turn and its options."""

    turn: int = 0
    digest: str = ""
    redacted: bool = False
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task that was proposed and has not been reported done; ``todo`` says that an agent's list has it."""

    key: str
    text: str
    todo: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """Something that was proposed lately, and the key of the choice that took its place."""

    key: str
    category: str
    body: str
    origin: str
    replaced_by: str = ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a handoff will say: of the turns behind ``after``, what was asked and done, where it stopped.

    ``key`` is that of a handoff that goes on though the turn it began with is gone.
    """

    after: int = -1
    first_digest: str = ""
    last_digest: str = ""
    last_turn: int = 0
    last_at: str = ""
    approximate: bool = False
    prose_turns: int = 0
    asked: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    stopped: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Memo:
    """The state of the fold. ``asked`` is what the last assistant's turn put before the user."""

    conversation: str = ""
    source: str = ""
    from_agent: bool = False
    portuguese: int = 0
    english: int = 0
    mood: str = ""
    asked: str = ""
    proposal: Proposal = field(default_factory=Proposal)
    said: tuple[Said, ...] = ()
    tasks: tuple[OpenTask, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)

    @classmethod
    def empty(cls) -> Memo:
        """Return the state before the first turn."""
        return cls()

    def without(self, holds: Callable[[str], bool]) -> Memo:
        """Return the memo without the texts that ``holds``."""
        covered, offered = self.coverage, self.proposal.options

        def left(lines: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(line for line in lines if not holds(line))

        return replace(
            self,
            asked="" if holds(self.asked) else self.asked,
            proposal=Proposal() if any(holds(option.text) for option in offered) else self.proposal,
            said=tuple(one for one in self.said if not holds(one.body)),
            tasks=tuple(task for task in self.tasks if not holds(task.text)),
            coverage=replace(
                covered,
                asked=left(covered.asked),
                done=left(covered.done),
                stopped="" if holds(covered.stopped) else covered.stopped,
            ),
        )

    def to_json(self) -> str:
        """Return the memo as one line of JSON."""
        values = {"format": FORMAT, **_values(self)}
        return json.dumps(values, default=_values, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Memo:
        """Read what ``to_json`` wrote; a broken memo, or one of another format, is an empty one."""
        try:
            values = json.loads(text)
            if values.pop("format") != FORMAT:
                return cls()
            return _memo(values)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return cls()


def _values(part: Any) -> dict[str, Any]:
    """Return what a part of the memo holds, by name; unlike ``asdict`` it copies nothing."""
    return {one.name: getattr(part, one.name) for one in fields(part)}


def _memo(values: dict[str, Any]) -> Memo:
    proposal, coverage = values.pop("proposal"), values.pop("coverage")
    options = tuple(_like(Option("", "", 0, 0), Option(**option)) for option in proposal.pop("options"))
    for name in ("asked", "done", "files"):
        coverage[name] = tuple(map(str, coverage[name]))
    memo = Memo(
        proposal=_like(Proposal(), Proposal(options=options, **proposal)),
        coverage=_like(Coverage(), Coverage(**coverage)),
        said=tuple(_like(Said("", "", "", ""), Said(**one)) for one in values.pop("said")),
        tasks=tuple(_like(OpenTask("", ""), OpenTask(**task)) for task in values.pop("tasks")),
        **values,
    )
    return _like(Memo(), memo)


def _like(pattern: Part, read: Part) -> Part:
    """Return ``read`` if each of its fields has the type that ``pattern`` has there."""
    for one in fields(pattern):
        if type(getattr(read, one.name)) is not type(getattr(pattern, one.name)):
            raise TypeError(one.name)
    return read
