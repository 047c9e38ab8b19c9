"""Setting up and taking back while others do the same, while the disk says no, and killed in the middle.

Whatever happens, a file of somebody else's is whole, as it was or with our entries in it, and ``uninstall`` brings
every byte back.
"""

import errno
import os
from contextlib import suppress
from functools import partial
from itertools import count

import pytest

from agent_memory.app import setup
from agent_memory.editors.table import BRIEFING_RULE
from agent_memory.errors import AgentMemoryError
from agent_memory.system.files import TEMPORARY_SUFFIX
from tests.crash.faults import REFUSABLE, STATEMENTS, AtStep, fork, kill, profiled, refuse, result_of
from tests.crash.test_refusals import a_small_disk

pytestmark = pytest.mark.timeout(600)

ERRORS = [errno.ENOSPC, errno.EIO, errno.EACCES]
THEIRS = {
    ".vscode/tasks.json": b'\xef\xbb\xbf{\r\n\t// ours\r\n\t"tasks": [{"label": "build"},],\r\n}\r\n',
    ".cursor/hooks.json": b'{"version": 1, "hooks": {"stop": [{"command": "theirs"}]}}',
    ".cursor/style.md": b"Be brief.\n",
}
STEPS = {"init": 23, "uninstall": 11}
"""Each so many steps once; all of them in the long version."""
OWN = {BRIEFING_RULE}  # whose text comes and goes with the briefing


@pytest.fixture
def shop(make):
    """Make workspaces with files of somebody else's."""

    def made():
        workspace = make()
        for path, data in THEIRS.items():
            (workspace.root / path).parent.mkdir(parents=True, exist_ok=True)
            (workspace.root / path).write_bytes(data)
        return workspace

    return made


def init(workspace):
    with workspace.app() as app:
        return setup.init(app, setup.rows_for(None, [], []))


def uninstall(workspace):
    with workspace.app() as app:
        return setup.uninstall(app)


DO = {"init": init, "uninstall": uninstall}


def outside(workspace):
    found = (path for path in workspace.root.rglob("*") if ".memory" not in path.parts and path.is_file())
    return {path.relative_to(workspace.root).as_posix(): path.read_bytes() for path in found}


def folders(workspace):
    found = (path.relative_to(workspace.root) for path in workspace.root.rglob("*") if path.is_dir())
    return {path.as_posix() for path in found if not {".memory", ".git"} & {*path.parts}}


def prepared(shop, verb):
    workspace = shop()
    if verb == "uninstall":
        init(workspace)
    return workspace


def assert_whole_and_back(workspace, complete):
    """Fail unless each file is as it was or as it should be, and all can be taken back, and set up again."""
    found = outside(workspace)
    whole = {path for path, data in found.items() if data in (THEIRS.get(path), complete.get(path))}
    assert {path for path in found.keys() - whole - OWN if not path.endswith(TEMPORARY_SUFFIX)} == set()
    assert THEIRS.keys() <= found.keys()
    init(workspace)
    assert outside(workspace) == complete
    uninstall(workspace)
    assert outside(workspace) == THEIRS
    assert folders(workspace) == {".vscode", ".cursor"}
    assert [name for name in workspace.files() if name.endswith(TEMPORARY_SUFFIX)] == []


@pytest.fixture
def complete(shop):
    workspace = shop()
    init(workspace)
    return outside(workspace)


def test_all_at_once_is_as_once(shop, complete):
    workspace = shop()
    assert [result_of(child) for child in [fork(lambda: init(workspace)) for _ in range(4)]] == [0] * 4
    assert outside(workspace) == complete

    assert [result_of(child) for child in [fork(lambda: uninstall(workspace)) for _ in range(3)]] == [0] * 3
    assert outside(workspace) == THEIRS


def test_setting_up_and_taking_back_at_once_leaves_what_can_be_taken_back(shop, complete):
    workspace = shop()
    children = [fork(partial(work, workspace)) for work in (init, uninstall, init, uninstall)]
    assert [result_of(child) for child in children] == [0] * 4

    assert_whole_and_back(workspace, complete)


@pytest.mark.parametrize("verb", DO)
@pytest.mark.parametrize("share", [1, pytest.param(0, marks=pytest.mark.slow)])
def test_killed_at_any_step_it_can_be_taken_back(shop, complete, verb, share):
    for number in count(1, STEPS[verb] if share else 1):
        workspace = prepared(shop, verb)
        child = fork(partial(DO[verb], workspace), AtStep(number, kill))
        ended = result_of(child) == 0
        assert_whole_and_back(workspace, complete)
        if ended:
            break
    assert number > 10


@pytest.mark.parametrize("verb", DO)
@pytest.mark.parametrize("share", [1, pytest.param(0, marks=pytest.mark.slow)])
def test_what_the_disk_refuses_once_costs_no_byte_of_anybodys(shop, complete, verb, share):
    for number in count(1, STEPS[verb] if share else 1):
        workspace = prepared(shop, verb)
        refused = AtStep(number, refuse(ERRORS[number % len(ERRORS)]), REFUSABLE - STATEMENTS, before=True)
        with profiled(refused), suppress(AgentMemoryError):
            DO[verb](workspace)
        assert_whole_and_back(workspace, complete)
        if not refused.name:
            break
    assert number > 10


@pytest.mark.parametrize("pages", [0, 3, 8, 20, 60])
def test_a_full_disk_leaves_every_file_whole(shop, complete, pages):
    workspace = shop()
    with a_small_disk(workspace, 4096):
        for path, data in THEIRS.items():
            (workspace.root / path).parent.mkdir(parents=True, exist_ok=True)
            (workspace.root / path).write_bytes(data)
        ballast = workspace.root / "ballast"
        with suppress(OSError), ballast.open("wb", buffering=0) as handle:
            while handle.write(bytes(4096)):
                pass
        os.truncate(ballast, ballast.stat().st_size - pages * 4096)
        with suppress(AgentMemoryError):
            init(workspace)
        ballast.unlink()
        assert_whole_and_back(workspace, complete)
