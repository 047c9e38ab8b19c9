"""What a model reflects on: what a person said, and the answer to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from agent_memory.model.ids import digest
from agent_memory.model.text import without_briefings
from agent_memory.model.transcript import Turn

MAX_SAID: Final = 4
SHOWN_CHARS: Final = 2_000
"""So much of a turn is shown and believed: the beginning, and more of the end, where answers conclude."""


@dataclass(frozen=True)
class Exchange:
    """The user's turns since the last answer, and the answer; all of one conversation."""

    said: tuple[Turn, ...]
    answer: Turn

    @property
    def conversation(self) -> str:
        """The conversation's id."""
        return self.answer.conversation

    @cached_property
    def digest(self) -> str:
        """What finds a recorded reply: it changes when a turn of the exchange grows."""
        return digest(*(turn.digest for turn in (*self.said, self.answer)))

    @cached_property
    def key(self) -> str:
        """The key under which the ledger says that the exchange was reflected on."""
        return digest(self.conversation, "reflection", self.digest)

    def line_key(self, number: int) -> str:
        """Return the key of what line ``number`` of the reply proposes."""
        return digest(self.conversation, "reflection", self.digest, str(number))

    @cached_property
    def user_text(self) -> str:
        """What the person said."""
        return _text(self.said)

    @cached_property
    def answer_text(self) -> str:
        """What the agent answered."""
        return _text((self.answer,))


def shown(text: str) -> str:
    """Blank out briefings of ours and the middle of a long text; every other character keeps its place."""
    if (hidden := len(text) - SHOWN_CHARS) > 0:
        head = SHOWN_CHARS // 3
        text = text[:head] + "\n" * hidden + text[head + hidden :]
    return without_briefings(text)


def _text(turns: Iterable[Turn]) -> str:
    return "\n\n".join(re.sub(r"\n{3,}", "\n\n", shown(turn.text)) for turn in turns)


class Pairing:
    """Pairs one conversation's turns into exchanges, as they come.

    An answer that comes again, because it has grown, gives another exchange with the same questions.
    """

    def __init__(self) -> None:
        self._said: tuple[Turn, ...] = ()
        self._answered = False

    def feed(self, turn: Turn) -> Exchange | None:
        """Take the next turn; return the exchange that it completes, if it does.

        Where the user is another agent there is none: nobody's own words stand in it.
        """
        if turn.role == "user":
            self._said = (*(() if self._answered else self._said), turn)[-MAX_SAID:]
            self._answered = False
            return None
        self._answered = True
        return Exchange(self._said, turn) if self._said and not turn.from_agent else None
