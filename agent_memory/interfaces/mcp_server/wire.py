"""The wire: one JSON message a line on standard input and output, and nothing else ever on the latter.

What is no message is answered where it stands, so that whoever sent it does not wait, and goes no further.
"""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, Final

from mcp_types import INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter

from agent_memory.model.text import clean

MAX_LINE_BYTES: Final = 16_000_000
NO_MESSAGE: Final = "No message."


class Outgoing(io.TextIOBase):
    """Where messages go, each with its line end in one write; it knows how many answers are owed."""

    def __init__(self, raw: BinaryIO, gone: Callable[[], None]) -> None:
        self._raw = raw
        self._gone = gone
        self._lock = threading.Condition()
        self._owed = 0

    def owe(self) -> None:
        """Say that an answer is to come."""
        with self._lock:
            self._owed += 1

    def wait_until_settled(self, timeout_s: float) -> None:
        """Wait until nobody is owed an answer, at most so long."""
        with self._lock:
            self._lock.wait_for(lambda: self._owed <= 0, timeout_s)

    def write(self, text: str) -> int:
        """Send text; ``gone`` is called where nobody reads any more."""
        try:
            with self._lock:
                self._raw.write(text.encode("utf-8", "replace"))
                self._raw.flush()
                self._owed -= 1
                self._lock.notify_all()
        except OSError:
            self._gone()
        return len(text)


class Incoming(io.TextIOBase):
    """Where messages come from: lines that are valid messages, in characters that can be stored."""

    def __init__(self, raw: BinaryIO, out: Outgoing, ended: Callable[[], None]) -> None:
        self._raw = raw
        self._out = out
        self._ended = ended

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # the base class has it narrower
        """Return the next message; empty once the input has ended, after ``ended`` was called."""
        while line := self._raw.readline(MAX_LINE_BYTES):
            message = self._message(line)
            if message:
                return message
        self._ended()
        return ""

    def _message(self, line: bytes) -> str:
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            self._skip_the_rest()
            self._refuse(None, PARSE_ERROR, f"A message may have {MAX_LINE_BYTES} bytes.")
        elif line.strip():
            return self._checked(line)
        return ""

    def _checked(self, line: bytes) -> str:
        value: Any = None
        try:
            value = json.loads(line.decode("utf-8-sig", "replace"))
            text = clean(json.dumps(value, ensure_ascii=False, allow_nan=False)) + "\n"
            jsonrpc_message_adapter.validate_json(text, by_name=False)
        except (ValueError, RecursionError):
            self._refuse(_name(value), *((PARSE_ERROR, "No JSON.") if value is None else (INVALID_REQUEST, NO_MESSAGE)))
            return ""
        if "id" in value and "method" in value:
            if _name(value) is None:  # the SDK would take it for a notification, which nobody answers
                self._refuse(None, INVALID_REQUEST, NO_MESSAGE)
                return ""
            self._out.owe()
        return text

    def _skip_the_rest(self) -> None:
        while (more := self._raw.readline(MAX_LINE_BYTES)) and not more.endswith(b"\n"):
            pass

    def _refuse(self, name: int | str | None, code: int, message: str) -> None:
        self._out.owe()
        error = {"jsonrpc": "2.0", "id": name, "error": {"code": code, "message": message}}
        self._out.write(json.dumps(error) + "\n")


def _name(value: Any) -> int | str | None:
    """Return by what a message wants to be answered, if it has that."""
    name = value.get("id") if isinstance(value, dict) else None
    return name if type(name) in (int, str) else None


def claimed() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the wire.

    From now on what anybody prints goes to standard error, whether through Python, C or a child process, and
    who reads standard input finds it empty.
    """
    sys.stdout.flush()
    wire = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error either
        os.dup2(nothing, 1)
    os.close(nothing)
    return wire
