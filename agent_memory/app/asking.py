"""Every question to a model passes here: without secrets, within the day's cap, in the ledger.

A call is entered before it is sent and settled when it is over; its reply is on disk before anybody acts on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from agent_memory.app.container import App
from agent_memory.errors import AgentMemoryError, ModelAborted, ModelError, ModelRefused, ModelTimeout, ModelUnreachable
from agent_memory.model.asking import Answer, Prompt
from agent_memory.model.text import estimate_tokens
from agent_memory.redaction import redact
from agent_memory.state.calls import FAILURES, Outcome, Spent, Subject
from agent_memory.system import logs

if TYPE_CHECKING:
    from concurrent.futures import Future

# Templates and roles cost a server some tokens that we do not see.
OVERHEAD_TOKENS: Final = 32
FAILURES_WARNED: Final = 3
PER_MILLION: Final = 1e6

_log = logs.get("models")


@dataclass(frozen=True, slots=True)
class Call:
    """A call under way: its row in the ledger, what it is about, and the answer to come."""

    row: int
    about: Subject
    prompt: Prompt
    started: float
    future: Future[Answer]


def tokens_of(prompt: Prompt) -> int:
    """Return the most that a call may use, by the promised estimate."""
    sent = estimate_tokens(prompt.instructions) + estimate_tokens(prompt.text)
    return sent + prompt.max_reply_tokens + OVERHEAD_TOKENS


def cost_of(app: App, prompt_tokens: int, reply_tokens: int) -> float:
    """Return what tokens cost by the prices in the settings."""
    prices = app.settings.number("reflection.price_in"), app.settings.number("reflection.price_out")
    return (prompt_tokens * prices[0] + reply_tokens * prices[1]) / PER_MILLION


def start(app: App, prompt: Prompt, *, about: Subject, timeout_s: float) -> Call | None:
    """Send a question off; None where there is no model, no room left for today, or another process is asking it.

    Args:
        app: The product.
        prompt: The question.
        about: What it is about.
        timeout_s: When it is given up.
    """
    if app.models is None:
        return None
    prompt = replace(prompt, text=redact(prompt.text).text)
    about = replace(about, model=app.models.endpoint.model)
    cap, now = app.settings.count("reflection.daily_token_cap"), app.clock.now()
    row = app.state.calls.reserve(about, now, tokens=tokens_of(prompt), cap=cap, timeout_s=timeout_s)
    if row is None:
        _log.info(
            "%s: skipped, since today's reflection.daily_token_cap has no room, or it is being asked", about.purpose
        )
        return None
    return Call(row, about, prompt, time.monotonic(), app.models.start(prompt, timeout_s=timeout_s))


def finish(
    app: App, call: Call, *, tells: Callable[[str], bool], remember_failure: bool = False
) -> tuple[Outcome, str]:
    """Wait for a call's end, enter it, and return its outcome and the reply, which is on disk by then.

    Args:
        app: The product.
        call: The call.
        tells: Whether a reply has anything in it: ``ok``, or ``none``.
        remember_failure: Whether a failure is kept as an empty reply, so that nobody waits for it again.
    """
    from agent_memory.system.llm import wait

    try:
        answer = wait(call.future)
    except ModelError as error:
        return _fail(app, call, error, remember=remember_failure), ""
    text = redact(answer.text).text
    outcome: Outcome = "ok" if tells(text) else "none"
    cost = cost_of(app, answer.prompt_tokens, answer.reply_tokens)
    spent = Spent(outcome, answer.prompt_tokens, answer.reply_tokens, answer.latency_s, cost)
    app.state.calls.settle(call.row, call.about, spent, text)
    _log.info("%s: %s in %.1f s", call.about.purpose, outcome, answer.latency_s)
    return outcome, text


def _fail(app: App, call: Call, error: ModelError, *, remember: bool) -> Outcome:
    outcome: Outcome = "failed"
    if isinstance(error, ModelAborted | ModelTimeout):
        outcome = "aborted" if isinstance(error, ModelAborted) else "timeout"
    # What was sent and not answered, or not so that it can be read, may have been used up all the same.
    used = 0 if isinstance(error, ModelRefused | ModelUnreachable) else tokens_of(call.prompt)
    spent = Spent(outcome, used, 0, time.monotonic() - call.started, cost_of(app, used, 0))
    app.state.calls.settle(call.row, call.about, spent, "" if remember and outcome in FAILURES else None)
    _log.info("%s: %s", call.about.purpose, outcome)
    if outcome in FAILURES and app.state.calls.failures_in_a_row(call.about.purpose) == FAILURES_WARNED:
        _warn(call.about.purpose, error)
    return outcome


def _warn(purpose: str, error: AgentMemoryError) -> None:
    """Say once in a row of failures what is lost and what to look at."""
    _log.warning(
        "%s has failed %d times in a row, so nothing comes of it: %s %s",
        purpose,
        FAILURES_WARNED,
        error.message,
        error.hint,
    )
