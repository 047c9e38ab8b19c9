"""Cursor's transcripts as plain text, which it wrote until early 2026.

``user:``, ``assistant:`` or ``A:`` stands alone on a line before what each said; an agent's tool calls,
their results and its thinking are blocks that begin with a bracketed word. Nothing is escaped, so only a
quoted query protects a line that looks like such a mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agent_memory.model.text import clean, one_line
from agent_memory.model.transcript import Record, SkippedLine, ToolUse
from agent_memory.sources import cursor_text, jsonl
from agent_memory.sources.base import Event, Layout, Line

_SPEAKER: Final = re.compile(rb"(?:\xef\xbb\xbf)*(user|assistant|A):[ \t]*\r?")
_BLOCK: Final = re.compile(r"\[(Thinking|Tool call|Tool result)\] ?(.*)")
_PATH: Final = re.compile(r"\s+\"?(?:path|file_path|target_file)\"?\s*[:=]\s*\"?([^\",]{1,400})")


def gather(lines: Iterator[Line]) -> Iterator[Line]:
    """Put together the lines of what one speaker said."""
    held: list[Line] = []
    quoting = False
    for line in lines:
        if held and not quoting and _SPEAKER.fullmatch(line.raw):
            yield _as_one(held, terminated=True)
            held = []
        held.append(line)
        quoting = (quoting or line.raw.lstrip().startswith(b"<user_query>")) and b"</user_query>" not in line.raw
    if held:
        yield _as_one(held, terminated=False)


def _as_one(lines: list[Line], *, terminated: bool) -> Line:
    size = sum(len(line.raw) + 1 for line in lines)
    oversize = size > jsonl.MAX_LINE_BYTES or any(line.oversize for line in lines)
    raw = b"" if oversize else b"\n".join(line.raw for line in lines)
    return Line(lines[0].number, lines[0].start_bytes, raw, terminated, oversize)


def events(line: Line) -> Iterator[Event]:
    """Yield what one speaker said."""
    speaker = _SPEAKER.fullmatch(line.raw.partition(b"\n")[0])
    if line.oversize:
        yield jsonl.too_long(line.number)
    elif speaker is None:
        if not jsonl.is_blank(Line(1, 0, line.raw.replace(b"\n", b""))):
            yield SkippedLine(line.number, "text before anybody speaks", "text without speaker")
    else:
        body = clean(line.raw[speaker.end() + 1 :].decode("utf-8", "replace").replace("\r\n", "\n"))
        yield from _said_by_user(body, line) if speaker[1] == b"user" else _said_by_assistant(body, line)


def _said_by_user(body: str, line: Line) -> Iterator[Record]:
    said = cursor_text.of_user(body)
    yield Record("user", said.text, _end(line), said_at=said.at, injected=said.injected)


def _said_by_assistant(body: str, line: Line) -> Iterator[Record]:
    """Yield a record for each stretch of prose, with the tools that were called behind it."""
    prose: list[str] = []
    tools: list[ToolUse] = []
    block = ""
    for row in [*body.split("\n"), "[Thinking]"]:
        begins = _BLOCK.fullmatch(row)
        if begins and begins[1] == "Tool call":
            tools.append(ToolUse(one_line(begins[2])[:80]))
        elif block and (not row.strip() or row[0] in " \t"):
            if block == "Tool call" and (path := _PATH.match(row)):
                tools[-1] = ToolUse(tools[-1].name, (*tools[-1].paths, one_line(path[1])))
            continue
        elif not begins and row.strip() and tools:
            yield _record(prose, tools, line)
            prose, tools = [], []
        block = begins[1] if begins else ""
        prose += [] if block else [row]
    if any(row.strip() for row in prose) or tools:
        yield _record(prose, tools, line)


def _record(prose: list[str], tools: list[ToolUse], line: Line) -> Record:
    return Record("assistant", cursor_text.of_assistant(["\n".join(prose)]), _end(line), tuple(tools))


def _end(line: Line) -> int:
    return line.start_bytes + len(line.raw)


LAYOUT: Final = Layout(gather=gather, is_whole=lambda line: True, events=events, appended=False)
