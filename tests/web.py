"""The HTTP API over real HTTP, in a thread of the test's own process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import uvicorn

from agent_memory.interfaces.web.guard import Rules
from agent_memory.interfaces.web.serve import config_of
from agent_memory.interfaces.web.server import PATIENCE_S as SERVED_WITHIN_S
from agent_memory.interfaces.web.server import Server
from tests.workspace import Workspace

PATIENCE_S = 20.0


@dataclass
class Site:
    """A server that listens, and a client of it."""

    port: int
    client: httpx.Client = field(repr=False)
    end: Callable[[], None] = field(repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, status: int = 200, **params: Any) -> Any:
        return self._answer(self.client.get(path, params=params), status)

    def send(self, method: str, path: str, status: int = 200, *, match: str = "", **body: Any) -> Any:
        headers = {"If-Match": f'"{match}"'} if match else {}
        return self._answer(self.client.request(method, path, json=body, headers=headers), status)

    def post(self, path: str, status: int = 200, **body: Any) -> Any:
        return self.send("POST", path, status, **body)

    def add(self, content: str, category: str = "decisions", agent: str = "default", **more: Any) -> Any:
        return self.post("/api/memory/vault", agentId=agent, category=category, content=content, **more)["entry"]

    def listed(self, category: str = "decisions", agent: str = "default", **params: Any) -> Any:
        return self.get("/api/memory/vault", agentId=agent, category=category, **params)["entries"]

    def raw(self, data: bytes) -> bytes:
        """Send bytes and return all that is answered; the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as wire:
            wire.sendall(data)
            return b"".join(iter(lambda: wire.recv(65_536), b""))

    @staticmethod
    def _answer(answer: httpx.Response, status: int) -> Any:
        assert answer.status_code == status, answer.text
        value = answer.json()
        if status >= 400:
            assert set(value["error"]) == {"type", "message", "hint"}
        return value


def until(seconds: float, lines: Iterator[str]) -> Iterator[str]:
    """Yield lines, but not for longer than so; a stream says something every fifteen seconds."""
    deadline = time.monotonic() + seconds
    for line in lines:
        assert time.monotonic() < deadline, "nothing was told in time"
        yield line


@contextmanager
def site(
    workspace: Workspace, *, remote: bool = False, token: str = "", patience_s: float = SERVED_WITHIN_S, **flags: Any
) -> Iterator[Site]:
    """Serve a workspace's memory until the block ends, and then leave no thread."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    served = Server(lambda: workspace.app(**flags), Rules(port, remote=remote, token=token), patience_s=patience_s)
    running = uvicorn.Server(config_of(served))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()

    def end() -> None:
        served.end()
        running.should_exit = True

    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S, trust_env=False) as client:
            yield Site(port, client, end)
    finally:
        end()
        thread.join(PATIENCE_S)
        served.close()
        listening.close()
        assert not thread.is_alive()
