"""From errors to what a client is told: ``validation: field: reason`` where its arguments are to blame."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError

from agent_memory.errors import AgentMemoryError, UnknownAgent, UnknownCategory, UnknownEntry, UsageError

FIELDS: Final[dict[type[UsageError], str]] = {
    UnknownAgent: "agent",
    UnknownCategory: "category",
    UnknownEntry: "id",
}
"""Which argument an error of this class is about, where it does not say."""


def refusal(error: AgentMemoryError | ValidationError | OSError) -> dict[str, Any]:
    """Return an error as structured content: its type, field and reason, a sentence, and what to do."""
    if isinstance(error, ValidationError):
        return _malformed(error)
    if isinstance(error, OSError):
        what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
        return _told("FileError", "", f"{what}.", "Check that it exists and may be used.")
    kind, message = type(error).__name__, error.message
    if not isinstance(error, UsageError):
        return _told(kind, "", message, error.hint)
    field = error.facts.get("field") or _field_of(error)
    return _told(kind, field, str(error.facts.get("reason", message)), error.hint)


def text_of(told: dict[str, Any]) -> str:
    """Return an error as one line of text."""
    what = f"validation: {told['field']}: {told['reason']}" if told["field"] else f"failed: {told['reason']}"
    return f"{what} {told['hint']}".strip()


def _field_of(error: UsageError) -> str:
    if "key" in error.facts:
        return "key"
    return FIELDS.get(type(error), "arguments")


def _malformed(error: ValidationError) -> dict[str, Any]:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(map(str, first["loc"])) or "arguments"
    return _told("InvalidValue", field[:80], first["msg"][0].lower() + first["msg"][1:] + ".", "")


def _told(kind: str, field: str, reason: str, hint: str) -> dict[str, Any]:
    return {"type": kind, "field": field, "reason": reason, "hint": hint}
