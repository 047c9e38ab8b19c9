"""Vaults held in memory, for tests of what is decided before anything is written."""

from __future__ import annotations

from datetime import UTC, datetime

from agent_memory.model.memory import Batch, Draft, PageRef
from agent_memory.model.transcript import FileIdentity
from agent_memory.vault.apply import Outcome, work_out
from agent_memory.vault.journal import JournalRun
from agent_memory.vault.page import encode
from agent_memory.vault.taken import Taken
from agent_memory.vault.view import StoredPage, View
from tests.builders import A_DAY

REF = PageRef("default", "decisions")
ARCHIVE = REF.counterpart
NOW = datetime(2026, 3, 20, tzinfo=UTC)


def a_draft(
    body: str = "Use SQLite.", *, at: datetime = A_DAY, key: str | None = None, entry: str | None = None
) -> Draft:
    return Draft(body, at, "heuristic", key=key, id=entry)


class World:
    """Pages and a ledger that batches are worked out on."""

    def __init__(self, *texts: tuple[PageRef, str], taken: Taken | None = None) -> None:
        self.texts = {ref: text.encode() for ref, text in texts}
        self.taken = taken or Taken()

    def view(self) -> View:
        identity = FileIdentity(0, 0, 0, 0)
        pages = (StoredPage(ref, identity, data) for ref, data in self.texts.items())
        return View(pages, self.taken, dict.fromkeys(ref.agent for ref in self.texts))

    def apply(self, batch: Batch) -> Outcome:
        outcome = work_out(batch, self.view(), now=NOW)
        self.texts |= {ref: encode(page.render()) for ref, page in outcome.final.items()}
        self.taken = Taken([*self.taken.lines, *outcome.taken])
        return outcome

    def run(self, batch: Batch) -> JournalRun:
        return JournalRun("r", NOW, "test", self.apply(batch).journal)

    def added(self, batch: Batch) -> tuple[str, ...]:
        return self.run(batch).ids("add")

    def text(self, ref: PageRef = REF) -> str:
        return self.texts.get(ref, b"").decode()

    def bodies(self, ref: PageRef = REF) -> list[str]:
        return [memory.body for memory in self.view().of(ref.agent, ref.category, ref.archived)]

    def ids(self, ref: PageRef = REF) -> list[str]:
        return [memory.id for memory in self.view().of(ref.agent, ref.category, ref.archived)]
