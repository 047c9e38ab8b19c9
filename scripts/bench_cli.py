"""Measure what a call costs: cold commands against an import of what they stand on, and a briefing in process.

    bench_cli.py [--memories 1000 10000] [--runs 15] [--briefing-memories 10000] [--only cold,briefing,hook]

Cold: `inject preview` and `search`, each a process of its own, run in turns with `python -c "import typer, sqlite3"`.
The ratio of each pair is taken, of processor time and of wall time, and the median over the pairs counts: at most 3
with a thousand memories; what larger vaults take is shown.
Modules are compiled beforehand, as those of an installed package are, whatever the environment says.
Briefing: both kinds, of a vault that has not changed since the last one, in process; under 40 ms at the median. Of
processor time, because on a busy machine wall time says how busy it is; on an idle one the two are the same.
Hook: `hook cursor EVENT` as a process on that vault, for each event that does more than say nothing, in turns with
`python -c "import sqlite3, json"`: of the ratios in CPU at most 2.5 at the median, 3.5 at the 95th of a hundred. How
many answered in time is told with it: on a busy machine the deadline may be earlier.
Vaults are generated, with the same seed each time. Exits with 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO

from agent_memory import NewEntry, open_memory
from agent_memory.app import rule
from agent_memory.app.container import open_app

BASE = ("-c", "import typer, sqlite3")
HOOK_BASE = ("-c", "import sqlite3, json")
MAX_RATIO = 3.0
TARGET_MEMORIES = 1000
MAX_HOOK_P50, MAX_HOOK_P95 = 2.5, 3.5
MAX_BRIEFING_MS = 40.0
BRIEFINGS = 60
SEED = 5
SHARES = {"decisions": 35, "lessons": 15, "tasks": 10, "handoffs": 10, "projects": 5, "notes": 25}
SYLLABLES = "ba ca da fe gi lo ma ne pi ra so tu ver zo ção men".split()
SUBJECTS = [a + b + c for a in SYLLABLES for b in SYLLABLES[:10] for c in SYLLABLES[:12]]
HOOKS = {
    "sessionStart": {},
    "postToolUse": {"tool_name": "Read", "tool_input": {"path": "src/db/pool.py"}},
    "beforeSubmitPrompt": {"prompt": f"Why does the {SUBJECTS[3]} ask the {SUBJECTS[40]}, and what of {SUBJECTS[7]}?"},
    "preCompact": {"trigger": "auto"},
    "stop": {"status": "completed", "loop_count": 0},
}
NAMING = 20  # entries that name the file which the tool has read
# As in any language, few words are said very often and most hardly ever.
WEIGHTS = [1 / (rank + 10) for rank in range(len(SUBJECTS))]
SENTENCES = (
    "We keep the {a} apart from the {b}, because {n} callers read it while the {c} is written.",
    "Nunca mexer no {a} sem rodar os testes do {b}: da última vez o {c} perdeu {n} linhas.",
    "The {a} asks the {b} at most {n} times, then it gives up and the {c} says so.",
    "O {a} guarda {n} dias do {b}, porque o {c} precisa deles para o fechamento.",
)


def entries(count: int) -> Iterator[NewEntry]:
    chance = random.Random(SEED)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(count):
        category = chance.choices(list(SHARES), weights=list(SHARES.values()))[0]
        text = " ".join(sentence(chance) for _ in range(3 if category == "handoffs" else 1))
        if category == "tasks":
            text = f"- [{chance.choice('xxx ')}] {text}"  # most tasks of an old vault are done
        yield NewEntry(text, category, agent="default", at=start + timedelta(minutes=7 * number))


def sentence(chance: random.Random) -> str:
    a, b, c = chance.choices(SUBJECTS, WEIGHTS, k=3)
    return chance.choice(SENTENCES).format(a=a, b=b, c=c, n=chance.randrange(1000))


def cold(count: int, runs: int, stage: Path) -> bool:
    folder = stage / str(count) / ".memory"
    with open_memory(folder) as memory:
        memory.add_all(entries(count))
    run = ("-m", "agent_memory", "--dir", str(folder))
    commands = {
        "inject preview": (*run, "inject", "preview", "default", "mend", "the", *SUBJECTS[3:5]),
        "search": (*run, "search", *SUBJECTS[3:5]),
    }
    for words in (BASE, *commands.values()):  # the first call compiles the modules and fills the mirror
        cost(words)
    good = True
    for name, words in commands.items():
        pairs = [(cost(BASE), cost(words)) for _ in range(runs)]
        cpu, wall = (statistics.median(ours[n] / base[n] for base, ours in pairs) for n in (0, 1))
        base_ms, ours_ms = (1000 * statistics.median(pair[n][0] for pair in pairs) for n in (0, 1))
        print(
            f"{name}, {count} memories: {cpu:.2f} times in CPU, {wall:.2f} in wall"
            f" ({ours_ms:.0f} ms against {base_ms:.0f} ms of CPU)"
        )
        good &= cpu <= MAX_RATIO or count > TARGET_MEMORIES
    return good


def hook(count: int, runs: int, stage: Path) -> bool:
    project = stage / "project"
    (project / ".git").mkdir(parents=True)
    with open_memory(project / ".memory") as memory:
        memory.add_all(entries(count))
        memory.add_all(
            NewEntry(f"Rule {n}: src/db/pool.py is {sentence(random.Random(n))}", "decisions") for n in range(NAMING)
        )
    with open_app(workspace=str(project), flags={"hooks.prompts": True}) as app:
        app.folder.briefings.mkdir()
        rule.refresh(app)
    good = True
    for event, fields in HOOKS.items():
        words = ("-m", "agent_memory", "hook", "cursor", event)
        pairs, told = [], 0
        for number in range(runs + 1):
            common = {
                "conversation_id": f"{event}-{number}",
                "workspace_roots": [str(project)],
                "transcript_path": None,
            }
            payload = stage / "payload.json"
            payload.write_text(json.dumps({**common, **fields}), encoding="utf-8")
            with payload.open("rb") as stdin, (stage / "answer.json").open("w+b") as stdout:
                pairs.append((cost(HOOK_BASE), cost(words, stdin, stdout)))
                stdout.seek(0)
                told += "additional_context" in json.loads(stdout.read())
        ratios = sorted(ours[0] / base[0] for base, ours in pairs[1:])  # the first one compiles
        p50, p95 = statistics.median(ratios), ratios[max(-(-len(ratios) * 19 // 20) - 1, 0)]
        ours_ms = 1000 * statistics.median(ours[0] for _, ours in pairs[1:])
        name = f"hook {event}, {count} memories"
        print(
            f"{name}: {p50:.2f} times in CPU at the median, {p95:.2f} at p95 ({ours_ms:.0f} ms),"
            f" {told} of {len(pairs)} told"
        )
        good &= p50 <= MAX_HOOK_P50 and p95 <= MAX_HOOK_P95
    return good


def cost(
    words: tuple[str, ...], stdin: IO[bytes] | int = subprocess.DEVNULL, stdout: IO[bytes] | int = subprocess.DEVNULL
) -> tuple[float, float]:
    """Return the processor and the wall time of one run of Python."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, *words], stdin=stdin, stdout=stdout)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"failed: {' '.join(words)}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - started


def briefing(count: int, stage: Path) -> bool:
    chance = random.Random(SEED)
    good = True
    with open_memory(stage / "large") as memory:
        memory.add_all(entries(count))
        for kind in ("session", "turn"):
            for asked in ("no command", "a command"):
                commands = [sentence(chance) if asked == "a command" else "" for _ in range(BRIEFINGS)]
                times = [spent(memory.briefing, command, kind=kind) for command in commands]
                cpu, wall = (1000 * statistics.median(pair[n] for pair in times) for n in (0, 1))
                name = f"{kind} briefing for {asked}, {count} memories"
                print(f"{name}: p50 {cpu:.1f} ms of CPU, {wall:.1f} ms of wall time")
                good &= cpu <= MAX_BRIEFING_MS
    return good


def spent(work: Callable[..., object], *given: str, **more: str) -> tuple[float, float]:
    """Return the processor and the wall time of some work in this process."""
    cpu, wall = time.process_time(), time.perf_counter()
    work(*given, **more)
    return time.process_time() - cpu, time.perf_counter() - wall


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--briefing-memories", type=int, default=10_000)
    parser.add_argument("--only", default="cold,briefing,hook")
    given = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory(prefix="agent-memory-bench-") as name:
        stage = Path(name)
        os.environ["HOME"] = os.environ["USERPROFILE"] = name
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(stage / "bytecode")
        if "cold" in given.only:
            for count in given.memories:
                good &= cold(count, given.runs, stage)
        if "briefing" in given.only:
            good &= briefing(given.briefing_memories, stage)
        if "hook" in given.only:
            good &= hook(given.briefing_memories, given.runs, stage)
    print("every target is met" if good else "a target is missed")
    return not good


if __name__ == "__main__":
    sys.exit(main())
