"""One turn as extraction sees it: its sentences, each with its signals.

The context of a sentence is the turn it stands in and what the memo says of the turn before. It decides
nothing; the engine and the script that fits the weights both start from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agent_memory.extraction.memo import Memo
from agent_memory.extraction.score import Place, signals
from agent_memory.extraction.sentences import Sentence, sentences
from agent_memory.extraction.table import Table
from agent_memory.model.transcript import Record, Turn

ASKING_SENTENCES: Final = 8
_OR: Final = re.compile(r"\b(?:or|ou)\b")
ACCEPTANCE: Final = re.compile(
    r"^\W*(?:ok(?:ay)?|yes|yep|yeah|ye|sure|go(?: ahead| for it)?|do (?:it|that|both)|both|perfect|agreed|sounds good|great|"
    r"sim|pode(?: ser)?|quero|isso|bora|segue|siga|manda|faz(?: isso| os dois)?|perfeito|combinado|beleza|fechado|claro|"
    r"avanca|coloca|arruma|certo|show|boa|gostei|aprovado|the (?:first|second|third|last)|a (?:primeira|segunda|terceira)|"
    r"(?:option|opcao|a|the)? ?[\da-d])\b"
)
ACCEPTANCE_WORDS: Final = 6


@dataclass(frozen=True, slots=True)
class Observation:
    """A sentence, its signals, and whether redaction touched the record it stands in."""

    sentence: Sentence
    signals: frozenset[str]
    redacted: bool


def observe(memo: Memo, turn: Turn, table: Table) -> list[Observation]:
    """Return the sentences of ``turn`` in order, each with its signals."""
    said = sentences(turn.text, speech=turn.role == "user")
    places = list(_records(turn))
    last = max((number for number, (_, record) in enumerate(places) if record.text), default=0)
    observed: list[Observation] = []
    after: frozenset[str] = frozenset()
    for sentence in said:
        number = _record_at(places, sentence.start)
        record = places[number][1]
        place = Place(
            role=turn.role,
            first_turn=turn.ordinal == 0,
            answer=number == last,
            worked=any(earlier.tools for _, earlier in places[:number]),
            busy=bool(record.tools),
            asked=memo.asked,
            mood=memo.mood if turn.role == "assistant" else "",
            opening=not observed,
            alone=len(said) == 1,
            after=after,
        )
        after = signals(sentence, place, table)
        observed.append(Observation(sentence, after, record.redacted))
    return observed


def _records(turn: Turn) -> Iterator[tuple[int, Record]]:
    """Give every record with the place in ``Turn.text`` where it ends."""
    end = 0
    for record in turn.records:
        if record.text:
            end += len(record.text) + (2 if end else 0)
        yield end, record


def _record_at(places: list[tuple[int, Record]], at: int) -> int:
    return next((number for number, (end, record) in enumerate(places) if record.text and at < end), len(places) - 1)


def mood_of(observed: list[Observation], folded: str) -> str:
    """Say what kind of user turn this was: ``accepted``, ``asked``, ``reported`` or ``instructed``."""
    if len(folded.split()) <= ACCEPTANCE_WORDS and ACCEPTANCE.match(folded):
        return "accepted"
    statements = [one for one in observed if "veto:question" not in one.signals]
    if not statements:
        return "asked"
    instructing = {
        "imperative",
        "always-never",
        "only",
        "no-x",
        "choose",
        "from-now-on",
        "stays",
        "must",
        "want",
        "instead",
    }
    if any(one.signals & instructing for one in statements):
        return "instructed"
    return "reported" if any("report" in one.signals for one in statements) else "said"


def asked_by(observed: list[Observation]) -> str:
    """Say what an assistant's turn put before the user: a ``choice``, a ``question``, an ``offer``, or nothing."""
    last = observed[-ASKING_SENTENCES:]
    vetoes = {name for one in last for name in one.signals if name.startswith("veto:")}
    questions = [one.sentence.text for one in last if "veto:question" in one.signals]
    marks = sum(bool(one.sentence.mark.strip(" x")) for one in last)
    either = any("either-or" in one.signals for one in last) or any(_OR.search(text) for text in questions)
    if "veto:option" in vetoes or either or marks > 1:
        return "choice"
    return "question" if questions else "offer" if "veto:offer" in vetoes else ""
