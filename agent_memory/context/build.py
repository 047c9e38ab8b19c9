"""Put a briefing together: what is relevant to a command, rendered, and cut to its budget.

The budget counts the whole text, markers and headings included, and holds for any vault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent_memory.context import budget, render
from agent_memory.context.render import Told
from agent_memory.errors import UsageError
from agent_memory.mirror.search import Mirror
from agent_memory.model.recall import Briefing, Hit, Query
from agent_memory.model.text import CHARS_PER_TOKEN, estimate_tokens
from agent_memory.recall.engine import recall_or_latest

MIN_TOKENS: Final = 100


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a briefing may hold."""

    max_tokens: int = 2000
    decisions: int = 3
    lessons: int = 2


def brief(mirror: Mirror, agent: str, command: str, *, project: str, limits: Limits) -> Briefing:
    """Recall what an agent should know for ``command`` and build its briefing.

    Decisions and lessons are those that the command speaks of; where it speaks of none, the latest.

    Args:
        mirror: The index, in line with the pages.
        agent: Whose memories.
        command: What the agent is asked to do; may be empty.
        project: The text of the project's page, without secrets.
        limits: The budget, and how many decisions and lessons at most.

    Raises:
        UsageError: The budget is below ``MIN_TOKENS``.
    """

    def chosen(category: str, limit: int) -> list[Hit]:
        return recall_or_latest(mirror, Query(command, agent=agent, category=category, limit=limit))

    return build(
        agent,
        command,
        project=project,
        handoff=next(iter(mirror.memories(agent, "handoffs", limit=1)), None),
        decisions=chosen("decisions", limits.decisions),
        lessons=chosen("lessons", limits.lessons),
        tasks=mirror.memories(agent, "tasks"),
        max_tokens=limits.max_tokens,
    )


def build(  # noqa: PLR0913 (one argument for each section of a briefing)
    agent: str,
    command: str,
    *,
    max_tokens: int,
    project: str = "",
    handoff: Told | None = None,
    decisions: Sequence[Told] = (),
    lessons: Sequence[Told] = (),
    tasks: Sequence[Told] = (),
) -> Briefing:
    """Render what was recalled, the best of each kind first, into at most ``max_tokens``.

    Raises:
        UsageError: The budget is below ``MIN_TOKENS``, which the frame itself needs.
    """
    if max_tokens < MIN_TOKENS:
        raise UsageError(f"A briefing needs at least {MIN_TOKENS} tokens, not {max_tokens}.", hint="Raise the budget.")
    told = [*([handoff] if handoff else []), *decisions, *lessons, *tasks]
    wording = render.wording_for(command, told)
    sections = (
        render.handoff_section(handoff),
        render.tasks_section(tasks),
        render.list_section("decisions", decisions),
        render.list_section("lessons", lessons),
        render.project_section(project),
    )
    notes = {"handoff": render.label(handoff)} if handoff else {}
    headings = {section.name: wording.heading_chars(section.name, notes.get(section.name, "")) for section in sections}
    space = max_tokens * CHARS_PER_TOKEN - wording.frame_chars
    shown = budget.pack(sections, space, headings=headings, more=wording.more_line)
    text = render.assemble(wording, shown, notes)
    return Briefing(
        agent=agent,
        command=command,
        text=text,
        tokens=estimate_tokens(text),
        max_tokens=max_tokens,
        sections={s.name: estimate_tokens("\n".join(s.lines)) for s in shown if s.lines},
        cuts=tuple(cut for section in shown if (cut := section.cut(max_tokens))),
    )
