"""What an open memory does with a host's chats; ``library`` has the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent_memory.app import sessions
from agent_memory.app.library_profile import ProfileAndNotes
from agent_memory.model import session
from agent_memory.model.session import Checkpoint

if TYPE_CHECKING:
    from agent_memory.app.tally import Tally


class Sessions(ProfileAndNotes):
    """The part of an open memory that saves ``agent``'s chats, and takes them up again."""

    def checkpoint(
        self,
        messages: Sequence[session.Message],
        *,
        agent: str | None = None,
        chat_id: str | None = None,
        model_id: str | None = None,
    ) -> Checkpoint:
        """Save a chat's newest messages, ``{"role": "user" | "agent", "text": …}`` each, to be recovered.

        Raises:
            UsageError: One of them is no message.
        """
        return sessions.checkpoint(self._app, sessions.chat(agent or self.agent, messages, chat_id, model_id))

    def recover(self, *, agent: str | None = None) -> Checkpoint | None:
        """Return what ``checkpoint`` saved last; None where there is none, or it is older than a week."""
        return sessions.recover(self._app, agent or self.agent)

    def sleep(
        self,
        messages: Sequence[session.Message],
        *,
        agent: str | None = None,
        chat_id: str | None = None,
        model_id: str | None = None,
        summary: str = "",
    ) -> Tally:
        """End a session: take what was said in it, write its handoff, and save it; return what was taken.

        A chat that is given again, or that is also in a file, is taken once. ``summary`` stands as the handoff.

        Raises:
            UsageError: One of them is no message, or there is a summary of nothing.
        """
        from agent_memory.app.sleep import sleep  # reading chats is dear to load, and few hosts end sessions

        return sleep(self._app, sessions.chat(agent or self.agent, messages, chat_id, model_id), summary)

    def last_chat(self, *, agent: str | None = None) -> str | None:
        """Return the ``chat_id`` that was saved last: who takes that chat up again has been briefed already."""
        return sessions.last_chat(self._app, agent or self.agent)
