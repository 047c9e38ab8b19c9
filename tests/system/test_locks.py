import subprocess
import sys

import pytest

from agent_memory.errors import FileError, LockTimeout
from agent_memory.system import locks


def test_a_held_lock_is_refused_after_the_deadline_and_says_who_holds_it(tmp_path):
    program = (
        "import sys; from pathlib import Path; from agent_memory.system import locks\n"
        "with locks.locked(Path(sys.argv[1]), timeout_s=5):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "vault.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"

        with pytest.raises(LockTimeout, match=str(holder.pid)), locks.locked(tmp_path / "vault.lock", timeout_s=0.1):
            pass

        holder.stdin.close()
    with locks.locked(tmp_path / "vault.lock", timeout_s=5):
        pass


def test_a_lock_is_taken_or_left(tmp_path):
    first = locks.try_lock(tmp_path / "watch.lock")

    assert first is not None
    assert locks.try_lock(tmp_path / "watch.lock") is None
    first.release()
    again = locks.try_lock(tmp_path / "watch.lock")
    assert again is not None
    again.release()


def test_a_lock_whose_holder_cannot_be_named_is_given_back(tmp_path):
    (tmp_path / "vault.who").mkdir()
    with pytest.raises(FileError), locks.locked(tmp_path / "vault.lock", timeout_s=1):
        pass
    (tmp_path / "vault.who").rmdir()

    with locks.locked(tmp_path / "vault.lock", timeout_s=0):
        pass
