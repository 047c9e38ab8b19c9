"""What a stream of events is made of: pages that changed on disk, and what a command says."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final

import anyio

from agent_memory.errors import AgentMemoryError
from agent_memory.interfaces.web.shapes import Command

LOOK_EVERY_S: Final = 1.0
QUIET_S: Final = 15.0
"""A stream that says nothing for so long says so, since nobody hears otherwise that the other end has gone."""
GRACE_S: Final = 2.0
LEFT_S: Final = 0.5
"""How long what a command has left behind may be silent before nothing more is expected of it."""
LOOK_AT_END_S: Final = 0.02
MAX_ERROR_BYTES: Final = 2_000

Pages = Mapping[str, str]


def event(name: str, value: Any) -> bytes:
    """Return an event as it is sent."""
    return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n".encode("utf-8", "backslashreplace")


class Feed:
    """Tells whoever listens what has changed; it looks only while somebody does."""

    def __init__(self, look: Callable[[], Awaitable[Pages]]) -> None:
        self._look = look
        self._listeners: set[asyncio.Queue[bytes | None]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._has_looked = asyncio.Event()
        self._ended = False

    async def listen(self) -> AsyncIterator[bytes]:
        """Yield events until the feed ends, or whoever listens has gone."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            if self._looking is None:
                self._has_looked = asyncio.Event()
                self._looking = asyncio.create_task(self._keep_looking(), name="feed")
            await self._has_looked.wait()  # so that whoever has been greeted is told of every change
            yield event("hello", {})
            while not self._ended:
                try:
                    said = await asyncio.wait_for(queue.get(), QUIET_S)
                except TimeoutError:
                    said = b": quiet\n\n"
                if said is None:
                    return
                yield said
        finally:
            self._listeners.discard(queue)
            if not self._listeners and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    def tell(self, name: str, value: Any) -> None:
        """Send an event to whoever listens."""
        for queue in self._listeners:
            queue.put_nowait(event(name, value))

    def end(self) -> None:
        """End every stream."""
        self._ended = True
        for queue in self._listeners:
            queue.put_nowait(None)

    async def _keep_looking(self) -> None:
        before = await self._seen({})
        self._has_looked.set()
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            now = await self._seen(before)
            if changed := sorted(path for path in {*before, *now} if before.get(path) != now.get(path)):
                self.tell("pages", {"pages": changed})
            before = now

    async def _seen(self, before: Pages) -> Pages:
        """Look; where that cannot be done nothing has changed, and whoever asks for a page is told why."""
        with contextlib.suppress(AgentMemoryError, OSError):
            return await self._look()
        return before


async def output_of(command: Command, prompt: str, told: Any, ended: asyncio.Event) -> AsyncIterator[bytes]:
    """Run a command on a prompt and yield what it says; it and its children end with the stream, or the server."""
    yield event("start", told)
    try:
        process = await asyncio.create_subprocess_exec(
            *command.words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=command.folder,
            start_new_session=True,
        )
    except OSError as error:
        yield event("end", {"exitCode": None, "error": f"{command.words[0]} cannot be started: {error.strerror}."})
        return
    errors = bytearray()
    beside = [
        asyncio.create_task(one) for one in (_keep(process, errors), _feed(process, prompt), _end_when(ended, process))
    ]
    try:
        async with asyncio.timeout(command.timeout_s):
            async for text in _texts(process):
                yield event("output", {"text": text})
            await _has_ended(process)
            await asyncio.wait(beside[:1], timeout=LEFT_S)
        yield event("end", {"exitCode": process.returncode, "error": errors.decode("utf-8", "replace").strip()})
    except TimeoutError:
        yield event("end", {"exitCode": None, "error": f"It took more than {command.timeout_s:g} s and was ended."})
    finally:
        with anyio.CancelScope(shield=True):
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await _end(process)


async def _texts(process: asyncio.subprocess.Process) -> AsyncIterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    assert process.stdout is not None  # noqa: S101  it was asked for
    data = b"-"
    while data:
        try:
            async with asyncio.timeout(LEFT_S):
                data = await process.stdout.read(4096)
        except TimeoutError:
            if process.returncode is None:
                continue
            data = b""  # it has ended, and what it left behind holds its output
        if text := decoder.decode(data, final=not data):
            yield text


async def _feed(process: asyncio.subprocess.Process, prompt: str) -> None:
    assert process.stdin is not None  # noqa: S101  it was asked for
    with contextlib.suppress(ConnectionError):  # who does not read its input need not
        process.stdin.write(prompt.encode("utf-8", "replace"))
        await process.stdin.drain()
        process.stdin.close()
        await process.stdin.wait_closed()


async def _keep(process: asyncio.subprocess.Process, last: bytearray) -> None:
    """Keep the last words of what goes wrong."""
    assert process.stderr is not None  # noqa: S101  it was asked for
    while data := await process.stderr.read(4096):
        last += data
        del last[:-MAX_ERROR_BYTES]


async def _end_when(ended: asyncio.Event, process: asyncio.subprocess.Process) -> None:
    await ended.wait()
    await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a process and all that it has started, kindly at first."""
    _signal(process, signal.SIGTERM)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GRACE_S):
            await _has_ended(process)
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    await _has_ended(process)


async def _has_ended(process: asyncio.subprocess.Process) -> None:
    """Wait until a process has ended; asyncio's own `wait` waits for whoever holds its output too."""
    while process.returncode is None:
        await asyncio.sleep(LOOK_AT_END_S)


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        elif process.returncode is None:
            process.terminate()
