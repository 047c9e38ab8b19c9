"""Secrets out of a record before it becomes part of a turn: whatever reads turns never sees one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agent_memory.model.transcript import Record, Todo, ToolUse
from agent_memory.redaction import redact, signs


class Redactor:
    """Takes secrets out of records and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def record(self, record: Record) -> Record:
        """Return ``record`` with bare texts, paths and to-do items, marked as redacted; itself if it had no secret."""
        if not signs("\n".join(_texts(record))):
            return record
        before = self.count
        text = self._bare(record.text)
        tools = tuple(map(self._tool, record.tools))
        return replace(record, text=text, tools=tools, redacted=True) if self.count > before else record

    def _tool(self, tool: ToolUse) -> ToolUse:
        todos = tuple(Todo(self._bare(todo.text), todo.status) for todo in tool.todos)
        return ToolUse(tool.name, tuple(map(self._bare, tool.paths)), todos)

    def _bare(self, text: str) -> str:
        redacted = redact(text)
        self.count += redacted.count
        return redacted.text


def _texts(record: Record) -> Iterator[str]:
    yield record.text
    for tool in record.tools:
        yield from tool.paths
        yield from (todo.text for todo in tool.todos)
