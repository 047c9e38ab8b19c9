"""Which routes there are: one table, put together from those of each part, and the document that describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agent_memory import __version__
from agent_memory.interfaces.web import lifecycle, reading, writing
from agent_memory.interfaces.web.lifecycle import COMMAND
from agent_memory.interfaces.web.shapes import STRING, Field, Route, Schema, made_of

ROUTES: Final = (*reading.ROUTES, *writing.ROUTES, *lifecycle.ROUTES)
EVENTS: Final = "/api/events"
DOCUMENT: Final = "/api/openapi.json"

ALWAYS: Final = (400, 403, 413, 500, 503)
"""What any route may answer: malformed, not for you, too big, a fault of this computer, somebody else is writing."""
WITH_BODY: Final = (408, 415)
REASONS: Final[Mapping[int, str]] = {
    400: "Something that was given cannot be.",
    401: "There is no token, or another one.",
    403: "Not from there.",
    404: "There is no such agent, category, entry or fact.",
    408: "The body did not come in time.",
    409: "It kept changing while it was being written.",
    412: "It has changed since it was read; `current` is how it stands.",
    413: "The body is too big.",
    415: "The body is no JSON.",
    500: "A file, a database or a setting on this computer is at fault.",
    503: "Somebody else is writing.",
}
ERROR: Final[Schema] = {
    "type": "object",
    "properties": {"error": made_of(type=STRING, message=STRING, hint=STRING)},
    "required": ["error"],
}


def document() -> dict[str, Any]:
    """Return the table as an OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "agent-memory", "version": __version__},
        "paths": paths,
        "components": {"schemas": {"Error": ERROR}},
    }


def errors_of(route: Route) -> list[int]:
    """Return the statuses of the errors that a route may answer with."""
    return sorted({*ALWAYS, *route.errors, *(WITH_BODY if route.writes else ())})


def _operation(route: Route) -> dict[str, Any]:
    told: dict[str, Any] = {"summary": route.doc, "responses": _responses(route)}
    tag = {"name": "If-Match", "in": "header", "required": False, "schema": STRING}
    if not route.writes:
        told["parameters"] = [_parameter(one) for one in route.fields]
        return told
    told["parameters"] = [tag] if 412 in route.errors else []
    told["requestBody"] = {"required": True, "content": {"application/json": {"schema": _body(route)}}}
    return told


def _parameter(one: Field) -> dict[str, Any]:
    schema = dict(one.schema) if one.default is None else {**one.schema, "default": one.default}
    return {"name": one.name, "in": "query", "required": one.required, "schema": schema}


def _body(route: Route) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            one.name: one.schema if one.required else {"anyOf": [one.schema, {"type": "null"}]} for one in route.fields
        },
        "required": [one.name for one in route.fields if one.required],
        "additionalProperties": False,
    }


def _responses(route: Route) -> dict[str, Any]:
    content: dict[str, Any] = {"application/json": {"schema": route.answer}}
    if route.path == COMMAND:
        content["text/event-stream"] = {"schema": STRING}
    wrong = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    answers: dict[str, Any] = {"200": {"description": route.doc, "content": content}}
    return answers | {str(status): {"description": REASONS[status], "content": wrong} for status in errors_of(route)}
