"""Consolidation: when it runs, what it came to, and what was left for which reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from agent_memory.app.container import App
from agent_memory.app.distilling import ABSTAINED, JOB, Asked, Distilling
from agent_memory.app.recall import fading
from agent_memory.app.sessions import cleaner
from agent_memory.fabric.lessons import LESSONS, PROCEDURES, Distilled, Keeping
from agent_memory.fabric.notes import Use
from agent_memory.fabric.relate import Likeness
from agent_memory.jobs import consolidate as job
from agent_memory.jobs.cluster import Cluster
from agent_memory.jobs.distil import extracted
from agent_memory.model.memory import Batch
from agent_memory.vault.store import View

VERB: Final = "consolidate"


@dataclass(frozen=True, slots=True)
class Made:
    """A lesson that was made, or would be: its id, what it says and rests on, and how sure that is."""

    id: str
    agent: str
    principle: str
    activation: str
    parents: tuple[str, ...]
    confidence: float
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What one run did, or would do; the numbers before the lessons say why there are no more."""

    candidates: int = 0
    young: int = 0
    spent: int = 0
    clusters: int = 0
    links: int = 0
    superseded: int = 0
    made: tuple[Made, ...] = ()
    let_go: tuple[tuple[str, str], ...] = ()
    dry_run: bool = False

    @property
    def declined(self) -> int:
        """How many clusters nothing was made of."""
        return self.clusters - len(self.made)


def consolidate(app: App, *, dry_run: bool = False) -> Consolidation:
    """Draw links, make lessons of what was said of one thing, let go of what nobody needs; all in one undo step.

    A vault that does not exist is not made.
    """
    if not app.folder.root.exists():
        return Consolidation(dry_run=dry_run)
    if dry_run or app.models is None:
        return _consolidate(app, _rules(app), None, dry_run=dry_run)
    model = begin(app)
    while not model.go_on(wait=True):
        pass
    return end(app, model)


def begin(app: App) -> Distilling:
    """Return what asks a model about clusters, for whoever has other work meanwhile; ``end`` makes lessons of it."""
    return Distilling(app, _rules(app))


def end(app: App, model: Distilling) -> Consolidation:
    """Consolidate with what a model has said, of clusters as they were when it was asked."""
    return _consolidate(app, model.rules, model.asked, dry_run=False)


def _consolidate(app: App, rules: job.Rules, asked: Asked | None, *, dry_run: bool) -> Consolidation:
    plans = [job.Plan()]

    def plan(view: View) -> Batch:
        clean = cleaner(view)

        def distil(cluster: Cluster, likeness: Likeness) -> Distilled | None:
            return asked.said.get(cluster.name) if asked else extracted(cluster, likeness, clean)

        plans[:] = [job.consolidate(view, rules, distil)]
        return plans[0].batch

    if dry_run:
        plan(app.vault.view())
        return _told(plans[0], dry_run=True)
    app.vault.update(plan, verb=VERB)
    done = _told(plans[0], dry_run=False)
    app.state.record_run(JOB, rules.now, {**_summary(done), **({ABSTAINED: asked.abstained} if asked else {})})
    return done


def _rules(app: App) -> job.Rules:
    settings = app.settings
    uses = app.state.uses.all() if app.folder.state.exists() else {}
    return job.Rules(
        now=app.clock.now(),
        fading=fading(app),
        cooldown=timedelta(hours=settings.number("consolidation.cooldown_h")),
        fewest=settings.count("consolidation.min_cluster_size"),
        most=settings.count("consolidation.max_clusters_per_run") if settings.flag("lessons.enabled") else 0,
        sharing=settings.flag("consolidation.require_shared_tag"),
        most_links=settings.count("links.max_links_per_call") if settings.flag("links.auto_generate") else 0,
        keeping={
            name: Keeping(
                settings.count(f"{name}.max_entries"), timedelta(days=settings.count(f"{name}.deprecation_days"))
            )
            for name in (LESSONS, PROCEDURES)
        },
        uses={entry: Use(*use) for entry, use in uses.items()},
    )


def _told(plan: job.Plan, *, dry_run: bool) -> Consolidation:
    made = [
        Made(
            one.id,
            one.agent,
            one.says.principle,
            one.says.activation,
            tuple(memory.id for memory in one.cluster.members),
            one.says.confidence,
            one.says.steps,
        )
        for one in plan.made
    ]
    let_go = tuple((memory.id, why) for memory, why in plan.let_go)
    return Consolidation(**_counts(plan), made=tuple(made), let_go=let_go, dry_run=dry_run)


def _counts(of: job.Plan | Consolidation) -> dict[str, int]:
    return {name: getattr(of, name) for name in ("candidates", "young", "spent", "clusters", "links", "superseded")}


def _summary(done: Consolidation) -> dict[str, Any]:
    return {**_counts(done), "lessons": len(done.made), "deprecated": len(done.let_go)}
