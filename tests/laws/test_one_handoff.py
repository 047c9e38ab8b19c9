"""One handoff for a conversation, and more only behind what a person made theirs, whatever happens in between."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agent_memory.app import maintain, vault
from agent_memory.app.sessions import chat
from agent_memory.app.sleep import sleep
from tests.laws.test_dashboards import make
from tests.workspace import Workspace
from tests.year import messages

__all__ = ["make"]

FEW = settings(max_examples=5, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
DEEDS = ("wait", "process", "read in full", "compact", "sleep", "cut", "lose state", "lose mirror", "edit", "delete")


class Host:
    """A dashboard with one named chat, and a person who meddles with its handoffs."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.path = workspace.memory / "conversations" / "dev.json"
        self.path.parent.mkdir(parents=True)
        self.held: list[dict[str, str]] = []
        self.theirs: dict[str, str] = {}
        self.touched = False

    def save(self) -> None:
        self.path.write_text(json.dumps({"agentId": "dev", "chatId": "till", "messages": self.held}))
        os.utime(self.path, (self.workspace.clock.now().timestamp(),) * 2)

    def handoffs(self) -> list[str]:
        return [memory.id for memory in self.workspace.memories() if memory.page.category == "handoffs"]

    def do(self, deed: str) -> None:
        match deed:
            case "wait":
                self.workspace.clock.advance(hours=1)
            case "process" | "read in full":
                assert not self.workspace.process(full=deed != "process").failed
            case "compact":
                with self.workspace.app(compact__max_messages=6) as app:
                    assert not maintain.compact(app, dry_run=False).troubles
            case "sleep":
                with self.workspace.app() as app:
                    assert not sleep(app, chat("dev", self.held, "till")).failed
            case "cut":
                self.workspace.process()
                self.held = self.held[-8:]
                self.save()
            case "lose state" | "lose mirror":
                (self.workspace.memory / ".vault" / f"{deed[5:]}.sqlite3").unlink(missing_ok=True)
            case _:
                self._meddle(deed)

    def _meddle(self, deed: str) -> None:
        for handoff in self.handoffs()[:1]:
            self.touched = True
            with self.workspace.app() as app:
                if deed == "edit":
                    self.theirs[handoff] = f"In my words: {len(self.held)}."
                    vault.edit(app, "dev", "handoffs", handoff, self.theirs[handoff])
                else:
                    self.theirs.pop(handoff, None)
                    vault.delete(app, "dev", "handoffs", handoff)


@pytest.mark.parametrize("meddling", [False, True])
@FEW
@given(data=st.data())
def test_law_2_a_chat_has_one_handoff_of_the_machines_and_a_persons_words_stay(make, data, meddling):
    host, said = Host(make()), messages(data.draw(st.integers(1, 9)), 24)
    for start in range(0, len(said), 6):
        host.held += said[start : start + 6]
        host.save()
        for deed in data.draw(st.lists(st.sampled_from(DEEDS if meddling else DEEDS[:-2]), min_size=2, max_size=3)):
            host.do(deed)
    for deed in ("wait", "process", "wait", "process"):
        host.do(deed)

    found = host.workspace.memories()
    machines = [memory for memory in found if memory.page.category == "handoffs" and not memory.edited]
    undisturbed = Host(make())
    undisturbed.held = said
    undisturbed.save()
    undisturbed.do("wait")
    undisturbed.do("process")
    expected = {(memory.page.category, memory.body) for memory in undisturbed.workspace.memories()}
    assert len(machines) <= 1
    assert len(machines) == 1 or host.touched
    assert {memory.id: memory.body for memory in found if memory.id in host.theirs} == host.theirs
    assert {(memory.page.category, memory.body) for memory in found if memory.page.category != "handoffs"} == {
        (category, body) for category, body in expected if category != "handoffs"
    }
