"""What the memory holds, what models were asked and what it came to, how the fabric is; looking changes nothing."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass
from typing import Any

from agent_memory.app.container import App
from agent_memory.app.counting import Counts, counts
from agent_memory.app.distilling import JOB
from agent_memory.app.recall import fading
from agent_memory.model.links import links_of
from agent_memory.state.calls import Entry


@dataclass(frozen=True, slots=True)
class Purpose:
    """The calls for one purpose; times are those of answers that came, ``sent`` are calls that were cut off."""

    outcomes: dict[str, int]
    answers: int
    prompt_tokens: int
    reply_tokens: int
    cost: float
    median_s: float
    p95_s: float
    failures_in_a_row: int


@dataclass(frozen=True, slots=True)
class Fabric:
    """How memories hang together, and what consolidation did when it last ran; ``last`` is None if it never did."""

    linked: int
    links: int
    superseded: int
    consolidated: int
    distilled: int
    deprecated: int
    voted: int
    last_run: str | None
    last: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Stats:
    """What the memory holds; all calls by purpose, and how much of the day's cap is used up; and the fabric."""

    tokens_today: int
    daily_token_cap: int
    purposes: dict[str, Purpose]
    fabric: Fabric
    memories: Counts


def stats(app: App) -> Stats:
    """Count what pages, ledgers and state have."""
    cap = app.settings.count("reflection.daily_token_cap")
    if not app.folder.state.exists():
        return Stats(0, cap, {}, fabric(app), counts(app))
    calls = app.state.calls
    entries = calls.entries()
    purposes = {
        name: _purpose([one for one in entries if one.purpose == name], calls.failures_in_a_row(name))
        for name in sorted({one.purpose for one in entries})
    }
    return Stats(calls.tokens_on(app.clock.now()), cap, purposes, fabric(app), counts(app))


def fabric(app: App) -> Fabric:
    """Count links, lessons and votes, and say what the last consolidation came to."""
    memories = app.shelf.view(fresh=False).memories
    votes, status = fading(app), Counter(memory.status for memory in memories)
    run = app.state.last_run(JOB) if app.folder.state.exists() else None
    return Fabric(
        linked=sum(bool(links_of(memory)) for memory in memories),
        links=sum(len(links_of(memory)) for memory in memories),
        superseded=status["superseded"],
        consolidated=status["consolidated"],
        distilled=sum(memory.active and memory.meta.get("by") == "consolidation" for memory in memories),
        deprecated=sum(one.status == "deprecated" and one.page.category != "profile" for one in memories),
        voted=sum(votes.of(memory.meta) != 0 for memory in memories),
        last_run=f"{run.at:%Y-%m-%dT%H:%M}" if run else None,
        last={name: count for name, count in run.summary.items() if isinstance(count, int)} if run else None,
    )


def _purpose(entries: list[Entry], failures_in_a_row: int) -> Purpose:
    spent = [one.spent for one in entries]
    times = sorted(one.latency_s for one in spent if one.outcome in ("ok", "none"))
    return Purpose(
        outcomes=dict(sorted(Counter(one.outcome for one in spent).items())),
        answers=len(times),
        prompt_tokens=sum(one.prompt_tokens for one in spent),
        reply_tokens=sum(one.reply_tokens for one in spent),
        cost=sum(one.cost for one in spent),
        median_s=statistics.median(times) if times else 0.0,
        p95_s=times[max(-(-len(times) * 19 // 20) - 1, 0)] if times else 0.0,
        failures_in_a_row=failures_in_a_row,
    )
