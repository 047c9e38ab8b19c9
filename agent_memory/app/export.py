"""The vault for other programs: a note for each memory in an Obsidian vault, or everything as JSON.

An export is a copy: nothing in the memory folder changes, and secrets are left out even where a person wrote
them. It writes over nothing but what it wrote itself and nobody has edited since.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from unicodedata import normalize

from agent_memory.app.container import App
from agent_memory.app.tally import Report
from agent_memory.app.vault import entry_fields
from agent_memory.errors import FileError, PageConflict
from agent_memory.model.memory import Memory
from agent_memory.model.text import clean
from agent_memory.redaction import redact
from agent_memory.system import files
from agent_memory.vault.note import is_note, is_untouched, note_of, title_of
from agent_memory.vault.view import View

FORMAT: Final = "agent-memory/1"
EDITED: Final = "edited since it was exported, and left as it is"

_NOTE_NAME: Final = re.compile(r"(?:\d+|h-[0-9a-f]{8})(?:-\d+)?\.md")


@dataclass
class Exported(Report):
    """What was written (``taken``), was left alone (``skipped``), was ours and is deleted, and was as it should be."""

    pruned: list[str] = field(default_factory=list)
    unchanged: int = 0


def obsidian(app: App, folder: Path) -> Exported:
    """Write a note for each memory to ``folder/<agent>/<category>/<id>.md``; only what has changed is written.

    Notes of ours whose memory is gone are deleted, unless somebody has edited them.

    Raises:
        FileError: The folder is inside the memory folder, is a file, or cannot be written.
    """
    target = _elsewhere(app, folder)
    if target.exists() and not files.is_folder(target):
        raise FileError(f"{target} is a file, not a folder.", hint="Name a folder.", path=str(target))
    exported = Exported()
    wanted = dict(_notes(app.vault.view(), exported))
    for parent in {(target / name).parent for name in wanted}:
        files.sweep(parent)
    for name, text in wanted.items():
        _write(target, name, text, exported)
    # Where case makes no difference a folder may be called otherwise than its agent.
    standing = {files.identify(target / name) for name in wanted}
    gone = (name for name in sorted(_own_names(target)) if name not in wanted)
    for name in (name for name in gone if files.identify(target / name) not in standing):
        if is_untouched(_text_of(target / name)):
            files.remove(target / name)
            exported.pruned.append(name)
        elif is_note(_text_of(target / name)):
            exported.skip(name, f"its memory is gone; {EDITED}")
    return exported


def as_json(app: App) -> dict[str, Any]:
    """Return the whole vault as plain JSON: the shared page, and every entry with all that its comment says."""
    return {
        "format": FORMAT,
        "project": redact(app.shelf.project_text()).text,
        "entries": [{**entry_fields(bare), "meta": dict(bare.meta)} for bare in map(_bare, app.vault.view().memories)],
    }


def write_json(app: App, path: Path) -> bool:
    """Write the vault as JSON to ``path``; tell whether that changed it.

    Raises:
        FileError: Something else than an export stands there, it is in the memory folder, or cannot be written.
    """
    target, text = _elsewhere(app, path), json.dumps(as_json(app), ensure_ascii=False, indent=2) + "\n"
    files.sweep(target.parent, f".{target.name}.")
    snapshot = files.read(target)
    if snapshot is not None and snapshot.data == text.encode():
        return False
    if snapshot is not None and f'"format": "{FORMAT}"'.encode() not in snapshot.data[:200]:
        raise FileError(f"{target} is no export of ours.", hint="Name another file.", path=str(target))
    files.make_folder(target.parent)
    files.replace(target, text.encode(), expected=snapshot.identity if snapshot else None)
    return True


def _elsewhere(app: App, path: Path) -> Path:
    target = app.places.named(path)
    if target.resolve().is_relative_to(app.folder.root.resolve()):
        raise FileError(f"{target} is in the memory folder itself.", hint="Name a place elsewhere.", path=str(target))
    return target


def _notes(view: View, exported: Exported) -> Iterator[tuple[str, str]]:
    """Yield each note's place and text; of a move that was cut short only the page's copy counts."""
    taken: Counter[str] = Counter()

    def title(entry: str) -> str | None:
        found = view.by_id(entry)
        return title_of(_bare(found[0])) if found else None

    for memory in view.memories:
        if memory.page.archived and any(copy.page == memory.page.counterpart for copy in view.by_id(memory.id)):
            continue
        name = f"{memory.page.agent}/{memory.page.category}/{memory.id}"
        alike = normalize("NFC", name).casefold()  # one name, on some file systems
        taken[alike] += 1
        number = f"-{taken[alike]}" if taken[alike] > 1 else ""
        yield f"{name}{number}.md", note_of(_bare(memory), title)


def _bare(memory: Memory) -> Memory:
    """Return a memory without secrets, and without what no file can hold."""
    tags = tuple(redact(tag).text for tag in memory.tags)
    meta = {key: clean(redact(value).text) for key, value in memory.meta.items()}
    return replace(memory, body=redact(memory.body).text, tags=tags, meta=meta)


def _write(target: Path, name: str, text: str, exported: Exported) -> None:
    path = target / name
    try:
        snapshot = files.read(path)
        standing = snapshot.data.decode("utf-8", "replace") if snapshot else ""
        if standing.replace("\r\n", "\n") == text:
            exported.unchanged += 1
        elif snapshot is not None and not is_untouched(standing):
            exported.skip(name, EDITED if is_note(standing) else "not ours, and left as it is")
        else:
            files.make_folder(path.parent)
            files.replace(path, text.encode(), expected=snapshot.identity if snapshot else None)
            exported.take(name, "new" if snapshot is None else "changed")
    except PageConflict as error:
        exported.skip(name, error.message)


def _own_names(target: Path) -> Iterator[str]:
    """Yield what is where notes of ours stand, and called as they are."""
    for parts in files.walk(target, 3, _raise):
        if len(parts) == 3 and _NOTE_NAME.fullmatch(parts[-1]):
            yield "/".join(parts)


def _raise(error: FileError) -> None:
    raise error


def _text_of(path: Path) -> str:
    return files.read_text(path) or ""
