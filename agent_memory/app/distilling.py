"""A model's part in consolidation: one call for each cluster, and no second one soon where it abstained."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from agent_memory.app import asking
from agent_memory.app.asking import FAILURES_WARNED
from agent_memory.app.container import App
from agent_memory.app.sessions import cleaner
from agent_memory.fabric.lessons import Distilled
from agent_memory.fabric.relate import Likeness
from agent_memory.jobs import consolidate as job
from agent_memory.jobs.cluster import Cluster
from agent_memory.jobs.distil import borne_out
from agent_memory.model.ids import digest
from agent_memory.reflection import distil
from agent_memory.state.calls import FAILURES, Subject

JOB: Final = "consolidate"
PURPOSE: Final = "consolidation"
ABSTAINED: Final = "abstained"
FIRST_WAIT: Final = timedelta(days=1)
MAX_DOUBLINGS: Final = 5
REMEMBERED: Final = 256
CONFIDENCE: Final = 0.7


@dataclass
class Asked:
    """What a model made of clusters, by their names, and how often and until when each is not asked about again."""

    said: dict[str, Distilled] = field(default_factory=dict)
    abstained: dict[str, tuple[int, str]] = field(default_factory=dict)


def ask(app: App, rules: job.Rules) -> Asked:
    """Ask about the clusters that the next run may make lessons of; three failures in a row end it."""
    view, found = app.vault.view(), list[Cluster]()

    def gather(cluster: Cluster, _: Likeness) -> None:
        found.append(cluster)

    if rules.most:
        job.consolidate(view, rules, gather)
    asked = Asked(abstained=_abstained(app, found))
    ready = [one for one in found if _waits_until(asked, one) <= rules.now][: rules.most]
    clean, failures = cleaner(view), 0
    for cluster in ready:
        if failures < FAILURES_WARNED:
            failed = _ask_about(app, cluster, [clean(memory.body) for memory in cluster.members], asked)
            failures = failures + 1 if failed else 0
    if ready:
        app.state.calls.keep_replies(PURPOSE, REMEMBERED)
    return asked


def _ask_about(app: App, cluster: Cluster, entries: list[str], asked: Asked) -> bool:
    """Ask about one cluster, unless a reply came before something interrupted us; tell whether that failed."""
    times = asked.abstained.get(cluster.name, (0, ""))[0]
    about = Subject(PURPOSE, cluster.members[0].page.agent, digest(cluster.name, str(times)))
    reply = app.state.calls.reply(about)
    if reply is None:
        prompt = distil.prompt_for(
            entries, cluster.shared, max_reply_tokens=app.settings.count("reflection.max_reply_tokens")
        )
        call = asking.start(app, prompt, about=about, timeout_s=app.settings.number("consolidation.timeout_s"))
        if call is None:
            return False
        outcome, reply = asking.finish(app, call, tells=lambda text: distil.read(text) is not None)
        if outcome not in ("ok", "none"):
            return outcome in FAILURES
    taught = distil.read(reply)
    says = taught and Distilled(taught.when, taught.principle, taught.tags, CONFIDENCE, _steps(app, taught))
    if says and borne_out(says, cluster):
        asked.said[cluster.name] = says
    else:
        until = app.clock.now() + FIRST_WAIT * 2 ** min(times, MAX_DOUBLINGS)
        asked.abstained[cluster.name] = times + 1, until.isoformat()
    return False


def _steps(app: App, taught: distil.Taught) -> tuple[str, ...]:
    return taught.steps if app.settings.flag("procedures.enabled") else ()


def _abstained(app: App, found: list[Cluster]) -> dict[str, tuple[int, str]]:
    """Return what the last run remembers of clusters that there still are."""
    run = app.state.last_run(JOB)
    known: dict[str, Any] = run.summary.get(ABSTAINED, {}) if run else {}
    return {one.name: (known[one.name][0], known[one.name][1]) for one in found if one.name in known}


def _waits_until(asked: Asked, cluster: Cluster) -> datetime:
    until = asked.abstained.get(cluster.name, (0, ""))[1]
    return datetime.fromisoformat(until) if until else cluster.members[0].at
