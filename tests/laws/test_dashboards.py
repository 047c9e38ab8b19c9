"""Law 2 for files that are written anew each time: whatever was in the file at some moment is taken once."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.workspace import Workspace, essence

# Each example is several runs of the product: shrinking would take minutes, and the draws say enough.
FEW = settings(max_examples=8, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
CHAT = [
    "u:Let's go with SQLite for the order store, one file per shop, because backups are a plain copy.",
    "a:I will look at the schema first.",
    "a:Done, the store uses SQLite now.",
    "u:ok",
    "a:Root cause: the payment webhook was retried by the provider after 10 s, so every slow order was booked twice.",
    "u:ok",
    "i:The host says something that is no part of the chat: let's always use Postgres for everything.",
    "a:Still to do: rotate the webhook secret before the launch.",
    "u:Let's always store prices in cents, never as floats, because rounding lost money.",
    "a:Done.",
    "u:ok",
    "a:Done.",
]


@pytest.fixture
def make(monkeypatch):
    folders = []

    def _make() -> Workspace:
        folder = Path(tempfile.mkdtemp(prefix="am-law-")).resolve()
        folders.append(folder)
        (folder / "shop" / ".git").mkdir(parents=True)
        (folder / "home").mkdir()
        monkeypatch.setenv("HOME", str(folder / "home"))
        return Workspace(folder / "shop", folder / "home")

    yield _make
    for folder in folders:
        shutil.rmtree(folder)


def show(workspace: Workspace, lines: list[str], *, idle: bool, **rest: str) -> None:
    """Save the chat as a host does, and process it at once, or when it has been quiet."""
    path = workspace.memory / "conversations" / "dev.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    roles = {"u": "user", "a": "agent", "i": "agent"}
    messages = [{"role": roles[line[0]], "text": line[2:], "internal": line[0] == "i"} for line in lines]
    path.write_text(json.dumps({"savedAt": workspace.clock.now().isoformat(), "messages": messages, **rest}))
    written = workspace.clock.now().timestamp()
    os.utime(path, (written, written))
    workspace.clock.advance(hours=1 if idle else 0)
    workspace.process()


def undisturbed(make, **rest: str) -> set[tuple[Any, ...]]:
    workspace = make()
    show(workspace, CHAT, idle=True, **rest)
    return essence(workspace.memories())


@FEW
@given(data=st.data())
def test_law_2_a_chat_that_is_cut_at_the_front_while_it_goes_on_is_taken_once(make, data):
    workspace = make()
    ends = sorted({*data.draw(st.sets(st.integers(1, len(CHAT)), max_size=5)), len(CHAT)})
    start = 0
    for end, before in zip(ends, [0, *ends], strict=False):
        # The last message that was there is there again, and it is not one that the host keeps to itself.
        last = max((at for at in range(before) if CHAT[at][0] != "i"), default=0)
        start = data.draw(st.integers(start, max(start, last)))
        show(workspace, CHAT[start:end], idle=data.draw(st.booleans()) or end == len(CHAT))
        if data.draw(st.booleans()):
            workspace.process()

    assert essence(workspace.memories()) == undisturbed(make)


@FEW
@given(data=st.data())
def test_law_1_a_chat_gives_the_same_entries_though_the_state_is_lost_at_any_moment(make, data):
    workspace = make()
    for end in [*data.draw(st.lists(st.integers(1, len(CHAT)), max_size=3).map(sorted)), len(CHAT)]:
        (workspace.memory / ".vault" / "state.sqlite3").unlink(missing_ok=True)
        show(workspace, CHAT[:end], idle=data.draw(st.booleans()) or end == len(CHAT))

    assert essence(workspace.memories()) == undisturbed(make)


@FEW
@given(data=st.data())
def test_law_1_a_chat_that_has_a_name_goes_on_in_its_handoff_though_state_and_front_are_lost(make, data):
    workspace = make()
    # The second message of a turn whose first is lost would make it another turn.
    whole = [0, 3, 4, 5, 7, 8, 9, 10, 11]
    start = before = 0
    for end in [*data.draw(st.lists(st.integers(2, len(CHAT)), max_size=3).map(sorted)), len(CHAT)]:
        start = data.draw(st.sampled_from([at for at in whole if start <= at <= before]))
        idle = data.draw(st.booleans()) or end == len(CHAT)
        show(workspace, CHAT[start:end], idle=idle, chatId="the till")
        before = max(before, *(at for at in whole if at < end)) if idle else before
        if data.draw(st.booleans()):
            (workspace.memory / ".vault" / "state.sqlite3").unlink()

    assert essence(workspace.memories()) == undisturbed(make, chatId="the till")


def test_law_1_the_second_chat_of_a_file_keeps_its_name_though_the_state_is_lost(make):
    workspace = make()
    show(workspace, ["u:Hello.", "a:Hello! What shall we do?", "u:Nothing."], idle=True)
    show(workspace, CHAT, idle=True)
    before = essence(workspace.memories())
    (workspace.memory / ".vault" / "state.sqlite3").unlink()
    workspace.process()

    assert essence(workspace.memories()) == before
