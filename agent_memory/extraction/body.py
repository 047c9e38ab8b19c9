"""What is stored of a sentence: words that read well alone, and hashtags of what they name.

Lead-ins ("ok, so", "então"), labels and Markdown go; a reason that follows stays. It never translates
and never invents words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from agent_memory.extraction.table import text_of
from agent_memory.model.text import shorten

MAX_BODY_CHARS: Final = 300
MAX_TAGS: Final = 8

_LEAD_IN: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|so|then|and|also|but|yes|yeah|hmm?|please|fyi|btw|ent[aã]o|e|ah|tamb[eé]m|mas|sim|pois|por[eé]m|"
    r"j[aá] agora|por favor|al[eé]m disso)(?:[,:.!;]+\s+|\s+(?=\w))|"
    r"(?:no|nope|n[aã]o|well|right|cool|good|great|nice|perfect|thanks?|done|fixed|noted|understood|agreed|anyway|however|"
    r"certo|boa|bom|perfeito|show|feito|corrigido|outra|verdade|combinado|corrige|obrigad[oa]|valeu)[,:.!;]+\s+){1,3}",
    re.IGNORECASE,
)
# What announces a finding and is none: "This time with evidence: …", "Com uma ressalva: …".
_ANNOUNCED: Final = re.compile(
    r"^[^:`.]{0,30}\b(?:evidence|guess|turns out|important|caveat|note|found|confirmed|importante|ressalva|claro|"
    r"descobri|confirmado|nota|resumo|summary|explica[cç][aã]o|explanation)\b[^:`.]{0,25}:\s+",
    re.IGNORECASE,
)
_INNER: Final = re.compile(r"(?<=\w\w[.!?] )(?<!etc\. )[a-zà-ÿ](?=[a-zà-ÿ]*[ ,:])")
_FILE: Final = re.compile(
    r"(?<![\w/.])(?:[\w.-]{1,60}/){0,9}([\w.-]{1,60}\.(?:py|pyi|js|jsx|ts|tsx|mjs|vue|svelte|rs|go|rb|php|java|kt|swift|c|h|cpp|hpp|cs|gd|sql|sh|"
    r"toml|yaml|yml|json|jsonl|csv|xlsx|ini|cfg|conf|env|md|html|css|scss|tf|lock|gradle|xml|ipynb))(?!\w)"
)
_WORD: Final = re.compile(r"[A-Za-z][\w+#-]*(?:\.js)?")
_VERSION: Final = re.compile(r" v?\d")
_NO_TAG: Final = re.compile(r"[^\w/-]+")


@cache
def technologies() -> Mapping[str, bool]:
    """Return the names, in lower case, that become hashtags, and whether each is an everyday word as well.

    ``patterns/technologies.txt`` has them, blank-separated; one with a capital counts only where it is written so
    ("REST", not "the rest") or has a version ("node 22").
    """
    return {name.lower(): not name.islower() for name in text_of("technologies.txt").split()}


def without_lead_in(text: str) -> str:
    """Return ``text`` without the words that only lead up to what it says."""
    lead = _LEAD_IN.match(text)
    words = text[lead.end() :] if lead else text
    if ":" in words:
        words = _ANNOUNCED.sub("", words)
    return words.strip(" -–—:;,") or text


def compose(text: str, reason: str = "") -> str:
    """Return ``text`` as an entry's body: a sentence of at most 300 characters, then the reason if there is one."""
    body = shorten(_sentence(without_lead_in(text)), MAX_BODY_CHARS)
    return f"{body} {shorten(_sentence(reason), MAX_BODY_CHARS)}" if reason else body


def _sentence(words: str) -> str:
    words = _INNER.sub(lambda letter: letter[0].upper(), words.strip())
    first = words.split(maxsplit=1)[0].rstrip(",:;.").replace("'", "") if words else ""
    if first.isalpha() and first.islower():
        words = words[0].upper() + words[1:]
    return words if words[-1:] in ".!?…:" else words + "."


def tags_of(text: str) -> tuple[str, ...]:
    """Return the technologies and files that ``text`` names, as hashtags without the ``#``."""
    named = {match[0].lower(): None for match in _WORD.finditer(text) if _is_technology(match)}
    files = {_NO_TAG.sub("-", match.lower()).strip("-"): None for match in _FILE.findall(text if "." in text else "")}
    return tuple(tag for tag in (*named, *files) if tag)[:MAX_TAGS]


def _is_technology(match: re.Match[str]) -> bool:
    everyday = technologies().get(match[0].lower())
    if not everyday:
        return everyday is False
    return not match[0].islower() or _VERSION.match(match.string, match.end()) is not None
