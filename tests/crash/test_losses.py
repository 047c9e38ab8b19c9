"""State, mirror and ledger are lost or damaged, at any point; what can be made again is, and nothing is doubled."""

import os
import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

from tests.crash.conftest import say
from tests.crash.faults import assert_undisturbed, names, put_back, states_of
from tests.crash.test_kills import backlog, finish, grown
from tests.workspace import Workspace, essence

pytestmark = pytest.mark.timeout(1800)

LOSABLE = (".vault/state.sqlite3", ".vault/mirror.sqlite3", "taken.jsonl")
MOMENTS = random.Random()


@pytest.fixture(autouse=True)
def the_same_every_time(request):
    """Which worker ran what before must not matter."""
    MOMENTS.seed(request.node.nodeid)


def gone(data: bytes) -> bytes | None:
    return None


def emptied(data: bytes) -> bytes:
    return b""


def cut(data: bytes) -> bytes:
    return data[: MOMENTS.randrange(len(data) + 1)]


def noise(data: bytes) -> bytes:
    return MOMENTS.randbytes(len(data))


def a_bad_block(data: bytes) -> bytes:
    start = MOMENTS.randrange(len(data) + 1)
    return data[:start] + MOMENTS.randbytes(min(512, len(data) - start)) + data[start + 512 :]


def zeroes_at_the_end(data: bytes) -> bytes:
    start = MOMENTS.randrange(len(data) + 1)
    return data[:start] + bytes(len(data) - start)


DAMAGES = [gone, emptied, cut, noise, a_bad_block, zeroes_at_the_end]


def damage(workspace: Workspace, name: str, how: Callable[[bytes], bytes | None]) -> None:
    path = workspace.memory / name
    if not path.exists():
        return
    data = how(path.read_bytes())
    path.unlink() if data is None else path.write_bytes(data)


def check(workspace: Workspace, reference: Workspace) -> None:
    """Look as after a kill, behind upkeep: it mends what reading does not notice. A broken state is kept aside."""
    with workspace.app() as app:
        app.mirror.repair(app.shelf.page_states())
    for path in (workspace.memory / ".vault").glob("state.sqlite3.broken-*"):
        path.unlink()
    assert_undisturbed(workspace, reference)


@pytest.mark.parametrize("names", [*combinations(LOSABLE, 1), *combinations(LOSABLE, 2), LOSABLE], ids="+".join)
@pytest.mark.parametrize("how", DAMAGES)
def test_at_any_point_of_a_conversation_that_grows(make, undisturbed, how, names):
    workspace = make()
    chat = say(workspace.chat())
    for share in (0.2, 0.5, 0.7, 1, 1):
        chat.save(upto=int(len(chat.data) * share), written=workspace.clock.now())
        workspace.clock.advance(hours=1)
        workspace.process()
        for name in names:
            damage(workspace, name, how)
    finish(workspace)

    check(workspace, undisturbed)


@pytest.mark.parametrize("stride", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_after_any_durable_step(make, undisturbed, stride):
    workspace = make()

    def work() -> None:
        grown(workspace)
        backlog(workspace)
        workspace.process()

    states = states_of(workspace, work)
    for number, state in enumerate(states[::stride]):
        put_back(workspace, state)
        for name in LOSABLE[: number % 3 + 1]:
            damage(workspace, name, DAMAGES[number % len(DAMAGES)])
        finish(workspace)
        check(workspace, undisturbed)


@pytest.mark.parametrize("name", ["taken.jsonl", ".vault/journal.jsonl"])
def test_a_torn_last_line_costs_itself(make, undisturbed, name):
    workspace = make()
    backlog(workspace)
    workspace.process()
    whole = workspace.files()
    size = len(whole[name])
    for left in range(size - len(whole[name].splitlines()[-1]) - 1, size, 9 if name == "taken.jsonl" else 99):
        put_back(workspace, {**whole, name: whole[name][:left]})
        (workspace.memory / ".vault/state.sqlite3").unlink()
        finish(workspace)
        check(workspace, undisturbed)


def test_what_was_deleted_stays_away_without_the_state(make):
    workspace = make()
    backlog(workspace)
    workspace.process()
    page: Path = workspace.memory / "default" / "decisions.md"
    os.truncate(page, 0)
    left = essence(workspace.memories())
    damage(workspace, ".vault/state.sqlite3", gone)
    finish(workspace)

    assert essence(workspace.memories()) == left
    assert "default/decisions.md" in names(workspace)
