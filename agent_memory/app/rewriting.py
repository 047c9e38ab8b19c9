"""A message and what was said before it, made into the query that recall is asked."""

from __future__ import annotations

from typing import Final

from agent_memory.app import asking
from agent_memory.app.container import App
from agent_memory.app.hearing import pause_of
from agent_memory.errors import AgentMemoryError
from agent_memory.model.asking import Ask, Prompt
from agent_memory.recall import rewrite as rewriting
from agent_memory.recall.rewrite import History
from agent_memory.redaction import redact
from agent_memory.state.calls import Subject
from agent_memory.system import logs

PURPOSE: Final = "rewrite"
REMEMBERED: Final = 256

_log = logs.get("rewrite")


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
    session = redact(session).text  # it is written down, and a host may have put anything there
    recent, always = _recent(app, history), app.settings.text("recall.rewrite.gate_mode") == "always"
    if app.settings.text("recall.rewrite.mode") != "model" or pause_of(app).since:
        return rewriting.rewritten(message, recent, None, always=always)
    try:
        return rewriting.rewritten(message, recent, _ask(app, session, message, recent), always=always)
    except AgentMemoryError as error:  # a wrong key or a locked state must not keep anybody from recalling
        _log.warning("the message is not rewritten: %s %s", error.message, error.hint)
        return rewriting.rewritten(message, recent, None, always=always)


def _recent(app: App, history: History) -> History:
    exchanges = app.settings.count("recall.rewrite.history_turns")
    return history[-2 * exchanges :] if exchanges and app.settings.text("recall.rewrite.mode") != "off" else ()


def _ask(app: App, session: str, message: str, history: History) -> Ask | None:
    """Return whom to ask, None if there is nobody."""
    if app.models is None:
        return None
    about = Subject(PURPOSE, session, rewriting.subject_of(message, history))

    def ask(prompt: Prompt) -> str | None:
        known = app.state.calls.reply(about)
        return _asked(app, prompt, about) if known is None else known

    return ask


def _asked(app: App, prompt: Prompt, about: Subject) -> str | None:
    timeout_s = app.settings.number("recall.rewrite.timeout_s")
    call = asking.start(app, prompt, about=about, timeout_s=timeout_s)
    if call is None:
        return None
    _, reply = asking.finish(app, call, tells=lambda text: rewriting.read(text) is not None, remember_failure=True)
    app.state.calls.keep_replies(PURPOSE, REMEMBERED)
    return reply
