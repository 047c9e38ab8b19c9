"""Measure consolidation without a model: CPU time of a run, by how many notes there are.

    bench_consolidate.py [1000 …] [--rounds 5] [--json]

Notes are generated, the same every time: each speaks of one of many subjects, with words of its own, words that it
shares with its subject, and words that every note has. ``first`` is the run that sees all of them for the first time
and links them; ``later`` are those that follow it, of which each makes some more lessons. Medians of ``--rounds``.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agent_memory import NewEntry, open_memory
from agent_memory.app.consolidate import Consolidation, consolidate
from agent_memory.app.container import open_app

SEED = 20_260_316
FROM = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
PER_SUBJECT = 12
LATER = 3
SYLLABLES = [a + b for a in "bcdfglmnprstv" for b in "aeiou"]
COMMON = "store order report page user table build test cache queue worker client server request".split()
SMALL_WORDS = "the of and to in is that it for was on with as be at by this have from or we not are".split()


def notes(count: int) -> list[NewEntry]:
    """Return so many notes, in the order in which they were said."""
    rng = random.Random(SEED)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(20 * count)]
    subjects = [rng.sample(words, 14) for _ in range(max(count // PER_SUBJECT, 1))]
    return [
        NewEntry(_note(rng, rng.choice(subjects), words), at=FROM + timedelta(minutes=2 * number))
        for number in range(count)
    ]


def _note(rng: random.Random, subject: list[str], words: list[str]) -> str:
    said = [*rng.sample(subject, 6), *rng.sample(words, 6), *rng.sample(COMMON, 3), *rng.choices(SMALL_WORDS, k=12)]
    rng.shuffle(said)
    half = len(said) // 2
    return " ".join(f"{' '.join(part).capitalize()}." for part in (said[:half], said[half:]))


def measure(count: int, rounds: int) -> dict[str, Any]:
    """Return what runs over so many notes cost, and what they came to."""
    first, later, done = list[float](), list[float](), list[Consolidation]()
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "written"
        with open_memory(written) as memory:
            memory.add_all(notes(count))
        for number in range(rounds):
            copy = Path(folder) / str(number)
            shutil.copytree(written, copy)
            done = [_run(copy, first), *(_run(copy, later) for _ in range(LATER))]
    return {
        "notes": count,
        "first_cpu_s": round(statistics.median(first), 3),
        "later_cpu_s": round(statistics.median(later), 3),
        "links": done[0].links,
        "lessons": [len(one.made) for one in done],
    }


def _run(folder: Path, spent: list[float]) -> Consolidation:
    with open_app(directory=str(folder), flags={"workspace.agent": "default"}) as app:
        before = time.process_time()
        done = consolidate(app)
        spent.append(time.process_time() - before)
    return done


def main() -> None:
    """Measure each size and print a line for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", nargs="*", type=int, default=[1_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    for one in (measure(count, given.rounds) for count in given.notes):
        told = "{notes} notes: first {first_cpu_s} s CPU, later {later_cpu_s}; {links} links, lessons {lessons}"
        print(json.dumps(one) if given.json else told.format(**one))


if __name__ == "__main__":
    main()
