"""A language model's server on loopback that says what it is told to, over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """The variable part of what was asked."""
        return str(self.body["messages"][-1]["content"])


@dataclass
class ModelServer:
    """Answers with its scripts, one after the other; the last one for ever."""

    url: str
    scripts: list[Script]
    requests: list[Request] = field(default_factory=list)
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    released: threading.Event = field(default_factory=threading.Event)

    def next(self) -> Script:
        return self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]

    def wait_for_request(self) -> None:
        assert self.arrived.acquire(timeout=20), "nothing was asked"

    def settings(self, **more: Any) -> dict[str, Any]:
        """Flags that make this server the endpoint."""
        return {"reflection__base_url": self.url, "reflection__model": "scripted", **more}


def says(text: str, *, ended: str = "stop", usage: dict[str, Any] | None = None) -> Script:
    """A chat completion with this text."""
    usage = {"prompt_tokens": 100, "completion_tokens": 10} if usage is None else usage
    return sends({"choices": [{"message": {"content": text}, "finish_reason": ended}], "usage": usage})


def answers(reply: Callable[[str], str]) -> Script:
    """A chat completion with what ``reply`` makes of the variable part of what was asked."""

    def script(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        says(reply(str(body["messages"][-1]["content"])))(handler, body)

    return script


def sends(value: Any) -> Script:
    """This JSON, or these bytes."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()

    def script(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return script


def refuses(status: int, **headers: str) -> Script:
    def script(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": "0", **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()

    return script


def hangs_up(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """End the connection in the middle of an answer."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices":')


def waits(server: ModelServer, then: Script) -> Script:
    """Nothing until the test lets go, then an answer that may find nobody there any more."""

    def script(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        server.released.wait(20)
        then(handler, body)

    return script


def drips(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """A byte at a time, for as long as somebody listens: no single wait is long."""
    handler.send_response(200)
    handler.end_headers()
    pause = threading.Event()
    while not pause.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


@contextmanager
def model_server(*scripts: Script) -> Iterator[ModelServer]:
    server = ModelServer("", list(scripts))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script = server.next()
            server.requests.append(Request(self.path, dict(self.headers), body))
            server.arrived.release()
            self.close_connection = True
            # Whoever asked may have gone, which is what some tests are about.
            with suppress(BrokenPipeError, ConnectionResetError):
                script(self, body)

        def log_message(self, *arguments: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = False
    server.url = f"http://127.0.0.1:{httpd.server_port}/v1"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        httpd.shutdown()
        httpd.server_close()
        thread.join(10)
