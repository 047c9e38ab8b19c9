"""Small questions about text that several stages ask: folding, tokens, language, shortening."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Final, Literal

Language = Literal["en", "pt"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "pt")

CHARS_PER_TOKEN: Final = 4

BRIEFING_START: Final = "<!-- agent-memory:briefing -->"
BRIEFING_END: Final = "<!-- /agent-memory:briefing -->"

_WORD: Final = re.compile(r"[^\W_]+", re.UNICODE)
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_OPEN_BOX: Final = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[ \][ \t]+(\S.*)$", re.MULTILINE)
# What no editor shows: letters spelt in tag characters or variation selectors, or with blanks of no width between.
_UNSEEN: Final = re.compile("[\U000e0000-\U000e01ef\u200b\u2060\ufeff]")
_SMUGGLED: Final = re.compile("[\U000e0000-\U000e01ef]+|(?:[^\n\u200b\u2060\ufeff][\u200b\u2060\ufeff]){4,}\\S?")
_BRIEFING: Final = re.compile(r"<!-- agent-memory:briefing\b[\s\S]*?(?:<!-- /agent-memory:briefing -->|\Z)")
# Comments, and elements that only programs write: <tool_result>, <system-reminder>, <memory>.
_MARKUP: Final = re.compile(
    r"<!--[\s\S]*?(?:-->|\Z)|<([a-z]{2,20}[_-][a-z_-]{2,30}|system|assistant|human|memory|instructions)\b[^<>\n]{0,200}>"
    r"[^<]{0,4000}</\1>"
)
_BARE_BRIEFING: Final = re.compile(r"^#{1,6} MEMORY CONTEXT\b[\s\S]*", re.MULTILINE)
# "don't" folds to "don" and "t", and so do all its kind.
NEGATIONS: Final = frozenset(
    "not no never none nothing without cannot t nao nunca nem sem nada nenhum nenhuma jamais".split()
)
_PT_WORDS: Final = frozenset(
    "não nao sim que para pra com uma um os as do da dos das no na nos nas em é são está estão vai vamos foi era ser"
    " ficar fica ficou por pelo pela mas mais muito também tambem já só isso esse essa este esta aqui agora ainda"
    " quando porque então entao se ele ela eles elas eu você voce vocês vc nós nos a o e de ao à às aos seu sua meu"
    " minha deve devem tem têm usar precisa pode podemos quero quer sem sobre até ate onde qual quais cada".split()
)
_EN_WORDS: Final = frozenset(
    "the of and to is are was were be been it that this these those with for on in at by from as not don't doesn't"
    " didn't can't won't we you they i he she our your their its there here what which who when where how why just"
    " only also so if but or because will would should must have has had do does did use used let lets let's go"
    " an into out up then than now still need needs".split()
)
_PT_LETTERS: Final = frozenset("ãõçáâêéíóôúà")
_PT_ENDINGS: Final = ("ções", "ção", "mente", "ando", "endo", "indo")
_BITS: Final = 30
_MOST: Final = (1 << _BITS) - 1
_MOST_TOKENS: Final = 20_000
_MAX_TOKEN_CHARS: Final = 40


def fold(text: str) -> str:
    """Return ``text`` in lower case without accents, as two people would agree to spell it."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return _BEYOND_ASCII.sub(lambda found: "" if unicodedata.combining(found[0]) else found[0], decomposed)


def words(text: str) -> list[str]:
    """Return the runs of letters and digits in ``text``, folded, in order."""
    return _WORD.findall(fold(text))


def normalise(text: str) -> str:
    """Return the form in which quoted words are compared and hashed: folded words, one space apart."""
    return " ".join(words(text))


def estimate_tokens(text: str) -> int:
    """Return the promised estimate: four characters a token, rounded up."""
    return math.ceil(len(text) / CHARS_PER_TOKEN)


def clean(text: str) -> str:
    """Return what may be stored: lone surrogates become question marks, NUL and words that nobody can see disappear."""
    if text.isascii():
        return text.replace("\0", "")
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return _SMUGGLED.sub("", text) if _UNSEEN.search(text) else text


def one_line(text: str) -> str:
    """Return ``text`` with every run of white space as one blank."""
    if "  " not in text and text.isprintable():  # no other white space counts as printable
        return text.strip(" ")
    return " ".join(text.split())


def without_briefings(text: str) -> str:
    """Blank out briefings of ours, comments, and elements of machines; every other character keeps its place."""
    if "agent-memory:briefing" in text:
        text = _BRIEFING.sub(_blank, text)
    if "<" in text:
        text = _MARKUP.sub(_blank, text)
    return _BARE_BRIEFING.sub(_blank, text) if "MEMORY CONTEXT" in text else text


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def open_boxes(text: str) -> tuple[str, ...]:
    """Return the words of each list item in ``text`` whose box is not ticked; ``int buf[ ]`` is no box."""
    return tuple(words.rstrip() for words in _OPEN_BOX.findall(text)) if "[ ]" in text else ()


def shorten(text: str, max_chars: int) -> str:
    """Cut ``text`` at a word's end so that it has at most ``max_chars`` characters, with an ellipsis if cut."""
    if len(text) <= max_chars:
        return text
    head = text[: max(max_chars - 1, 0)]
    cut = head.rfind(" ")
    return (head[:cut] if cut > max_chars * 0.6 else head).rstrip(" ,;:.") + "…"


def _marks(token: str) -> int:
    """Count what only Portuguese has: an ending, or else letters."""
    if token.endswith(_PT_ENDINGS):
        return 1
    return 0 if token.isascii() else len([char for char in token if char in _PT_LETTERS])


class _Tells(dict[str, int]):
    """What tokens tell of their language, remembered: whether they are English, Portuguese, and their marks.

    In one number, of which each has its bits, so that a text's tokens are added up by one sum.
    """

    def __missing__(self, token: str) -> int:
        bare = token.strip(".,;:!?()\"'“”…")
        tells = (bare in _EN_WORDS) + ((bare in _PT_WORDS) << _BITS) + (_marks(bare) << 2 * _BITS)
        if len(self) >= _MOST_TOKENS:
            self.clear()
        return self.setdefault(token, tells) if len(token) <= _MAX_TOKEN_CHARS else tells


_TELLS: Final = _Tells()


def language_of(text: str) -> Language | None:
    """Tell Portuguese from English by their small words; None where the text does not say.

    Code, URLs and paths should be stripped first. Measured: no wrong answer in 120 chat messages, unknown in 7.
    """
    told = sum(map(_TELLS.__getitem__, text.lower().split()))
    english, portuguese, marks = told & _MOST, told >> _BITS & _MOST, told >> 2 * _BITS
    if portuguese <= english:
        portuguese += 2 * marks
    if portuguese == english:
        return None
    return "pt" if portuguese > english else "en"
