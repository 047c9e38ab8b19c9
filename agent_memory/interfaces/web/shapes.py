"""What a route is, and the shapes of what it takes and gives: JSON schemas, of which it is checked and described.

Of JSON schema there is what the table of routes uses, and no more. What is not described is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from agent_memory.app.container import App
from agent_memory.errors import InvalidValue

Schema = Mapping[str, Any]
Method = Literal["GET", "POST", "PUT", "DELETE"]

MAX_NAME_CHARS: Final = 80
MAX_TEXT_CHARS: Final = 500_000

FLAG: Final[Schema] = {"type": "boolean"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
NUMBER: Final[Schema] = {"type": "number"}
STRING: Final[Schema] = {"type": "string"}
NAME: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARS}
ID: Final[Schema] = {"type": "string", "pattern": r"^(\d{1,20}|h-[0-9a-f]{8}(-\d{1,6})?)$"}
TEXT: Final[Schema] = {"type": "string", "maxLength": MAX_TEXT_CHARS}
LINE: Final[Schema] = {"type": "string", "maxLength": 2_000}
TAGS: Final[Schema] = {"type": "array", "items": {"type": "string", "maxLength": 120}, "maxItems": 50}
ANYTHING: Final[Schema] = {"type": "object"}
MESSAGE: Final[Schema] = {
    "type": "object",
    "properties": {"role": {"type": "string", "enum": ["user", "agent", "assistant"]}, "text": TEXT},
    "required": ["role", "text"],
}
MESSAGES: Final[Schema] = {"type": "array", "items": MESSAGE, "maxItems": 10_000}

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


def one_of(*words: str) -> Schema:
    """Return the schema of a choice."""
    return {"type": "string", "enum": list(words)}


def listed(schema: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": schema}


def maybe(schema: Schema) -> Schema:
    """Return the schema of something that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def made_of(**fields: Schema) -> Schema:
    """Return the schema of an object with all of these fields, and no others."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter of an address, or a field of a body."""

    name: str
    schema: Schema
    required: bool = True
    default: Any = None


@dataclass(frozen=True, slots=True)
class Command:
    """What is run on a prompt: words that no shell reads, in which folder, and for how long at most."""

    words: tuple[str, ...]
    folder: Path
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its value, the revision of what it is about, which becomes its ETag, and a command to be run on it."""

    value: Mapping[str, Any]
    revision: str = ""
    command: Command | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What a route is called with: its fields, all there, and the revision that a caller has read, if it says so.

    ``busy`` is since when a compaction is running.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    expected: str | None = None
    busy: str | None = None

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


Run = Callable[[App, Given], Mapping[str, Any] | Reply]


@dataclass(frozen=True, slots=True)
class Route:
    """One route.

    ``fields`` are parameters of a GET's address, else of a JSON body. ``errors`` are the statuses beside those that
    any route may answer. ``upkeep`` ones are for this computer alone. ``writes`` says in which thread it runs;
    ``tagged`` that it has an ETag, and takes ``If-Match`` where it writes.
    """

    method: Method
    path: str
    doc: str
    run: Run
    answer: Schema
    fields: Sequence[Field] = ()
    errors: tuple[int, ...] = ()
    upkeep: bool = False
    tagged: bool = False

    @property
    def writes(self) -> bool:
        """Whether it may change something."""
        return self.method != "GET"


def checked(fields: Sequence[Field], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given, with the defaults of what was not.

    Raises:
        InvalidValue: Something is missing, unknown, or not of its shape; ``facts["field"]`` says what.
    """
    known = {one.name: one for one in fields}
    for name in given:
        if name not in known:
            raise InvalidValue.of(str(name)[:80], "is no field of this route.", hint=f"Fields: {', '.join(known)}.")
    value = {name: given[name] for name in given if given[name] is not None}
    for one in fields:
        if one.name in value:
            check(one.schema, value[one.name], one.name)
        elif one.required:
            raise InvalidValue.of(one.name, "is missing.")
        else:
            value[one.name] = one.default
    return value


def from_address(fields: Sequence[Field], given: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the parameters of an address as the values that they stand for, to be checked.

    Raises:
        InvalidValue: One stands there twice, or is not of its type.
    """
    schemas, found = {one.name: one.schema for one in fields}, dict[str, Any]()
    for name, text in given:
        if name in found:
            raise InvalidValue.of(name[:80], "is given twice.")
        found[name] = _value_of(schemas.get(name, STRING), name, text)
    return found


def _value_of(schema: Schema, name: str, text: str) -> Any:
    match schema.get("type"):
        case "integer" if re.fullmatch(r"-?\d{1,9}", text, re.ASCII):
            return int(text)
        case "boolean" if text in ("true", "false"):
            return text == "true"
        case "integer" | "boolean" as kind:
            raise InvalidValue.of(name, f"must be {'a whole number' if kind == 'integer' else 'true or false'}.")
    return text


def check(schema: Schema, value: Any, where: str) -> None:
    """Check a value against its schema.

    Raises:
        InvalidValue: It is not of it; ``facts["field"]`` is ``where``, or what inside it is wrong.
    """
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or (kind != "boolean" and isinstance(value, bool)):
        raise InvalidValue.of(where, f"must be of type {kind}.")
    for wrong, reason in _limits(schema, value):
        if wrong:
            raise InvalidValue.of(where, reason)
    if kind == "array":
        for number, one in enumerate(value):
            check(schema["items"], one, f"{where}[{number}]")
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            check(inner, value[name], f"{where}.{name}")
        elif name in schema.get("required", ()):
            raise InvalidValue.of(f"{where}.{name}", "is missing.")


def _limits(schema: Schema, value: Any) -> Iterator[tuple[bool, str]]:
    size = len(value) if isinstance(value, (str, list)) else value
    for name, rule in schema.items():
        match name:
            case "enum":
                yield value not in rule, f"must be one of {', '.join(rule)}."
            case "pattern":
                yield re.search(rule, value, re.ASCII) is None or value.endswith("\n"), "cannot be an id."
            case "minLength" | "minimum":
                yield size < rule, f"must be at least {rule}." if name == "minimum" else "must not be empty."
            case "maxLength" | "maximum" | "maxItems":
                yield size > rule, f"may be {rule} at most."
