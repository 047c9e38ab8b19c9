"""The lines of a model's reply, parsed strictly: what fits no form is nobody's memory.

Pure, and total: any text at all gives a reply. Whether a line is true is asked elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from agent_memory.model.memory import KEEP_TAG, OLD_SYSTEM_TAGS, SYSTEM_TAGS, Fact
from agent_memory.model.refining import Ballot, Evolution, Linking, Refinement
from agent_memory.model.text import fold, one_line, words

Kind = Literal["note", "decision", "lesson", "task"]

MAX_LINES: Final = 40
"""A reply with more lines than this is not the six that were asked for, and none of it counts."""
MAX_REPLY_CHARS: Final = 20_000
MIN_WORDS: Final = 2
MAX_TEXT_CHARS: Final = 500
MAX_KEY_CHARS: Final = 120
MAX_VALUE_CHARS: Final = 200
MAX_MARKS: Final = 8
MAX_MARK_CHARS: Final = 40

_KINDS: Final[dict[str, Kind]] = {"NOTE": "note", "DECISION": "decision", "LESSON": "lesson", "TASK": "task"}
_THOUGHT: Final = re.compile(r"\A\s*<think(?:ing)?>(?:.*</think(?:ing)?>|.*\Z)", re.DOTALL)
_OPTIONS: Final = re.compile(r"\s*\[([^\[\]]*)\]$")
_KEY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_TAG: Final = re.compile(r"[^\W_][\w/-]*")
_KEYWORD: Final = re.compile(r"[^\W_][\w ./-]*")
_REFINES: Final = re.compile(
    r"EVOLVE #(?P<id>[1-9][0-9]{0,17}) \[tags=(?P<tags>[^\[\]]*)\]|VOTE (?P<vote>up|down) #(?P<item>[1-9][0-9]{0,17})"
    r"|LINK #(?P<source>[1-9][0-9]{0,17}) (?P<kind>[a-z-]{1,40}) #(?P<target>[1-9][0-9]{0,17})"
)
_REFINING: Final = frozenset({"EVOLVE", "LINK", "VOTE"})
_HASHTAG: Final = re.compile(r"#(?=[^\W\d])")


@dataclass(frozen=True, slots=True)
class Said:
    """A line that proposes an entry; ``number`` is its place in the reply, counted from 1."""

    number: int
    kind: Kind
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Set:
    """A line that proposes a fact."""

    number: int
    fact: Fact


Line = Said | Set | Refinement


@dataclass(frozen=True, slots=True)
class Reply:
    """The lines that have a form, and how many looked like one and are malformed."""

    lines: tuple[Line, ...] = ()
    malformed: int = 0


def parse(text: str) -> Reply:
    """Read a reply; one that is far too long counts as one malformed line."""
    written = [line.rstrip() for line in lines_of(text) if line.strip()]
    if len(text) > MAX_REPLY_CHARS or len(written) > MAX_LINES:
        return Reply(malformed=1)
    found: dict[object, Line] = {}
    malformed = 0
    for number, line in enumerate(written, 1):
        word = line.partition(" ")[0]
        if word in _KINDS or word in _REFINING or word == "SET":
            read = _line(number, word, line)
            malformed += read is None
            if read is not None:
                found[_name(read)] = read
    return Reply(tuple(sorted(found.values(), key=lambda line: line.number)), malformed)


def marks_of(text: str) -> tuple[str, ...]:
    """Return the tags in a list, in lower case; what is none, or the system's own, is left out."""
    return _marks(text, _TAG)


def lines_of(text: str) -> Iterator[str]:
    """Give the lines of a reply, or of the JSON object that some servers force it into, without what was thought."""
    text = _THOUGHT.sub("", text).strip()
    if not text.startswith("{"):
        yield from re.split(r"\r?\n", text)
        return
    try:
        lines = json.loads(text)["lines"]
    except (ValueError, KeyError, RecursionError):
        return
    for line in lines if isinstance(lines, list) else ():
        if isinstance(line, str):
            yield from re.split(r"\r?\n", line)


def _name(line: Line) -> object:
    """What two lines share that say the same: the later one counts."""
    match line:
        case Said():
            return line.kind, fold(line.text)
        case Set():
            return line.fact.key
        case Evolution() | Ballot():
            return line.id, type(line)
        case Linking():
            return line.source, line.kind, line.target


def _line(number: int, word: str, line: str) -> Line | None:
    if not line.isprintable():
        return None  # control characters, and those that hide words or turn them round
    if word in _REFINING:
        return _refinement(number, line)
    body, options = _split(line.removeprefix(word).strip())
    if word == "SET":
        fact = _fact(body, options)
        return None if fact is None else Set(number, fact)
    text = one_line(_HASHTAG.sub("", body))
    if len(words(text)) < MIN_WORDS or len(text) > MAX_TEXT_CHARS:
        return None
    return Said(number, _KINDS[word], text, _marks(options.get("tags", ""), _TAG))


def _refinement(number: int, line: str) -> Refinement | None:
    match = _REFINES.fullmatch(line)
    if match is None:
        return None
    if match["kind"]:
        return Linking(number, match["source"], match["kind"], match["target"])
    if match["vote"]:
        return Ballot(number, match["item"], "up" if match["vote"] == "up" else "down")
    tags = _marks(match["tags"], _TAG)
    return Evolution(number, match["id"], tags) if tags else None


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Part a line from its options; brackets that hold none belong to the text."""
    match = _OPTIONS.search(text)
    clauses = [clause.partition("=") for clause in re.split(r";|,\s*(?=keywords=)", match[1])] if match else []
    options = {name.strip(): value for name, equals, value in clauses if equals}
    if match is None or not options.keys() & {"tags", "pinned", "keywords"}:
        return text, {}
    return text[: match.start()], options


def _fact(text: str, options: dict[str, str]) -> Fact | None:
    key, equals, value = text.partition("=")
    key, value = key.strip(), value.strip()
    fits = _KEY.fullmatch(key) and len(key) <= MAX_KEY_CHARS and 0 < len(value) <= MAX_VALUE_CHARS
    if not (equals and fits):
        return None
    pinned = options.get("pinned", "true").strip() != "false"
    return Fact(key, value, pinned, () if pinned else _marks(options.get("keywords", ""), _KEYWORD))


def _marks(text: str, form: re.Pattern[str]) -> tuple[str, ...]:
    """Return the tags or keywords in a list, in lower case; what is none, or the system's own, is left out."""
    marks = dict.fromkeys(mark.strip().lower() for mark in text.split(","))
    reserved = SYSTEM_TAGS | OLD_SYSTEM_TAGS.keys() | {KEEP_TAG}
    fit = (mark for mark in marks if form.fullmatch(mark) and len(mark) <= MAX_MARK_CHARS and mark not in reserved)
    return tuple(fit)[:MAX_MARKS]
