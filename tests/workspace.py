"""A workspace with a HOME as Cursor would leave it: chats are written there the way the editor writes them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agent_memory.app import ingest
from agent_memory.app.container import App, open_app
from agent_memory.app.ingest import Options, Tally
from agent_memory.model.memory import SYSTEM_TAGS, Memory
from agent_memory.sources.cursor import cursor_slug
from agent_memory.system.clock import Clock
from tests.fakes import FrozenClock

A_MINUTE = timedelta(minutes=1)


@dataclass
class Chat:
    """One conversation's transcript."""

    path: Path
    at: datetime | None = datetime(2026, 3, 16, 9, 0, tzinfo=UTC)
    lines: list[bytes] = field(default_factory=list)

    def user(self, text: str) -> Chat:
        stamp = ""
        if self.at is not None:
            stamp = f"<timestamp>{self.at:%A, %b} {self.at.day}, {self.at:%Y}, {self.at:%I:%M %p} (UTC)</timestamp>\n"
            self.at += A_MINUTE
        return self._add("user", [{"type": "text", "text": f"{stamp}<user_query>\n{text}\n</user_query>"}])

    def assistant(self, text: str = "", *tools: dict[str, Any]) -> Chat:
        blocks = [{"type": "text", "text": text}] if text else []
        return self._add("assistant", [*blocks, *({"type": "tool_use", **tool} for tool in tools)])

    def ended(self) -> Chat:
        self.lines.append(b'{"type":"turn_ended","status":"success"}\n')
        return self

    def _add(self, role: str, content: list[dict[str, Any]]) -> Chat:
        line = json.dumps({"role": role, "message": {"content": content}}, ensure_ascii=False)
        self.lines.append(line.encode() + b"\n")
        return self

    @property
    def data(self) -> bytes:
        return b"".join(self.lines)

    def save(self, *, upto: int | None = None, written: datetime) -> Chat:
        """Write the file as it would be once ``upto`` bytes are there, last touched at ``written``."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(self.data[:upto])
        os.utime(self.path, (written.timestamp(), written.timestamp()))
        return self


@dataclass
class Workspace:
    """A project's folder and the HOME that goes with it."""

    root: Path
    home: Path
    clock: FrozenClock = field(default_factory=lambda: FrozenClock(datetime(2026, 3, 20, 12, 0, tzinfo=UTC)))

    @property
    def transcripts(self) -> Path:
        return self.home / ".cursor" / "projects" / cursor_slug(str(self.root)) / "agent-transcripts"

    @property
    def memory(self) -> Path:
        return self.root / ".memory"

    def chat(self, number: int = 1) -> Chat:
        name = f"{number:08d}-0000-4000-8000-000000000000"
        return Chat(self.transcripts / name / f"{name}.jsonl")

    def long_ago(self) -> datetime:
        return self.clock.now() - timedelta(hours=3)

    @contextmanager
    def app(self, clock: Clock | None = None, **flags: Any) -> Iterator[App]:
        given = {key.replace("__", "."): value for key, value in flags.items()}
        with open_app(workspace=str(self.root), flags=given, clock=clock or self.clock) as app:
            yield app

    def process(self, **options: Any) -> Tally:
        with self.app() as app:
            return ingest.process(app, Options(**{"agent": app.agent, "idle_after": timedelta(minutes=5), **options}))

    def memories(self) -> tuple[Memory, ...]:
        with self.app() as app:
            return app.vault.view().memories

    def files(self) -> dict[str, bytes]:
        """Everything in the memory folder, byte for byte."""
        found = (path for path in self.memory.rglob("*") if path.is_file())
        return {path.relative_to(self.memory).as_posix(): path.read_bytes() for path in found}


def essence(memories: tuple[Memory, ...]) -> set[tuple[Any, ...]]:
    """What law 2 compares: the active entries' category, body, tags but the system's, and key; handoffs too."""
    return {
        (memory.page.category, memory.body, frozenset(memory.tags) - SYSTEM_TAGS, memory.key)
        for memory in memories
        if memory.active
    }
