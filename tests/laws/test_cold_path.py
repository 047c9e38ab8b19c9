"""Upkeep changes no words, does nothing twice, can be taken back byte for byte, and the mirror keeps nothing alone."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from functools import partial
from pathlib import Path

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from agent_memory.fabric.lessons import Keeping
from agent_memory.jobs.consolidate import Rules, consolidate
from agent_memory.jobs.distil import extracted
from agent_memory.mirror.search import Mirror
from agent_memory.model.memory import Add, Author, Batch, Draft, PageRef
from agent_memory.model.votes import Fading
from agent_memory.system.paths import MemoryFolder
from agent_memory.vault.journal import JournalRun, undo_batch
from agent_memory.vault.store import Vault, View
from tests.builders import A_DAY
from tests.fakes import FrozenClock

WORDS = "sqlite lock checkout report webhook retry gateway calendar fuso entrega não trava 30 5 orders.py".split()
REPLACING = (
    "Checkout locks sqlite.",
    "Instead of sqlite, checkout locks redis.",
    "Em vez de redis, checkout usa a gateway.",
)
bodies = st.lists(st.sampled_from(WORDS), min_size=3, max_size=9).map(lambda words: " ".join(words).capitalize() + ".")
bodies |= st.sampled_from(REPLACING)
entries = st.tuples(
    bodies,
    st.sampled_from(["notes", "decisions", "lessons"]),
    st.sampled_from(["heuristic", "reflection", "agent", "user"]),
    st.sampled_from([(), ("sqlite",), ("keep",), ("auto-extract",)]),
)


class World:
    """A vault in a folder of its own, and the rules of the moment."""

    def __init__(self, root: str, given: list[tuple[str, str, Author, tuple[str, ...]]]) -> None:
        self.root = Path(root)
        self.clock = FrozenClock(A_DAY + timedelta(days=2))
        self.vault = Vault(MemoryFolder(self.root / ".memory"), self.clock, lock_timeout_s=5)
        adds = tuple(
            Add(PageRef("default", category), Draft(body, A_DAY + timedelta(minutes=n), by, tags))
            for n, (body, category, by, tags) in enumerate(given)
        )
        self.vault.update(lambda view: Batch(adds), verb="test")

    def run(self) -> None:
        now = self.clock.now()
        keeping = {"lessons": Keeping(500, timedelta(days=30))}
        rules = Rules(now=now, fading=Fading(now), most=100, keeping=keeping)
        self.vault.update(
            lambda view: consolidate(view, rules, lambda one, like: extracted(one, like, str)).batch, verb="consolidate"
        )

    @property
    def pages(self) -> dict[str, bytes]:
        found = (self.root / ".memory" / "default").rglob("*.md")
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in found}

    def edges(self) -> set[object]:
        mirror = Mirror.open(self.root / "mirror.sqlite3", redact=str)
        mirror.sync(self.vault.shelf.page_states())
        ids = [memory.id for memory in self.vault.view().memories]
        found = {*mirror.edges(ids), *((one.hit.id, one.active, one.hit.page) for one in mirror.named(ids, None))}
        mirror.close()
        return found


def _undone(run: JournalRun, view: View) -> Batch:
    return undo_batch(run, view)[0]


@settings(deadline=None, max_examples=20, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.lists(entries, min_size=1, max_size=24))
def test_upkeep_changes_no_words_is_done_once_and_can_be_taken_back(given):
    with tempfile.TemporaryDirectory() as root:
        world = World(root, given)
        before, said = world.pages, {memory.id: memory.body for memory in world.vault.view().memories}
        world.run()
        once = world.pages
        assert {name: memory.body for memory in world.vault.view().memories if (name := memory.id) in said} == said
        world.run()
        assert world.pages == once

        edges = world.edges()
        (world.root / "mirror.sqlite3").unlink()
        assert world.edges() == edges

        runs = [run for run in world.vault.journal_runs() if run.verb == "consolidate"]
        for run in runs:
            world.vault.update(partial(_undone, run), verb="undo")
        # An undo keeps what it brought back from being moved again.
        assert {name: data.replace(b" keep:1", b"") for name, data in world.pages.items()} == before
        undone = {memory.id: memory.status for memory in world.vault.view().memories}
        world.run()
        again = {memory.id: memory.status for memory in world.vault.view().memories}
        assert (again.keys(), again) == (said.keys(), undone), "what was undone stays undone"
