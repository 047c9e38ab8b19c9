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
from agent_memory.redaction.private import SIGN, without_private
from agent_memory.redaction.table import Literals, Rule, fold, literals, load
from agent_memory.redaction.values import is_distinct, is_secret

MARK: Final = "[REDACTED:"
LEAST_LONG: Final = 16
"""A provider's token is at least so long, without a blank."""
BEFORE_CHARS: Final = 80
MAX_ROUNDS: Final = 8
SHORT_CHARS: Final = 400
WINDOW_LINES: Final = 3
SPOKEN: Final = tuple("pass senha secret token key chave phrase frase pwd palavras mnemonic".split())
"""Beside one of these a secret may be of letters alone; every other is odd: digits in a word, or a sign."""
# One class first: the search passes over all other characters at once.
_ODD: Final = re.compile(
    r"[0-9@=#$%&{}](?:(?<=[0-9])[a-z]|(?<=[0-9])[0-9]{3}|(?<=[a-z_-][0-9])|(?<=[@=$&{}])(?=[\w'\"$.])|(?<=\w[#%])(?=\w))"
)
LEAST_SHAPED: Final = 30
DIGITS: Final = "<digits>"
"""Stands for a stretch of 30 and more characters with a digit, where a shape has no letters of its own."""
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
    folded = fold(text)
    found = {SIGN} if SIGN in folded else set()
    if not _ODD.search(folded) and not any(noun in folded for noun in SPOKEN):
        return found
    found |= _standing(folded, literals())
    if long := [word for word in folded.split() if len(word) >= LEAST_LONG and _DIGIT.search(word)]:
        found |= _standing(" ".join(long), literals(long=True))
        if any(len(word) >= LEAST_SHAPED for word in long):
            found.add(DIGITS)
    return found


def redact(text: str) -> Redacted:
    """Take every secret, and whatever is marked as private, out of ``text``; redacting again changes nothing."""
    present = signs(text)
    text, count = without_private(text) if SIGN in present else (text, 0)
    if count:
        present.add(MARK.lower())
    for _ in range(MAX_ROUNDS if present else 0):
        text, found = _round(text, present)
        count += found
        if not found:
            break
        present.add(MARK.lower())  # what was cut in two has its second half behind such a mark
    return Redacted(text, count)


def _standing(folded: str, by_mark: Literals) -> set[str]:
    return {one for mark, of_mark in by_mark.items() if mark in folded for one in of_mark if one in folded}


def _round(text: str, present: Set[str]) -> tuple[str, int]:
    count = 0
    seen: dict[str, str] = {}
    known: dict[str, bool] = {"": True}  # the conditions, several of which are the same
    for rule in load():
        beside = present & rule.literals
        if beside and _holds(rule, text, known):
            text, found = _cut(text, _matches(rule, text, beside), seen)
            count += found
    if not present.isdisjoint(columns.LITERALS):
        text, found = _cut(text, (_Found(*span, "column") for span in columns.secrets(text)), seen)
        count += found
    text, repeated = _cut_again(text, seen)
    return text, count + repeated


def _holds(rule: Rule, text: str, known: dict[str, bool]) -> bool:
    if rule.condition not in known:
        known[rule.condition] = re.search(rule.condition, text) is not None
    return known[rule.condition]


def _matches(rule: Rule, text: str, beside: Set[str]) -> Iterator[_Found]:
    folded = fold(text)
    everywhere = rule.whole or DIGITS in beside or len(text) <= SHORT_CHARS
    for window in [(0, len(text))] if everywhere else _windows(folded, beside):
        for match in rule.regex.finditer(folded if rule.folded else text, *window):
            start, end = match.span(match.lastgroup or "secret")
            before = text[max(start - BEFORE_CHARS, 0) : start]
            if is_secret(text[start:end], rule.check) and not rule.is_excepted(before):
                yield _Found(start, end, rule.kind)


def _windows(folded: str, beside: Set[str]) -> list[tuple[int, int]]:
    """Return the lines with one of the literals and the two behind each: expressions cost more than the search."""
    merged: list[tuple[int, int]] = []
    for at in sorted(match.start() for one in beside for match in re.finditer(re.escape(one), folded)):
        if merged and at < merged[-1][1]:
            continue
        end = at
        for _ in range(WINDOW_LINES):
            end = folded.find("\n", end + 1) if end >= 0 else end
        start = max(folded.rfind("\n", 0, at) + 1, merged[-1][1] if merged else 0)
        merged.append((start, end if end >= 0 else len(folded)))
    return merged


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
