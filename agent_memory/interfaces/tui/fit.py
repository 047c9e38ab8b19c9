"""Making text fit a terminal: columns, wrapping, lines with two ends; and nothing in it that could steer one. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import count
from typing import Final, NamedTuple

from rich.cells import cell_len, chop_cells, set_cell_size

from agent_memory.model.terminal import printable
from agent_memory.model.text import one_line

ROW_CHARS: Final = 400
META_CELLS: Final = 20


class Cells(NamedTuple):
    """The three columns of a row."""

    primary: str
    secondary: str
    meta: str


def row(cells: Cells, primary: int, width: int) -> str:
    """Return the columns as one line of ``width`` cells, with nothing in it that could steer a terminal."""
    meta = META_CELLS if cells.meta and width >= 3 * META_CELLS else 0
    first = min(primary, width // 2)
    rest = max(width - first - meta - (2 if meta else 1), 0)
    sizes = (first, rest, meta) if meta else (first, rest)
    return " ".join(fitted(cell, size) for cell, size in zip(cells, sizes, strict=False))


def fitted(text: str, cells: int) -> str:
    """Return the beginning of a text, on one line of so many cells."""
    return padded(one_line(text[:ROW_CHARS]), cells)


def padded(line: str, cells: int) -> str:
    """Return a line, safe for a terminal, cut or filled to so many cells."""
    return set_cell_size(printable(line).replace("\t", " ").replace("\n", " "), cells)


def wrapped(text: str, width: int) -> list[str]:
    """Return a text, safe for a terminal, in lines of at most ``width`` cells; its own line ends and indents stay."""
    return [part for line in printable(text).expandtabs(4).split("\n") for part in _folded(line, max(width, 1))]


def _folded(line: str, width: int) -> list[str]:
    if cell_len(line) <= width:
        return [line]
    if not line.isascii() and cell_len(line) != len(line):  # letters of two cells, which a count of letters gets wrong
        return chop_cells(line, width)
    indent = " " * min(len(line) - len(line.lstrip()), width // 2)
    return textwrap.wrap(line, width, subsequent_indent=indent, drop_whitespace=True, break_on_hyphens=False) or [""]


def bar(names: Sequence[str], chosen: int, numbers: str, width: int, most: int) -> list[str]:
    """Return the names of all channels, with their keys, in as many lines as they need; the chosen one in brackets.

    Where they need more lines than ``most``, there is one: that with the chosen one.
    """
    lines, held = [""], 0
    for place, name, number in zip(count(), names, numbers.ljust(len(names)), strict=False):
        label = f"{number} {name}".strip()
        shown = f"[{label}]" if place == chosen else f" {label} "
        if lines[-1] and cell_len(lines[-1] + shown) > width:
            lines.append("")
        lines[-1] += shown
        held = len(lines) - 1 if place == chosen else held
    return lines if len(lines) <= most else lines[held : held + 1]


def headline(left: str, right: str, width: int) -> str:
    """Return a line with something at each end; of the left there is what fits, its end rather than its beginning."""
    room = max(width - cell_len(right) - 2, 0)
    left = left if cell_len(left) <= room else "…" + left[len(left) - max(room - 1, 0) :]
    return padded(f"{padded(left, room)}  {right}", width)
