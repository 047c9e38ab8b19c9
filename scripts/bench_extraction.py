"""Measure extraction on labelled conversations: precision, recall and F1 for each kind and language.

    bench_extraction.py --evalset PATH [--json] [--errors] [--speed]

PATH holds one folder per conversation with a transcript in Cursor's form and ``gold.json``. ``--errors``
lists every error. ``--speed`` compares the time of extraction, redaction included, with that of
``json.loads`` on the same lines.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from extraction_scorer import KINDS, Conversation, Counts, Report, conversations, score

from agent_memory.extraction import Memo, step
from agent_memory.model.transcript import Turn
from agent_memory.redaction import redact

LANGUAGES = ("en", "pt", "mix", "all")
JSON_ROUNDS, SPEED_ROUNDS = 25, 5


def as_json(report: Report) -> dict[str, Any]:
    """Return the report's figures for a program."""
    figures = {
        language: {kind: _figures(report.of(kind, language)) for kind in (*KINDS, "total")} for language in LANGUAGES
    }
    return {
        "scores": figures,
        "look_alikes": report.look_alikes,
        "look_alikes_stored": dict(report.look_alikes_stored),
        "noise": report.noise,
    }


def _figures(counts: Counts) -> dict[str, float | int]:
    return {
        "labels": counts.labels,
        "right": counts.right,
        **counts.wrong,
        **{name: round(getattr(counts, name), 3) for name in ("precision", "recall", "f1")},
    }


def as_text(report: Report) -> str:
    """Return the report as a table for a person."""
    lines = [f"{'':4} {'':10} labels right wrong  precision recall    F1"]
    for language in LANGUAGES:
        for kind in (*KINDS, "total"):
            one = report.of(kind, language)
            wrong = one.wrong.total()
            figures = f"{one.precision:10.3f} {one.recall:6.3f} {one.f1:5.3f}"
            lines.append(f"{language:4} {kind:10} {one.labels:6} {one.right:5} {wrong:5} {figures}")
    lines.append(f"look-alikes stored: {report.look_alikes_stored.total()} of {report.look_alikes}")
    lines.append(f"conversations with nothing to store of which something was: {len(report.noise)}")
    return "\n".join(lines)


def speed(chosen: list[Conversation]) -> dict[str, float]:
    """Return how many times longer extraction takes than ``json.loads`` of the same lines."""
    lines = [line for one in chosen for line in one.transcript.read_bytes().splitlines()]
    turns = [one.turns for one in chosen]
    pairs = [_pair(lines, turns) for _ in range(SPEED_ROUNDS)]
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


def _timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evalset", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--errors", action="store_true", help="list every error")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    chosen = conversations(options.evalset)
    if not chosen:
        print(f"No labelled conversations in {options.evalset}: folders with gold.json are missing.", file=sys.stderr)
        return 1
    if options.speed:
        print(json.dumps(speed(chosen)))
        return 0
    report = score(chosen)
    print(json.dumps(as_json(report)) if options.json else as_text(report))
    for error in sorted(report.errors, key=lambda row: row[2]) if options.errors else ():
        print("  ".join(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
