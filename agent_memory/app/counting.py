"""How many memories there are and of which kind, what reading came to, what is told, and what nobody ever asked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from agent_memory.app.brief import brief
from agent_memory.app.container import App
from agent_memory.app.surfaced import TOLD
from agent_memory.errors import AgentMemoryError
from agent_memory.model.briefing import KINDS
from agent_memory.model.memory import Memory

MONTHS: Final = 12
NEVER_LISTED: Final = 10
LOOKED_UP: Final = frozenset({"notes", "lessons", "procedures"})
"""The categories that are told when something calls for them, and so may never be."""
_BARS: Final = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Counts:
    """What the memory holds and what comes of it.

    ``active`` counts by agent and category, ``by_month`` what was said in each of the last twelve, ``written_by`` by
    author, ``outcomes`` the lines of the ledger. ``briefings`` are sizes in tokens of what an agent is told now.
    ``recalled`` counts the notes, lessons and procedures that were looked up or told, ``never`` those that were not,
    of which the oldest are named.
    """

    active: Mapping[str, Mapping[str, int]]
    by_month: Mapping[str, Mapping[str, int]]
    written_by: Mapping[str, int]
    outcomes: Mapping[str, int]
    briefings: Mapping[str, Mapping[str, int]]
    recalled: int
    never: int
    never_oldest: tuple[str, ...]


def counts(app: App) -> Counts:
    """Count; looking changes nothing."""
    view = app.shelf.view(fresh=False, partial=True)
    active = [memory for memory in view.memories if memory.active]
    looked_up = sorted((one for one in active if one.page.category in LOOKED_UP), key=lambda one: one.at)
    known = _recalled(app, looked_up)
    never = [memory.id for memory in looked_up if memory.id not in known]
    return Counts(
        active=_grouped((memory.page.agent, memory.page.category) for memory in active),
        by_month=_by_month(active),
        written_by=dict(Counter(memory.meta.get("by", "user") for memory in view.memories).most_common()),
        outcomes=dict(sorted(Counter(line.why for line in view.taken.lines).items())),
        briefings={agent: _sizes(app, agent) for agent in view.agents},
        recalled=len(looked_up) - len(never),
        never=len(never),
        never_oldest=tuple(never[:NEVER_LISTED]),
    )


def chart(numbers: Iterable[int]) -> str:
    """Return a row of bars, the highest full; nothing at all is a blank."""
    heights = list(numbers)
    top = max(heights, default=0)
    return "".join(" " if not one else _BARS[(one * len(_BARS) - 1) // top] for one in heights)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    grouped: dict[str, dict[str, int]] = defaultdict(dict)
    for (one, other), number in sorted(Counter(pairs).items()):
        grouped[one][other] = number
    return dict(grouped)


def _by_month(memories: Iterable[Memory]) -> dict[str, dict[str, int]]:
    """Return the last months in which something was said, and those between, by category."""
    found = _grouped((f"{memory.at:%Y-%m}", memory.page.category) for memory in memories)
    if not found:
        return {}
    year, month = map(int, max(found).split("-"))
    last = [divmod(year * 12 + month - 1 - back, 12) for back in range(MONTHS)]
    named = [f"{year:04}-{month + 1:02}" for year, month in reversed(last)]
    return {month: found.get(month, {}) for month in named if month >= min(found)}


def _sizes(app: App, agent: str) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for kind in KINDS:
        try:
            sizes[kind] = brief(app, agent, "", kind, recovering=()).tokens
        except AgentMemoryError as error:
            app.warn(f"{agent}: {error.message}")
    return sizes


def _recalled(app: App, memories: Iterable[Memory]) -> set[str]:
    """Return what was looked up, or told to one of the sessions that are remembered."""
    if not app.folder.state.exists():
        return set()
    told = app.state.shown.all()
    shown = {one.id for one in memories if f"{TOLD}{one.id}" in told}
    return shown | app.state.uses.all().keys()
