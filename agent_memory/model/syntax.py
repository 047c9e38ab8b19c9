"""What a person types to search, read as a query: words, and what every hit must or must not have.

``"exact words"``, ``-word``, ``-"exact words"``, ``tag:``, ``agent:``, ``category:``, ``before:`` and
``after:``. Pure. There is no wrong input: what reads as none of these is words.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from agent_memory.model.recall import Query

MOST_CONDITIONS: Final = 20
"""What looks like more of them is something that was pasted: the rest is words."""

_TOKEN: Final = re.compile(
    r'(?<!\S)(?:(?P<not>-)?"(?P<phrase>[^"]+)"(?!\S)|-(?P<without>\w\S*)'
    r'|(?P<key>tag|agent|category|before|after):(?:"(?P<quoted>[^"]+)"|(?P<value>[^\s"]+))(?!\S))'
)
_DATE: Final = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?(?:T(\d\d):(\d\d))?")


def parse(text: str, given: Query | None = None) -> Query:
    """Read ``text``; what ``given`` has stays unless the text says otherwise."""
    query = given or Query("")
    words, end = [], 0
    for found in itertools.islice(_TOKEN.finditer(text), MOST_CONDITIONS):
        if changes := _changes(query, found.groupdict()):
            words.append(text[end : found.start()])
            query, end = replace(query, **changes), found.end()
    return replace(query, text=" ".join("".join([*words, text[end:]]).split()))


def _changes(query: Query, token: Mapping[str, str | None]) -> dict[str, Any]:
    """Return what a token asks for, by the query's fields; nothing for a date that is none."""
    key, value = token["key"] or "", token["quoted"] or token["value"] or ""
    if unwanted := token["without"] or (token["not"] and token["phrase"]):
        return {"without": (*query.without, unwanted)}
    if token["phrase"]:
        return {"phrases": (*query.phrases, token["phrase"])}
    if key == "tag":
        return {"tags": (*query.tags, value.lstrip("#"))}
    if key in ("agent", "category"):
        return {key: value, "lists": True}
    moment = _moment(value)
    return {key: moment} if moment else {}


def _moment(text: str) -> datetime | None:
    """Return the beginning of a year, month, day or minute, in UTC as pages have their times."""
    if not (found := _DATE.fullmatch(text)):
        return None
    year, month, day, hour, minute = (int(part) if part else 0 for part in found.groups())
    try:
        return datetime(year, month or 1, day or 1, hour, minute, tzinfo=UTC)
    except ValueError:
        return None
