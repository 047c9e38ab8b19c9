"""Secrets out of a record before it becomes part of a turn: whatever reads turns never sees one.

What a secret looks like is for the caller's ``redact`` to know.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from agent_memory.model.transcript import Record, Todo, ToolUse


class Redacted(Protocol):
    """A text without its secrets, and how many there were."""

    @property
    def text(self) -> str:
        """What is left."""
        ...

    @property
    def count(self) -> int:
        """How many secrets were taken out."""
        ...


Redact = Callable[[str], Redacted]


class Redactor:
    """Takes secrets out of records and counts them."""

    def __init__(self, redact: Redact) -> None:
        self.redact = redact
        self.count = 0

    def record(self, record: Record) -> Record:
        """Return ``record`` with bare texts, paths and to-do items, marked as redacted; itself if it had no secret."""
        before = self.count
        text = self._bare(record.text)
        tools = tuple(self._tool(tool) for tool in record.tools)
        return replace(record, text=text, tools=tools, redacted=True) if self.count > before else record

    def _tool(self, tool: ToolUse) -> ToolUse:
        todos = tuple(Todo(self._bare(todo.text), todo.status) for todo in tool.todos)
        return ToolUse(tool.name, tuple(map(self._bare, tool.paths)), todos)

    def _bare(self, text: str) -> str:
        redacted = self.redact(text)
        self.count += redacted.count
        return redacted.text
