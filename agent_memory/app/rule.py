"""The briefing of the moment, where editors find it: in a managed rule outside git, and in a file that hooks tell from.

Who has changed the vault brings both up to date. They are made and taken away by ``setup`` alone; a workspace
without them gets none from here. What is forgotten is out of them before ``forget`` returns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agent_memory.app import surfaced
from agent_memory.app.brief import brief
from agent_memory.app.container import App
from agent_memory.editors.table import BRIEFING_RULE, COMMAND, HOOKS_FILE, rule_of
from agent_memory.errors import AgentMemoryError, FileError
from agent_memory.system import files, locks
from agent_memory.system.paths import USER_AGENT


def follow(app: App) -> None:
    """Bring the rules up to date if the vault has changed; their troubles are told and cost nothing else."""
    if app.has_changed:
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
    if not is_told(app):
        _ = app.mirror
        return
    with locks.locked(app.folder.briefing_lock, timeout_s=app.settings.number("vault.lock_timeout_s")):
        standing = list(rules(app))  # as they are now: they may just have been taken away
        try:
            briefing = brief(app, app.agent, "", recovering=())
            facts = _facts(app) if app.settings.flag("hooks.prompts") else []
        except AgentMemoryError:
            _write(standing, "")
            _leave(app, "", {})
            raise
        _write(standing, briefing.text)
        surfaced.note(app, surfaced.EVERY_CHAT, (hit.id for hit in briefing.told), instead=True)
        _leave(app, briefing.text, {"shown": briefing.digests, "facts": facts})
    app.settle()


def is_told(app: App) -> bool:
    """Tell whether an editor reads the briefing from where we leave it."""
    return any(rules(app)) or _leaves(app)


def _leaves(app: App) -> bool:
    return app.folder.briefings.is_dir() or _has_hooks(app)


def _facts(app: App) -> list[str]:
    """Return the facts that every turn is told, each behind its digest; the user's own stay in the user's vault."""
    items = [item for item in brief(app, app.agent, "", "turn").items if item.section == "profile" and item.hit]
    own = [item for item in items if item.fate != "cut" and item.hit and item.hit.page.agent != USER_AGENT]
    return [f"{item.digest} {line}" for item in own for line in item.lines]


def _leave(app: App, text: str, known: Mapping[str, Any]) -> None:
    """Write what hooks tell of the workspace's agent, and what they must know, who read no settings."""
    if not _leaves(app):
        return
    files.make_folder(app.folder.briefings)
    switches = {"prompts": "hooks.prompts", "separate": "workspace.separate_worktrees"}
    budget = {"max_tokens": app.settings.count("context.max_tokens"), "counter": app.settings.text("context.counter")}
    left = {"agent": app.agent, **{name: app.settings.flag(key) for name, key in switches.items()}, **budget, **known}
    files.put(app.folder.briefings / f"{app.agent}.md", f"{text}\n".encode())
    files.put(app.folder.hooks, json.dumps(left, ensure_ascii=False).encode())
    if not app.folder.state.exists():
        _ = app.state  # where hooks note what they have shown; they make no file


def _has_hooks(app: App) -> bool:
    """Tell whether the workspace has our hooks: whoever clones a repository has them without having set anything up."""
    path = inside(app.workspace, HOOKS_FILE)
    try:
        return path is not None and f"{COMMAND} hook " in (files.read_text(path) or "")
    except FileError:  # no file at all, or none that we may read: nobody's hooks to us
        return False


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
