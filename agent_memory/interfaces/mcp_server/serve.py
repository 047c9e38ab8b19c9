"""Serving one client over standard input and output, until the input ends."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Final, NoReturn, TextIO, cast

import anyio
from mcp.server.stdio import stdio_server

from agent_memory.app import rule
from agent_memory.app.container import App, open_app
from agent_memory.interfaces.mcp_server import wire
from agent_memory.interfaces.mcp_server.server import build

GRACE_S: Final = 0.5
"""How long calls that are under way when the input ends may go on; any kill leaves the vault whole."""


def serve(directory: str | None, workspace: str | None, agent: str | None) -> NoReturn:
    """Serve until standard input ends, and end the process within a second of that, with 0.

    Args:
        directory: The memory folder, if one was named.
        workspace: The folder to work for, if it is not the one we are in.
        agent: Whose memory it is; ``workspace.agent``, if None.

    Raises:
        AgentMemoryError: Folder or settings are wrong.
    """
    flags = {"workspace.agent": agent} if agent else {}
    with open_app(directory=directory, workspace=workspace, flags=flags) as app:
        app.agent  # noqa: B018  what is wrong with folder, settings or name is said before anybody connects
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads cannot be interrupted otherwise
    raw_in, raw_out = wire.claimed()
    out = wire.Outgoing(raw_out, gone=_leave)

    @contextlib.contextmanager
    def opened() -> Iterator[App]:
        with open_app(directory=directory, workspace=workspace, flags=flags) as app:
            yield app
            rule.follow(app)

    server = build(opened)

    def ended() -> None:
        _leave_soon()
        out.wait_until_settled(GRACE_S)

    async def run() -> None:
        lines = cast("TextIO", wire.Incoming(raw_in, out, ended=ended))
        texts = anyio.wrap_file(lines), anyio.wrap_file(cast("TextIO", out))
        async with stdio_server(*texts) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
    _leave()  # taking down an interpreter with so many modules can take longer than a client waits


def _leave_soon() -> None:
    """End the process shortly, even if a thread is still at work, which nothing else can end."""
    timer = threading.Timer(GRACE_S, _leave)
    timer.daemon = True
    timer.start()


def _leave() -> NoReturn:
    sys.stderr.flush()
    os._exit(0)
