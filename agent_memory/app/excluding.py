"""Conversations that are never taken: patterns in ``excluded.txt``, in git beside the pages, one a line.

A pattern is matched against a conversation's id, that of the chat it comes out of, its path and its title, which is
the first line that a person said in it; ``*``, ``?`` and ``[…]`` are as in a shell, and case makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase

from agent_memory.app.container import App
from agent_memory.app.conversations import Options, transcript_folders
from agent_memory.errors import UsageError
from agent_memory.model.memory import Memory
from agent_memory.model.text import one_line
from agent_memory.model.transcript import ConversationFile
from agent_memory.redaction import redact
from agent_memory.system import files, locks
from agent_memory.tailing.reader import open_reading
from agent_memory.tailing.reading import ClosedTurn, Reading
from agent_memory.tailing.scan import scan

_HEADER = "# Conversations that are never taken: a pattern a line, for their id, path or title.\n"


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The patterns of a memory folder."""

    patterns: tuple[str, ...] = ()

    @classmethod
    def of(cls, app: App) -> Exclusions:
        """Read them; there are none where there is no file."""
        return cls(tuple(dict.fromkeys(_lines(files.read_text(app.folder.excluded) or ""))))

    def match(self, names: Iterable[str], title: Callable[[], str]) -> bool:
        """Tell whether a conversation is excluded; its title is asked for only if its names do not tell."""
        if not self.patterns:
            return False
        known = [name.replace("\\", "/") for name in names if name]
        return any(map(self._fits, known)) or self._fits(title())

    def _fits(self, name: str) -> bool:
        folded = name.casefold()
        patterns = (pattern.casefold() for pattern in self.patterns)
        return any(fnmatchcase(folded, pattern) or fnmatchcase(folded, f"*/{pattern}") for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Excluded:
    """What a pattern leads to: the conversations it keeps out, and the memories that came from them before."""

    patterns: tuple[str, ...]
    conversations: tuple[str, ...] = ()
    memories: tuple[Memory, ...] = ()


def exclude(app: App, pattern: str) -> Excluded:
    """Never take what fits ``pattern``, and say what was taken of it already; that stays, and is for ``forget``.

    Raises:
        UsageError: It is empty, or would be a comment, or several lines.
    """
    wanted = pattern.strip()
    if not wanted or wanted.startswith("#") or "\n" in wanted or redact(wanted).count:
        raise UsageError("That is no pattern.", hint="Give an id, a path or a title, with * for any letters.")
    _rewrite(app, lambda known: known if wanted in _lines(known) else f"{known or _HEADER}{wanted}\n")
    found = _conversations(app, Exclusions((wanted,)))
    taken = (memory for memory in app.vault.view().memories if memory.origin)
    memories = tuple(memory for memory in taken if memory.origin and memory.origin.conversation in found)
    return Excluded(Exclusions.of(app).patterns, tuple(sorted(found)), memories)


def include(app: App, pattern: str) -> Excluded:
    """Take a pattern away; what was kept out by it alone is taken from then on.

    Raises:
        UsageError: There is no such pattern.
    """
    if pattern.strip() not in Exclusions.of(app).patterns:
        raise UsageError(f"{pattern!r} is not excluded.", hint="`agent-memory exclude` lists what is.")
    _rewrite(app, lambda known: "".join(line for line in known.splitlines(True) if line.strip() != pattern.strip()))
    return Excluded(Exclusions.of(app).patterns)


def names_of(file: ConversationFile, reading: Reading) -> tuple[str, ...]:
    """Return by what names a conversation may be excluded."""
    return file.conversation, reading.chat, file.parent or "", file.path


def title_in(text: str) -> str:
    """Return the title that a conversation has whose first words are these."""
    return one_line(next((line for line in redact(text).text.split("\n") if line.strip()), ""))


def title_of(turns: Iterable[ClosedTurn]) -> str:
    """Return a conversation's title: the first line that a person said in it."""
    return next((title_in(closed.turn.text) for closed in turns if closed.turn.role == "user" and closed.turn.text), "")


def _conversations(app: App, exclusions: Exclusions) -> set[str]:
    found: set[str] = set()
    for file in scan(transcript_folders(app, Options(app.agent, idle_after=timedelta(0)))).files:
        found |= _if_excluded(app, file, exclusions)
    return found | {
        memory.origin.conversation
        for memory in app.vault.view().memories
        if memory.origin and exclusions.match((memory.origin.conversation,), str)
    }


def _if_excluded(app: App, file: ConversationFile, exclusions: Exclusions) -> set[str]:
    reading = open_reading(file, None, idle=True, now=app.clock.now())
    if reading is None:
        return set()
    excluded = exclusions.match(names_of(file, reading), lambda: title_of(reading.turns()))
    return {file.conversation, reading.chat or file.conversation} if excluded else set()


def _rewrite(app: App, rewrite: Callable[[str], str]) -> None:
    app.vault.prepare()
    with locks.locked(app.folder.lock, timeout_s=app.settings.number("vault.lock_timeout_s")):
        text = files.read_text(app.shelf.checked(app.folder.excluded)) or ""
        whole = text if not text or text.endswith("\n") else f"{text}\n"
        files.put(app.folder.excluded, rewrite(whole).encode())


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
