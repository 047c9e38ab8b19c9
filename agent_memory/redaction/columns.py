"""Secrets in rows: a table, a dump or a CSV file names its columns once, and the values stand far from the name.

Pure. It finds a header with a column named for a secret, in Markdown, in what database shells print, in comma,
semicolon or tab separated lines, in INSERT and in COPY, and judges that cell in the rows below it. It refuses to
guess where a header is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agent_memory.redaction.values import is_secret

LITERALS: Final = frozenset(
    {"passw", "pwd", "senha", "secret", "segredo", "token", "api_key", "apikey", "api key", "passphrase"}
)

Span = tuple[int, int]

_NAMED: Final = re.compile(
    r"(?i)^\W*(?:\w+[ _-]){0,3}?\w{0,20}(?:passw(?:or)?d|passwd|pwd|senha|secret|segredo|api[ _-]?key|"
    r"passphrase|(?:access|auth|refresh|api|bearer|"
    r"bot|reset|session)[ _-]?token|totp|otp|credential)(?:[ _-]?(?:hash|digest|enc|encrypted|plain|value|key|"
    r"salt|atual|nova))?s?\W*$|^\W*(?:pass|pw|token)\W*$"
)
_INSERT: Final = re.compile(
    r"(?i)\binsert\s{1,9}into\s{1,9}[\w.`\"\[\]]{1,80}\s{0,9}\(([^()]{1,600})\)\s{0,9}values\s{0,9}(?=\()"
)
_COPY: Final = re.compile(
    r"(?i)\bcopy\s{1,9}[\w.\"]{1,80}\s{0,9}\(([^()]{1,600})\)\s{1,9}from\s{1,9}stdin[^\n]{0,80}\n"
)
_CELL: Final = re.compile(r"\s*('(?:[^'\\]|''|\\.){0,600}'|\"[^\"]{0,600}\"|[^,()'\"]{0,200})\s*([,)])")
_RULED: Final = re.compile(r"[\s|+:=-]+")
MAX_ROWS: Final = 1000
MAX_HEADER_CHARS: Final = 600
MAX_NAME_CHARS: Final = 40
MAX_NAME_WORDS: Final = 3


def secrets(text: str) -> list[Span]:
    """Return the places of the secrets that stand in columns, in order."""
    if "\n" not in text and "(" not in text:
        return []
    return sorted({*_of_lines(text), *_of_inserts(text), *_of_copies(text)})


def _of_lines(text: str) -> Iterator[Span]:
    at = 0
    for line in text.split("\n"):
        at += len(line) + 1
        separator = next((mark for mark in "|\t;," if mark in line), "")
        if separator and at < len(text) and len(line) <= MAX_HEADER_CHARS:
            names = line.split(separator)
            if all(len(name) <= MAX_NAME_CHARS and len(name.split()) <= MAX_NAME_WORDS for name in names):
                yield from _below(text, at, separator, names)


def _of_copies(text: str) -> Iterator[Span]:
    for copy in _COPY.finditer(text):
        yield from _below(text, copy.end(), "\t", copy[1].split(","))


def _below(text: str, at: int, separator: str, names: list[str]) -> Iterator[Span]:
    """Yield the secret cells of the lines from ``at`` on, while they have as many cells as there are names."""
    wanted = {number for number, name in enumerate(names) if _NAMED.match(name)}
    for line in text[at:].split("\n", MAX_ROWS)[:MAX_ROWS] if wanted else ():
        cells = line.split(separator)
        if len(cells) != len(names):
            if not _RULED.fullmatch(line):
                return
            cells = []
        start = at
        for number, cell in enumerate(cells):
            if number in wanted:
                yield from _judged(text, start, start + len(cell))
            start += len(cell) + 1
        at += len(line) + 1


def _of_inserts(text: str) -> Iterator[Span]:
    for insert in _INSERT.finditer(text):
        names = insert[1].split(",")
        number, at = -1, insert.end()
        while text.startswith("(", at) or number >= 0:
            at, number = (at + 1, 0) if number < 0 else (at, number)
            cell = _CELL.match(text, at)
            if cell is None or number >= len(names):
                break
            if _NAMED.match(names[number]):
                yield from _judged(text, *cell.span(1))
            at, number = cell.end(), number + 1
            if cell[2] == ")":
                at, number = _after_row(text, at), -1


def _after_row(text: str, at: int) -> int:
    following = re.compile(r"\s*,\s*(?=\()").match(text, at)
    return following.end() if following else at


def _judged(text: str, start: int, end: int) -> Iterator[Span]:
    cell = text[start:end]
    bare = cell.strip(" \r\"'`*")
    start += cell.find(bare)
    if bare and is_secret(bare, "password"):
        yield start, start + len(bare)
