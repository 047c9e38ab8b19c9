"""From any text to what full-text search needs: a MATCH expression, search keys, an excerpt.

Pure. What a person types, pastes or an agent sends is never FTS5 syntax here: every term is quoted, so
no text is an error, and a text without a telling word gives the empty expression, which matches nothing.
Stop words of both languages are dropped together, because a message may mix them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from agent_memory.model.text import fold, one_line, shorten

MAX_TERMS: Final = 24
"""A long prompt asks at its start or its end: this many terms of each half are kept, at most."""
SNIPPET_CHARS: Final = 160

_READ_CHARS: Final = 8_000
_SCANNED_CHARS: Final = 50_000
_LEAD_CHARS: Final = 40
_MAX_NAME_CHARS: Final = 64  # longer runs are digests and encoded bytes, whose pieces say nothing

_CHUNK: Final = re.compile(r"\w+(?:[./:@#+-]+\w+)*")
_WORD: Final = re.compile(r"[^\W_]+")
_CAMEL: Final = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_PIECE: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")

STOP_WORDS: Final = frozenset(
    # Portuguese, folded
    "a ao aos aquela aquelas aquele aqueles aquilo as assim ate cada com como da daquele das de dela dele deles depois"
    " desde dessa desse desta deste disso disto do dos e ela elas ele eles em entao entre era essa essas esse esses"
    " esta estao estar estas estava este estes estou eu fazer faz foi foram for fosse ha isso isto ja la lhe mais mas"
    " me mesmo meu meus minha minhas muito na nas nao nem nessa nesse nesta neste no nos nossa nosso num numa o onde os"
    " ou para pela pelas pelo pelos pode podemos por porque pra pro qual quais quando quanto que quem quero queria se"
    " seja sem ser seu seus sim so sobre sua suas tambem tao te tem tenho ter teve tinha tive tu tua tudo um uma umas"
    " uns usa usar usamos vai vamos vc vcs voce voces vou nos gente preciso precisa favor agora aqui ainda deve"
    # English, folded; what apostrophes leave behind counts too
    " about after again all also am an and any are at be because been before being between both but by can cannot"
    " could d did didn do does doesn doing don done down each for from get give had has have having he her here hers"
    " him his how i if in into is isn it its just let ll m me more most my need no nor not now of off on once only or"
    " other our ours out over own please re s same she should so some such t than that the their them then there these"
    " they this those through to too under until up use used uses using ve very want was we were what when where which"
    " while who whom why will with won would yes you your yours".split()
)


def match(text: str) -> str:
    """Return the FTS5 expression that finds what ``text`` speaks of: quoted terms, any of them.

    Empty if ``text`` has no telling word; an empty expression must not be run and matches nothing.
    """
    return " OR ".join(f'"{term}"' for term in terms(text))


def terms(text: str) -> tuple[str, ...]:
    """Return the telling words of ``text``, once each; an identifier whole and then its parts.

    They keep their spelling, because FTS5 folds case and accents by its own rules; a whole that it reads
    as several words becomes a phrase.
    """
    if len(text) > 2 * _READ_CHARS:
        text = f"{text[:_READ_CHARS]} {text[-_READ_CHARS:]}"
    by_fold: dict[str, str] = {}
    for term in _terms_of(unicodedata.normalize("NFC", text)):
        by_fold.setdefault(fold(term), term)
    found = tuple(by_fold.values())
    if len(found) <= 2 * MAX_TERMS:
        return found
    return found[:MAX_TERMS] + found[-MAX_TERMS:]


def keys(text: str) -> str:
    """Return the parts of the identifiers in ``text`` that FTS5's own tokenizer would keep in one piece."""
    if not _CAMEL.search(text):
        return ""
    return " ".join(dict.fromkeys(piece for word in _WORD.findall(text) for piece in _pieces(word)))


def excerpt(body: str, found: tuple[str, ...]) -> str:
    """Return one line of at most 160 characters of ``body``, around the first of the terms ``found``."""
    wanted = frozenset(fold(term) for term in found)
    scanned = _WORD.finditer(body, 0, _SCANNED_CHARS)
    at = next((word.start() for word in scanned if not wanted.isdisjoint(_parts(word[0]))), 0)
    start = max(at - _LEAD_CHARS, 0)
    if start:
        start = body.find(" ", start, at) + 1 or at
    line = one_line(body[start : start + 4 * SNIPPET_CHARS])
    return shorten(f"…{line}" if start else line, SNIPPET_CHARS)


def _terms_of(text: str) -> Iterator[str]:
    for chunk in _CHUNK.findall(text):
        words = [word for word in _WORD.findall(chunk) if fold(word) not in STOP_WORDS]
        if words:
            yield chunk
        for word in words:
            yield word
            yield from (piece for piece in _pieces(word) if piece not in STOP_WORDS)


def _parts(word: str) -> list[str]:
    return [fold(word), *_pieces(word)]


def _pieces(word: str) -> list[str]:
    if len(word) > _MAX_NAME_CHARS or not _CAMEL.search(word):
        return []
    return [fold(piece) for piece in _PIECE.findall(word)]
