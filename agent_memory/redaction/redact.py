"""Replace every secret in a text by ``[REDACTED:kind]``.

Rules run one after another over the whole text, so that a PEM block may span lines. A rule's
expression runs only where one of its literals stands in the text. What is already redacted is no
secret, which makes the operation idempotent. Every expression is linear; the tests prove it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from agent_memory.redaction.private import SIGN, without_private
from agent_memory.redaction.table import Check, Rule, literals, load

MARK: Final = "[REDACTED:"
MIN_ENTROPY_BITS: Final = 2.8
MIN_RANDOM_CHARS: Final = 8

# Made when the first value is judged: most processes meet none, and these cost as much as the whole table.
_PLACEHOLDER: Final = (
    r"(?i)^(?:x{3,}|\*{3,}|\.{3,}|-{3,}|<|\$|\{|%|\[|@)|x{4,}|\*{4,}|\.{3}|…|\$\{|\{\{|"
    r"your|change.?me|example|exemplo|placeholder|dummy|redacted|insert|troque|process\.env|os\.environ|getenv|"
    r"(?:sua|seu)[-_ ]|secrets?\.\w|vault:|env\.|^(?:none|null|undefined|true|false|string|str|bytes|required)\b"
)
_CODE: Final = r"[()]|^[A-Za-z_][\w-]*(?:(?:\.|::|->|\[)[A-Za-z_]\w*\]?)+$|^[./~][\w./~-]*$"
_MIXED: Final = r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)"
_WORDS: Final = r"^(?:[A-Za-zÀ-ÿ]+|[a-z]+(?:[-_][a-z]+)+|[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:[A-Z][a-z]+)+)$"


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many there were."""

    text: str
    count: int


def signs(text: str) -> set[str]:
    """Return what stands in ``text`` that some secret has beside it; without any there is none in it."""
    lowered = text.lower()
    present = {one for mark, of_mark in literals().items() if mark in lowered for one in of_mark if one in lowered}
    return present | {SIGN} if SIGN in lowered else present


def redact(text: str) -> Redacted:
    """Take every secret, and whatever is marked as private, out of ``text``; redacting again changes nothing."""
    present = signs(text)
    text, count = without_private(text) if SIGN in present else (text, 0)
    if count:
        present.add(MARK.lower())
    for rule in load() if present else ():
        if not present.isdisjoint(rule.literals):
            text, found = _apply(rule, text)
            count += found
            if found:
                present.add(MARK.lower())  # what was cut in two has its second half behind such a mark
    return Redacted(text, count)


def _apply(rule: Rule, text: str) -> tuple[str, int]:
    parts: list[str] = []
    done = 0
    for match in rule.regex.finditer(text):
        group = match.lastgroup or "secret"
        value = match[group]
        if MARK in value or not _is_secret(value, rule.check):
            continue
        start, end = match.span(group)
        if text.startswith(MARK, max(start - len(MARK), 0)):
            continue
        parts += (text[done:start], f"{MARK}{rule.kind}]")
        done = end
    parts.append(text[done:])
    return "".join(parts), len(parts) // 2


def _is_secret(value: str, check: Check) -> bool:
    """Judge a value by the rule's check: ``shape`` trusts the expression, the others look at the value."""
    if check == "shape":
        return True
    if re.search(_PLACEHOLDER, value) or re.match(_WORDS, value):
        return False
    if check == "password":
        return not re.search(_CODE, value) and any(not char.isalpha() for char in value.rstrip(".,;:!?"))
    if check == "mixed":
        return bool(re.match(_MIXED, value)) and not re.search(_CODE, value)
    return len(value) >= MIN_RANDOM_CHARS and not re.search(_CODE, value) and entropy_bits(value) >= MIN_ENTROPY_BITS


def entropy_bits(value: str) -> float:
    """Return the Shannon entropy of ``value`` in bits a character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)
