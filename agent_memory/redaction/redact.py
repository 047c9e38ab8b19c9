"""Replace every secret in a text by ``[REDACTED:kind]``.

Rules run one after another over the whole text, so that a PEM block may span lines. A rule's
expression runs only where one of its literals stands in the text. What was found once is taken
wherever it stands. What is already redacted is no secret, and the rules run until they find no more,
which makes the operation idempotent. Every expression is linear; the tests prove it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Final, NamedTuple

from agent_memory.redaction import columns
from agent_memory.redaction.table import Literals, Rule, literals, load
from agent_memory.redaction.values import is_distinct, is_secret

MARK: Final = "[REDACTED:"
LEAST_LONG: Final = 16
"""A provider's token is at least so long, without a blank."""
BEFORE_CHARS: Final = 80
MAX_ROUNDS: Final = 8
DIGITS: Final = "<digits>"
"""Stands for a long stretch with a digit, where a shape has no letters of its own."""
_DIGIT: Final = re.compile(r"\d")
_ENDING: Final = ".,;:!?*_"


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many there were."""

    text: str
    count: int


class _Found(NamedTuple):
    start: int
    end: int
    kind: str


def signs(text: str) -> set[str]:
    """Return what stands in ``text`` that some secret has beside it; without any there is none in it."""
    lowered = text.lower()
    found = _standing(lowered, literals())
    if long := [word for word in lowered.split() if len(word) >= LEAST_LONG and _DIGIT.search(word)]:
        found |= {DIGITS, *_standing(" ".join(long), literals(long=True))}
    return found


def redact(text: str) -> Redacted:
    """Take every secret out of ``text``; redacting again changes nothing."""
    present = signs(text)
    count = 0
    for _ in range(MAX_ROUNDS if present else 0):
        text, found = _round(text, present)
        count += found
        if not found:
            break
        present.add(MARK.lower())  # what was cut in two has its second half behind such a mark
    return Redacted(text, count)


def _standing(lowered: str, by_mark: Literals) -> set[str]:
    return {one for mark, of_mark in by_mark.items() if mark in lowered for one in of_mark if one in lowered}


def _round(text: str, present: Set[str]) -> tuple[str, int]:
    count = 0
    seen: dict[str, str] = {}
    for rule in load():
        if not present.isdisjoint(rule.literals) and (rule.needs is None or rule.needs.search(text)):
            text, found = _cut(text, _matches(rule, text), seen)
            count += found
    if not present.isdisjoint(columns.LITERALS):
        text, found = _cut(text, (_Found(*span, "column") for span in columns.secrets(text)), seen)
        count += found
    text, repeated = _cut_again(text, seen)
    return text, count + repeated


def _matches(rule: Rule, text: str) -> Iterator[_Found]:
    for match in rule.regex.finditer(text):
        group = match.lastgroup or "secret"
        start, end = match.span(group)
        if rule.unless and rule.unless.search(text, max(start - BEFORE_CHARS, 0), start):
            continue
        if is_secret(match[group], rule.check):
            yield _Found(start, end, rule.kind)


def _cut(text: str, found: Iterator[_Found], seen: dict[str, str]) -> tuple[str, int]:
    parts: list[str] = []
    done = 0
    for start, end, kind in found:
        value = text[start:end]
        if start < done or MARK in value or text.startswith(MARK, max(start - len(MARK), 0)):
            continue
        if is_distinct(bare := value.rstrip(_ENDING)):
            seen.setdefault(bare, kind)
        parts += (text[done:start], f"{MARK}{kind}]")
        done = end
    parts.append(text[done:])
    return "".join(parts), len(parts) // 2


def _cut_again(text: str, seen: dict[str, str]) -> tuple[str, int]:
    """Take what was found wherever else it stands: "try X as the password; if X fails …"."""
    count = 0
    for value, kind in seen.items():
        if value in text:
            text, found = re.subn(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", f"{MARK}{kind}]", text)
            count += found
    return text, count
