"""JSON with comments and trailing commas, read into nodes that know where they stand; nothing is ever written back.

Pure. What editors accept is accepted, and what they would not is refused with its line: whoever edits a
file that he cannot read destroys it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from agent_memory.errors import FileError

MAX_DEPTH: Final = 100
BOM: Final = "\ufeff"

_TRIVIA: Final = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD: Final = re.compile(r"-?\d[\d.eE+-]*|true|false|null")


@dataclass(frozen=True, slots=True)
class Node:
    """A value at ``text[start:end]``; a container has its members, and whether a comma stands behind the last."""

    start: int
    end: int
    value: Any
    members: tuple[Member, ...] = ()
    trailing_comma: bool = False

    def get(self, key: str) -> Node | None:
        """Return the value of a key, the last one as editors do; None where there is none."""
        return next((member.node for member in reversed(self.members) if member.key == key), None)


@dataclass(frozen=True, slots=True)
class Member:
    """What stands in a container from ``start`` on: a value, with its key in an object."""

    start: int
    key: str | None
    node: Node


def parse(text: str) -> Node:
    """Read a whole file.

    Raises:
        FileError: It is no such JSON; the message names the line.
    """
    reader = _Reader(text)
    node = reader.value(reader.skip(int(text.startswith(BOM))), 0)
    if reader.skip(node.end) != len(text):
        raise reader.broken(node.end)
    return node


def skipped(text: str, at: int) -> int:
    """Return where, from ``at`` on, the next thing stands that is no blank and no comment."""
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        return skipped(self._text, at)

    def broken(self, at: int) -> FileError:
        line = self._text.count("\n", 0, at) + 1
        return FileError(f"It is no JSON in line {line}.", hint="Mend it, then try again.", line=line)

    def value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.broken(at)
        match self._text[at : at + 1]:
            case "{":
                return self._container(at, "}", depth)
            case "[":
                return self._container(at, "]", depth)
            case '"':
                return self._plain(_STRING, at)
            case _:
                return self._plain(_WORD, at)

    def _plain(self, shape: re.Pattern[str], at: int) -> Node:
        found = shape.match(self._text, at)
        if found is None:
            raise self.broken(at)
        try:
            return Node(at, found.end(), json.loads(found[0]))
        except ValueError as error:
            raise self.broken(at) from error

    def _container(self, at: int, closing: str, depth: int) -> Node:
        members: list[Member] = []
        comma, here = False, self.skip(at + 1)
        while self._text[here : here + 1] != closing:
            if members and not comma:
                raise self.broken(here)
            members.append(self._member(here, depth, keyed=closing == "}"))
            here = self.skip(members[-1].node.end)
            comma = self._text[here : here + 1] == ","
            here = self.skip(here + comma)
        values = [member.node.value for member in members]
        value = {member.key: member.node.value for member in members} if closing == "}" else values
        return Node(at, here + 1, value, tuple(members), comma)

    def _member(self, at: int, depth: int, *, keyed: bool) -> Member:
        if not keyed:
            return Member(at, None, self.value(at, depth + 1))
        key = self._plain(_STRING, at)
        colon = self.skip(key.end)
        if self._text[colon : colon + 1] != ":":
            raise self.broken(colon)
        return Member(at, key.value, self.value(self.skip(colon + 1), depth + 1))
