"""What is stored of a sentence: words that read well alone, and hashtags of what they name.

Lead-ins ("ok, so", "então"), labels and Markdown go; a reason that follows stays. It never translates
and never invents words.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Final

from agent_memory.model.text import shorten

MAX_BODY_CHARS: Final = 300
MAX_TAGS: Final = 8

_LEAD_IN: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|so|then|and|also|but|well|yes|yeah|hmm?|right|cool|good|great|nice|perfect|done|fixed|noted|"
    r"understood|agreed|please|fyi|btw|ent[aã]o|e|ah|tamb[eé]m|mas|sim|certo|boa|bom|perfeito|show|feito|j[aá] agora|"
    r"outra|pois|verdade|combinado|por favor|al[eé]m disso)(?:[,:.!;]+\s+|\s+(?=\w))){1,3}",
    re.IGNORECASE,
)
_FILE: Final = re.compile(
    r"(?<![\w/.])(?:[\w.-]{1,60}/){0,9}([\w.-]{1,60}\.(?:py|pyi|js|jsx|ts|tsx|mjs|vue|svelte|rs|go|rb|php|java|kt|swift|c|h|cpp|hpp|cs|gd|sql|sh|"
    r"toml|yaml|yml|json|jsonl|csv|xlsx|ini|cfg|conf|env|md|html|css|scss|tf|lock|gradle|xml|ipynb))(?!\w)"
)
_WORD: Final = re.compile(r"[A-Za-z][\w+#-]*(?:\.js)?")
_NO_TAG: Final = re.compile(r"[^\w/-]+")


@cache
def technologies() -> frozenset[str]:
    """Return the names, in lower case, that become hashtags: ``patterns/technologies.txt``, blank-separated."""
    folder = resources.files(__package__).joinpath("patterns")
    return frozenset(folder.joinpath("technologies.txt").read_text(encoding="utf-8").split())


def compose(text: str, reason: str = "") -> str:
    """Return ``text`` as an entry's body: a sentence of at most 300 characters, then the reason if there is one."""
    words = _LEAD_IN.sub("", text).strip(" -–—:;,") or text
    body = shorten(_sentence(words), MAX_BODY_CHARS)
    return f"{body} {_sentence(reason)}" if reason else body


def _sentence(words: str) -> str:
    words = words.strip()
    first = words.split(maxsplit=1)[0] if words else ""
    if first.isalpha() and first.islower():
        words = words[0].upper() + words[1:]
    return words if words[-1:] in ".!?…:" else words + "."


def tags_of(text: str) -> tuple[str, ...]:
    """Return the technologies and files that ``text`` names, as hashtags without the ``#``."""
    named = {match.lower(): None for match in _WORD.findall(text) if match.lower() in technologies()}
    files = {_NO_TAG.sub("-", match.lower()).strip("-"): None for match in _FILE.findall(text)}
    return tuple(tag for tag in (*named, *files) if tag)[:MAX_TAGS]
