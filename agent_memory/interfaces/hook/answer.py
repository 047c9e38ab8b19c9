"""Answer an editor's event: its neutral object at least, exit code 0, within the deadline, whatever happens.

It tells a new session what the managed rule says, and nothing else: the rule is the one thing to keep up to date and
the one from which what was forgotten is gone. So there is nothing to open, lock or load: no vault, no database, no
settings, no command line. No event that grants a permission is answered with one; an editor asks its user.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

DEADLINE_S: Final = 0.1
"""From when we are running: an editor's first prompt waits for this."""
MAX_INPUT_BYTES: Final = 8_000_000
MAX_RULE_BYTES: Final = 1_000_000
RULE: Final = ".cursor/rules/agent-memory/briefing.mdc"

# Cursor documents no context for a prompt's event, and takes no answer for a refusal.
NEUTRAL: Final[Mapping[str, dict[str, Any]]] = {"beforeSubmitPrompt": {"continue": True}}

_BRIEFING: Final = re.compile(r"^<!-- agent-memory:briefing -->\n.*^<!-- /agent-memory:briefing -->", re.S | re.M)
_DRIVE: Final = re.compile(r"/[A-Za-z]:(?:[/\\]|$)")


def serve(words: Sequence[str]) -> NoReturn:
    """Answer the event that ``words`` name, ``cursor sessionStart``, from standard input to standard output."""
    if sys.stdout is None:
        os._exit(0)  # nobody listens
    event = words[1] if len(words) > 1 else ""
    neutral = json.dumps(NEUTRAL.get(event, {}))
    lock, out = threading.Lock(), sys.stdout.buffer

    def say(answer: str) -> NoReturn:
        """Give the answer of whoever comes first and end the process: what is still at work keeps nobody waiting."""
        with lock:
            try:
                out.write(answer.encode("ascii") + b"\n")
                out.flush()
            finally:
                os._exit(0)

    timer = threading.Timer(DEADLINE_S, say, [neutral])
    timer.daemon = True
    timer.start()
    try:
        answer = answer_to(words, sys.stdin.buffer, Path.cwd)
    except Exception as error:  # noqa: BLE001  a hook that fails would stop its user's work
        answer = neutral
        with contextlib.suppress(Exception):
            sys.stderr.write(f"agent-memory: {error!r}\n")
    say(answer)


def answer_to(words: Sequence[str], stdin: BinaryIO, here: Callable[[], Path]) -> str:
    """Return the answer as JSON in ASCII, which every console can carry."""
    editor, event = (*words, "", "")[:2]
    neutral = NEUTRAL.get(event, {})
    if (editor, event) != ("cursor", "sessionStart"):
        return json.dumps(neutral)
    payload = read_payload(stdin.read(MAX_INPUT_BYTES))
    briefing = next(filter(None, map(_briefing_in, roots_of(payload, here))), "")
    return json.dumps({"additional_context": briefing} if briefing else neutral)


def read_payload(data: bytes) -> dict[str, Any]:
    """Return the object that an editor sends: behind any number of BOMs; empty where there is none."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def roots_of(payload: Mapping[str, Any], here: Callable[[], Path]) -> Iterator[Path]:
    """Yield the folders that are open, in their order; where none is named, where we were started."""
    named = payload.get("workspace_roots")
    roots = [one for one in named if isinstance(one, str) and one.strip()] if isinstance(named, list) else []
    yield from (Path(one[1:] if _DRIVE.match(one) else one) for one in roots)
    if not roots:
        yield here()


def _briefing_in(root: Path) -> str:
    """Return what the nearest managed rule from ``root`` upwards to its repository says; empty where there is none."""
    upwards = (root, *root.parents)
    top = next((at for at, folder in enumerate(upwards) if (folder / ".git").exists()), 0)
    for folder in upwards[: top + 1]:  # what lies above a project may be anybody's
        path = folder / RULE
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            found = _BRIEFING.search(path.read_bytes()[:MAX_RULE_BYTES].decode("utf-8", "replace"))
            return found[0] if found else ""
    return ""
