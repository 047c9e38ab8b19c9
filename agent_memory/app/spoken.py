"""The language of the person: what the settings say or, where they say nothing, the system."""

from __future__ import annotations

from agent_memory.app.container import App
from agent_memory.model.text import Language


def language_of(app: App) -> Language:
    """Return the language to speak in: the setting's, else Portuguese where the system speaks it."""
    found = app.settings["vault.language"]
    spoken = next(
        (app.environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if app.environment.get(name)), ""
    )
    speaks = spoken.lower() if found.source == "default" else str(found.value)
    return "pt" if speaks.startswith("pt") else "en"
