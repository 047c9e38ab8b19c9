"""The real program as a process: started twice, stopped, killed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_memory.model.memory import Memory
from agent_memory.system.paths import MemoryFolder
from agent_memory.vault.store import Vault
from tests.app.test_watch import bodies, eventually
from tests.workspace import Chat, Workspace, essence

pytestmark = pytest.mark.e2e

FIXTURES = Path(__file__).parent.parent / "fixtures"
DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."


def start(workspace: Workspace, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "agent_memory", *words],
        cwd=workspace.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def run(workspace: Workspace, *words: str) -> int:
    with start(workspace, *words) as process:
        process.communicate(timeout=60)
    return process.returncode


def lay_out(workspace: Workspace) -> list[Chat]:
    chats = []
    for source in sorted((FIXTURES / "demo").glob("*.jsonl")):
        path = workspace.transcripts / source.stem / source.name
        chat = Chat(path, lines=source.read_bytes().splitlines(keepends=True))
        chats.append(chat.save(written=datetime(2026, 3, 13, tzinfo=UTC)))
    return chats


@pytest.fixture
def undisturbed(tmp_path, workspace):
    lay_out(workspace)
    folder = tmp_path / "undisturbed"
    assert run(workspace, "--dir", str(folder), "process") == 0
    return essence(Vault(MemoryFolder(folder), workspace.clock, lock_timeout_s=5).view().memories)


def is_each_once(memories: Iterable[Memory]) -> bool:
    return max(Counter(memory.key for memory in memories).values()) == 1


def test_two_runs_at_once_double_nothing(workspace, undisturbed):
    running = [start(workspace, "process", "--json") for _ in range(3)]
    told = [json.loads(process.communicate(timeout=60)[0]) for process in running]

    assert [each["errors"] for each in told] == [[], [], []]
    assert essence(workspace.memories()) == undisturbed
    assert is_each_once(workspace.memories())


@pytest.mark.parametrize("seed", range(4))
def test_a_run_that_is_killed_is_finished_by_the_next(workspace, undisturbed, seed):
    moments = random.Random(seed)
    for _ in range(4):
        process = start(workspace, "process")
        time.sleep(moments.uniform(0.1, 0.8))  # the moment of the kill, not a wait for something
        process.kill()
        process.communicate()
    assert run(workspace, "process") == 0

    assert essence(workspace.memories()) == undisturbed
    assert is_each_once(workspace.memories())
    assert not [name for name in workspace.files() if "am-tmp" in name]


def lay_out_bad_ones(workspace: Workspace) -> list[str]:
    """A binary file, a link that leads nowhere, a folder with a transcript's name."""
    binary = workspace.chat(1).path
    binary.parent.mkdir(parents=True)
    binary.write_bytes(bytes(range(256)) * 20)
    os.utime(binary, (1_700_000_000, 1_700_000_000))
    workspace.chat(2).path.parent.mkdir()
    workspace.chat(2).path.symlink_to("nowhere.jsonl")
    workspace.chat(3).path.mkdir(parents=True)
    return [workspace.chat(number).path.name for number in (1, 2, 3)]


def test_bad_files_cost_themselves_and_are_named_by_process_and_watch(workspace, undisturbed):
    bad = lay_out_bad_ones(workspace)
    with start(workspace, "process", "--json") as process:
        told = json.loads(process.communicate(timeout=60)[0])

    assert process.returncode == 1
    assert [any(name in trouble["path"] for trouble in told["errors"]) for name in bad] == [True] * 3
    assert essence(workspace.memories()) == undisturbed

    (workspace.memory / ".vault" / "state.sqlite3").unlink()
    watcher = start(workspace, "watch")
    heard = iter(watcher.stderr or ())
    named = [next(line for line in heard if "WARNING" in line or ".jsonl" in line) for _ in bad]
    watcher.terminate()
    watcher.communicate(timeout=20)
    assert watcher.returncode == 0
    assert all(any(name in line for line in named) for name in bad)
    assert essence(workspace.memories()) == undisturbed


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_watcher_ends_cleanly_when_told_to(workspace, number):
    chat = workspace.chat().user("Hello.").assistant("Hello!").ended().save(written=datetime.now(UTC))
    watcher = start(workspace, "watch", "--wait-for-transcripts", "--debounce", "0.2", "--idle-timeout", "60")
    try:
        eventually(lambda: (workspace.memory / ".vault" / "state.sqlite3").exists(), within_s=20)
        chat.user(DECISION).assistant("On it.").save(written=datetime.now(UTC))
        eventually(lambda: bool(bodies(workspace, "decisions")), within_s=20)
        again = start(workspace, "watch")
        _, err = again.communicate(timeout=20)
        assert (again.returncode, str(watcher.pid) in err) == (0, True)
    finally:
        watcher.send_signal(number)
        _, err = watcher.communicate(timeout=20)

    assert (watcher.returncode, "Traceback" in err) == (0, False)
    assert not [name for name in workspace.files() if "am-tmp" in name]


def test_an_idle_watcher_uses_next_to_no_processor_time(workspace):
    for number in range(50):
        workspace.chat(number).user("Hello.").assistant("Hello!").ended().save(written=datetime(2026, 1, 1, tzinfo=UTC))
    watcher = start(workspace, "watch", "--quiet")
    try:
        eventually(lambda: has_taken(workspace, 50), within_s=30)
        before = cpu_s(watcher.pid)
        time.sleep(3)  # the stretch that is measured
        assert cpu_s(watcher.pid) - before < 0.3
    finally:
        watcher.terminate()
        watcher.communicate(timeout=20)


def has_taken(workspace: Workspace, conversations: int) -> bool:
    with workspace.app() as app:
        return len([one for one in app.state.bookmarks() if one.settled]) == conversations


def cpu_s(pid: int) -> float:
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        pytest.skip("needs /proc")
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
