"""Categories and channels that a setting switches off."""

from __future__ import annotations

from typing import Final

from agent_memory.app.container import App

CHANNELS: Final = {
    "profile": "profile.enabled",
    "notes": "notes.enabled",
    "lessons": "lessons.enabled",
    "procedures": "procedures.enabled",
    "links": "links.enabled",
    "votes": "voting.enabled",
}
"""The settings that take a category away, with what shows it."""


def is_on(app: App, category: str) -> bool:
    """Tell whether a category has not been switched off."""
    return category not in CHANNELS or app.settings.flag(CHANNELS[category])
