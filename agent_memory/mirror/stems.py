"""Stems: the keys under which a word is found in all its forms, in Portuguese and in English.

Pure. Accents are folded first, because people leave them out; the endings that Portuguese stemming knows
only with their accent get it back, and plurals in *-ões* become the singular that Snowball does not make.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from agent_memory.model.text import Language, fold

if TYPE_CHECKING:
    import Stemmer

_SNOWBALL: Final = {"en": "english", "pt": "portuguese"}
_ACCENTED: Final = (
    ("coes", "ção"),
    ("cao", "ção"),
    ("oes", "ão"),
    ("encia", "ência"),
    ("encias", "ência"),
    ("ancia", "ância"),
    ("ancias", "ância"),
    ("avel", "ável"),
    ("aveis", "ável"),
    ("ivel", "ível"),
    ("iveis", "ível"),
    ("logia", "logía"),
    ("logias", "logía"),
)
# Who writes one language speaks of "os deployments" and "the autenticação".
_FOREIGN: Final[dict[Language, re.Pattern[str]]] = {
    "pt": re.compile(r"(?:[bcdfghjkpqtvwy]|tion)s?$|[^aeioun]s$"),
    "en": re.compile(r"(?:cao|coes|mentos?|dades?)$"),
}
_CACHED: Final = 8_192
_MAX_WORD_CHARS: Final = 64  # longer runs are digests and encoded bytes: no language inflects them


def stems(word: str, language: Language | None) -> tuple[str, ...]:
    """Return the stems of a folded word in ``language``; in both, without repeats, where that is unknown."""
    if len(word) > _MAX_WORD_CHARS:
        return (word,)
    if language is None:
        return tuple(dict.fromkeys((stem(word, "en"), stem(word, "pt"))))
    return (stem(word, language),)


@lru_cache(maxsize=_CACHED)
def stem(word: str, language: Language) -> str:
    """Return the stem of a folded word, folded; that of the other language where its ending shows it to be of that."""
    if _FOREIGN[language].search(word):
        language = "en" if language == "pt" else "pt"
    if language == "pt":
        for ending, accented in _ACCENTED:
            if word.endswith(ending):
                word = word.removesuffix(ending) + accented
                break
    return fold(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: Language) -> Stemmer.Stemmer:
    import Stemmer

    return Stemmer.Stemmer(_SNOWBALL[language])
