"""Shapes of JSON in a short notation, as JSON schemas; and checking what was given against them.

``{entries: [Entry], total: count, by?: user/agent = user, counts: {*: count}, origin: string|null}``: an object has
these fields and no others, ``?`` is one that may be missing, ``/`` parts the words that one may be. The words for
single values are in ``WORDS``; names with a capital are shapes of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from agent_memory.errors import InvalidValue

Schema = Mapping[str, Any]

MAX_TEXT_CHARS: Final = 500_000

WORDS: Final[Mapping[str, Schema]] = {
    "string": {"type": "string"},
    "text": {"type": "string", "maxLength": MAX_TEXT_CHARS},
    "line": {"type": "string", "maxLength": 2_000},
    "name": {"type": "string", "minLength": 1, "maxLength": 80},
    "id": {"type": "string", "pattern": r"^(\d{1,20}|h-[0-9a-f]{8}(-\d{1,6})?)$"},
    "tag": {"type": "string", "maxLength": 120},
    "count": {"type": "integer", "minimum": 0, "maximum": 1_000_000_000},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    "budget": {"type": "integer", "minimum": 50, "maximum": 100_000},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "object": {"type": "object"},
    "message": {
        "type": "object",
        "properties": {
            "role": {"type": "string", "enum": ["user", "agent", "assistant"]},
            "text": {"type": "string", "maxLength": MAX_TEXT_CHARS},
        },
        "required": ["role", "text"],
    },
}
"""What single values may be; ``string`` and ``object`` are for answers, a ``message`` has what its host puts in it."""

_TOKEN: Final = re.compile(r"\s*(\w+(?:/\w+)*|\"\"|[\[\]{}:,?=|*])")
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object: one that is not ``required`` has a default."""

    name: str
    schema: Schema
    required: bool
    default: Any

    def or_null(self) -> Field:
        """Return it as one that may be null, which counts as not given."""
        return replace(self, schema={"anyOf": [self.schema, {"type": "null"}]})


@cache
def shape_of(text: str) -> Schema:
    """Return the JSON schema that a notation stands for."""
    return _shape(_tokens(text))


@cache
def fields_of(text: str) -> tuple[Field, ...]:
    """Return the fields that stand in a notation, parted by commas."""
    return tuple(_fields(_tokens(f"{text}}}")))


def checked(fields: Sequence[Field], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given, with the defaults of what was not; null counts as not given.

    Raises:
        InvalidValue: Something is missing, unknown, or not of its shape; ``facts["field"]`` says what.
    """
    known = {one.name: one for one in fields}
    if unknown := [name for name in given if name not in known]:
        raise InvalidValue.of(unknown[0][:80], "is not known here.", hint=f"Known: {', '.join(known) or 'nothing'}.")
    value = {name: one.default if given.get(name) is None else given[name] for name, one in known.items()}
    for name, one in known.items():
        if given.get(name) is not None:
            _check(one.schema, value[name], name)
        elif one.required:
            raise InvalidValue.of(name, "is missing.")
    return value


def from_address(fields: Sequence[Field], given: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the parameters of an address as the values that they stand for, to be checked.

    Raises:
        InvalidValue: One stands there twice, or is not of its type.
    """
    kinds, found = {one.name: one.schema.get("type") for one in fields}, dict[str, Any]()
    for name, text in given:
        if name in found:
            raise InvalidValue.of(name[:80], "is given twice.")
        is_whole = kinds.get(name) == "integer"
        if is_whole and not re.fullmatch(r"-?\d{1,10}", text, re.ASCII):
            raise InvalidValue.of(name, "must be a whole number.")
        found[name] = int(text) if is_whole else text
    return found


def _tokens(text: str) -> list[str]:
    """Return the tokens of a notation, the first one last."""
    found = _TOKEN.findall(text)
    if "".join(found) != re.sub(r"\s", "", text):
        raise ValueError(f"no notation: {text}")
    return found[::-1]


def _shape(tokens: list[str]) -> Schema:
    match tokens.pop():
        case "[":
            schema: Schema = {"type": "array", "items": _shape(tokens), "maxItems": 10_000}
            tokens.pop()
        case "{" if tokens[-1] == "*":
            del tokens[-2:]
            schema = {"type": "object", "additionalProperties": _shape(tokens)}
            tokens.pop()
        case "{":
            schema = object_of(tuple(_fields(tokens)))
        case word if "/" in word:
            schema = {"type": "string", "enum": word.split("/")}
        case word:
            schema = WORDS.get(word) or {"$ref": f"#/components/schemas/{word}"}
    if tokens and tokens[-1] == "|":
        del tokens[-2:]
        return {"anyOf": [schema, {"type": "null"}]}
    return schema


def _fields(tokens: list[str]) -> Iterator[Field]:
    while (name := tokens.pop()) != "}":
        if name == ",":
            continue
        required = tokens[-1] != "?"
        del tokens[-1 if required else -2 :]
        schema, default = _shape(tokens), None
        if tokens[-1] == "=":
            word, _ = tokens.pop(-2), tokens.pop()
            default = {"false": False, '""': ""}.get(word, int(word) if word.isdigit() else word)
        yield Field(name, schema, required, default)


def object_of(fields: Sequence[Field]) -> Schema:
    """Return the schema of an object with these fields and no others."""
    return {
        "type": "object",
        "properties": {one.name: one.schema for one in fields},
        "required": [one.name for one in fields if one.required],
        "additionalProperties": False,
    }


def _check(schema: Schema, value: Any, where: str) -> None:
    kind = schema["type"]
    if type(value) not in _TYPES[kind]:
        raise InvalidValue.of(where, f"must be of type {kind}.")
    for reason in _wrong(schema, value):
        raise InvalidValue.of(where, reason)
    for number, one in enumerate(value if kind == "array" else ()):
        _check(schema["items"], one, f"{where}[{number}]")
    for name, inner in schema.get("properties", {}).items():
        if name not in value:
            raise InvalidValue.of(f"{where}.{name}", "is missing.")
        _check(inner, value[name], f"{where}.{name}")


def _wrong(schema: Schema, value: Any) -> Iterator[str]:
    """Yield what of a schema's limits a value does not keep."""
    size = len(value) if isinstance(value, (str, list)) else value
    if "enum" in schema and value not in schema["enum"]:
        yield f"must be one of {', '.join(schema['enum'])}."
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value, re.ASCII):
        yield "is no id."
    if isinstance(size, int):
        if size < schema.get("minLength", schema.get("minimum", size)):
            yield f"must be at least {schema.get('minimum', 'one character')}."
        if size > schema.get("maxLength", schema.get("maxItems", schema.get("maximum", size))):
            yield "is too much."
