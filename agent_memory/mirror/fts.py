"""From any text to what full-text search needs: words with their stems, a MATCH expression, an excerpt.

Pure. What a person types, pastes or an agent sends is never FTS5 syntax here: every term is quoted, so
no text is an error, and a text without a telling word gives the empty expression, which matches nothing.
Stop words of both languages are dropped together, because a message may mix them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from agent_memory.mirror.stems import stems
from agent_memory.model.text import LANGUAGES, Language, fold, language_of, one_line, shorten

MAX_WORDS: Final = 32
"""A long message is reduced to this many words, the most telling ones."""
CHUNK_WORDS: Final = 80
MAX_CHUNKS: Final = 1024
NEAR_WORDS: Final = 3
PREFIX_CHARS: Final = 4
REPAIR_CHARS: Final = 5
MAX_KEYS: Final = 100_000
SNIPPET_CHARS: Final = 160

_READ_CHARS: Final = 4_000
_SCANNED_CHARS: Final = 50_000
_LEAD_CHARS: Final = 40
_MAX_NAME_CHARS: Final = 64  # longer runs are digests and encoded bytes, whose pieces say nothing

_PART: Final = re.compile(r"\w+(?:[./:@#+-]+\w+)*")
_WORD: Final = re.compile(r"[^\W_]+")
_CAMEL: Final = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_PIECE: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
_BLACK: Final = re.compile(r"\S+")
_SIGNED: Final = re.compile(r"\b([A-Za-z])(\+\+|#)(?!\w)")
_SIGNS: Final = {"++": "pp", "#": "sharp"}

STOP_WORDS: Final = frozenset(
    # Portuguese, folded
    "a ao aos aquela aquelas aquele aqueles aquilo as assim ate cada com como da daquele das de dela dele deles depois"
    " desde dessa desse desta deste disso disto do dos e ela elas ele eles em entao entre era essa essas esse esses"
    " esta estao estar estas estava este estes estou eu fazer faz foi foram for fosse ha isso isto ja la lhe mais mas"
    " me mesmo meu meus minha minhas muito na nas nao nem nessa nesse nesta neste no nos nossa nosso num numa o onde os"
    " ou para pela pelas pelo pelos pode podemos por porque pra pro qual quais quando quanto quanta quantos quantas que"
    " quem quero queria sao se seja sem ser seu seus sim so sobre sua suas tambem tao te tem tenho ter teve tinha tive"
    " tu tua tudo um uma umas uns usa usar usamos vai vamos vc vcs voce voces vou gente preciso precisa favor agora"
    " aqui ainda deve"
    # English, folded; what apostrophes leave behind counts too
    " about after again all also am an and any are at be because been before being between both but by can cannot"
    " could d did didn do does doesn doing don done down each for from get give had has have having he her here hers"
    " him his how i if in into is isn it its just let ll m me more most my need no nor not now of off on once only or"
    " other our ours out over own please re s same she should so some such t than that the their them then there these"
    " they this those through to too under until up use used uses using ve very want was we were what when where which"
    " while who whom why will with won would yes you your yours".split()
)


class Word(NamedTuple):
    """A word or an identifier that a query asks for.

    ``terms`` are what an index may have it under, folded: as it is spelt, then its stems. ``is_prefix``
    says that words which only begin like it will do.
    """

    terms: tuple[str, ...]
    is_prefix: bool = False


class Chunk(NamedTuple):
    """A part of an entry that is found by itself; the bodies of an entry's chunks, joined, are its body."""

    body: str
    stems: str


def words(text: str) -> tuple[Word, ...]:
    """Return the telling words of ``text``, once each; an identifier whole and then its parts."""
    text = ends_of(text)
    language = language_of(text)
    folded = dict.fromkeys(map(fold, _terms_of(_with_signs(text))))
    return tuple(Word(_terms(term, language)) for term in folded)


def ends_of(text: str) -> str:
    """Return what of a text counts in a query: of one longer than 8,000 characters the beginning and the end."""
    return f"{text[:_READ_CHARS]} {text[-_READ_CHARS:]}" if len(text) > 2 * _READ_CHARS else text


def telling(asked: Sequence[Word], known: Mapping[str, int], *, most_rows: int, fewest: int = 2) -> tuple[Word, ...]:
    """Return those of ``asked`` that say most about what is meant, in their order.

    Args:
        asked: The words of a query.
        known: In how many rows each token stands, where it stands in any.
        most_rows: How many rows the words may come to together.
        fewest: How many of the rarest are kept in any case.
    """
    frequency = {word: rows_of(word, known) for word in asked}
    kept, total = set[Word](), 0
    for word in sorted(filter(frequency.get, asked), key=frequency.__getitem__)[:MAX_WORDS]:
        total += frequency[word]
        if total > most_rows and len(kept) >= fewest:
            break
        kept.add(word)
    return tuple(word for word in asked if word in kept)


def rows_of(word: Word, known: Mapping[str, int]) -> int:
    """Return in how many rows a word stands at most, by the rows of its tokens; a prefix counts as one."""
    rows = sum(min((known.get(token, 0) for token in _WORD.findall(term)), default=0) for term in word.terms)
    return rows or word.is_prefix


def tokens(word: Word) -> set[str]:
    """Return the tokens of a word's terms; an identifier has several."""
    return {token for term in word.terms for token in _WORD.findall(term)}


def match(asked: Iterable[Word]) -> str:
    """Return the FTS5 expression that finds any of the words; for none the empty one, which must not be run."""
    return " OR ".join(dict.fromkeys(_quoted(term, word.is_prefix) for word in asked for term in word.terms))


def match_nearby(asked: Iterable[Word]) -> str:
    """Return the expression that finds any of the words by its stems alone."""
    stemmed = ((term, word.is_prefix) for word in asked for term in word.terms[1:] or word.terms)
    return " OR ".join(dict.fromkeys(_quoted(*pair) for pair in stemmed))


def match_pairs(asked: Iterable[Word]) -> str:
    """Return the expression that finds words side by side that are side by side in the query; may be empty."""
    singles = [word.terms[:2][-1] for word in asked if _WORD.fullmatch(word.terms[0])]
    return " OR ".join(f'NEAR("{one}" "{other}", {NEAR_WORDS})' for one, other in pairwise(singles))


def phrase(text: str) -> str:
    """Return the expression that finds words in this very order in a body; empty for a text without any."""
    return f'body : "{" ".join(found)}"' if (found := spelt(text)) else ""


def spelt(text: str) -> list[str]:
    """Return all words of ``text`` in order, folded."""
    return _WORD.findall(fold(text))


def is_repairable(word: Word) -> bool:
    """Tell whether a word that stands nowhere is long enough to be a slip of the finger."""
    return bool(_WORD.fullmatch(word.terms[0])) and REPAIR_CHARS <= len(word.terms[0]) <= _MAX_NAME_CHARS


def swaps(word: Word) -> list[Word]:
    """Return what a word may have been before two letters changed places or one came in."""
    spelt = word.terms[0]
    cuts = [(spelt[:at], spelt[at:]) for at in range(len(spelt))]
    meant = [a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1] + [a + b[1:] for a, b in cuts]
    return [Word(_terms(other, None)) for other in dict.fromkeys(meant)]


def is_one_letter_off(spelt: str, other: str) -> bool:
    """Tell whether one letter of ``spelt`` is wrong or missing where ``other`` was meant."""
    if len(other) < len(spelt) or other == spelt:
        return False
    same = next((at for at, pair in enumerate(zip(spelt, other, strict=False)) if pair[0] != pair[1]), len(spelt))
    return other[same + 1 :] in (spelt[same + 1 :], spelt[same:])


def chunks(body: str, language: Language | None, *, also: str = "") -> tuple[Chunk, ...]:
    """Cut a body into pieces of about eighty words, each with its stems; most entries are one piece.

    The first has the stems of ``also`` too, words that are no part of the body and find it all the same.
    """
    count = min(round(len(body.split()) / CHUNK_WORDS), MAX_CHUNKS)
    if count < 2:
        return (Chunk(body, _stems_of(f"{body} {also}", language)),)
    starts = [word.start() for word in _BLACK.finditer(body)]
    step = math.ceil(len(starts) / count)
    cuts = [0, *(starts[at] for at in range(step, len(starts), step)), len(body)]
    return tuple(Chunk(body[a:b], _stems_of(f"{body[a:b]} {'' if a else also}", language)) for a, b in pairwise(cuts))


def excerpt(body: str, asked: Iterable[Word]) -> str:
    """Return one line of at most 160 characters of ``body``, around the first of the words found in it."""
    start = max(_place_of(asked, fold(body[:_SCANNED_CHARS])) - _LEAD_CHARS, 0)
    if start:
        start = body.find(" ", start, start + _LEAD_CHARS) + 1 or start
    line = one_line(body[start : start + 4 * SNIPPET_CHARS])
    return shorten(f"…{line}" if start else line, SNIPPET_CHARS)


def _place_of(asked: Iterable[Word], folded: str) -> int:
    """Return where the first word stands that begins like one of the terms; else where any term stands; else 0."""
    any_of = _any_of(tuple(asked))
    found = any_of and (re.search(rf"(?<![^\W_])(?:{any_of})", folded) or re.search(any_of, folded))
    return found.start() if found else 0


@lru_cache(maxsize=8)
def _any_of(asked: tuple[Word, ...]) -> str:
    return "|".join(sorted({re.escape(term) for word in asked for term in word.terms}, key=len, reverse=True))


def _with_signs(text: str) -> str:
    """Spell names with signs as words, in rows and queries alike: C++ as Cpp, C# as Csharp."""
    composed = unicodedata.normalize("NFC", text)
    if "++" not in composed and "#" not in composed:
        return composed
    return _SIGNED.sub(lambda found: found[1] + _SIGNS[found[2]], composed)


def _terms_of(text: str) -> Iterator[str]:
    for part in _PART.findall(text):
        telling_words = [word for word in _WORD.findall(part) if fold(word) not in STOP_WORDS]
        if telling_words:
            yield part
        for word in telling_words:
            yield word
            yield from (piece for piece in _pieces(word) if piece not in STOP_WORDS)


def _terms(folded: str, language: Language | None) -> tuple[str, ...]:
    keys = stems(folded, language) if _WORD.fullmatch(folded) else ()
    return tuple(dict.fromkeys((folded, *keys)))


def _stems_of(text: str, language: Language | None) -> str:
    """Return the stems of the words in ``text`` but stop words, in order, those of parts of names with them."""
    return " ".join(filter(None, map(_KEYS[language].__getitem__, _WORD.findall(_with_signs(text)))))


class _Keys(dict[str, str]):
    """What words of one language are found by; a plain dictionary is by far the quickest memory there is."""

    def __init__(self, language: Language | None) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, word: str) -> str:
        if len(self) >= MAX_KEYS:
            self.clear()
        found = [*_WORD.findall(fold(word)), *_pieces(word)]
        keys = (key for one in found if one not in STOP_WORDS for key in stems(one, self._language))
        return self.setdefault(word, " ".join(keys))


_KEYS: Final = {language: _Keys(language) for language in (None, *LANGUAGES)}


def _pieces(word: str) -> list[str]:
    if len(word) > _MAX_NAME_CHARS or not _CAMEL.search(word):
        return []
    return [fold(piece) for piece in _PIECE.findall(word)]


def _quoted(term: str, is_prefix: bool = False) -> str:
    return f'"{term}" *' if is_prefix else f'"{term}"'
