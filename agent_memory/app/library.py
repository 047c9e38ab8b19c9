"""The memory as a library: what a program that hosts agents needs, in a few lines.

``agent_memory.open_memory`` leads here. Everything goes the way that the command line goes, through the
vault's lock, redaction and the journal; nothing runs in the background, and nothing is kept between calls
but open files.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from os import PathLike, fspath
from typing import Final

from agent_memory.app import brief as briefs
from agent_memory.app import recall, rule, vault
from agent_memory.app.container import open_app
from agent_memory.app.library_tending import Tending
from agent_memory.context.sections import Message
from agent_memory.errors import UsageError
from agent_memory.model.briefing import Briefing, Kind
from agent_memory.model.ids import check_name, digest, next_free_id
from agent_memory.model.memory import Add, Batch, Draft, Memory, PageRef
from agent_memory.model.recall import DEFAULT_LIMIT, Hit, Query
from agent_memory.model.transcript import TURN_DIGEST_DIGITS, Origin
from agent_memory.recall.rewrite import History
from agent_memory.redaction import redact
from agent_memory.system.clock import Clock
from agent_memory.vault.store import View

SOURCE: Final = "library"


@dataclass(frozen=True, slots=True)
class NewEntry:
    """Something to remember, as a host hands it over.

    ``at`` is when it was said, with its time zone; now, if None. ``author`` is who said it; ``conversation``
    and ``turn`` are where, and become the entry's origin. ``agent`` is whose page it goes to; that of the
    open memory, if None.
    """

    text: str
    category: str = "notes"
    agent: str | None = None
    tags: tuple[str, ...] = ()
    at: datetime | None = None
    author: str | None = None
    conversation: str | None = None
    turn: int = 0


class OpenMemory(Tending):
    """An open memory folder. ``agent`` is whose pages are written and briefed where no agent is named."""

    def add(  # noqa: PLR0913 (one argument for each thing that may be known of an entry)
        self,
        text: str,
        *,
        category: str = "notes",
        agent: str | None = None,
        tags: Sequence[str] = (),
        at: datetime | None = None,
        author: str | None = None,
        conversation: str | None = None,
    ) -> str:
        """Write one entry and return its id; secrets are taken out of it first.

        Raises:
            UsageError: There is no text, or ``at`` has no time zone.
            InvalidName: Agent or category cannot be a folder or a file.
        """
        entry = NewEntry(text, category, agent, tuple(tags), at, author, conversation)
        return self.add_all([entry])[0]

    def add_all(self, entries: Iterable[NewEntry]) -> list[str]:
        """Write entries in one step, all or none, and return their ids in the same order.

        Nothing is compared: what is handed over twice stands there twice.
        """
        now = self._app.clock.now()
        adds = [self._add(entry, now) for entry in entries]
        ids: list[str] = []

        def plan(view: View) -> Batch:
            number, ids[:] = int(now.timestamp() * 1000) - 1, []
            for _ in adds:
                ids.append(next_free_id(number + 1, view.id_in_use))
                number = int(ids[-1])
            # The oldest first: each then goes to the top of its page, where there is nothing to look through.
            named = sorted(zip(adds, ids, strict=True), key=lambda pair: _when_said(pair[0]))
            return Batch(tuple(replace(add, draft=replace(add.draft, id=new)) for add, new in named))

        self._app.vault.update(plan, verb="add")
        return ids

    def search(
        self,
        text: str,
        *,
        agent: str | None = None,
        category: str | None = None,
        limit: int = DEFAULT_LIMIT,
        session: str = "",
        history: History = (),
    ) -> list[Hit]:
        """Return what the vault, as it is now, has on ``text``, best first: every agent's, unless one is named.

        ``session`` and ``history`` are as for ``briefing``.
        """
        query = Query(text, agent=agent, category=category, limit=limit)
        return recall.search(self._app, query, session=session, history=history)

    def briefing(  # noqa: PLR0913 (of what, and of which size)
        self,
        query: str = "",
        *,
        kind: Kind = "session",
        agent: str | None = None,
        budget: int | None = None,
        recovering: Sequence[Message] | None = None,
        session: str = "",
        history: History = (),
    ) -> Briefing:
        """Return what an agent should know for ``query``, in full, whatever it was told before.

        Args:
            query: What the agent is asked to do; may be empty.
            kind: ``session`` for the start of a chat, ``turn`` for one prompt.
            agent: Whose briefing; by default the open memory's.
            budget: How many tokens it may have; by default ``context.max_tokens``.
            recovering: The last messages of a session that is being taken up again, each a role and a text; by
                default those of the agent's checkpoint, if no handoff has taken them over.
            session: Your id of the conversation; a model's rewriting of the query is remembered for it.
            history: What was said before the query, oldest first, as ``("user" | "assistant", text)``: what the
                query refers to ("and on Windows?") is looked for too.

        Raises:
            UsageError: The budget is too small for any briefing, or the agent has no pages.
        """
        return briefs.brief(
            self._app,
            agent or self.agent,
            query,
            kind,
            max_tokens=budget,
            recovering=recovering,
            session=session,
            history=history,
        )

    def agents(self) -> list[str]:
        """Return the agents that have pages."""
        return vault.agents(self._app)

    def entries(self, category: str, *, agent: str | None = None) -> list[Memory]:
        """Return the active entries of a page, the newest first; not those of its archive."""
        return vault.entries(self._app, agent or self.agent, category)

    def get(self, entry_id: str) -> Memory:
        """Return one entry, wherever it stands and whatever its status.

        Raises:
            UnknownEntry: There is none with this id.
        """
        return vault.entry_named(self._app, entry_id)

    def edit(self, entry_id: str, text: str) -> None:
        """Replace the words of an entry; no machine changes them from then on."""
        page = self.get(entry_id).page
        vault.edit(self._app, page.agent, page.category, entry_id, text)

    def delete(self, entry_id: str) -> None:
        """Take an entry out of its page; the journal keeps its text."""
        page = self.get(entry_id).page
        vault.delete(self._app, page.agent, page.category, entry_id)

    def _add(self, entry: NewEntry, now: datetime) -> Add:
        body = _redacted(entry.text).strip("\n")
        if not body.strip():
            raise UsageError("An entry needs some text.", hint="Give it some words.")
        if entry.at is not None and entry.at.tzinfo is None:
            raise UsageError(f"The time {entry.at} has no time zone.", hint="Give an aware datetime.")
        agent, category = self._app.agent_named(entry.agent or self.agent), check_name(entry.category, "a category")
        draft = Draft(
            body=vault.as_tasks(body) if category == "tasks" else body,
            at=entry.at or now,
            by="agent",
            tags=tuple(filter(None, (_redacted(tag).strip().lstrip("#") for tag in entry.tags))),
            origin=_origin(entry, body),
            meta={"author": _redacted(entry.author)} if entry.author else {},
        )
        return Add(PageRef(agent, category), draft)


@contextlib.contextmanager
def open_memory(
    directory: str | PathLike[str] | None = None, *, agent: str | None = None, clock: Clock | None = None
) -> Iterator[OpenMemory]:
    """Open a memory folder for the length of a ``with`` block.

    Nothing is made or read before the first call that needs it. Settings are those of the command line.

    Args:
        directory: The folder; without it the one the command line would take.
        agent: Whose pages are meant where none is named; by default ``workspace.agent``.
        clock: The time to live in; the computer's by default.

    Raises:
        SettingsError: A settings file or variable is wrong.
        InvalidName: The agent cannot be a folder.
    """
    with open_app(directory=None if directory is None else fspath(directory), clock=clock) as app:
        yield OpenMemory(app, app.agent_named(agent or app.agent))
        rule.follow(app)


def _when_said(add: Add) -> tuple[datetime, int]:
    origin = add.draft.origin
    return add.draft.at, origin.turn if origin else 0


def _origin(entry: NewEntry, body: str) -> Origin | None:
    if entry.conversation is None:
        return None
    said = digest(body, digits=TURN_DIGEST_DIGITS)
    return Origin(SOURCE, _redacted(entry.conversation), entry.turn, (0, len(body)), said)


def _redacted(text: str) -> str:
    return redact(text).text
