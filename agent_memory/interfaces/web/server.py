"""The server: each route of the table, the page's files, and the stream of what changes.

Work on the vault is done in two threads, one that reads and one that writes, so that writers queue here rather than at
the vault's lock, and nobody who reads waits for them. Hand edits, settings and deleted indexes are seen at once.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib import resources
from typing import Any, Final, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route as Address
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_memory.app import vault
from agent_memory.app.container import App
from agent_memory.app.kept import Kept, Opened
from agent_memory.app.maintain import STEPS
from agent_memory.errors import AgentMemoryError, InvalidValue
from agent_memory.interfaces.web import failures
from agent_memory.interfaces.web.events import Feed, output_of
from agent_memory.interfaces.web.failures import BadRequest
from agent_memory.interfaces.web.guard import COOKIE, SAFE, Rules
from agent_memory.interfaces.web.notation import checked, fields_of, from_address
from agent_memory.interfaces.web.shapes import Given, Reply, Route
from agent_memory.interfaces.web.table import DOCUMENT, EVENTS, ROUTES, document
from agent_memory.model.text import clean

T = TypeVar("T")

METHODS: Final = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE")
MAX_BODY_BYTES: Final = 8_000_000
PATIENCE_S: Final = 10.0
"""How long the head of a request may take, and its body."""
FOLDER: Final = "page"
KINDS: Final = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}


class Worker:
    """A thread that works on the vault, one thing after the other, and remembers what it has read."""

    def __init__(self, opened: Opened, name: str, *, stays: bool) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._kept = Kept(opened, stays=stays)

    async def do(self, work: Callable[[App], T]) -> T:
        """Do work; whoever gives it up does not undo it."""

        def run() -> T:
            with self._kept.use() as app:
                return work(app)

        return await asyncio.get_running_loop().run_in_executor(self._pool, run)

    def close(self) -> None:
        """Finish what was begun and waits, and end the thread."""
        self._pool.submit(self._kept.close)
        self._pool.shutdown(wait=True)


class Server:
    """Everything that is served."""

    def __init__(self, opened: Opened, rules: Rules, *, patience_s: float = PATIENCE_S) -> None:
        self._rules = rules
        self.patience_s = patience_s
        self._reading = Worker(opened, "reads", stays=True)
        self._writing = Worker(opened, "writes", stays=False)
        self._feed = Feed(lambda: self._reading.do(vault.revisions))
        self._ended = asyncio.Event()
        self._compacting: str | None = None
        self._table: dict[tuple[str, str], Route] = {(route.method, route.path): route for route in ROUTES}

    def app(self) -> ASGIApp:
        """Return what a server such as uvicorn runs."""
        addresses = [Address(path, self._routed, methods=METHODS) for path in {path for _, path in self._table}]
        return self._guarded(
            Starlette(
                routes=[
                    Address(DOCUMENT, self._document),
                    Address(EVENTS, self._events),
                    *addresses,
                    Address("/{name:path}", self._file, methods=METHODS),
                ],
                exception_handlers={
                    AgentMemoryError: failures.told,
                    HTTPException: failures.told,
                    OSError: failures.told,
                    Exception: failures.told,
                },
            )
        )

    def end(self) -> None:
        """End the streams, which else would never end."""
        self._ended.set()
        self._feed.end()

    def close(self) -> None:
        """Finish what is being written, and end the threads."""
        self._reading.close()
        self._writing.close()

    def _route_of(self, request: Request) -> Route | None:
        method = "GET" if request.method == "HEAD" else request.method
        return self._table.get((method, request.scope["path"]))

    def _guarded(self, app: ASGIApp) -> ASGIApp:
        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            scope["path"] = "/" + scope["path"].lstrip("/")
            request = Request(scope)
            route = self._route_of(request)

            async def marked(message: Message) -> None:
                if message["type"] == "http.response.start":
                    named = [(name.encode(), value.encode()) for name, value in SAFE.items()]
                    message = {**message, "headers": [*message["headers"], *named]}
                await send(message)

            refused = self._rules.refusal(request, upkeep=route is not None and route.upkeep)
            answer = failures.refused(refused) if refused and not self._brings_token(request) else app
            await answer(scope, receive, marked)

        return guarded

    def _brings_token(self, request: Request) -> bool:
        """Tell whether somebody opens the address that has the token in it."""
        given = request.query_params.get("token")
        return (
            request.scope["path"] == "/" and request.method == "GET" and given is not None and self._rules.knows(given)
        )

    async def _routed(self, request: Request) -> Response:
        route = self._route_of(request)
        if route is None:
            raise BadRequest(405, "There is no such method here.")
        fields = await self._fields(route, request)
        given = Given(fields, _expected(request), self._compacting, self._progress())
        worker = self._writing if route.writes else self._reading
        compacts = route.writes and route.path.endswith("/compact")
        if compacts:
            self._compacting = datetime.now(UTC).isoformat()  # noqa: TID251  told to people, decides nothing
            self._feed.tell("compaction", {"running": self._compacting})
        try:
            found = await worker.do(lambda app: route.run(app, given))
        finally:
            if compacts:
                self._compacting = None
                self._feed.tell("compaction", {"running": None})
        reply = found if isinstance(found, Reply) else Reply(found)
        if reply.command is not None:
            told = {name: one for name, one in reply.value.items() if name != "prompt"}
            stream = output_of(reply.command, reply.value["prompt"], told, self._ended)
            return StreamingResponse(stream, media_type="text/event-stream")
        return failures.as_json(reply.value, revision=reply.revision)

    def _progress(self) -> Callable[[str], None]:
        """Return what tells, from the thread that compacts, everybody who listens how far it is."""
        loop = asyncio.get_running_loop()

        def at(step: str) -> None:
            told = {"running": self._compacting, "step": step, "done": STEPS.index(step), "steps": len(STEPS)}
            loop.call_soon_threadsafe(self._feed.tell, "compaction", told)

        return at

    async def _fields(self, route: Route, request: Request) -> dict[str, Any]:
        fields = fields_of(route.takes)
        if route.has_body:
            return checked(fields, await self._body(request))
        return checked(
            fields, from_address(fields, [(clean(k), clean(v)) for k, v in request.query_params.multi_items()])
        )

    async def _body(self, request: Request) -> dict[str, Any]:
        length = request.headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            raise BadRequest(413, f"A body may have {MAX_BODY_BYTES} bytes.")
        data = bytearray()
        try:
            async with asyncio.timeout(self.patience_s):
                async for part in request.stream():
                    data += part
                    if len(data) > MAX_BODY_BYTES:
                        raise BadRequest(413, f"A body may have {MAX_BODY_BYTES} bytes.")
        except ClientDisconnect as error:
            raise BadRequest(400, "The body broke off.") from error
        except TimeoutError as error:
            raise BadRequest(408, f"The body did not come within {self.patience_s:g} s.") from error
        if not data.strip():
            return {}
        if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
            raise BadRequest(415, "The body must be application/json.")
        return _object(bytes(data))

    async def _document(self, request: Request) -> Response:
        return failures.as_json(document())

    async def _events(self, request: Request) -> Response:
        stream = self._feed.listen() if request.method == "GET" else ()  # a head alone listens to nothing
        return StreamingResponse(stream, media_type="text/event-stream")

    async def _file(self, request: Request) -> Response:
        if self._brings_token(request):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, self._rules.token, httponly=True, samesite="strict")
            return answer
        name = request.path_params["name"] or "index.html"
        kind = KINDS.get(name.rpartition(".")[2]) if request.method in ("GET", "HEAD") else None
        found = resources.files(__package__).joinpath(FOLDER)
        for one in found.iterdir() if kind else ():
            if one.name == name and one.is_file():
                return Response(one.read_bytes(), media_type=kind)
        raise BadRequest(404, "There is nothing here.")


def _expected(request: Request) -> str | None:
    tag = request.headers.get("if-match", "*").strip()
    return None if tag == "*" else tag.removeprefix("W/").strip('"')


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
        whole = json.loads(clean(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        raise InvalidValue.of("body", "is no JSON.", hint="Send an object in UTF-8.") from error
    if not isinstance(whole, dict):
        raise InvalidValue.of("body", "must be an object.")
    return whole


def _no_number(name: str) -> float:
    raise ValueError(name)
