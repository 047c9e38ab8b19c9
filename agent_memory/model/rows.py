"""Rows of a TOML table that ships with the package: cues, secrets. A malformed one is named, never skipped."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from agent_memory.errors import TableError

Row = TypeVar("Row")


def read_rows(text: str, name: str, heading: str, make: Callable[[Mapping[str, Any]], Row]) -> tuple[Row, ...]:
    """Return what ``make`` makes of each row under ``heading``; a ``TableError`` names the file and the row."""
    try:
        rows = tomllib.loads(text)[heading]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise TableError(f"{name} has no {heading}: {error}.", hint="Reinstall agent-memory.", file=name) from error
    return tuple(_made(row, make, f"{name}, row {number}") for number, row in enumerate(rows, 1))


def _made(row: Mapping[str, Any], make: Callable[[Mapping[str, Any]], Row], where: str) -> Row:
    try:
        return make(row)
    except (KeyError, TypeError, AttributeError, ValueError, re.error) as error:
        raise TableError(f"{where} is malformed: {error!r}.", hint="Mend that row.", row=where) from error
