"""All that the doctor looks at, a row each: a name, what there is to say of it, and what is wrong with it.

Looking changes nothing. Whoever adds a check adds a row.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

import agent_memory
from agent_memory.app import doctor, hooks, rule, setup
from agent_memory.app.brief import brief
from agent_memory.app.container import App
from agent_memory.app.conversations import Options, standing_alarms, transcript_folders
from agent_memory.app.doctor import Finding
from agent_memory.app.hearing import pause_of
from agent_memory.app.watch import watcher_of
from agent_memory.editors.table import rule_of
from agent_memory.errors import AgentMemoryError
from agent_memory.redaction import redact
from agent_memory.redaction.private import unmarked
from agent_memory.state.store import lacks
from agent_memory.system import files, locks
from agent_memory.tailing.scan import Scan, scan
from agent_memory.vault import page as pages_of

MIN_FREE_BYTES: Final = 200_000_000
MAX_PAGE_BYTES: Final = 1_000_000
_WATCHES: Final = Path("/proc/sys/fs/inotify/max_user_watches")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at: its name, a fact about it, and what is wrong with it."""

    name: str
    fact: Callable[[App], str]
    findings: Callable[[App], Iterator[Finding]] = lambda app: iter(())


@dataclass(frozen=True, slots=True)
class Examination:
    """What a visit came to: a fact for each check, in their order, and everything that is wrong."""

    facts: dict[str, str]
    findings: tuple[Finding, ...]


def examine(app: App) -> Examination:
    """Look at everything; a check that cannot be made is a finding, and keeps no other from being made."""
    facts: dict[str, str] = {}
    findings: list[Finding] = []
    for check in CHECKS:
        try:
            facts[check.name] = check.fact(app)
            findings += check.findings(app)
        except AgentMemoryError as error:
            findings.append(Finding(error.message, check.name, error.hint or "Try again."))
    return Examination(facts, tuple(dict.fromkeys(findings)))


def for_ci(app: App) -> tuple[Finding, ...]:
    """Look at what is in git alone: the health of the pages, secrets in them, and their size."""
    return (*doctor.pages(app.vault.view()), *secrets(app), *_sizes(app))


def secrets(app: App) -> Iterator[Finding]:
    """Yield the pages with something that looks like a secret, by the line it is on; never what it is."""
    texts = [(stored.ref.path, pages_of.decode(stored.data)) for stored in app.shelf.pages(fresh=False)]
    for path, written in [*texts, (app.folder.project.name, app.shelf.project_text())]:
        text = unmarked(written)
        if not redact(text).count:
            continue
        at = [number for number, line in enumerate(text.split("\n"), 1) if redact(line).count] or [1]
        mend = "agent-memory purge-secret, and change it: whoever has the repository may have it"
        yield Finding("It looks like a secret.", f"{path}:{at[0]}", mend)


def _installed(app: App) -> str:
    version = ".".join(map(str, sys.version_info[:3]))
    return f"agent-memory {agent_memory.__version__}, Python {version}, {Path(agent_memory.__file__).parent}"


def _obstacles(app: App) -> Iterator[Finding]:
    """Yield what keeps an editor from us, if one was ever set up to come."""
    if _set_up(app) and (found := setup.obstacle(app)):
        yield Finding(found, "installation", "pipx install agent-memory", serious=False)


def _set_up(app: App) -> list[setup.Part]:
    parts = setup.standing(app)
    return parts if {part.state for part in parts} - setup.WITHOUT_US else []


def _sqlite(app: App) -> Iterator[Finding]:
    if missing := lacks():
        mend = "Use a Python with a newer SQLite, such as that of uv or Homebrew."
        yield Finding(f"{missing} Searching is slow, and state is not kept.", "installation", mend)


def _editor_files(app: App) -> Iterator[Finding]:
    for part in _set_up(app):
        if part.state in ("outdated", "left alone"):
            what = part.why or "It is that of an older version."
            yield Finding(what, part.row.path, "agent-memory init", serious=False)


def _hook_fact(app: App) -> str:
    held = [len(files.read_text(path) or "") for path in rule.rules(app)]
    return f"a new session is told {max(held):,} characters" if held else "not set up"


def _answers_fact(app: App) -> str:
    last = hooks.last_of_each(app)
    return "; ".join(f"{event}: {sentence}" for event, sentence in last.items()) or "none answered yet"


def _stale_rule(app: App) -> Iterator[Finding]:
    """Yield what a hook would answer with if that is not what there is to say now."""
    standing = list(rule.rules(app)) if app.folder.root.exists() else []
    now = rule_of(brief(app, app.agent, "", recovering=()).text) if standing else ""
    for path in standing:
        if (files.read_text(path) or "") != now:
            what = "What a new session is told is not what the pages say."
            yield Finding(what, str(path), "agent-memory process", serious=False)


def _lock_holder(app: App) -> str:
    if not app.folder.lock.exists():
        return "free"
    lock = locks.try_lock(app.folder.lock)
    if lock is None:
        return f"held by {locks.holder_of(app.folder.lock) or 'another process'}"
    lock.release()
    return "free"


def _paused(app: App) -> Iterator[Finding]:
    if since := pause_of(app).since:
        what = f"Capture is paused since {since:%Y-%m-%d %H:%M}: what is said is not taken."
        yield Finding(what, ".vault/pause.json", "agent-memory resume", serious=False)


def _scanned(app: App) -> tuple[Options, Scan]:
    options = Options(agent=app.agent, idle_after=timedelta(0))
    return options, scan(transcript_folders(app, options))


def _transcripts_fact(app: App) -> str:
    found = {file.conversation for file in _scanned(app)[1].files}
    known = app.state.bookmarks() if app.folder.state.exists() else []
    ours = [bookmark for bookmark in known if bookmark.conversation in found]
    turns = sum(bookmark.marks[-1].ordinal + 1 for bookmark in ours if bookmark.marks)
    return f"{len(found)} found, {len(ours)} taken, {turns} turns read"


def _transcripts(app: App) -> Iterator[Finding]:
    options, found = _scanned(app)
    for trouble in found.troubles:
        yield Finding(trouble.message, trouble.path, "Check its owner and its permissions.")
    for alarm in standing_alarms(app, options, found.files):
        yield Finding(alarm.sentence, "transcripts", "Update agent-memory, or report the format.", serious=False)
    taken = {one.conversation for one in app.state.bookmarks()} if app.folder.state.exists() else set()
    waiting = [file for file in found.files if file.conversation not in taken]
    if waiting:
        what = f"{len(waiting)} of {len(found.files)} conversations have not been taken yet."
        yield Finding(what, "transcripts", "agent-memory process", serious=False)


def _pages_fact(app: App) -> str:
    view = app.vault.view(partial=True)
    return f"{len(view.memories):,} entries in {len(view.pages)} pages of {len(view.agents)} agents"


def _unreadable_or_sick(app: App) -> Iterator[Finding]:
    view = app.vault.view(partial=True)
    for page, error in view.unreadable.items():
        yield Finding(error.message, page.path, error.hint)
    yield from doctor.pages(view)


def _sizes(app: App) -> Iterator[Finding]:
    for stored in app.shelf.pages(fresh=False):
        if len(stored.data) > MAX_PAGE_BYTES and not stored.ref.archived:  # an archive is there to grow
            what = f"It has {len(stored.data):,} bytes; editors and git grow slow with it."
            mend = "agent-memory compact, and what that leaves by hand: some words stay in their page"
            yield Finding(what, stored.ref.path, mend, serious=False)


def _disk(app: App) -> Iterator[Finding]:
    place = next(folder for folder in (app.folder.root, *app.folder.root.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    if free < MIN_FREE_BYTES:
        yield Finding(f"Only {free / 1e6:.0f} MB of the disk are free.", str(place), "Make room.")


def _watches(app: App) -> Iterator[Finding]:
    limit = int(_WATCHES.read_text()) if _WATCHES.exists() else 0
    _, found = _scanned(app)
    wanted = len({Path(file.path).parent for file in found.files})
    if limit and wanted * 2 > limit:
        what = f"{wanted} folders to watch, and the system allows {limit}: the watcher may have to look around instead."
        mend = "sudo sysctl fs.inotify.max_user_watches=524288"
        yield Finding(what, "transcripts", mend, serious=False)


CHECKS: Final = (
    Check("installation", _installed, _obstacles),
    Check("sqlite", lambda app: lacks() or "has what we need", _sqlite),
    Check("workspace", lambda app: f"{app.workspace}, agent {app.agent}", _editor_files),
    Check("memory", lambda app: str(app.folder.root), doctor.permissions),
    Check("transcripts", _transcripts_fact, _transcripts),
    Check("hook", _hook_fact, _stale_rule),
    Check("hooks", _answers_fact, doctor.failing_hooks),
    Check("watcher", lambda app: watcher_of(app) or "not running", _watches),
    Check("lock", _lock_holder),
    Check("capture", lambda app: "paused" if pause_of(app).since else "on", _paused),
    Check("pages", _pages_fact, _unreadable_or_sick),
    Check("journal", lambda app: f"{len(app.vault.journal_runs())} runs", doctor.records),
    Check("mirror", lambda app: "there" if app.folder.mirror.exists() else "not made yet", doctor.mirror),
    Check("state", lambda app: "there" if app.folder.state.exists() else "not made yet", doctor.leftovers),
    Check("secrets", lambda app: "looked for in every page", secrets),
    Check("size", lambda app: f"{sum(len(one.data) for one in app.shelf.pages(fresh=False)):,} bytes of pages", _sizes),
    Check("disk", lambda app: "POSIX permissions" if os.name == "posix" else "no POSIX permissions", _disk),
)
