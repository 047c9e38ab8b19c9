"""From errors to exit codes and sentences, by class, in one place."""

from __future__ import annotations

import json
import os
import sys
from typing import Final, TextIO

from agent_memory.errors import AgentMemoryError, UsageError
from agent_memory.interfaces.cli import screen

FAILED: Final = 1
WRONG_USAGE: Final = 2


def exit_code(error: AgentMemoryError) -> int:
    """Return 2 where what was asked for cannot be, 1 where it could but failed."""
    return WRONG_USAGE if isinstance(error, UsageError) else FAILED


def report(kind: str, message: str, hint: str, *, as_json: bool) -> None:
    """Say what went wrong: one sentence and a hint on stderr, with ``--json`` an object on stdout."""
    if as_json:
        error = {"type": kind, "message": message, "hint": hint}
        say(json.dumps({"error": error}, ensure_ascii=False), sys.stdout)
        return
    name = "agent-memory:"
    name = f"{screen.RED}{name}{screen.PLAIN}" if screen.has_colours(sys.stderr) else name
    say("\n  ".join([f"{name} {message}", *filter(None, [hint])]), sys.stderr)


def say(text: str, stream: TextIO) -> None:
    """Print a text; that whoever read it has gone is theirs to do, and no failure of ours."""
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # or Python complains again at exit
