"""The rules that find secrets, read once from ``secrets.toml`` beside this module."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final, get_args

from agent_memory.model.rows import read_rows
from agent_memory.redaction.values import Check

MARKS: Final = (
    *"key pas cod aut cre ok log ras pw chav pin ess go cl nfig nh fr net ql cur entr 43 tp sign get sk tw".split(),
    *"bi eg hex usu _s tool pat mac lin dat if fa aki pdp _ - = : / ~ . (".split(),
)
"""What stands in several literals and in few texts, by count: a literal is looked for only where its mark is."""
Literals = Mapping[str, tuple[str, ...]]
_CAPITAL: Final = re.compile(r"\\.|\(\?P[<=]|[A-Z]")


@dataclass(frozen=True)
class Rule:
    """One kind of secret: where to look for it, an expression with a group ``secret``, how to judge the value.

    ``unless`` is searched in what stands directly before the value, ``condition`` in the whole text before
    anything else. The literals of a ``long`` rule count only in unbroken stretches with a digit: most texts are
    not searched for them at all. What a ``whole`` rule finds may stand lines away from its literal. Expressions
    are made when they are first used: most processes use few.
    """

    kind: str
    literals: frozenset[str]
    expression: str
    check: Check
    exception: str
    condition: str
    long: bool
    whole: bool
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...]

    @property
    def folded(self) -> bool:
        """Whether case counts nowhere in it: it is then looked for in the folded text, in a third of the time."""
        return _is_caseless(self.expression)

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """What finds the value."""
        return _compiled(self.expression)

    def is_excepted(self, before: str) -> bool:
        """Tell whether a value is none because of what stands directly before it."""
        before = fold(before) if _is_caseless(self.exception) else before
        return bool(self.exception) and _compiled(self.exception).search(before) is not None


def fold(text: str) -> str:
    """Return a text in lower case, with as many characters: places in it are places in the text."""
    return text.replace("\u0130", "I").lower()


def _is_caseless(expression: str) -> bool:
    return expression.startswith("(?i") and "(?-i:" not in expression


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    """Return an expression made; one without case is made for folded text, where the engine is quicker."""
    if not _is_caseless(expression):
        return re.compile(expression)
    lowered = _CAPITAL.sub(lambda found: found[0].lower() if len(found[0]) == 1 else found[0], expression)
    return re.compile(lowered.replace("(?i)", "", 1).replace("(?im)", "(?m)", 1))


@cache
def load() -> tuple[Rule, ...]:
    """Return the shipped rules."""
    return parse(resources.files(__package__).joinpath("secrets.toml").read_text(encoding="utf-8"), "secrets.toml")


@cache
def literals(*, long: bool = False) -> Literals:
    """Return the literals of the shipped rules by a mark that stands in each, those without one under ``""``.

    A text with none of the literals holds no secret, and few texts have all the marks.
    """
    every = sorted({literal for rule in load() if rule.long == long for literal in rule.literals})
    first = {literal: next((mark for mark in MARKS if mark in literal), "") for literal in every}
    marks = dict.fromkeys(mark for mark in (*MARKS, "") if mark in first.values())
    return {mark: tuple(literal for literal in every if first[literal] == mark) for mark in marks}


def parse(text: str, name: str) -> tuple[Rule, ...]:
    """Read rules from TOML text; a ``TableError`` names the file and the row.

    ``{{name}}`` in an expression stands for that of ``[parts]``, ``{{literals}}`` for any of the row's literals.
    """
    return read_rows(text, name, "rule", lambda row: _rule(row, _parts(text)))


@cache
def _parts(text: str) -> Mapping[str, str]:
    parts: Mapping[str, str] = tomllib.loads(text).get("parts", {})
    return parts


def _rule(row: Mapping[str, Any], parts: Mapping[str, str]) -> Rule:
    some = "|".join(re.escape(literal) for literal in sorted(row["literals"], key=len, reverse=True))
    rule = Rule(
        kind=row["kind"],
        literals=frozenset(literal.lower() for literal in row["literals"]),
        expression=_filled(row["regex"], {**parts, "literals": some}),
        check=row["check"],
        exception=_filled(row.get("unless", ""), parts),
        condition=_filled(row.get("needs", ""), parts),
        long=row.get("long", False),
        whole=row.get("whole", False),
        examples=tuple(row["examples"]),
        counterexamples=tuple(row.get("counterexamples", ())),
    )
    if rule.check not in get_args(Check) or "(?P<secret>" not in rule.expression or not rule.literals:
        raise ValueError(f"it needs a check of {get_args(Check)}, a group named secret and literals")
    return rule


def _filled(expression: str, parts: Mapping[str, str]) -> str:
    """Put the parts in; a part may name those above it in the table."""
    for name, part in reversed(list(parts.items())):
        expression = expression.replace("{{" + name + "}}", part)
    return expression
