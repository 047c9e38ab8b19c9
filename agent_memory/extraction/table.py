"""The tables of cues, read once from ``patterns/``: what to look for in a sentence, and what each cue weighs.

A cue has one name in both languages and one weight, so that Portuguese and English are judged alike.
Cues are looked up by their words first; an expression runs only where one of its words stands in the
sentence. It refuses malformed rows, and cues without a weight.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, get_args

from agent_memory.errors import TableError
from agent_memory.model.rows import read_rows

Speaker = Literal["user", "assistant", "any"]
Kind = Literal["cue", "veto", "label"]

FILES: Final = ("en.toml", "pt.toml")
VETOED: Final = "vetoed"
_NOTHING: Final[frozenset[str]] = frozenset()
ROLES: Final = ("user", "assistant")
_ACCENTED: Final = ("áàâãäåéèêëíìîïóòôõöúùûüçñ", "aaaaaaeeeeiiiiooooouuuucn")
_ACCENTS: Final = str.maketrans(_ACCENTED[0] + "’", _ACCENTED[1] + "'")
_LATIN_ACCENTS: Final = bytes.maketrans(*(letters.encode("latin-1") for letters in _ACCENTED))
_MARKS: Final = '?",;'
# Small words, folded, that only one of the languages has; "so", "no", "as" and "todo" are words of both.
_ENGLISH: Final = frozenset(
    "the and is are was were be been to of it its that this these with for from not in on at or if but we you i they "
    "there then than what which when should don't can".split()
)
_PORTUGUESE: Final = frozenset(
    "o e os um uma de da dos das em na nos nas que nao para pra pro com por se mas ou ele ela isso esse essa este esta "
    "foi sao ser ter tem vai ja quando porque como mais muito ao aos pelo pela vamos fica ficou ainda sem".split()
)


@dataclass(frozen=True, slots=True, eq=False)
class Cue:
    """One row: its name, what it is for, whose sentences it reads, and how it is found.

    Without an expression (``regex`` anywhere, ``start`` at the beginning) any of the ``words`` is enough; without words
    the expression runs always. Rows are told apart by identity: several may have one name.
    """

    id: str
    kind: Kind
    role: Speaker
    words: frozenset[str]
    expression: str
    finds: Callable[[str], object] | None
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...]
    category: str = ""
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Index:
    """Cues by the words that may trigger them, and those that have to be tried always."""

    by_word: Mapping[str, frozenset[Cue]]
    words: frozenset[str]
    always: frozenset[Cue]

    def find(self, folded: str, words: Set[str]) -> frozenset[str]:
        """Return the names of the cues in a sentence, given folded and as its words; only its vetoes if it has any."""
        triggered = self.always.union(*map(self.by_word.__getitem__, self.words.intersection(words)))
        found = [cue for cue in triggered if (finds := cue.finds) is None or finds(folded)]
        if not found:
            return _NOTHING
        vetoes = [cue.id for cue in found if cue.kind == "veto"]
        return frozenset([*vetoes, VETOED] if vetoes else [cue.id for cue in found])


@dataclass(frozen=True, slots=True)
class Table:
    """Every cue: vetoes and others by speaker and language (none: of both), and labels."""

    cues: Mapping[tuple[str, str], Index]
    labels: tuple[Cue, ...]

    def find(self, text: str, role: str) -> frozenset[str]:
        """Return the names of the cues in one sentence, or ``vetoed`` and its vetoes (``veto:…``) if it has any."""
        folded = fold_sentence(text)
        words = words_of(folded)
        return self.cues[role, tongue_of(words)].find(folded, words)

    def find_label(self, folded: str) -> frozenset[str]:
        """Return the names of the labels that ``folded`` is one of, ``label:`` in front."""
        return frozenset(cue.id for cue in self.labels if cue.finds and cue.finds(folded))


def fold_sentence(text: str) -> str:
    """Return ``text`` in lower case without accents, letter for letter; expressions are written for that form."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    try:  # ten times as fast, and enough for most texts
        return lowered.encode("latin-1").translate(_LATIN_ACCENTS).decode("latin-1")
    except UnicodeEncodeError:
        return lowered.translate(_ACCENTS)


_WORD_CHARS: Final = f"{string.ascii_lowercase}{string.digits}_'".encode()
_BLANKED: Final = bytes(char if char in _WORD_CHARS else ord(" ") for char in range(256))


def words_of(folded: str) -> set[str]:
    """Return the words of a folded sentence, and the marks in it that a row may name like words."""
    bare = folded.encode("latin-1", "replace").translate(_BLANKED).decode("ascii")  # ten times as fast as str.translate
    words = set(bare.split())
    for mark in _MARKS:
        if mark in folded:
            words.add(mark)
    return words


def tongue_of(words: Set[str]) -> str:
    """Return ``en`` or ``pt``, or nothing where the small words do not say: a few words, or half and half."""
    balance = len(_ENGLISH.intersection(words)) - len(_PORTUGUESE.intersection(words))
    return "en" if balance > 0 else "pt" if balance < 0 else ""


@cache
def load() -> Table:
    """Return the shipped cues of both languages.

    Raises:
        TableError: A table is malformed.
    """
    return index({name.removesuffix(".toml"): parse(text_of(name), name) for name in FILES})


def index(rows: Mapping[str, tuple[Cue, ...]]) -> Table:
    """Return a table that finds cues by their words, given them by language."""
    by_language = {"": tuple(cue for cues in rows.values() for cue in cues), **rows}
    cues = {
        (role, language): _index(cue for cue in cues if cue.kind != "label" and cue.role in ("any", role))
        for role in ROLES
        for language, cues in by_language.items()
    }
    return Table(cues, tuple(cue for cue in by_language[""] if cue.kind == "label"))


def _index(cues: Iterable[Cue]) -> Index:
    by_word: defaultdict[str, set[Cue]] = defaultdict(set)
    always = set()
    for cue in cues:
        if not cue.words:
            always.add(cue)
        for word in cue.words:
            by_word[word].add(cue)
    found = {word: frozenset(triggered) for word, triggered in by_word.items()}
    return Index(found, frozenset(found), frozenset(always))


def text_of(name: str) -> str:
    """Return the text of a shipped table."""
    return resources.files(__package__).joinpath("patterns", name).read_text(encoding="utf-8")


def parse(text: str, name: str) -> tuple[Cue, ...]:
    """Read cues from TOML text.

    Raises:
        TableError: Not TOML, or a row without the right keys; the message names file and row.
    """
    return read_rows(text, name, "cue", _cue)


def _cue(row: Mapping[str, Any]) -> Cue:
    kind, role = row.get("kind", "cue"), row.get("role", "any")
    expression = row.get("start") or row.get("regex", "")
    regex = re.compile(expression, re.ASCII)  # folded text is, where it matters
    cue = Cue(
        id=row["id"] if kind == "cue" else f"{kind}:{row['id']}",
        kind=kind,
        role=role,
        words=frozenset(row.get("words", "").split()),
        expression=expression,
        finds=(regex.match if "start" in row else regex.search) if expression else None,
        examples=tuple(row["examples"]),
        counterexamples=tuple(row.get("counterexamples", ())),
        category=row.get("category", ""),
        weight=float(row.get("weight", 0.0)),
    )
    if kind not in get_args(Kind) or role not in get_args(Speaker) or not (cue.words or expression):
        raise ValueError("an unknown kind or role, or nothing to look for")
    return cue


@cache
def weights() -> Mapping[str, Mapping[str, float]]:
    """Return what each cue weighs, by category and speaker (``decisions.user``), in natural logarithms of odds.

    The file is written by ``scripts/fit_extraction.py``; ``bias`` is what a sentence without cues starts from.

    Raises:
        TableError: The file is malformed.
    """
    try:
        rows = tomllib.loads(text_of("weights.toml"))
        return {name: {cue: float(weight) for cue, weight in row.items()} for name, row in rows.items()}
    except (tomllib.TOMLDecodeError, AttributeError, TypeError, ValueError) as error:
        raise TableError(f"weights.toml is malformed: {error}.", hint="Reinstall agent-memory.") from error
