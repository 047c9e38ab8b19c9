"""The managed rule: a file in an editor's folder of rules, outside git, that carries the briefing of the moment.

Who has changed the vault brings it up to date. It is made and taken away by ``setup`` alone; a workspace
without it gets none from here. What is forgotten is out of it before ``forget`` returns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_memory.app import surfaced
from agent_memory.app.brief import brief
from agent_memory.app.container import App
from agent_memory.editors.table import BRIEFING_RULE, rule_of
from agent_memory.errors import AgentMemoryError
from agent_memory.system import files, locks


def follow(app: App) -> None:
    """Bring the rules up to date if the vault has changed; their troubles are told and cost nothing else."""
    if app.has_written:
        try:
            refresh(app)
        except AgentMemoryError as error:
            app.warn(f"The briefing in your editor's rules is not up to date: {error.message}")


def refresh(app: App) -> None:
    """Write the briefing as it is now into every workspace's rule that there is; bring the mirror up to date.

    One writer at a time: what was briefed before something was forgotten is never written after that.

    Raises:
        AgentMemoryError: It cannot be briefed; the rules say nothing then, rather than what may not be said any more.
    """
    standing = list(rules(app))
    if not app.folder.root.exists():
        _write(standing, "")
        return
    if not standing:
        _ = app.mirror
        return
    with locks.locked(app.folder.briefing_lock, timeout_s=app.settings.number("vault.lock_timeout_s")):
        standing = list(rules(app))  # as they are now: they may just have been taken away
        try:
            briefing = brief(app, app.agent, "", recovering=())
        except AgentMemoryError:
            _write(standing, "")
            raise
        _write(standing, briefing.text)
        surfaced.note(app, surfaced.EVERY_CHAT, briefing.told, instead=True)


def record(app: App) -> dict[str, dict[str, Any]]:
    """Return what ``setup`` has put where: for each workspace's folder, what it knows of each file of ours."""
    try:
        found = json.loads(files.read_text(app.folder.setup) or "{}")
    except (ValueError, RecursionError):
        return {}
    return {key: value for key, value in found.items() if isinstance(value, dict)} if isinstance(found, dict) else {}


def inside(workspace: Path, relative: str) -> Path | None:
    """Return the path of a file in a workspace; None if links lead it out of there."""
    path = workspace / relative
    try:
        return path if path.resolve().is_relative_to(workspace.resolve()) else None
    except (OSError, RuntimeError):  # links in a circle
        return None


def rules(app: App) -> Iterator[Path]:
    """Yield the rules that there are, of every workspace that was set up with this memory."""
    for workspace in {str(app.workspace), *record(app)}:
        path = inside(Path(workspace), BRIEFING_RULE)
        if path is not None and path.is_file():
            yield path


def _write(rules: list[Path], briefing: str) -> None:
    for path in rules:
        files.put(path, rule_of(briefing).encode())
