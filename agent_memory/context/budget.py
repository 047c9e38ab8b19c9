"""What of a briefing fits into its space.

Pure. Sections come in the order of their importance and take what they need as long as there is room,
so what comes last is cut first. The essential ones are never left out without a trace: where not even
one line has room, a line that says how many there are takes its place. Sizes are in characters, each
line with its newline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent_memory.model.recall import Cut, Section
from agent_memory.model.text import shorten

ESSENTIAL: Final = frozenset({"handoff", "tasks"})
MAX_LINE_CHARS: Final = 400
"""In a section that does not fit, no single line may take more than this from the others."""
MIN_LINE_CHARS: Final = 60
"""The beginning of a line that is shorter than this says too little to be worth its room."""

More = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A section as it will be shown; ``lines`` ends with the one that counts what was dropped."""

    name: str
    lines: tuple[str, ...]
    dropped: int = 0
    shortened: int = 0

    def cut(self, max_tokens: int) -> Cut | None:
        """Say what is missing and why; None if nothing is."""
        if self.dropped:
            return Cut(self.name, self.dropped, f"no room left within {max_tokens} tokens")
        if self.shortened:
            return Cut(self.name, 0, f"{self.shortened} shortened to stay within {max_tokens} tokens")
        return None


def pack(sections: Sequence[Section], space: int, *, headings: Mapping[str, int], more: More) -> tuple[Fitted, ...]:
    """Fit ``sections``, the most important first, into ``space`` characters.

    Args:
        sections: What there is to say.
        space: The room for all of them together.
        headings: What each section's heading and spacing take, by name.
        more: Gives the line that says how many were dropped.
    """
    fitted = []
    for number, section in enumerate(sections):
        later = sum(headings[s.name] + size(s.lines) for s in sections[number + 1 :] if s.name in ESSENTIAL)
        room = space - min(later, space // 2) - headings[section.name]
        shown = fit(section, room, more)
        fitted.append(shown)
        if shown.lines:
            space -= headings[section.name] + size(shown.lines)
    return tuple(fitted)


def fit(section: Section, room: int, more: More) -> Fitted:
    """Return as many of a section's first lines as ``room`` characters hold."""
    lines = section.lines
    if size(lines) <= room:
        return Fitted(section.name, lines)
    short = tuple(shorten(line, MAX_LINE_CHARS) for line in lines)
    if size(short) <= room:
        return Fitted(section.name, short, shortened=_differing(lines, short))
    closing = size([more(len(lines))])
    kept = _leading(short, room - closing)
    if not kept and room - closing > MIN_LINE_CHARS:
        kept = (shorten(short[0], room - closing - 1),)
    dropped = len(lines) - len(kept)
    if not kept and (section.name not in ESSENTIAL or closing > room):
        return Fitted(section.name, (), dropped=dropped)
    last = (more(dropped),) if dropped else ()
    return Fitted(section.name, kept + last, dropped, _differing(lines, kept))


def size(lines: Iterable[str]) -> int:
    """Return the characters that ``lines`` take, each with its newline."""
    return sum(len(line) + 1 for line in lines)


def _leading(lines: Sequence[str], room: int) -> tuple[str, ...]:
    kept = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return tuple(kept)


def _differing(lines: Sequence[str], shown: Sequence[str]) -> int:
    return sum(line != short for line, short in zip(lines, shown, strict=False))
