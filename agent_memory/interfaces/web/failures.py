"""From errors to statuses and bodies, by class, in one place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from agent_memory.app import project, vault
from agent_memory.errors import (
    AgentMemoryError,
    LockTimeout,
    Outdated,
    PageConflict,
    UnknownAgent,
    UnknownCategory,
    UnknownEntry,
    UsageError,
)
from agent_memory.interfaces.web import telling
from agent_memory.interfaces.web.guard import Refusal
from agent_memory.model.memory import Memory

STATUS: Final[tuple[tuple[type[Exception] | tuple[type[Exception], ...], int], ...]] = (
    ((UnknownAgent, UnknownCategory, UnknownEntry), 404),
    (UsageError, 400),
    (Outdated, 412),
    (PageConflict, 409),
    (LockTimeout, 503),
    (AgentMemoryError, 500),
)

KINDS: Final = {
    401: "NoToken",
    403: "Refused",
    404: "NotFound",
    405: "NoSuchMethod",
    408: "TooSlow",
    413: "TooLarge",
    415: "NotJson",
}
"""The ``type`` of what is refused before any route is asked, by status; a type never changes."""


class BadRequest(HTTPException):
    """A request that no route has been asked for yet."""


async def told(request: Request, error: Exception) -> Response:
    """Return an error as an answer; of one that nobody has foreseen nothing but that it happened."""
    if isinstance(error, HTTPException):
        return refused(Refusal(error.status_code, str(error.detail)))
    if isinstance(error, OSError):
        what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
        return _answer(500, "FileError", f"{what}.", "Check that it exists and may be used.")
    if not isinstance(error, AgentMemoryError):
        return _answer(500, "InternalError", "Something went wrong here.", "The terminal of the viewer says more.")
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    current, revision = _current(error.facts.get("current") if isinstance(error, Outdated) else None)
    return _answer(status, type(error).__name__, error.message, error.hint, current, revision)


def refused(why: Refusal) -> Response:
    """Return a refusal as an answer; what is still to come of the request is not waited for."""
    answer = _answer(why.status, KINDS.get(why.status, "BadRequest"), why.message, why.hint)
    answer.headers["Connection"] = "close"
    return answer


def _current(held: Any) -> tuple[dict[str, Any], str]:
    """Return, for who has lost an update, what stands there now."""
    if isinstance(held, Memory):
        return {"current": telling.entry(held)}, vault.revision(held)
    return ({"current": {"content": held}}, project.revision(held)) if isinstance(held, str) else ({}, "")


def _answer(
    status: int, kind: str, message: str, hint: str, more: dict[str, Any] | None = None, revision: str = ""
) -> Response:
    return as_json({"error": {"type": kind, "message": message, "hint": hint}, **(more or {})}, status, revision)


def as_json(value: Mapping[str, Any], status: int = 200, revision: str = "") -> Response:
    """Return a value as an answer; the ``revision`` of what it is about becomes its ETag."""
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
    headers = {"ETag": f'"{revision}"'} if revision else None
    return Response(data, status, media_type="application/json", headers=headers)
