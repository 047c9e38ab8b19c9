"""Serving the page and the API at an address of this computer, until the process is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import math
import re
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from types import FrameType
from typing import Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from agent_memory.app import rule
from agent_memory.app.container import App, open_app
from agent_memory.errors import FileError, UsageError
from agent_memory.interfaces.web.guard import Rules
from agent_memory.interfaces.web.server import Server

HERE: Final = ("127.0.0.1", "localhost", "::1")
EVERYWHERE: Final = "0.0.0.0"  # noqa: S104  only where a user asks for it
LONG_ENOUGH: Final = r"[A-Za-z0-9._-]{16,200}"
TRIES: Final = 50
PORTS: Final = 65_536
ENDING: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")
FINISH_S: Final = 30
"""How long what is being written may take at the end; streams end at once."""


def serve(directory: str | None, host: str, port: int, *, opens: bool, remote: bool, token: str) -> int:
    """Serve until a signal ends it, and return 0.

    Args:
        directory: The memory folder, if one was named.
        host: The address to listen at; empty: this computer's own, or all it has if others may ask.
        port: The first port to try; 0: any.
        opens: Whether the page is opened in the browser.
        remote: Whether others may ask.
        token: What everybody who asks must know; needed where others can ask.

    Raises:
        AgentMemoryError: Folder or settings are wrong, or the address may not or cannot be had.
    """
    host = host or (EVERYWHERE if remote else HERE[0])
    if (remote or host not in HERE) and not (remote and token):
        raise UsageError(f"{host} can be reached from elsewhere.", hint="Give --allow-remote and a --token for that.")
    if token and not re.fullmatch(LONG_ENOUGH, token):
        raise UsageError("This is no token.", hint="Take at least 16 letters, digits, '-', '_' and '.'.")

    @contextlib.contextmanager
    def opened() -> Iterator[App]:
        with open_app(directory=directory) as app:
            yield app
            rule.follow(app)

    with opened() as app:
        app.agent  # noqa: B018  what is wrong with folder, settings or name is said before anybody connects
        folder = app.folder.root
    with contextlib.closing(_listening(host, port)) as listening:
        found = listening.getsockname()[1]
        served = Server(opened, Rules(found, remote=remote, token=token))
        with _ending_well(served) as running:
            if port not in (0, found):
                print(f"Port {port} is taken; this is {found}.", file=sys.stderr)
            name = f"[{host}]" if ":" in host else HERE[0] if host == EVERYWHERE else host
            address = f"http://{name}:{found}/"
            print(f"Memory of {folder} at {address}{', and from other computers' * remote}", flush=True)
            if opens:  # in a thread, since a browser in the terminal returns only when it is left
                page = f"{address}?token={token}" if token else address
                threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()
            running.run(sockets=[listening])
    return 0


class _Impatient(H11Protocol):
    """uvicorn's protocol, which gives the head of a request a time, however slowly it comes."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait()

    def _wait(self) -> None:
        if self.conn.their_state is not h11.IDLE and self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        elif self.conn.their_state is h11.IDLE and self._waiting is None:
            self._waiting = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)


class _Uvicorn(uvicorn.Server):
    """uvicorn, which ends our streams before it waits for them."""

    def __init__(self, config: uvicorn.Config, served: Server) -> None:
        super().__init__(config)
        self._served = served

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._served.end()


def config_of(served: Server) -> uvicorn.Config:
    """Return how uvicorn is to serve: plain HTTP/1.1, without a word of its own, believing no proxy."""
    return uvicorn.Config(
        served.app(),
        http=_Impatient,
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=math.ceil(served.patience_s),
        timeout_graceful_shutdown=FINISH_S,
        limit_concurrency=200,
    )


@contextlib.contextmanager
def _ending_well(served: Server) -> Iterator[uvicorn.Server]:
    """Yield what runs until it is told to end, from now on; uvicorn itself would raise the signal again afterwards."""
    running = _Uvicorn(config_of(served), served)
    known = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    heeded = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]  # as `nohup` wants it
    before = {number: signal.signal(number, running.handle_exit) for number in heeded}
    try:
        yield running
    finally:
        served.close()
        for number, handler in before.items():
            signal.signal(number, handler)


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at this port, or the next free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in range(port, min(port + TRIES, PORTS)) if port else (0,):
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen(128)
        except OSError as error:
            listening.close()
            if error.errno != errno.EADDRINUSE:
                raise FileError(f"Cannot listen at {host}: {error.strerror}.", hint="Name another address.") from error
        else:
            return listening
    raise FileError(f"No port from {port} on is free at {host}.", hint="Name another --port.")
