"""What a reflection does to memories that stand: as far as the settings let it, and told to the ledger of calls.

The ledger has a row for each exchange and each of the three, also where nothing came of it, so that what is silent
and what is switched off can be told apart.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from agent_memory.app import surfaced
from agent_memory.app.container import App
from agent_memory.app.recall import fading
from agent_memory.fabric.refine import MAX_LINES, Bounds, Refined, Said, refine
from agent_memory.model.memory import Batch
from agent_memory.reflection import Exchange, Reflection
from agent_memory.state.calls import Outcome, Subject
from agent_memory.system import logs
from agent_memory.vault.view import View

LINKS, TAGS, VOTES = "links", "tags", "votes"
PURPOSES: Final = {LINKS: "links", TAGS: "evolution", VOTES: "votes"}

_log = logs.get("reflection")


def limits(app: App) -> dict[str, int]:
    """Return how much of each the settings allow at once; 0 is none."""
    links = app.settings.flag("links.enabled") and app.settings.flag("links.auto_generate")
    return {
        LINKS: app.settings.count("links.max_links_per_call") * links,
        TAGS: app.settings.count("evolution.max_per_write") * app.settings.flag("evolution.enabled"),
        VOTES: app.settings.count("voting.max_vote_per_item") * app.settings.flag("voting.enabled"),
    }


def refined(  # noqa: PLR0913 - a decision, and what the model was shown
    app: App, view: View, exchange: Exchange, reflection: Reflection, batch: Batch, told: Set[str], near: Set[str]
) -> Refined:
    """Return what a reply makes of memories that stand, beside the ``batch`` that it comes to otherwise."""
    most = limits(app)
    bounds = Bounds(
        told,
        near,
        exchange.key,
        fading(app),
        links=most[LINKS],
        fewest=app.settings.count("links.min_candidates"),
        tags=most[TAGS],
        most_votes=most[VOTES],
    )
    new = {line.key: line for line in batch.taken}
    keys = {str(number): exchange.line_key(number) for number in range(1, MAX_LINES + 1)}
    known = {number: new.get(key) or view.taken.by_key(key) for number, key in keys.items()}
    lines = {number: line.id for number, line in known.items() if line}
    own = frozenset(surfaced.written_in(view, exchange))
    return refine(view, reflection.refinements, Said(batch, lines, own), bounds)


def enter(app: App, exchange: Exchange, done: Refined, *, listed: int) -> None:
    """Tell the ledger what came of each: ok, none, or skipped where there was nothing to speak of."""
    for what, most in limits(app).items():
        if most:
            outcome: Outcome = "ok" if done.done[what] else "none" if listed else "skipped"
            about = Subject(PURPOSES[what], exchange.conversation, exchange.digest)
            app.state.calls.enter(about, app.clock.now(), outcome)
            _log.info("%s: %s, %d of %d memories", PURPOSES[what], outcome, done.done[what], listed)
