"""Reflection and consolidation beside a watcher: what a model is asked while turns go on being taken.

The waiting is done by the model client's own thread; everything that touches state or vault happens in the
watcher's, between two rounds, and takes as long as writing a batch.
"""

from __future__ import annotations

from collections import deque
from datetime import timedelta
from typing import Final

from agent_memory.app.asking import Call
from agent_memory.app.consolidate import begin, consolidate, end
from agent_memory.app.container import App
from agent_memory.app.distilling import Distilling
from agent_memory.app.reflecting import Due, Reflector
from agent_memory.model.transcript import Turn
from agent_memory.reflection import Pairing

# A watcher reflects on what is being said; a backlog is for ``process --reflect``, which tells its price first.
FRESH: Final = timedelta(hours=1)
MAX_WAITING: Final = 64
MAX_CONVERSATIONS: Final = 256


class Beside:
    """Asks a model beside a watcher, which goes on meanwhile: one call at a time, those that come wait.

    A newer exchange of the same conversation ends the older call, which then waits behind it, once.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._reflector = Reflector(app, verb="reflect")
        self._pairings: dict[str, Pairing] = {}
        self._waiting: deque[Due] = deque(maxlen=MAX_WAITING)
        self._asked: tuple[Due, Call] | None = None
        self._given_up: set[str] = set()
        self._distilling: Distilling | None = None

    @property
    def is_asking(self) -> bool:
        """Whether a call is under way, so that there will be something to do soon."""
        return self._asked is not None or self._distilling is not None

    def consolidate(self) -> None:
        """Consolidate: at once without a model, else once it has said what it has to say."""
        if self._app.models is None:
            consolidate(self._app)
        elif self._distilling is None:
            self._distilling = begin(self._app)

    def offer(self, agent: str, turn: Turn) -> None:
        """Take note of a turn that is in the vault now; nothing is sent."""
        pairing = self._pairings.pop(turn.conversation, None) or Pairing()
        self._pairings[turn.conversation] = pairing
        if len(self._pairings) > MAX_CONVERSATIONS:
            del self._pairings[next(iter(self._pairings))]
        exchange = pairing.feed(turn)
        if exchange is None or self._app.clock.now() - turn.at > FRESH:
            return
        if self._asked and self._asked[0].exchange.conversation == exchange.conversation:
            self._asked[1].future.cancel()
        self._waiting.append(Due(agent, exchange))

    def go_on(self) -> None:
        """Apply the reply that has come, if one has, and ask about what waits; never waits itself."""
        if self._asked and self._asked[1].future.done():
            (due, call), self._asked = self._asked, None
            if self._reflector.conclude(due, call) == "aborted" and due.exchange.key not in self._given_up:
                self._given_up.add(due.exchange.key)
                self._waiting.append(due)
        if self._asked is None and self._distilling and self._distilling.go_on():
            done, self._distilling = self._distilling, None
            end(self._app, done)
        while self._asked is None and self._distilling is None and self._waiting:
            due = self._waiting.popleft()
            sent = self._reflector.send(due)
            self._asked = (due, sent) if sent else None

    def close(self) -> None:
        """Give up the call under way; what was not answered is left to ``process --reflect``."""
        self._waiting.clear()
        if self._distilling is not None:
            self._distilling.close()
        if self._asked is not None:
            (due, call), self._asked = self._asked, None
            call.future.cancel()
            self._reflector.conclude(due, call)
