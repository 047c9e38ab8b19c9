"""The numbers in docs come from scripts that still run; here on sizes that tell nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("script", "words", "told"),
    [
        ("bench_recall.py", ["--latency", "50"], "rebuild_times_bare_insert"),
        ("bench_ingest.py", ["--runs", "1", "--sessions", "2", "--lines", "20", "--only", "backlog"], "times_decode"),
    ],
)
def test_a_benchmark_runs(script, words, told):
    command = [sys.executable, str(SCRIPTS / script), *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)

    assert (done.returncode, told in done.stdout) == (0, True), done.stderr
