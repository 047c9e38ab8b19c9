"""Measure extraction on labelled conversations: precision, recall and F1 for each kind and language.

    bench_extraction.py --evalset PATH [--json] [--errors N] [--speed]

PATH holds one folder per conversation with a transcript in Cursor's form and ``gold.json``; the scorer
is the set's own ``score.py``, beside it. ``--speed`` compares the time of extraction, redaction
included, with that of ``json.loads`` on the same lines.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from agent_memory.extraction import Memo, step
from agent_memory.extraction import score as scoring
from agent_memory.model.transcript import Record, Role, Turn
from agent_memory.redaction import redact
from agent_memory.sources import cursor, jsonl
from agent_memory.sources.turns import Assembly, Setting

MIN_CONFIDENCE = 0.5
JSON_ROUNDS, SPEED_ROUNDS = 25, 5
KINDS = ("decisions", "lessons", "tasks")
A_DAY = datetime(2026, 1, 1, tzinfo=UTC)


def conversations(evalset: Path) -> list[Path]:
    """Return the folders of the labelled conversations below ``evalset``."""
    return sorted(path.parent for path in evalset.glob("*/gold.json"))


def load_scorer(evalset: Path) -> ModuleType:
    """Import the set's own scorer, which stands beside it or in it."""
    for folder in (evalset.parent, evalset):
        if (folder / "score.py").exists():
            spec = importlib.util.spec_from_file_location("evalset_score", folder / "score.py")
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise SystemExit(f"No score.py in {evalset.parent} or {evalset}.")


def turns_of(folder: Path) -> Iterator[Turn]:
    """Give the closed turns of one conversation, redacted, as the reader would."""
    path = next(folder.glob("*.jsonl"))
    far = datetime(2100, 1, 1, tzinfo=UTC)
    assembly = Assembly(Setting(path.stem, "cursor", False, A_DAY, far))
    for line in jsonl.split([path.read_bytes()]):
        for event in cursor.events(line):
            if isinstance(event, Record):
                clean = redact(event.text)
                event = replace(event, text=clean.text, redacted=clean.count > 0)
            elif not hasattr(event, "ends_turn"):
                continue
            if turn := assembly.feed(event):
                yield turn
    if turn := assembly.close():
        yield turn


def a_turn(role: Role, text: str, ordinal: int) -> Turn:
    """Return a turn of one record."""
    record = Record(role=role, text=text, start_bytes=0, end_bytes=len(text))
    return Turn("anchor", "cursor", ordinal, role, (record,), A_DAY)


def extract(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Run one conversation through the pipeline and return what would be stored, in the scorer's form."""
    stored: dict[str, dict[str, dict[str, str]]] = {kind: {} for kind in KINDS}
    memo = Memo.empty()
    for turn in turns_of(folder):
        memo, candidates = step(memo, turn)
        for one in candidates:
            if one.confidence >= MIN_CONFIDENCE:
                done = one.body.startswith("- [x]")
                text = one.body[6:] if one.category == "tasks" else one.body
                stored[one.category][one.key] = {"text": text, "status": "done" if done else "open"}
    return {kind: list(rows.values()) for kind, rows in stored.items()}


@contextlib.contextmanager
def weights_in_use(weights: Mapping[str, Mapping[str, float]]) -> Iterator[None]:
    """Judge with other weights than the shipped ones for a while."""
    with mock.patch.object(scoring, "weights", return_value=weights):
        yield


def score(folders: list[Path], scorer: ModuleType, *, errors: int = 0) -> dict[str, Any]:
    """Return the scorer's report on what the pipeline finds in ``folders``."""
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        (here / "predictions").mkdir()
        predictions = {folder.name: extract(folder) for folder in folders}
        (here / "predictions" / "all.json").write_text(json.dumps(predictions), encoding="utf-8")
        (here / "set").mkdir()
        for folder in folders:
            (here / "set" / folder.name).symlink_to(folder.resolve())
        command = [sys.executable, str(scorer.__file__), str(here / "predictions"), "--evalset", str(here / "set")]
        printed = subprocess.run(
            [*command, "--json", str(here / "report.json"), "--errors", str(errors)],
            check=True,
            capture_output=True,
            text=True,
        )
        report: dict[str, Any] = json.loads((here / "report.json").read_text(encoding="utf-8"))
    report["printed"] = printed.stdout
    return report


def totals(report: dict[str, Any]) -> dict[str, Any]:
    """Return precision, recall and F1 by language and kind, and the part of hard negatives that was stored."""
    rounded = {
        language: {
            kind: {name: round(row[name] or 0.0, 3) for name in ("precision", "recall", "f1")}
            for kind, row in kinds.items()
        }
        for language, kinds in report["scores"].items()
    }
    return {"scores": rounded, "hard_negatives": report["hard_negative_hits"].get("all", {})}


def speed(folders: list[Path]) -> dict[str, float]:
    """Return how many times longer extraction takes than ``json.loads`` of the same lines."""
    lines = [line for folder in folders for line in next(folder.glob("*.jsonl")).read_bytes().splitlines()]
    conversations_ = [list(turns_of(folder)) for folder in folders]
    pairs = [_pair(lines, conversations_) for _ in range(SPEED_ROUNDS)]
    loads, ours = sorted(pairs, key=lambda pair: pair[1] / pair[0])[SPEED_ROUNDS // 2]
    return {"json_ms": round(loads * 1000, 2), "extraction_ms": round(ours * 1000, 2), "times": round(ours / loads, 1)}


def _pair(lines: list[bytes], conversations_: list[list[Turn]]) -> tuple[float, float]:
    """Time both, one after the other and about equally long, so that a busy machine slows both alike."""
    loads = _timed(lambda: [json.loads(line) for _ in range(JSON_ROUNDS) for line in lines]) / JSON_ROUNDS
    return loads, _timed(lambda: [_fold(turns) for turns in conversations_])


def _fold(turns: list[Turn]) -> None:
    memo = Memo.empty()
    for turn in turns:
        for record in turn.records:
            redact(record.text)
        memo, _ = step(memo, turn)


def _timed(work: Any) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evalset", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--errors", type=int, default=0, help="list that many errors of each class")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    folders = conversations(options.evalset)
    if not folders:
        print(f"No labelled conversations in {options.evalset}: folders with gold.json are missing.", file=sys.stderr)
        return 1
    if options.speed:
        print(json.dumps(speed(folders)))
        return 0
    report = score(folders, load_scorer(options.evalset), errors=options.errors)
    print(json.dumps(totals(report)) if options.json else report["printed"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
