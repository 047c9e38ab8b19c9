"""The rules that find secrets, read once from ``secrets.toml`` beside this module.

It refuses a malformed row rather than let a secret through.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, cast, get_args

from agent_memory.errors import TableError

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
    """Return the shipped rules.

    Raises:
        TableError: The table is malformed.
    """
    text = resources.files(__package__).joinpath("secrets.toml").read_text(encoding="utf-8")
    return parse(text, "secrets.toml")


@cache
def literals() -> Mapping[str, tuple[str, ...]]:
    """Return every literal of the shipped rules by a mark that stands in it, those without one under ``""``.

    A text with none of the literals holds no secret, and few texts have all the marks.
    """
    every = sorted({literal for rule in load() for literal in rule.literals})
    first = {literal: next((mark for mark in MARKS if mark in literal), "") for literal in every}
    return {mark: tuple(literal for literal in every if first[literal] == mark) for mark in (*MARKS, "")}


def parse(text: str, name: str) -> tuple[Rule, ...]:
    """Read rules from TOML text.

    Raises:
        TableError: Not TOML, or a row without the right keys; the message names file and row.
    """
    try:
        rows = tomllib.loads(text)["rule"]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise TableError(f"{name} is no table of rules: {error}.", hint="Reinstall agent-memory.", file=name) from error
    return tuple(_rule(row, f"{name}, row {number}") for number, row in enumerate(rows, 1))


def _rule(row: dict[str, Any], where: str) -> Rule:
    try:
        check = row["check"]
        rule = Rule(
            kind=row["kind"],
            literals=frozenset(literal.lower() for literal in row["literals"]),
            regex=re.compile(row["regex"]),
            check=cast("Check", check),
            examples=tuple(row["examples"]),
            counterexamples=tuple(row.get("counterexamples", ())),
        )
    except (KeyError, TypeError, AttributeError, re.error) as error:
        raise TableError(f"{where} is malformed: {error!r}.", hint="Mend that row.", row=where) from error
    if check not in get_args(Check) or "secret" not in rule.regex.groupindex or not rule.literals:
        raise TableError(
            f"{where} needs a check of {get_args(Check)}, a group named secret and literals.",
            hint="Mend that row.",
            row=where,
        )
    return rule
