"""What a route is, what it is called with, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from agent_memory.app.container import App

Method = Literal["GET", "POST", "PUT", "DELETE"]


@dataclass(frozen=True, slots=True)
class Command:
    """What is run on a prompt: words that no shell reads, in which folder, and for how long at most."""

    words: tuple[str, ...]
    folder: Path
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its value, the revision of what it is about, which becomes its ETag, and a command to be run on it."""

    value: Mapping[str, Any]
    revision: str = ""
    command: Command | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What a route is called with: its fields, all there, and the revision that a caller has read, if it says so.

    ``busy`` is since when a compaction is running; ``at`` is to be told, in one, which step begins.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    expected: str | None = None
    busy: str | None = None
    at: Callable[[str], None] = lambda step: None

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


Run = Callable[[App, Given], Mapping[str, Any] | Reply]


@dataclass(frozen=True, slots=True)
class Route:
    """One route; what it is for stands in the docstring of what it runs.

    ``takes`` are parameters of a GET's address, else fields of a JSON body; ``gives`` is the answer; both in the
    ``notation``. ``errors`` are the statuses beside those that any route may answer. ``upkeep`` ones are for this
    computer alone. One with 412 among its errors heeds ``If-Match``. One that ``asks`` changes nothing.
    """

    method: Method
    path: str
    run: Run
    takes: str
    gives: str
    errors: tuple[int, ...] = ()
    upkeep: bool = False
    asks: bool = False

    @property
    def doc(self) -> str:
        """What it is for, in a sentence."""
        return " ".join((self.run.__doc__ or "").split())

    @property
    def has_body(self) -> bool:
        """Whether it takes a JSON body."""
        return self.method != "GET"

    @property
    def writes(self) -> bool:
        """Whether it may change something, or take as long as what does."""
        return (self.has_body or self.upkeep) and not self.asks
