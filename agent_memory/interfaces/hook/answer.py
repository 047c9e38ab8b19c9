"""Answer an editor's event: its neutral object at least, exit code 0, within the deadline, whatever happens.

It reads what others have written for it, and no settings: the briefing of the moment, the mirror, what was shown. It
takes no lock, makes no network call, starts no process, and loads neither the command line nor what writes the vault.
No event that grants a permission is answered with one; an editor asks its user.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn

if TYPE_CHECKING:
    from agent_memory.interfaces.hook.payload import Memory

DEADLINE_S: Final = 0.1
"""From when we are running: an editor's first prompt waits for this. As long again may take what is done behind."""
STUCK_S: Final = 1.0
"""How much later the process ends in any case, in the middle of an answer that nobody reads."""
MAX_INPUT_BYTES: Final = 8_000_000

NEUTRAL: Final[Mapping[str, dict[str, Any]]] = {"beforeSubmitPrompt": {"continue": True}}
"""What says nothing: an empty object, but for a prompt, which waits for leave to go on."""


class Reply:
    """The one answer to an event: of whoever worked it out or, if that takes too long, of the deadline."""

    def __init__(self, event: str, out: BinaryIO) -> None:
        self.memories: Sequence[Memory] = ()
        self._event = event
        self._out = out
        self._lock = threading.Lock()
        self._is_said = False
        self._began = time.monotonic()
        self._timer: threading.Timer | None = None

    def hurry(self) -> None:
        """Let there be a deadline from now on, instead of the last one."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(DEADLINE_S, self.too_late)
        self._timer.daemon = True
        self._timer.start()

    def say(self, text: str = "") -> bool:
        """Give the answer, with a text to tell if there is one; tell whether it was the first."""
        with self._lock:
            if self._is_said:
                return False
            self._is_said = True
            self._out.write(answer_with(self._event, text).encode("ascii") + b"\n")
            self._out.flush()
        if self._timer is not None:
            self.hurry()
        return True

    def too_late(self) -> NoReturn:
        """Say the neutral answer unless another is said, and end the process: what is still at work is left."""
        last = threading.Timer(STUCK_S, os._exit, [0])  # if nobody reads the answer, or the disk hangs
        last.daemon = True
        last.start()
        try:
            self.note("No answer in time." if self.say() else "What was left to do took too long.", failed=True)
        finally:
            os._exit(0)

    def note(self, said: str, *, failed: bool = False) -> None:
        """Leave a line for ``doctor``; where there is no memory, there is nobody to leave it for."""
        if self.memories:
            from agent_memory.interfaces.hook import traces

            ms = round(1000 * (time.monotonic() - self._began))
            traces.note(self.memories[0].folder, self._event, said, failed=failed, ms=ms)


def serve(words: Sequence[str]) -> NoReturn:
    """Answer the event that ``words`` name, ``cursor sessionStart``, from standard input to standard output."""
    if sys.stdout is not None:  # else nobody listens
        reply = Reply(words[1] if len(words) > 1 else "", sys.stdout.buffer)
        reply.hurry()
        if trouble := respond(words, sys.stdin.buffer if sys.stdin else None, reply):
            with suppress(OSError, AttributeError):  # nor does anybody there
                sys.stderr.write(f"agent-memory: {trouble}\n")
    os._exit(0)


def respond(words: Sequence[str], stdin: BinaryIO | None, reply: Reply) -> str:
    """Answer an event, with nothing to tell where anything fails; return what did."""
    try:
        _answer(words, stdin, reply)
    except Exception as error:  # noqa: BLE001  a hook that fails would stop its user's work
        with suppress(OSError):
            reply.say()
            reply.note(_described(error), failed=True)
        return _described(error)
    return ""


def answer_with(event: str, text: str) -> str:
    """Return an answer as JSON in ASCII, which every console can carry."""
    return json.dumps({**NEUTRAL.get(event, {}), **({"additional_context": text} if text else {})})


def _answer(words: Sequence[str], stdin: BinaryIO | None, reply: Reply) -> None:
    editor, event = (*words, "", "")[:2]
    from agent_memory.interfaces.hook.events import EVENTS, answer

    if editor != "cursor" or event not in EVENTS or stdin is None:
        reply.say()
        return
    from agent_memory.interfaces.hook.payload import Event, read_payload

    fields = read_payload(stdin.read(MAX_INPUT_BYTES))
    given = Event(event, fields, os.environ, Path.cwd)  # noqa: TID251  the door to it is too dear
    reply.memories = given.memories()
    answered = answer(given, reply.memories)
    if reply.say(answered.text):
        answered.then()
        reply.note(f"{len(answered.text)} characters" if answered.text else "nothing to tell")


def _described(error: Exception) -> str:
    """Return what went wrong and where, without what an editor sent: its words may be anybody's."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    place = f" in {Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at else ""
    return f"{type(error).__name__}{place}"
