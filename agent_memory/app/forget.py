"""Forgetting: words go from everywhere the machine put them, and stay away; there is no undo.

What a person wrote is theirs, and so are the conversations; where these hold the words they are named and
left alone. The words themselves are kept nowhere: the ledger has fingerprints of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent_memory.app import rule
from agent_memory.app.container import App
from agent_memory.app.vault import entry_named
from agent_memory.errors import UsageError
from agent_memory.fabric.facts import KEYWORDS
from agent_memory.fabric.forgotten import RUN_WORDS, Quotes, lines_for, quotes_runs, runs_of, without
from agent_memory.model.memory import ACTIVATION, Amend, Batch, Memory, Remove, TakenLine
from agent_memory.model.text import normalise
from agent_memory.system import files
from agent_memory.vault.block import ANY_BLOCK
from agent_memory.vault.journal import FORGET
from agent_memory.vault.store import View


@dataclass(frozen=True, slots=True)
class Words:
    """What is to be forgotten: entries, or none, and the runs of words by which their text is known again."""

    entries: frozenset[str]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What is done: entries removed, entries that lose lines, and places with a person's words, which stay."""

    removed: tuple[Memory, ...]
    trimmed: tuple[tuple[Memory, str], ...]
    kept: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.removed or self.trimmed or self.kept)


def words_of(app: App, entry_id: str | None, match: str | None) -> Words:
    """Return the words of an entry, or those that were given.

    Raises:
        UsageError: Neither was named, or both, or a text without a word.
        UnknownEntry: There is no such entry.
    """
    if (entry_id is None) == (match is None):
        raise UsageError("Name an entry, or the words with --match.", hint="`agent-memory search` finds ids.")
    if match is not None:
        words = normalise(match)
        runs = (words,) if len(words.split()) <= RUN_WORDS else runs_of(match)
        if not words:
            raise UsageError("There is no word in that text.", hint="Give the words to forget.")
        return Words(frozenset(), runs)
    holding = next((each for each in vaults(app) if each.shelf.view(fresh=False).by_id(entry_id or "")), app)
    return words_of_all(holding, [entry_named(holding, entry_id or "").id])


def words_of_all(app: App, entries: Iterable[str]) -> Words:
    """Return the words of several entries of this vault."""
    view, named = app.vault.view(), frozenset(entries)
    copies = (copy for entry in sorted(named) for copy in view.by_id(entry))
    return Words(named, tuple(dict.fromkeys(run for copy in copies for run in runs_of(copy.body))))


def preview(app: App, words: Words) -> Forgetting:
    """Say what forgetting these words would do; nothing is changed."""
    quotes = quotes_runs(words.runs)
    found = [(each, _sort(each.vault.view(), own, quotes)) for each, own in _for_each(app, words)]
    return _joined([Forgetting(one.removed, one.trimmed, (*one.kept, *_elsewhere(at, quotes))) for at, one in found])


def forget(app: App, words: Words) -> Forgetting:
    """Block the words and remove them from pages, journal, state, checkpoints, kept briefings and mirror.

    This goes for the user's own vault too. May be repeated, and should be if it was interrupted.
    """
    done = _joined([_forget(each, own) for each, own in _for_each(app, words)])
    rule.refresh(app)
    return done


def vaults(app: App) -> list[App]:
    """Return this vault and, if it is another one and there, the user's own."""
    has_own = app.user.folder.root.exists() and app.user.folder.root != app.folder.root
    return [app, app.user] if has_own else [app]


def _for_each(app: App, words: Words) -> list[tuple[App, Words]]:
    """Return the vaults, each with what is to be forgotten there: the entries are named where they stand."""
    holding = next((each for each in vaults(app) if any(map(each.vault.view().by_id, words.entries))), app)
    return [(each, words if each is holding else replace(words, entries=frozenset())) for each in vaults(app)]


def _joined(parts: Sequence[Forgetting]) -> Forgetting:
    return Forgetting(
        tuple(memory for part in parts for memory in part.removed),
        tuple(pair for part in parts for pair in part.trimmed),
        tuple(place for part in parts for place in part.kept),
    )


def _forget(app: App, words: Words) -> Forgetting:
    quotes, done = quotes_runs(words.runs), [Forgetting((), (), ())]

    def plan(view: View) -> Batch:
        done[:] = [_sort(view, words, quotes)]
        return _batch(view, done[0], words, app)

    # Before and after: an interrupted run must not leave them where only a second one would look.
    _scrub(app, words, quotes)
    app.vault.update(plan, verb=FORGET)
    _scrub(app, words, quotes)
    if app.folder.root.exists():
        app.mirror.scrub(app.shelf.page_states())
    return Forgetting(done[0].removed, done[0].trimmed, (*done[0].kept, *_elsewhere(app, quotes)))


def _sort(view: View, words: Words, quotes: Quotes) -> Forgetting:
    removed, trimmed, kept = [], [], []
    for memory in view.memories:
        named = memory.id in words.entries
        marks = "\n".join((" ".join(memory.tags), *(memory.meta.get(key, "") for key in (ACTIVATION, KEYWORDS))))
        if not (named or quotes(memory.body) or quotes(marks)):
            continue
        left = "" if named or quotes(marks) else without(memory.body, quotes)
        if not named and (memory.edited or memory.meta.get("by") == "user"):
            kept.append(f"{memory.page.path}, entry {memory.id}")
        elif left:
            trimmed.append((memory, left))
        else:
            removed.append(memory)
    return Forgetting(tuple(removed), tuple(trimmed), tuple(kept))


def _batch(view: View, found: Forgetting, words: Words, app: App) -> Batch:
    now, gone = app.clock.now(), {memory.id for memory in found.removed}
    changes = [Amend(memory.page, memory.id, left, raw=memory.raw) for memory, left in found.trimmed]
    lines = [TakenLine(line.key, line.id, now, "forgotten", line.words) for line in view.taken.lines if line.id in gone]
    lines += [TakenLine(memory.key, memory.id, now, "forgotten") for memory in found.removed if memory.key]
    pattern = TakenLine("", next(iter(sorted(words.entries)), ""), now, "forgotten")
    removals = [Remove(memory.page, memory.id, memory.raw) for memory in found.removed]
    return Batch((*changes, *removals), (*lines, *lines_for(words.runs, pattern)))


def _scrub(app: App, words: Words, quotes: Quotes) -> None:
    """Take the words out of what the machine keeps for itself, and out of our blocks of the shared page."""
    if not app.folder.machine.exists():
        return
    app.vault.rewrite_journal(
        lambda change: (
            change.wordless()
            if change.id in words.entries or any(quotes(text) for text in (change.before, change.after) if text)
            else change
        )
    )
    if app.folder.state.exists():
        app.state.forget_where(quotes)
    for path in files.list_folder(app.folder.checkpoints):
        _scrub_json(path, quotes)
    for path in files.list_folder(app.folder.briefings):
        if path.is_file() and quotes(_text_of(path)):
            files.remove(path)
    app.vault.rewrite_project(
        lambda text: ANY_BLOCK.sub(lambda block: without(block[0], quotes) or _emptied(block[0]), text)
    )


def _scrub_json(path: Path, quotes: Quotes) -> None:
    """Drop from a checkpoint every message with the words; a file that is no JSON goes whole."""
    snapshot = files.read(path)
    if snapshot is None or not quotes(_text_of(path)):
        return
    try:
        bare = _without_values(json.loads(snapshot.data), quotes)
    except (ValueError, RecursionError):
        files.remove(path)
        return
    files.replace(path, json.dumps(bare, ensure_ascii=False).encode(), expected=snapshot.identity)


def _without_values(value: Any, quotes: Quotes) -> Any:
    """Return JSON without the texts that quote, nor the list members that hold one."""
    if isinstance(value, dict):
        return {key: _without_values(held, quotes) for key, held in value.items()}
    if isinstance(value, list):
        return [member for member in value if not any(map(quotes, _texts(member)))]
    return "" if isinstance(value, str) and quotes(value) else value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for held in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(held)


def _elsewhere(app: App, quotes: Quotes) -> Iterator[str]:
    """Name the places outside the pages that are not ours to change and hold the words."""
    if quotes(ANY_BLOCK.sub("", app.shelf.project_text())):
        yield app.folder.project.name
    for path in (*files.list_folder(app.folder.conversations), *files.list_folder(app.folder.drafts)):
        if path.is_file() and quotes(_text_of(path)):
            yield path.relative_to(app.folder.root).as_posix()


def _text_of(path: Path) -> str:
    """Return the words of a file; of JSON those of its texts, whatever their escapes."""
    text = files.read_text(path) or ""
    try:
        return "\n".join(_texts(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def _emptied(block: str) -> str:
    first, *_, last = block.split("\n")
    return f"{first}\n{last}"
