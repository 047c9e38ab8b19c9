"""Put a briefing together: what is relevant to a command, rendered, and cut to its budget.

The budget counts the whole text, markers and headings included, and holds for any vault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from agent_memory.context import render
from agent_memory.context.budget import Shown, Space, pack
from agent_memory.context.counting import COUNTERS, Counter
from agent_memory.context.sections import SECTIONS, Section, Source
from agent_memory.errors import UsageError
from agent_memory.model.briefing import BRIEFING_END, Briefing, Item, Kind
from agent_memory.model.recall import Hit
from agent_memory.model.text import Language, language_of

MIN_TOKENS: Final = 50
NOTHING: Final = {"en": "Nothing is remembered yet.", "pt": "Ainda não há nada lembrado."}

_SAMPLE_CHARS: Final = 200
_SAMPLE_MEMORIES: Final = 50
_COMMAND_CHARS: Final = 10_000


def build(
    agent: str,
    source: Source,
    kind: Kind = "session",
    *,
    max_tokens: int = 2000,
    counter: Counter = COUNTERS["estimate"],
    caps: Mapping[str, int] = MappingProxyType({}),
) -> Briefing:
    """Render what ``source`` has for a briefing of one kind into at most ``max_tokens`` of ``counter``.

    Args:
        agent: Whose briefing.
        source: Where the items come from; it knows what the agent is asked to do.
        kind: For the start of a chat, or for one prompt.
        max_tokens: The budget.
        counter: What counts as a token.
        caps: The most tokens of a turn's sections, by name, where not the table's; 0 leaves a section out.

    Raises:
        UsageError: The budget is below ``MIN_TOKENS``, which the frame itself needs.
    """
    if max_tokens < MIN_TOKENS:
        needs = f"A briefing needs at least {MIN_TOKENS} tokens, not {max_tokens}."
        raise UsageError(needs, hint="Raise the budget.", field="max_tokens")
    sections = [(section, tuple(section.items(source))) for section in _wanted(kind, caps, source)]
    space = Space(counter, _language(source.command, sections), max_tokens)
    top = _frame(kind, space)
    room = max_tokens * counter.units_per_token - counter.size((*top, BRIEFING_END))
    packed = pack(sections, room, space).values()
    text = "\n".join((*top, *_lines(kind, packed, room, space), BRIEFING_END))
    items = tuple(item for part in packed for item in part.items)
    size, query = counter.tokens(text), source.query or source.command
    return Briefing(agent, source.command, kind, text, "\n".join(top) + "\n", size, max_tokens, items, query)


def _wanted(kind: Kind, caps: Mapping[str, int], source: Source) -> list[Section]:
    sections = [section for section in SECTIONS if section.kind == kind]
    if kind == "turn":
        sections = [replace(section, max_tokens=caps.get(section.name, section.max_tokens)) for section in sections]
        rows = {"memory-index": source.index_rows}
        sections = [replace(section, rows=rows.get(section.name, section.rows)) for section in sections]
    return [section for section in sections if section.max_tokens != 0]


def _lines(kind: Kind, packed: Iterable[Shown], room: int, space: Space) -> Sequence[str]:
    """Return the lines between the frame's; a session to which nothing can be told is told so."""
    lines = [line for part in packed for line in part.lines]
    nothing = [NOTHING[space.language]]
    return nothing if not lines and kind == "session" and space.counter.size(nothing) <= room else lines


def _frame(kind: Kind, space: Space) -> tuple[str, ...]:
    """Return the first lines; a small budget has no room for the rule, which must not depend on the vault."""
    full = render.frame(kind, with_rule=True)
    is_small = 2 * space.counter.size(full) > space.max_tokens * space.counter.units_per_token
    return render.frame(kind, with_rule=False) if is_small else full


def _language(command: str, sections: Sequence[tuple[Section, Sequence[Item]]]) -> Language:
    """Return the command's language, else that of most that is remembered, else English."""
    told: dict[str, Hit] = {item.hit.id: item.hit for _, items in sections for item in items if item.hit}
    sample = " ".join(hit.body[:_SAMPLE_CHARS] for hit in list(told.values())[:_SAMPLE_MEMORIES])
    return language_of(command[:_COMMAND_CHARS]) or language_of(sample) or "en"
