"""The language of the person: what the settings say or, where they say nothing, the system."""

from __future__ import annotations

from agent_memory.app.container import App
from agent_memory.model.language import Language, spoken


def language_of(app: App) -> Language:
    """Return the language to speak in: the setting's, else Portuguese where the system speaks it."""
    found = app.settings["vault.language"]
    return spoken(app.environment) if found.source == "default" else "pt" if found.value == "pt" else "en"


def screen_language(app: App) -> Language:
    """Return the language of what a person reads on a screen: that of ``ui.language``, or of the system."""
    named = app.settings.text("ui.language")
    return spoken(app.environment) if named == "auto" else "pt" if named == "pt" else "en"
