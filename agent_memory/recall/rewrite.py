"""A message that only makes sense after the ones before it, made into a query that stands alone.

Pure. Whether a message refers back is decided by word lists of both languages. Then either the telling
words of the last turns join it, or a model that is passed in rewrites it. In doubt the message stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Final, Literal

from agent_memory.mirror.fts import STOP_WORDS
from agent_memory.model.asking import Ask, Prompt
from agent_memory.model.ids import digest
from agent_memory.model.text import fold, one_line, shorten, words

Speaker = Literal["user", "assistant"]
History = Sequence[tuple[Speaker, str]]

MAX_QUERY_CHARS: Final = 400
JOINED_TERMS: Final = 10
SHORT_WORDS: Final = 5
TELLING_ENOUGH: Final = 3
SHOWN_CHARS: Final = 400
READ_CHARS: Final = 4_000
"""So much of a message or a turn is looked at: a pasted log has no more to say about what is meant."""
MAX_REPLY_TOKENS: Final = 200
MIN_TERM_CHARS: Final = 3

_QUESTION: Final = frozenset(
    "what when where why how who which que quando onde porque como quem qual quais quanto quantos".split()
)
# These point back wherever they stand…
_REFERS: Final = frozenset(
    "it its they them theirs those these same other another ones former latter isso isto aquilo disso nisso disto"
    " ele ela eles elas dele dela deles delas nele nela mesmo mesma outro outra ambos".split()
)
# … and these only where no word that tells something follows: "that file" names its file.
_POINTS: Final = frozenset("this that esse essa este esta esses essas estes estas aquele aquela one".split())
_STARTS: Final = frozenset("and but also or so then e mas tambem ou entao ai".split())
_UNTOLD: Final = STOP_WORDS | _REFERS | _POINTS | _STARTS
_ENCLITIC: Final = re.compile(r"\w[rsz]?-(?:l[oa]s?|n[oa]s?)\b")
_ENVELOPE: Final = re.compile(r"<query>([^<\n]*)</query>")


def refers_back(message: str) -> bool:
    """Tell whether a message is too short to stand alone, or points at something said before."""
    message = message[:READ_CHARS]
    found = words(message)
    if not found:
        return False
    if found[0] in _STARTS or not _REFERS.isdisjoint(found) or _ENCLITIC.search(fold(message)):
        return True
    if any(word in _POINTS and _points(found, place) for place, word in enumerate(found)):
        return True
    enough = TELLING_ENOUGH if _QUESTION.isdisjoint(found) else 1
    return len(found) <= SHORT_WORDS and len(_telling(message)) < enough


def joined(message: str, history: History) -> str:
    """Return the message with the telling words of the last turns, the latest first, behind it."""
    known = set(words(message))
    terms = dict.fromkeys(
        term for _, text in reversed(history) for term in _telling(text[:READ_CHARS]) if fold(term) not in known
    )
    return " ".join([message, *list(terms)[:JOINED_TERMS]]).strip()


def prompt_for(message: str, history: History) -> Prompt:
    """Return what to ask a model about a message and the turns before it."""
    lines = [f"{speaker.upper()}: {one_line(shorten(text, SHOWN_CHARS))}" for speaker, text in history]
    current = one_line(shorten(message, SHOWN_CHARS))
    text = "\n".join(["### history", *lines, "", "### message", current, "", "### output"])
    return Prompt(_instructions(), text, MAX_REPLY_TOKENS)


def read(reply: str) -> str | None:
    """Return the query in a reply; None where there is none."""
    match = _ENVELOPE.search(reply)
    query = match[1].strip() if match else ""
    return query[:MAX_QUERY_CHARS] if query not in ("", "NONE") and query.isprintable() else None


def rewritten(message: str, history: History, ask: Ask | None, *, always: bool = False) -> str:
    """Return the query for a message: as it is, joined by words of ``history``, or rewritten by ``ask``.

    With ``always``, a message that seems to stand alone is not left as it is either.
    """
    if not history or not (always or refers_back(message)):
        return message
    if ask is None:
        return joined(message, history)
    return read(ask(prompt_for(message, history)) or "") or message


def subject_of(message: str, history: History) -> str:
    """Return what a recorded rewrite is found by within a session."""
    return digest(message, *(part for turn in history for part in turn))


@cache
def _instructions() -> str:
    return resources.files(__package__).joinpath("rewrite.md").read_text(encoding="utf-8")


def _telling(text: str) -> list[str]:
    """Return the words that say something, as they are spelt, once each."""
    found = dict.fromkeys(_terms(text))
    return list(found)


def _terms(text: str) -> Iterator[str]:
    for term in re.findall(r"[^\W_][\w./-]*\w|[^\W_]", text):
        folded = fold(term)
        if len(folded) >= MIN_TERM_CHARS and folded not in _UNTOLD:
            yield term


def _points(found: list[str], place: int) -> bool:
    """Tell whether "that" stands alone: neither in front of what it names, nor behind what it goes on about."""
    before, after = found[place - 1 : place] if place else [], found[place + 1 : place + 2]
    return not after or not (_tells(before) or _tells(after))


def _tells(found: list[str]) -> bool:
    return any(word not in STOP_WORDS and len(word) >= MIN_TERM_CHARS for word in found)
