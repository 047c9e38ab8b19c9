"""The rules that find secrets, read once from ``secrets.toml`` beside this module."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, get_args

from agent_memory.model.rows import read_rows

Check = Literal["shape", "random", "password", "mixed"]
MARKS: Final = ("_", "-", "=", ":", "/", "~", ".")


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret: where to look for it, its expression with a group ``secret``, how to judge the value."""

    kind: str
    literals: frozenset[str]
    regex: re.Pattern[str]
    check: Check
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...]


@cache
def load() -> tuple[Rule, ...]:
    """Return the shipped rules."""
    return parse(resources.files(__package__).joinpath("secrets.toml").read_text(encoding="utf-8"), "secrets.toml")


@cache
def literals() -> Mapping[str, tuple[str, ...]]:
    """Return every literal of the shipped rules by a mark that stands in it, those without one under ``""``.

    A text with none of the literals holds no secret, and few texts have all the marks.
    """
    every = sorted({literal for rule in load() for literal in rule.literals})
    first = {literal: next((mark for mark in MARKS if mark in literal), "") for literal in every}
    return {mark: tuple(literal for literal in every if first[literal] == mark) for mark in (*MARKS, "")}


def parse(text: str, name: str) -> tuple[Rule, ...]:
    """Read rules from TOML text; a ``TableError`` names the file and the row."""
    return read_rows(text, name, "rule", _rule)


def _rule(row: Mapping[str, Any]) -> Rule:
    rule = Rule(
        kind=row["kind"],
        literals=frozenset(literal.lower() for literal in row["literals"]),
        regex=re.compile(row["regex"]),
        check=row["check"],
        examples=tuple(row["examples"]),
        counterexamples=tuple(row.get("counterexamples", ())),
    )
    if rule.check not in get_args(Check) or "secret" not in rule.regex.groupindex or not rule.literals:
        raise ValueError(f"it needs a check of {get_args(Check)}, a group named secret and literals")
    return rule
