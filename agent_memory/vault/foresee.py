"""The vault as a batch would leave it, for those who only say what they would do. Pure."""

from __future__ import annotations

from datetime import datetime

from agent_memory.model.memory import Batch
from agent_memory.model.origin import FileIdentity
from agent_memory.vault.apply import work_out
from agent_memory.vault.page import encode
from agent_memory.vault.taken import Taken
from agent_memory.vault.view import StoredPage, View

_NO_FILE = FileIdentity(0, 0, 0, 0)


def foresee(view: View, batch: Batch, *, now: datetime) -> View:
    """Return ``view`` with ``batch`` applied to it.

    Raises:
        UnknownEntry: A change names an entry that is not there.
        FileError: A change is to a page that could not be read.
    """
    outcome = work_out(batch, view, now=now)
    pages = dict(view.pages)
    for ref, page in outcome.final.items():
        before = pages.get(ref) or StoredPage(ref, _NO_FILE, b"")
        pages[ref] = before.renewed(before.identity, encode(page.render()))
    agents = sorted({*view.agents, *(ref.agent for ref in pages)})
    return View(pages.values(), Taken([*view.taken.lines, *outcome.taken]), agents, view.skipped, view.unreadable)
