"""A message and what was said before it, made into the query that recall is asked."""

from __future__ import annotations

from typing import Final

from agent_memory.app import asking
from agent_memory.app.container import App
from agent_memory.model.asking import Prompt
from agent_memory.recall import rewrite as rewriting
from agent_memory.recall.rewrite import History
from agent_memory.state.calls import Subject

PURPOSE: Final = "rewrite"
REMEMBERED: Final = 256


def query_for(app: App, session: str, message: str, history: History) -> str:
    """Return the query for ``message``: the message itself where it stands alone, or nothing better is found in time.

    What a model answered, or that it failed, is remembered for the session, the message and its history: a
    turn that asks again, from whatever process, neither waits nor pays again.

    Args:
        app: The product.
        session: Whose conversation it is.
        message: What was just said.
        history: What was said before, oldest first, as pairs of ``user`` or ``assistant`` and the text.
    """
    mode = app.settings.text("recall.rewrite.mode")
    exchanges = app.settings.count("recall.rewrite.history_turns")
    recent = history[-2 * exchanges :] if mode != "off" and exchanges else ()
    if mode != "model" or app.models is None:
        return rewriting.rewritten(message, recent, None)
    about = Subject(PURPOSE, session, rewriting.subject_of(message, recent))

    def ask(prompt: Prompt) -> str | None:
        known = app.state.calls.reply(about)
        return _asked(app, prompt, about) if known is None else known

    return rewriting.rewritten(message, recent, ask)


def _asked(app: App, prompt: Prompt, about: Subject) -> str | None:
    timeout_s = app.settings.number("recall.rewrite.timeout_s")
    call = asking.start(app, prompt, about=about, timeout_s=timeout_s)
    if call is None:
        return None
    _, reply = asking.finish(app, call, tells=lambda text: rewriting.read(text) is not None, remember_failure=True)
    app.state.calls.keep_replies(PURPOSE, REMEMBERED)
    return reply
