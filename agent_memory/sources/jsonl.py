r"""Lines and JSON objects out of bytes that a crash, an editor or another program may have spoilt.

Bytes are split on ``\n`` alone: U+2028 and its kin stand inside texts. What cannot be used is named with its line
number and a reason that never quotes the text. Reading on from behind any object of a line gives what reading
the whole line would have given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from agent_memory.model.transcript import SkippedLine
from agent_memory.sources.base import Line

MAX_LINE_BYTES: Final = 8_000_000
MAX_RESTARTS: Final = 8

_DECODER: Final = json.JSONDecoder()
_FILLER: Final = re.compile(r"[\s\0\ufeff]*")  # blanks, NUL runs of a power loss, BOMs
_RECORD_START: Final = re.compile(r'\{\s*"role"\s*:')


class Piece(NamedTuple):
    """A JSON object and the bytes of the file it was read from."""

    value: dict[str, Any]
    start_bytes: int
    end_bytes: int


def split(chunks: Iterable[bytes], *, start_bytes: int = 0, lines_before: int = 0) -> Iterator[Line]:
    """Cut ``chunks``, which begin at ``start_bytes`` of a file behind ``lines_before`` line ends, into lines.

    Memory stays below one line of ``MAX_LINE_BYTES``; a longer one comes out empty and ``oversize``.
    """
    held, size = bytearray(), 0
    start, number = start_bytes, lines_before + 1
    for chunk in chunks:
        at = 0
        while (cut := chunk.find(b"\n", at)) >= 0:
            size += cut - at
            oversize = size > MAX_LINE_BYTES
            raw = b"" if oversize else bytes(held) + chunk[at:cut]
            yield Line(number, start, raw, oversize=oversize)
            start, number, at = start + size + 1, number + 1, cut + 1
            held, size = bytearray(), 0
        size += len(chunk) - at
        held = bytearray() if size > MAX_LINE_BYTES else held + chunk[at:]
    if size:
        yield Line(number, start, bytes(held), terminated=False, oversize=size > MAX_LINE_BYTES)


def objects(line: Line) -> Iterator[Piece | SkippedLine]:
    """Yield the JSON objects of a line, and what stands between them that is none.

    Usually there is one. A missing line end after a crash glues two together, and the first may be
    torn: then the rest is searched for a record that is whole and reaches to the end of the line.
    """
    if line.oversize:
        yield too_long(line.number)
        return
    text = line.raw.decode("utf-8", "surrogateescape")
    at, offset = 0, line.start_bytes
    while (begin := _skip_filler(text, at)) < len(text):
        offset += _byte_length(text[at:begin])
        try:
            value, at = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError) as error:
            deep = isinstance(error, RecursionError)
            yield SkippedLine(line.number, "nested too deeply" if deep else "not JSON")
            at = _restart(text, begin + 1)
            offset += _byte_length(text[begin:at])
            continue
        end = offset + _byte_length(text[begin:at])
        yield Piece(value, offset, end) if isinstance(value, dict) else SkippedLine(line.number, "no JSON object")
        offset = end


def too_long(number: int) -> SkippedLine:
    """Return what stands for a line that was passed over for its length."""
    return SkippedLine(number, f"longer than {MAX_LINE_BYTES // 1_000_000} MB")


def is_whole(line: Line) -> bool:
    """Tell whether a line without its end is nevertheless a whole JSON object, or several, and nothing else."""
    pieces = [isinstance(piece, Piece) for piece in objects(line)]
    return bool(pieces) and all(pieces)


def is_blank(line: Line) -> bool:
    """Tell whether a line holds nothing but blanks, NULs and byte order marks."""
    return not line.oversize and not line.raw.strip(b" \t\r\0\xef\xbb\xbf")


def parse_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that ``text`` is, None if it is anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _restart(text: str, at: int) -> int:
    """Find where after damage a whole record begins; one nested in the damage does not reach the end."""
    candidates = (match.start() for match in islice(_RECORD_START.finditer(text, at), MAX_RESTARTS))
    return next((start for start in candidates if _reaches_end(text, start)), len(text))


def _reaches_end(text: str, at: int) -> bool:
    try:
        while (at := _skip_filler(text, at)) < len(text):
            _, at = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return False
    return True


def _skip_filler(text: str, at: int) -> int:
    match = _FILLER.match(text, at)
    return match.end() if match else at


def _byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
