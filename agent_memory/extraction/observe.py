"""One turn as extraction sees it: its sentences, each with its signals.

The context of a sentence is the turn it stands in and what the memo says of the turn before. It decides
nothing; the engine and the script that fits the weights both start from here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from agent_memory.extraction.memo import Memo
from agent_memory.extraction.score import signals
from agent_memory.extraction.sentences import Sentence, quotations, sentences
from agent_memory.extraction.table import VETOED, Table
from agent_memory.model.transcript import ToolUse, Turn

ASKING_SENTENCES: Final = 8
WRITING_TOOLS: Final = frozenset(
    "write strreplace edit multiedit applypatch delete search_replace edit_file create_file".split()
)
_OR: Final = re.compile(r"\b(?:or|ou)\b")
ACCEPTANCE: Final = re.compile(
    r"^\W*(?:ok(?:ay)?|yes|yep|yeah|ye|sure|go(?: ahead| for it)?|do (?:it|that|both)|both|perfect|agreed|great|"
    r"sounds good|the (?:first|second|third|last)|a (?:primeira|segunda|terceira)|(?:option|opcao|a|the)? ?[\da-d]|"
    r"sim|pode(?: ser)?|quero|isso|bora|segue|siga|manda|faz(?: isso| os dois)?|perfeito|combinado|beleza|fechado|"
    r"claro|avanca|coloca|arruma|certo|show|boa|gostei|aprovado)\b"
)
ACCEPTANCE_WORDS: Final = 6
# What an answer to these says is said by a character, or by whoever wrote the original.
COMPOSING: Final = re.compile(
    r"^\W*(?:(?:please|por favor|now|agora|can you|could you|pode|podes)[, ]+){0,2}(?:translate|paraphrase|"
    r"traduz\w*|traduza|parafrase\w*|"
    r"(?:continue|write|tell|invent|continua|continue|escreve|escreva|conta|conte|inventa|"
    r"invente) (?:me )?(?:the|a|an|o|a|um|uma) "
    r"(?:\w+ )?(?:story|tale|poem|scene|play|song|dialogue|historia|conto|poema|cena|peca|cancao|dialogo))\b"
)
SHORT_TURN: Final = 2
INSTRUCTING: Final = frozenset("imperative always-never only no-x choose from-now-on stays must want instead".split())
# After these, an answer without any work is an explanation out of a book.
EXPLAINING: Final = {"asked": "textbook", "said": "explained"}


class Observation(NamedTuple):
    """A sentence, its signals, and whether redaction touched the record it stands in."""

    sentence: Sentence
    signals: frozenset[str]
    redacted: bool


def observe(memo: Memo, turn: Turn, table: Table) -> list[Observation]:
    """Return the sentences of ``turn`` in order, each with its signals."""
    said = sentences(turn.text, speech=turn.role == "user")
    quoted = quotations(turn.text)
    stretches = _stretches(memo, turn, sentences_in_turn=len(said))
    observed: list[Observation] = []
    for sentence in said:
        while sentence.start >= stretches[0].end and len(stretches) > 1:
            stretches.pop(0)
        found = signals(sentence, turn.role, stretches[0].signals, table)
        if any(sentence.start < end and start < sentence.end for start, end in quoted):
            found |= {VETOED, "veto:quotation"}
        observed.append(Observation(sentence, found, stretches[0].redacted))
    return observed


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The part of the turn's text that one record wrote, and the signals of that place."""

    end: int
    signals: frozenset[str]
    redacted: bool


def _stretches(memo: Memo, turn: Turn, *, sentences_in_turn: int) -> list[_Stretch]:
    of_assistant = turn.role == "assistant"
    first_request = turn.ordinal == 0 and sentences_in_turn > SHORT_TURN
    shared = {f"asked:{memo.asked}"} if memo.asked else set()
    shared |= {f"mood:{memo.mood}"} if of_assistant and memo.mood else set()
    shared |= {VETOED, "veto:composed"} if of_assistant and memo.mood == "composing" else set()
    shared |= {"first-request"} if first_request else set()
    found, end, worked = [], 0, False
    last = max((number for number, record in enumerate(turn.records) if record.text), default=0)
    for number, record in enumerate(turn.records):
        end += len(record.text) + (2 if end and record.text else 0)
        flags = {"answer": number == last, "worked": worked, "busy": bool(record.tools)}
        if of_assistant and memo.mood in EXPLAINING and not (worked or record.tools):
            flags[EXPLAINING[memo.mood]] = True
        here = frozenset(shared | {name for name, holds in flags.items() if holds})
        if record.text:
            found.append(_Stretch(end, here, record.redacted))
        worked = worked or bool(record.tools)
    return found


def mood_of(observed: list[Observation], folded: str) -> str:
    """Say what kind of user turn this was: ``composing``, ``accepted``, ``asked``, ``reported`` or ``instructed``."""
    if COMPOSING.match(folded):
        return "composing"
    if len(folded.split()) <= ACCEPTANCE_WORDS and ACCEPTANCE.match(folded):
        return "accepted"
    statements = [one for one in observed if one.signals.isdisjoint(("veto:question", "asks"))]
    if not statements:
        return "asked"
    if not all(one.signals.isdisjoint(INSTRUCTING) for one in statements):
        return "instructed"
    return "reported" if any("report" in one.signals for one in statements) else "said"


def asked_by(turn: Turn, observed: list[Observation]) -> str:
    """Say what an assistant's turn put before the user: a ``choice``, a ``question``, an ``offer``, ``advice``.

    Advice is an answer without work: no file was written. After work it put nothing before the user.
    """
    last = observed[-ASKING_SENTENCES:]
    vetoes = {name for one in last for name in one.signals if name.startswith("veto:")}
    questions = [one.sentence.text for one in last if "veto:question" in one.signals]
    marks = sum(bool(one.sentence.mark.strip(" x")) for one in last)
    either = any("either-or" in one.signals for one in last) or any(_OR.search(text) for text in questions)
    if "veto:option" in vetoes or either or marks > 1:
        return "choice"
    if questions or "veto:offer" in vetoes:
        return "question" if questions else "offer"
    return "" if any(writes(tool) for record in turn.records for tool in record.tools) else "advice"


def writes(tool: ToolUse) -> bool:
    """Tell whether a tool call changed files, by the names that editors give such tools."""
    return tool.name.lower() in WRITING_TOOLS
