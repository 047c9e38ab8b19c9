"""Cursor's agent transcripts, as they have been observed; the vendor publishes no format.

One JSON object a line: ``{"role", "message": {"content"}}``, or a status such as ``{"type": "turn_ended"}``.
There are no ids, and times only where a user's text begins with one. A project's folder name is never decoded
back into a path, because that is a guess. Older transcripts are plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from agent_memory.model.text import clean, one_line
from agent_memory.model.transcript import Record, SkippedLine, Todo, ToolUse
from agent_memory.sources import cursor_legacy, cursor_text, jsonl
from agent_memory.sources.base import Event, Layout, Line, Projects, Source, Status, kind_of

MAX_PATHS: Final = 50
MAX_PATH_CHARS: Final = 400
MAX_NAME_CHARS: Final = 80

_PATH_KEYS: Final = ("path", "file_path", "target_file")
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_QUIET_BLOCKS: Final = ("tool_result", "thinking", "reasoning", "redacted_thinking", "image")

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_DRIVE: Final = re.compile(r"^([A-Za-z]):")
_NO_SLUG_CHARS: Final = re.compile(r"[^A-Za-z0-9]+")
_CUT_SLUG: Final = re.compile(r"(.{20,})-[0-9a-f]{7}")
_LOGGED: Final = re.compile(r"\bworkspacePath\"?\s*[=:]\s*\"?([^\"\r\n]+?)(?=\"|[,;]|\s+\w+=|\s*$)", re.MULTILINE)


def cursor_slug(path: str) -> str:
    """Return the folder name that Cursor derives from a workspace's absolute path.

    Lossy: ``a-b``, ``a_b`` and ``a/b`` collide, and letters outside ASCII vanish. Cursor's command
    line also cuts very long names by a rule that is not known.
    """
    lowered = _DRIVE.sub(lambda match: match[1].lower(), path)
    return _NO_SLUG_CHARS.sub("-", lowered).strip("-")


def is_special_slug(slug: str) -> bool:
    """Tell whether a folder of this name belongs to no single workspace: none open, or an untitled one."""
    return slug in ("", "empty-window", "agent-transcripts") or slug.isdigit()


def root_of(home: str, data_dir: str | None) -> str:
    """Return where Cursor has its project folders; ``data_dir`` is what CURSOR_DATA_DIR says."""
    return f"{data_dir or f'{home}/.cursor'}/projects"


def names_of(workspace: str) -> frozenset[str]:
    """Return the names that a workspace's folder may have: on Windows the command line keeps the drive's capital."""
    slug = cursor_slug(workspace)
    spelled = {slug, slug[:1].upper() + slug[1:]} if _DRIVE.match(workspace) else {slug}
    return frozenset(name for name in spelled if not is_special_slug(name))


def claimed_workspace(claim: str) -> str | None:
    """Return the path that a project folder's ``.workspace-trusted`` names."""
    path = (jsonl.parse_object(claim) or {}).get("workspacePath")
    return path if isinstance(path, str) and path and "\0" not in path else None


def logged_workspace(log: str) -> str | None:
    """Return the path that a project folder's ``worker.log`` mentioned last."""
    mentioned = _LOGGED.findall(log)
    return mentioned[-1] if mentioned else None


def is_cut_slug(name: str, slug: str) -> bool:
    """Tell whether a folder's name may be ``slug``, cut and given a hash, as the command line does to long paths."""
    cut = _CUT_SLUG.fullmatch(name)
    return cut is not None and slug.startswith(cut[1]) and slug != cut[1]


def conversation_of(parts: tuple[str, ...]) -> tuple[str, str | None] | None:
    """Recognise ``<id>.jsonl``, ``<id>.txt``, ``<id>/<id>.jsonl`` and ``<id>/subagents/<child>.jsonl``."""
    stem, _, ending = parts[-1].rpartition(".")
    if ending not in ("jsonl", "txt") or not _ID.fullmatch(stem):
        return None
    match parts[:-1]:
        case ():
            return stem, None
        case _ if ending == "txt":
            return None
        case (folder,) if folder == stem:
            return stem, None
        case (parent, "subagents") if _ID.fullmatch(parent):
            return stem, parent
        case _:
            return None


def events(line: Line) -> Iterator[Event]:
    """Yield what a line of a transcript holds."""
    for piece in jsonl.objects(line):
        yield piece if isinstance(piece, SkippedLine) else _event(piece, line.number)


def _event(piece: jsonl.Piece, number: int) -> Event:
    role = piece.value.get("role")
    if role is None:
        return _status(piece.value.get("type"), number)
    if role not in ("user", "assistant"):
        return Status() if role in ("tool", "system") else SkippedLine(number, "unknown role", kind_of("role", role))
    message = piece.value.get("message")
    blocks = _blocks(message.get("content") if isinstance(message, dict) else None)
    if blocks is None:
        return SkippedLine(number, "a message without content", "message without content")
    texts = [
        clean(text) for block in blocks if block.get("type") == "text" and isinstance(text := block.get("text"), str)
    ]
    tools = tuple(_tool_use(block) for block in blocks if block.get("type") == "tool_use")
    if blocks and not texts and not tools and not any(block.get("type") in _QUIET_BLOCKS for block in blocks):
        return SkippedLine(number, "no block of a known type", kind_of("block", blocks[0].get("type")))
    return _said_by_user(texts, piece) if role == "user" else _said_by_assistant(texts, tools, piece)


def _status(kind: object, number: int) -> Event:
    if kind == "turn_ended":
        return Status(ends_turn=True)
    return Status() if kind == "progress" else SkippedLine(number, "unknown type of line", kind_of("line", kind))


def _blocks(content: object) -> list[dict[str, Any]] | None:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, list):
        return [block if isinstance(block, dict) else {"type": "text", "text": block} for block in content]
    return None


def _said_by_user(texts: list[str], piece: jsonl.Piece) -> Event:
    said = cursor_text.of_user("\n".join(texts))
    said_at = said.at or cursor_text.parse_iso(piece.value.get("timestamp"))
    return Record("user", said.text, piece.end_bytes, said_at=said_at, injected=said.injected)


def _said_by_assistant(texts: list[str], tools: tuple[ToolUse, ...], piece: jsonl.Piece) -> Event:
    text = cursor_text.of_assistant(texts)
    if not text and not tools:
        return Status()  # hidden reasoning only
    said_at = cursor_text.parse_iso(piece.value.get("timestamp"))
    return Record("assistant", text, piece.end_bytes, tools, said_at)


def _tool_use(block: Mapping[str, Any]) -> ToolUse:
    name, given = block.get("name"), block.get("input")
    arguments = given if isinstance(given, dict) else {}
    paths = [arguments[key] for key in _PATH_KEYS if isinstance(arguments.get(key), str)]
    for text in (given, *arguments.values()) if name == "ApplyPatch" else ():
        paths += _PATCHED.findall(text) if isinstance(text, str) else []
    kept = dict.fromkeys(one_line(clean(path))[:MAX_PATH_CHARS] for path in paths[:MAX_PATHS])
    label = one_line(clean(name))[:MAX_NAME_CHARS] if isinstance(name, str) else ""
    return ToolUse(label, tuple(path for path in kept if path), _todos(label, arguments.get("todos")))


def _todos(name: str, given: object) -> tuple[Todo, ...]:
    if name != "TodoWrite" or not isinstance(given, list):
        return ()
    listed = [entry for entry in given if isinstance(entry, dict) and isinstance(entry.get("content"), str)]
    states = [state if isinstance(state := entry.get("status"), str) else "pending" for entry in listed]
    texts = [one_line(clean(entry["content"])) for entry in listed]
    return tuple(Todo(text, clean(state)[:MAX_NAME_CHARS]) for text, state in zip(texts, states, strict=True))


CURSOR: Final = Source(
    name="cursor",
    conversation_of=conversation_of,
    depth=3,
    layouts={
        ".jsonl": Layout(gather=lambda lines: lines, is_whole=jsonl.is_whole, events=events, appended=True),
        ".txt": cursor_legacy.LAYOUT,
    },
    projects=Projects(
        root=root_of,
        transcripts="agent-transcripts",
        claim=(".workspace-trusted", claimed_workspace),
        log=("worker.log", logged_workspace),
        name_of=cursor_slug,
        names_of=names_of,
        is_shared=is_special_slug,
        is_cut=is_cut_slug,
    ),
)
