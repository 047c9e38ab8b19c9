"""The first prompt of a host's session: who the agent is, what it should know, and what it is asked to do."""

from __future__ import annotations

from dataclasses import dataclass

from agent_memory.app import sessions
from agent_memory.app.brief import brief
from agent_memory.app.container import App
from agent_memory.model.briefing import Briefing


@dataclass(frozen=True, slots=True)
class Opening:
    """A prompt, and the briefing that is in it; None where the session is resumed and has been briefed already."""

    prompt: str
    briefing: Briefing | None


def opening(
    app: App, agent: str, command: str, *, persona: str = "", chat_id: str | None = None, resumed: bool = False
) -> Opening:
    """Return the prompt for a session of an agent, who may be new.

    Args:
        app: The product.
        agent: Whose session.
        command: What the agent is asked to do.
        persona: Who the agent is to be; it stands first.
        chat_id: The host's name of the chat; the one that the agent was last in is resumed.
        resumed: Whether the chat is resumed in any case.
    """
    again = resumed or (chat_id is not None and chat_id == sessions.last_chat(app, agent))
    briefing = None if again else brief(app, agent, command, may_be_new=True)
    parts = (persona, briefing.text if briefing else "", command)
    return Opening("\n\n".join(part.strip("\n") for part in parts if part.strip()), briefing)
