"""A model's part in consolidation: one call for each cluster, and no second one soon where it abstained."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from agent_memory.app import asking
from agent_memory.app.asking import FAILURES_WARNED, Call
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


class Distilling:
    """Asks about the clusters that the next run may make lessons of, one call at a time.

    Three failures in a row end it. ``go_on`` never waits unless it is told to, so that whoever has other work does that
    meanwhile. ``asked`` is what has come of it so far.
    """

    def __init__(self, app: App, rules: job.Rules) -> None:
        self._app, self.rules = app, rules
        view, found = app.vault.view(), list[Cluster]()

        def gather(cluster: Cluster, _: Likeness) -> None:
            found.append(cluster)

        if rules.most:
            job.consolidate(view, rules, gather)
        self.asked = Asked(abstained=_abstained(app, found))
        self._clean, self._failures = cleaner(view), 0
        self._waiting = [one for one in found if _waits_until(self.asked, one) <= rules.now][: rules.most]
        self._under_way: tuple[Cluster, Call] | None = None

    def go_on(self, *, wait: bool = False) -> bool:
        """Take the reply that has come, ask about the next cluster; tell whether there is nothing left to ask."""
        if self._under_way and not (wait or self._under_way[1].future.done()):
            return False
        self._conclude()
        while self._under_way is None and self._waiting and self._failures < FAILURES_WARNED:
            self._ask_about(self._waiting.pop(0))
        if self._under_way:
            return False
        self._app.state.calls.keep_replies(PURPOSE, REMEMBERED)
        return True

    def close(self) -> None:
        """Give up the call under way; the next run asks again."""
        self._waiting.clear()
        if self._under_way:
            self._under_way[1].future.cancel()
        self._conclude()

    def _ask_about(self, cluster: Cluster) -> None:
        """Ask about one cluster, unless a reply came before something interrupted us."""
        app, times = self._app, self.asked.abstained.get(cluster.name, (0, ""))[0]
        about = Subject(PURPOSE, cluster.members[0].page.agent, digest(cluster.name, str(times)))
        if (reply := app.state.calls.reply(about)) is not None:
            self._take(cluster, reply)
            return
        entries = [self._clean(memory.body) for memory in cluster.members]
        most = app.settings.count("reflection.max_reply_tokens")
        prompt = distil.prompt_for(entries, cluster.shared, max_reply_tokens=most)
        call = asking.start(app, prompt, about=about, timeout_s=app.settings.number("consolidation.timeout_s"))
        self._under_way = (cluster, call) if call else None

    def _conclude(self) -> None:
        if self._under_way is None:
            return
        (cluster, call), self._under_way = self._under_way, None
        outcome, reply = asking.finish(self._app, call, tells=lambda text: distil.read(text) is not None)
        self._failures = self._failures + 1 if outcome in FAILURES else 0
        if outcome in ("ok", "none"):
            self._take(cluster, reply)

    def _take(self, cluster: Cluster, reply: str) -> None:
        taught = distil.read(reply)
        steps = taught.steps if taught and self._app.settings.flag("procedures.enabled") else ()
        says = taught and Distilled(taught.when, taught.principle, taught.tags, CONFIDENCE, steps)
        if says and borne_out(says, cluster):
            self.asked.said[cluster.name] = says
        else:
            times = self.asked.abstained.get(cluster.name, (0, ""))[0]
            until = self._app.clock.now() + FIRST_WAIT * 2 ** min(times, MAX_DOUBLINGS)
            self.asked.abstained[cluster.name] = times + 1, until.isoformat()


def _abstained(app: App, found: list[Cluster]) -> dict[str, tuple[int, str]]:
    """Return what the last run remembers of clusters that there still are."""
    run = app.state.last_run(JOB)
    known: dict[str, Any] = run.summary.get(ABSTAINED, {}) if run else {}
    return {one.name: (known[one.name][0], known[one.name][1]) for one in found if one.name in known}


def _waits_until(asked: Asked, cluster: Cluster) -> datetime:
    until = asked.abstained.get(cluster.name, (0, ""))[1]
    return datetime.fromisoformat(until) if until else cluster.members[0].at
