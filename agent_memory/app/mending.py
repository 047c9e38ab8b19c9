"""What the doctor mends by itself: a plan first, then copies of the files that it touches, then the mending.

Nothing here throws a word away: what is taken out of a file stands in its copy in ``.vault/backups``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_memory.app.checks import examine
from agent_memory.app.container import App
from agent_memory.app.doctor import Finding, doubled
from agent_memory.jobs.compact import halfway_moves
from agent_memory.model.ids import next_free_id
from agent_memory.model.memory import Batch, Restore
from agent_memory.system import files, locks
from agent_memory.vault import taken
from agent_memory.vault.entry import NO_ID
from agent_memory.vault.view import View

VERB: Final = "doctor"


@dataclass(frozen=True, slots=True)
class Mending:
    """What was mended, where the copies are, and what is wrong now."""

    mended: tuple[Finding, ...]
    backup: str
    left: tuple[Finding, ...]


def plan(app: App) -> tuple[Finding, ...]:
    """Return the findings that can be mended without asking anybody what was meant."""
    return tuple(finding for finding in examine(app).findings if finding.fix)


def mend(app: App, findings: Iterable[Finding]) -> Mending:
    """Copy what is touched, mend, and look again.

    Raises:
        AgentMemoryError: Something could not be copied or written; what was mended by then is.
    """
    wanted = tuple(findings)
    backup = _back_up(app, wanted) if wanted else ""
    for name in dict.fromkeys(finding.fix for finding in wanted):
        FIXES[name](app, tuple(finding for finding in wanted if finding.fix == name))
    return Mending(wanted, backup, examine(app).findings)


def _back_up(app: App, findings: tuple[Finding, ...]) -> str:
    folder = app.folder.backups / f"{app.clock.now():%Y%m%d-%H%M%S}"
    named = {where.partition(":")[0] for finding in findings for where in finding.where.split(", ")}
    pages = {stored.ref.path for stored in app.shelf.pages(fresh=False)}
    for place in sorted({*named, *pages, app.folder.taken.name}):
        snapshot = files.read(app.folder.root / place) if (app.folder.root / place).is_file() else None
        if snapshot:
            swept = place.endswith(files.TEMPORARY_SUFFIX)  # by whoever writes beside it
            target = folder / (f"{place}.copy" if swept else place)
            files.make_folder(target.parent, private=True)
            files.put(target, snapshot.data)
    return folder.relative_to(app.folder.root).as_posix()


def _renumber(app: App, findings: tuple[Finding, ...]) -> None:
    """Give every copy of an id but the one that answers to it another id; its words stay, and undo takes it back."""

    def decide(view: View) -> Batch:
        changes: list[Restore] = []
        used: set[str] = set()
        for entry in doubled(view):
            for copy in view.by_id(entry)[1:] if not entry.startswith(NO_ID) else ():
                new = next_free_id(int(entry) + 1, lambda one: one in used or view.id_in_use(one))
                used.add(new)
                changes.append(Restore(copy.page, copy.raw.replace(f"id:{entry}", f"id:{new}", 1), copy.raw))
        return Batch(tuple(changes))

    app.vault.update(decide, verb=VERB)


def _drop_ledger_lines(app: App, findings: tuple[Finding, ...]) -> None:
    with locks.locked(app.folder.lock, timeout_s=app.settings.number("vault.lock_timeout_s")):
        snapshot = files.read(app.folder.taken)
        if snapshot:
            lines = snapshot.data.decode("utf-8", "replace").splitlines(keepends=True)
            kept = "".join(line for line in lines if line.strip() and not taken.parse(line).skipped)
            files.replace(app.folder.taken, kept.encode(), expected=snapshot.identity)


def _delete(app: App, findings: tuple[Finding, ...]) -> None:
    for finding in findings:
        files.remove(app.folder.root / Path(finding.where))


FIXES: Final[dict[str, Callable[[App, tuple[Finding, ...]], object]]] = {
    "renumber": _renumber,
    "finish moves": lambda app, _: app.vault.update(halfway_moves, verb=VERB),
    "drop ledger lines": _drop_ledger_lines,
    "drop journal lines": lambda app, _: app.vault.rewrite_journal(lambda change: change),
    "reindex": lambda app, _: app.mirror.repair(app.pages()),
    "delete": _delete,
}
