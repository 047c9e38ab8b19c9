"""The words and expressions that reflection judges by, read once from ``table.toml`` beside this module."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from agent_memory.errors import TableError


@dataclass(frozen=True, slots=True)
class Table:
    """Sets of words by name, and expressions by name; both speak of folded text."""

    words: Mapping[str, frozenset[str]]
    expressions: Mapping[str, re.Pattern[str]]

    def finds(self, name: str, folded: str) -> bool:
        """Tell whether an expression stands in a folded text."""
        return self.expressions[name].search(folded) is not None


@cache
def table() -> Table:
    """Return the shipped table."""
    try:
        rows = tomllib.loads(resources.files(__package__).joinpath("table.toml").read_text(encoding="utf-8"))
        parts: dict[str, list[str]] = {}
        for row in rows["expression"]:
            parts.setdefault(row["name"], []).append(f"(?:{row['regex']})")
        words = {name: frozenset(text.split()) for name, text in rows["words"].items()}
        return Table(words, {name: re.compile("|".join(regexes)) for name, regexes in parts.items()})
    except (tomllib.TOMLDecodeError, KeyError, TypeError, re.error) as error:
        raise TableError(f"reflection's table is malformed: {error!r}.", hint="Reinstall agent-memory.") from error
