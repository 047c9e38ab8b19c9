"""Identities: what makes a thing the same thing when it is read again.

A key has no source, ordinal, agent or category in it, so that a copied, renamed or re-read
conversation gives the same keys. An entry's id is a number that sorts by time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final
from unicodedata import normalize

from agent_memory.errors import InvalidName
from agent_memory.model.text import normalise

KEY_DIGITS: Final = 16
IDS_PER_MINUTE: Final = 60_000
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MS: Final = 253_402_300_799_999

_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", "archive", "conversations"}
    | {f"com{n}" for n in range(1, 10)}
    | {f"lpt{n}" for n in range(1, 10)}
)
_FORBIDDEN: Final = frozenset('/\\:*?"<>|')
_OUR_FILES: Final = frozenset({"config.toml", "taken.jsonl", "readme.md"})
MAX_NAME_CHARS: Final = 80
MAX_NAME_BYTES: Final = 220  # of the 255 that a file may have, the ending and a temporary name want some


def alike(name: str) -> str:
    """Return what names have in common that some file systems take for one: all but Unicode form and case."""
    return normalize("NFC", normalize("NFC", name).casefold())


def digest(*parts: str, digits: int = KEY_DIGITS) -> str:
    """Return the first ``digits`` hex digits of the SHA-256 over ``parts``, each closed by a NUL."""
    state = hashlib.sha256()
    for part in parts:
        state.update(part.encode("utf-8", "surrogatepass"))
        state.update(b"\0")
    return state.hexdigest()[:digits]


def key_of(conversation: str, role: str, quoted: str) -> str:
    """Return the key of something said: its conversation, its speaker and its normalised words."""
    return digest(conversation, role, normalise(quoted))


def handoff_key(conversation: str, first_turn_digest: str) -> str:
    """Return the key of the handoff that covers ``conversation`` from the turn with this digest on."""
    return digest(conversation, "handoff", first_turn_digest)


def fingerprint(quoted: str) -> str:
    """Return what tells the same words apart from other words, whoever said them and wherever."""
    return digest(normalise(quoted))


def entry_id(said_at: datetime, key: str, *, now: datetime, in_use: Callable[[str], bool]) -> str:
    """Return the id of a new entry: the minute it was said in milliseconds, plus the key's share of that minute.

    A time after ``now`` counts as now. ``in_use`` tells whether a page, an archive or the ledger has an id already.
    """
    minute = min(said_at, now).astimezone(UTC).replace(second=0, microsecond=0)
    number = int(minute.timestamp()) * 1000 + int(digest(key), 16) % IDS_PER_MINUTE
    return next_free_id(number, in_use)


def next_free_id(number: int, in_use: Callable[[str], bool]) -> str:
    """Return ``number``, or the first one after it that nothing has."""
    while in_use(str(number)):
        number += 1
    return str(number)


def made_at(entry: str) -> datetime | None:
    """Return the time in an entry's id; None for what is no number, or no time that there is."""
    made = int(entry) if entry.isdigit() else LAST_MS + 1
    return EPOCH + timedelta(milliseconds=made) if made <= LAST_MS else None


def check_name(name: str, what: str) -> str:
    """Return ``name`` if it is safe as the name of a folder or file anywhere, or raise ``InvalidName``.

    Letters of any alphabet are welcome. Path separators, dots alone, a leading dot or blank, control characters,
    names that an operating system or the vault's layout reserves, and more than 80 characters or 220 bytes are not.
    The error's facts have the ``name`` and, as ``field``, what it was to name.
    """
    stem = name.split(".")[0].lower()
    wrong = (
        not name
        or name != name.strip()
        or name[0] in "._-"
        or name[-1] == "."
        or len(name) > MAX_NAME_CHARS
        or len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES
        or stem in _RESERVED
        or name.lower() in _OUR_FILES
        or any(char in _FORBIDDEN or not char.isprintable() for char in name)
    )
    if wrong:
        raise InvalidName(
            f"{name[:60]!r} cannot be the name of {what}.",
            hint="Use letters of any alphabet, digits, '-', '_' and inner dots or blanks.",
            name=name,
            field=what.split()[-1],
        )
    return name
