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
        ("bench_web.py", ["--memories", "40", "--searches", "3"], "first paint"),
        ("bench_ingest.py", ["--runs", "1", "--sessions", "2", "--lines", "20", "--only", "backlog"], "times_decode"),
        ("bench_consolidate.py", ["60", "--rounds", "1"], "lessons [5"),
        ("bench_tui.py", ["--memories", "30", "--keys", "9", "--only", "keys"], "9 keys in one go: none lost"),
    ],
)
def test_a_benchmark_runs(script, words, told):
    command = [sys.executable, str(SCRIPTS / script), *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)

    assert (done.returncode, told in done.stdout) == (0, True), done.stderr


@pytest.mark.e2e
def test_redaction_is_scored_by_kind_and_its_misses_are_shown(tmp_path):
    secrets, lookalikes = tmp_path / "secrets.jsonl", tmp_path / "lookalikes.jsonl"
    secrets.write_text('{"id": "s1", "kind": "said", "text": "we went by bicycle", "secret": "bicycle"}\n')
    lookalikes.write_text('{"id": "l1", "kind": "talk", "text": "the tests pass", "keep": "tests pass"}\n')

    command = [sys.executable, str(SCRIPTS / "bench_redaction.py"), str(secrets), str(lookalikes), "--show"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    told = done.stdout
    assert ("redacted 0 of 1" in told, "spared 1 of 1" in told, "s1 said: 'bicycle'" in told) == (True, True, True)
