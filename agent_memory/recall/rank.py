"""What makes one lead better than another: relevance first, then small corrections. Pure.

Every way of looking, and everything else that counts, is a part of the score under its own name; the parts
add up to it, so that a person can be told why a memory came. The weights were measured on conversations
and on passages of text in both languages (``scripts/bench_recall.py``; numbers in docs/search.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from agent_memory.model.recall import Lead, Query
from agent_memory.model.text import language_of, words
from agent_memory.model.votes import Fading
from agent_memory.recall import dates

PAIRS: Final = 0.5
AUTHOR: Final = 1.0
CONVERSATION: Final = 0.5
CONVERSATION_LEADS: Final = 5
DATE: Final = 0.3
MEANING: Final = 0.4
MEANING_ACROSS: Final = 0.75
"""The share of meaning in the score; the larger one where query and entry are in different languages."""
VOTES: Final = 0.1
VOTES_HALFWAY: Final = 2
HARM_HALFWAY: Final = 1
"""What was harmful is believed sooner than what was helpful."""
RECENCY: Final = 0.02
RECENCY_HALF_DAYS: Final = 30


class Board:
    """Leads and the parts of their scores, which add up to ``totals``."""

    def __init__(self, leads: Sequence[Lead]) -> None:
        self.leads = leads
        self.parts: list[dict[str, float]] = [{} for _ in leads]
        self.totals = [0.0] * len(leads)
        for at, lead in enumerate(leads):
            for name, value in lead.parts.items():
                self.add(at, name, value * (PAIRS if name == "pairs" else 1))
            if lead.conversation is None and "words" in lead.parts:
                self.add(at, "nearby", lead.parts["words"])  # nothing was said around it: it is its own surroundings

    def add(self, at: int, name: str, value: float) -> None:
        """Give one lead a part of its score."""
        self.parts[at][name] = value
        self.totals[at] += value

    def scale(self, at: int, factor: float) -> None:
        """Let every part of one lead's score so far count for less."""
        self.parts[at] = {name: value * factor for name, value in self.parts[at].items()}
        self.totals[at] *= factor

    @property
    def best(self) -> float:
        """The highest total so far."""
        return max(self.totals, default=0.0)


def rank(leads: Sequence[Lead], query: Query) -> Board:
    """Score the leads: what each way of looking gave, and what else speaks for them."""
    board = Board(leads)
    _mix_meaning(board, query.text)
    _add_author(board, query.text)
    _add_conversation(board)
    _add_date(board, query.text)
    _add_corrections(board, query.fading)
    return board


def _add_author(board: Board, text: str) -> None:
    """Prefer what was said by whom the query names, unless it names everybody."""
    asked = set(words(text))
    speakers = [lead.author or lead.page.agent for lead in board.leads]
    named = {speaker for speaker in set(speakers) if not asked.isdisjoint(words(speaker))}
    if named != set(speakers):
        for at, speaker in enumerate(speakers):
            if speaker in named:
                board.add(at, "author", AUTHOR * board.totals[at])


def _add_conversation(board: Board) -> None:
    """Prefer what comes from a conversation with much that was found; what comes from none is its own."""
    found = defaultdict[str | None, list[float]](list)
    for lead, total in zip(board.leads, board.totals, strict=True):
        found[lead.conversation].append(total)
    sums = {name: sum(sorted(totals)[-CONVERSATION_LEADS:]) for name, totals in found.items() if name is not None}
    best, most = board.best, max(sums.values(), default=0.0)
    for at, lead in enumerate(board.leads):
        alike = board.totals[at] if lead.conversation is None else best * sums[lead.conversation] / (most or 1)
        board.add(at, "conversation", CONVERSATION * alike)


def _add_date(board: Board, text: str) -> None:
    if named := dates.named_in(text):
        best = board.best
        for at, lead in enumerate(board.leads):
            if any(date.includes(lead.at) for date in named):
                board.add(at, "date", DATE * best)


def _mix_meaning(board: Board, text: str) -> None:
    """Give meaning its share of the score, on the scale of the best; where it is unknown, words alone decide."""
    asked, best = language_of(text), board.best or 1.0
    for at, lead in enumerate(board.leads):
        if lead.meaning is not None:
            share = MEANING_ACROSS if {asked, lead.language} == {"en", "pt"} else MEANING
            board.scale(at, 1 - share)
            board.add(at, "meaning", share * best * lead.meaning)


def _add_corrections(board: Board, fading: Fading | None) -> None:
    """Add what votes and recency may change: a tenth, and a fiftieth of the best."""
    newest, best = max((lead.at for lead in board.leads), default=None), board.best
    for at, lead in enumerate(board.leads):
        if votes := fading.left(lead.votes) if fading else lead.votes.score:
            halfway = VOTES_HALFWAY if votes > 0 else HARM_HALFWAY
            board.add(at, "votes", VOTES * board.totals[at] * votes / (abs(votes) + halfway))
        if newest is not None:
            days = (newest - lead.at).total_seconds() / 86_400
            board.add(at, "recency", RECENCY * best * 2.0 ** (-days / RECENCY_HALF_DAYS))
