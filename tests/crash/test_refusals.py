"""The disk says no, once or for a while; the run says so, and the next one finishes the work."""

import errno
import os
import subprocess
from contextlib import contextmanager, suppress
from itertools import count

import pytest

from agent_memory.app.ingest import Tally
from agent_memory.errors import AgentMemoryError
from tests.crash.faults import REFUSABLE, STATEMENTS, AtStep, assert_undisturbed, fork, profiled, refuse, result_of
from tests.crash.test_kills import backlog, finish
from tests.workspace import Workspace, essence

pytestmark = pytest.mark.timeout(1800)

ERRORS = [errno.ENOSPC, errno.EIO, errno.EACCES]
NOBODY = 65534


def process(workspace: Workspace) -> Tally | None:
    """Process, and return what it came to: None if it gave up with one of our errors."""
    with suppress(AgentMemoryError):
        return workspace.process()
    return None


# That SQLite meets a full disk at any moment is below; here each of its statements fails in the long version.
@pytest.mark.parametrize(
    ("calls", "errors"),
    [
        (REFUSABLE - STATEMENTS, ERRORS),
        *(pytest.param(REFUSABLE, [each], marks=pytest.mark.slow) for each in ERRORS),
    ],
)
def test_any_call_that_can_fail_fails_once(make, undisturbed, calls, errors):
    for number in count(1):
        workspace = make()
        backlog(workspace)
        refused = AtStep(number, refuse(errors[number % len(errors)]), calls, before=True)
        with profiled(refused):
            tally = process(workspace)
        if tally is not None and not tally.errors:
            assert essence(workspace.memories()) == essence(undisturbed.memories()), refused.name
        finish(workspace)

        left = {name for name in workspace.files() if "am-tmp" in name and refused.name == "unlink"}
        for name in left:  # what could not be deleted is, when its file is written next
            (workspace.memory / name).unlink()
        assert_undisturbed(workspace, undisturbed)
        if not refused.name:
            break
    assert number > 50


@contextmanager
def a_small_disk(workspace: Workspace, kilobytes: int):
    """Put the project on a file system of its own."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(workspace.root)]
    if os.getuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("may not mount")
    (workspace.root / ".git").mkdir()
    try:
        yield
    finally:
        subprocess.run(["umount", str(workspace.root)], check=True)


@pytest.mark.parametrize("stride", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_the_disk_is_full(make, undisturbed, stride):
    for pages in count(0, stride):
        workspace = make()
        with a_small_disk(workspace, 4096):
            ballast = workspace.root / "ballast"
            with suppress(OSError), ballast.open("wb", buffering=0) as handle:
                while handle.write(bytes(4096)):
                    pass
            os.truncate(ballast, ballast.stat().st_size - pages * 4096)
            backlog(workspace)
            tally = process(workspace)
            was_full = tally is None or bool(tally.errors)
            ballast.unlink()
            finish(workspace)

            assert_undisturbed(workspace, undisturbed)
        if not was_full:
            break
    assert pages > 20


def as_nobody(workspace: Workspace) -> int:
    """Process as somebody to whom permissions mean something; return 1 if that failed with an error of ours."""

    def work() -> None:
        if os.getuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        if workspace.process().failed:
            raise AgentMemoryError("reported")

    return result_of(fork(work))


def give_away(workspace: Workspace) -> None:
    top = workspace.root.parent
    top.chmod(0o755)
    for path in [top, *top.rglob("*")] if os.getuid() == 0 else []:
        os.chown(path, NOBODY, NOBODY)


@pytest.mark.parametrize("started", [False, True])
def test_a_folder_that_may_not_be_written(make, undisturbed, started):
    workspace = make()
    if started:
        workspace.chat(2).user("Hello.").assistant("Hello!").save(written=workspace.long_ago())
        workspace.process()
    backlog(workspace)
    give_away(workspace)
    closed = [path for path in [workspace.root, *workspace.root.rglob("*")] if path.is_dir()]
    for path in closed:
        path.chmod(0o555)
    assert as_nobody(workspace) == 1
    for path in closed:
        path.chmod(0o755)
    assert as_nobody(workspace) == 0

    workspace.chat(2).path.unlink(missing_ok=True)
    assert_undisturbed(workspace, undisturbed)
