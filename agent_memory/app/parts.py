"""How each file stands that we share with an editor, what setting it up or taking it back would do, and doing it.

A part is worked out without writing. It is carried out in one step, only if its file still is what it was; what
does not parse, leads out of the workspace or may only be read is named and left.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from agent_memory.app import rule
from agent_memory.app.container import App
from agent_memory.editors import splice
from agent_memory.editors.table import Integration, rule_of
from agent_memory.errors import AgentMemoryError, FileError, PageConflict
from agent_memory.system import files
from agent_memory.system.files import Snapshot
from agent_memory.system.folders import translated

State = Literal["missing", "installed", "outdated", "changed by hand", "left alone"]


@dataclass(frozen=True, slots=True)
class Part:
    """One file of one integration: how it stands, and, if anything is to be done, its bytes before and after.

    ``why`` says why it is left alone; ``note`` is what is to be remembered of it, to take it back.
    """

    row: Integration
    state: State
    before: Snapshot | None = None
    after: bytes | None = None
    why: str = ""
    note: Mapping[str, Any] | None = None

    @property
    def changes(self) -> bool:
        """Whether the file is to be written or deleted."""
        return not self.why and self.after != (self.before.data if self.before else None)

    @property
    def diff(self) -> str:
        """What is to be done to it, as a unified diff."""
        before, after = self.before.data if self.before else None, self.after
        old, new = (self.row.path if data is not None else "/dev/null" for data in (before, after))
        was, shall = ((data or b"").decode("utf-8", "replace").splitlines(keepends=True) for data in (before, after))
        lines = difflib.unified_diff(was, shall, old, new)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def part_of(app: App, row: Integration, work_out: Callable[[App, Part], Part]) -> Part:
    """Look at one file and work out what ``added`` or ``removed`` would do to it."""
    note = _notes(app).get(row.path)
    part = Part(row, "missing", note=note if isinstance(note, dict) else None)
    path = rule.inside(app.workspace, row.path)
    if path is None:
        return _left_alone(part, "It leads out of the workspace.")
    try:
        if why := _obstructed(app, row, path):
            return _left_alone(part, why)
        part = replace(part, before=files.read(path))
        part = work_out(app, part)
    except FileError as error:
        return _left_alone(part, _said(error, path))
    if part.changes and part.before and not path.stat().st_mode & 0o222:
        return _left_alone(part, "It may only be read.")
    return part


def _obstructed(app: App, row: Integration, path: Path) -> str:
    """Say what is of the wrong kind where a file, or a folder around it, should be; empty where nothing is."""
    with translated(path):
        if any(folder.exists() and not folder.is_dir() for folder in map(app.workspace.joinpath, _folders(row))):
            return "It has a file where its folder should be."
        return "It is no file." if path.exists() and not path.is_file() else ""


def _left_alone(part: Part, why: str) -> Part:
    return replace(part, state="left alone", why=why)


def _said(error: AgentMemoryError, path: Path) -> str:
    """Return an error's sentence for who is told the path before it."""
    return error.message.replace(f"{path} ", "It ", 1)


def added(app: App, part: Part) -> Part:
    """Work out what setting a part up would do."""
    if part.row.needs and importlib.util.find_spec(part.row.needs) is None:
        return replace(part, why=f'It needs the extra `{part.row.needs}`: pip install "agent-memory[{part.row.needs}]"')
    return _added_whole(app, part) if not part.row.entries else _added_entries(app, part)


def _added_whole(app: App, part: Part) -> Part:
    row, texts = part.row, part.row.texts
    ours = rule_of("") if row.live else texts.get(app.settings.text("vault.language")) or texts[""]
    if part.before is None:
        return replace(part, after=ours.encode(), note=_note(app, part, ours, ()))
    stands = _text(part.before).replace("\r\n", "\n")  # git may have changed the line ends
    if row.live or stands in texts.values():
        return replace(part, state="installed", after=part.before.data)
    if (part.note and part.note.get("ours") == digest(stands)) or digest(stands) in row.older:
        return replace(part, state="outdated", after=ours.encode(), note=_note(app, part, ours, ()))
    return replace(part, state="changed by hand", after=part.before.data)


def _added_entries(app: App, part: Part) -> Part:
    text, row = _text(part.before) if part.before else "", part.row
    unwanted = [entry for entry in row.entries if entry.setting and not app.settings.flag(entry.setting)]
    wanted = [entry for entry in row.entries if entry not in unwanted]
    stands = list(splice.standing(text, row.entries))
    state = _state(stands, [None if entry in unwanted else entry.value for entry in row.entries if not entry.default])
    if state != "installed" and _is_of_an_older_version(part, stands):
        state = "outdated"
    if state == "changed by hand":
        return replace(part, state=state, after=part.before.data if part.before else None)
    if state == "missing":  # what is known is of a file that is no more
        part = replace(part, note={"folders": (part.note or {}).get("folders")})
    text = splice.remove(text, unwanted, _strings((part.note or {}).get("made")))
    added = splice.add(text, wanted)
    note = _note(app, part, [entry.value for entry in wanted if not entry.default], added.made)
    return replace(part, state=state, after=added.text.encode(), note=note)


def _state(stands: Sequence[Any], ours: Sequence[Any]) -> State:
    if stands == ours:
        return "installed"
    return "missing" if not any(one is not None for one in stands) else "changed by hand"


def _is_of_an_older_version(part: Part, stands: Sequence[Any]) -> bool:
    """Tell whether what stands there is what we put; where nobody knows, some of what we would put now."""
    there = [one for one in stands if one is not None]
    if part.note and part.note.get("ours"):
        return bool(there) and part.note["ours"] == digest(there)
    ours = [entry.value for entry in part.row.entries if not entry.default]
    return bool(there) and all(one in (None, mine) for one, mine in zip(stands, ours, strict=True))


def removed(app: App, part: Part) -> Part:
    """Work out what taking a part back would do."""
    if part.before is None:
        return part
    text, row, note = _text(part.before), part.row, part.note
    if not row.entries:
        text = text.replace("\r\n", "\n")
        known = row.live or text in row.texts.values() or digest(text) in row.older
        known = known or (note is not None and note.get("ours") == digest(text))
        changed = replace(part, state="changed by hand", why="You have changed it; delete it if you want to.")
        return replace(part, state="installed") if known else changed
    stands = list(splice.standing(text, row.entries))
    foreign = row.optional and (note is None or stands != [entry.value for entry in row.entries])
    if foreign or not any(one is not None for one in stands):
        return replace(part, after=part.before.data)  # nothing here is ours, whatever is known
    is_new = note is None or note.get("new") is True
    made = [*_strings(note.get("made")), *[""] * is_new] if note else None
    left = splice.remove(text, row.entries, made)
    return replace(part, state="installed", after=None if is_new and splice.is_blank(left) else left.encode())


def carried_out(app: App, part: Part) -> Part:
    """Do what was worked out, if the file still is what it was then; say how it stands now, or why it does not."""
    if part.why:
        return part
    path = (app.workspace / part.row.path).resolve()  # where a link within the workspace leads: the link itself stays
    if not part.changes:
        _sweep(path)
        return part
    try:
        if part.after is not None:
            files.make_folder(path.parent)
            files.replace(path, part.after, expected=part.before.identity if part.before else None)
            return replace(part, state="installed")
        if files.identify(path) != (part.before.identity if part.before else None):
            raise PageConflict("It has changed this moment.", hint="Try again.", path=str(path))
        files.remove(path)
        _sweep(path)
    except AgentMemoryError as error:
        return _left_alone(part, _said(error, path))
    _remove_folders(app, part)
    return replace(part, state="missing")


def _sweep(path: Path) -> None:
    """Delete what killed writers of a file have left beside it; whatever cannot be is left for the next time."""
    with contextlib.suppress(FileError):
        files.sweep(path.parent, f".{path.name}.")


def _remove_folders(app: App, part: Part) -> None:
    """Take away the folders that were made for any file of ours; where nobody knows which, those that are empty."""
    notes = [note for note in _notes(app).values() if isinstance(note, dict)]
    made = {folder for note in notes for folder in _strings(note.get("folders"))}
    for folder in _folders(part.row):
        if part.note is None or folder in made:
            files.remove_empty((app.workspace / folder).resolve())


def _folders(row: Integration) -> list[str]:
    """Return the folders that a file stands in, the innermost first."""
    return [parent.as_posix() for parent in PurePosixPath(row.path).parents][:-1]


def _note(app: App, part: Part, ours: object, made: Sequence[str]) -> dict[str, Any]:
    """Return what must be known to take a part back, with what is known from earlier times."""
    old: Mapping[str, Any] = part.note or {}
    folders = [name for name in _folders(part.row) if not (app.workspace / name).exists()]
    return {
        "ours": digest(ours),
        "new": old.get("new") is True or part.before is None,
        "made": list(dict.fromkeys((*_strings(old.get("made")), *made))),
        "folders": list(dict.fromkeys((*_strings(old.get("folders")), *folders))),
    }


def _strings(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _notes(app: App) -> dict[str, Any]:
    return rule.record(app).get(str(app.workspace), {})


def remember(app: App, notes: Mapping[str, Any], *, anew: bool = False) -> None:
    """Write down what must be known to take parts back, beside or instead of what is known of this workspace."""
    here = {**({} if anew else _notes(app)), **notes}
    everything = {**rule.record(app), str(app.workspace): here}
    kept = {workspace: known for workspace, known in everything.items() if known}
    if kept:
        files.put(app.folder.setup, json.dumps(kept, ensure_ascii=False, indent=1).encode())
    else:
        files.remove(app.folder.setup)


def _text(snapshot: Snapshot) -> str:
    try:
        return snapshot.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError("It is not in UTF-8.", hint="Save it in UTF-8.") from error


def digest(value: object) -> str:
    """Return the digest by which values that stand in a file are told from those that we put there."""
    return files.digest_of(json.dumps(value, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace"))
