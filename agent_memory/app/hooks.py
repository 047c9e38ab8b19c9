"""What the editors' hooks last answered, as they have noted it; each for itself, and without a word of any memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from agent_memory.app.container import App
from agent_memory.system import files

RECENT: Final = 200
"""So many of the last answers count; what failed before is no news."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer: to which event, when, what it was, whether it failed, and how long it took."""

    event: str
    at: str
    said: str
    ms: int
    failed: bool = False

    @property
    def sentence(self) -> str:
        """Say it on one line."""
        return f"{self.said.rstrip('.')}, after {self.ms} ms, at {self.at}"


def answers(app: App) -> list[Answered]:
    """Return the last answers, oldest first; lines that are cut short or are no answers are left out."""
    logs = (app.folder.hook_log.with_suffix(".old"), app.folder.hook_log)
    lines = [line for path in logs for line in (files.read_text(path) or "").split("\n")]
    return [answered for line in lines[-RECENT - 1 :] if (answered := _read(line))]


def last_of_each(app: App) -> dict[str, str]:
    """Return the last answer to each event, by its name."""
    return {one.event: one.sentence for one in answers(app)}


def failing(app: App) -> dict[str, list[Answered]]:
    """Return the answers that failed, for each event whose last one did."""
    found = answers(app)
    last = {one.event: one for one in found}
    return {event: [one for one in found if one.event == event and one.failed] for event in last if last[event].failed}


def _read(line: str) -> Answered | None:
    try:
        return Answered(**json.loads(line))
    except (ValueError, TypeError):
        return None
