"""Measure ingestion: a backlog, a second run, a long file, a giant line, the watcher's latency and its idle cost.

    bench_ingest.py [--sessions 200] [--lines 200] [--runs 3] [--idle-sessions 5000] [--idle-s 60] [--only backlog,…]

Transcripts are generated: a tenth of the lines are those of tests/fixtures/labelled with other names and
numbers, the rest says what agents say in between; all are padded with tool input to about 1 kB, so that
prose has the share it has there. Every measurement is a process of its own, so that its CPU time and peak
memory are its own; medians are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent_memory.app import ingest, recall
from agent_memory.app.container import open_app
from agent_memory.model.recall import Query
from agent_memory.sources.cursor import cursor_slug

LABELLED = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "labelled"
LINE_BYTES = 1000
MB = 1_000_000
LATENCIES = 20
# The labelled conversations were written to be dense. In long ones most lines tell nothing to remember.
TELLING = 0.1
NOUNS = "parser|ledger|importer|invoice page|queue|mailer|login form|price table|mapa|relatório|cadastro".split("|")
NARRATION = (
    "Reading the {noun} and line {n} of the {other} now.",
    "The {noun} calls the {other} {n} times in that test.",
    "I can see {n} references to the {noun} in this folder.",
    "Let me look at how the {noun} gets its values from the {other}.",
    "Estou lendo o {noun} e a linha {n} do {other}.",
    "O {noun} chama o {other} {n} vezes nesse teste.",
    "That part of the {noun} has {n} lines, most of them about the {other}.",
)


# The generator.


def labelled() -> list[dict]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(LABELLED.glob("*/*.jsonl"))]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def prose_of(record: dict) -> str:
    blocks = record.get("message", {}).get("content", [])
    return "\n\n".join(block["text"] for block in blocks if block.get("type") == "text")


def prose_share(records: list[dict]) -> float:
    """Return which part of the labelled transcripts' bytes is prose."""
    prose = sum(len(prose_of(record).encode()) for record in records)
    return prose / sum(len(json.dumps(record, ensure_ascii=False).encode()) + 1 for record in records)


def renamed(text: str, chance: random.Random) -> str:
    """Give numbers and some long words other values, so that sessions say different things."""
    text = re.sub(r"\d+", lambda found: str(chance.randrange(10 ** len(found[0]))), text)
    word = "".join(chance.choices("bcdfglmnprstv", k=1) + chance.choices("aeiou", k=1)) * 3
    return re.sub(r"\b[a-zà-ú]{8,}\b", lambda found: word if chance.random() < 0.3 else found[0], text)


def filler(chance: random.Random) -> str:
    """Say what agents say between two things worth remembering."""
    noun, other = (chance.choice(NOUNS) for _ in range(2))
    return chance.choice(NARRATION).format(noun=noun, other=other, n=chance.randrange(400))


def session(records: list[dict], seed: int, lines: int) -> Iterator[str]:
    chance = random.Random(seed)
    share, start = prose_share(records), chance.randrange(len(records))
    at = datetime(2026, 1, 1, 9, tzinfo=UTC) + timedelta(hours=seed)
    for number in range(lines):
        record = records[(start + number) % len(records)]
        role = record.get("role")
        if role is None:
            yield json.dumps(record) + "\n"
            continue
        at += timedelta(minutes=1)
        text = renamed(prose_of(record), chance) if chance.random() < TELLING else filler(chance)
        while len(text.encode()) < share * LINE_BYTES:
            text += " " + filler(chance)
        text = text.encode()[: int(share * LINE_BYTES)].decode(errors="ignore")
        if role == "user":
            stamp = f"{at:%A, %b} {at.day}, {at:%Y}, {at:%I:%M %p} (UTC)"
            text = f"<timestamp>{stamp}</timestamp>\n<user_query>\n{text}\n</user_query>"
        yield line_of(role, text, chance)


def line_of(role: str, text: str, chance: random.Random) -> str:
    content: list[dict] = [{"type": "text", "text": text}]
    room = LINE_BYTES - len(text.encode()) - 160
    if room > 0:
        words = " ".join(f"self.{chance.choice('abcdef')}{n} = {n}" for n in range(room // 14))
        content.append({"type": "tool_use", "name": "Write", "input": {"path": "src/app.py", "contents": words}})
    return json.dumps({"role": role, "message": {"content": content}}, ensure_ascii=False) + "\n"


class Place:
    """A workspace with a HOME as Cursor would leave it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = (folder / "shop").resolve(), (folder / "home").resolve()
        (self.root / ".git").mkdir(parents=True)
        self.chats = self.home / ".cursor" / "projects" / cursor_slug(str(self.root)) / "agent-transcripts"
        self.chats.mkdir(parents=True)
        self.records = labelled()

    def path(self, number: int) -> Path:
        name = f"{number:08d}-0000-4000-8000-000000000000"
        return self.chats / name / f"{name}.jsonl"

    def chat(self, number: int, lines: int) -> Path:
        path = self.path(number)
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(session(self.records, number, lines)), encoding="utf-8")
        return self.age(path)

    def age(self, path: Path) -> Path:
        os.utime(path, (time.time() - 9000, time.time() - 9000))
        return path

    def start(self, *words: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "HOME": str(self.home)}
        return subprocess.Popen(
            [sys.executable, *words], cwd=self.root, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def child(self, what: str) -> dict:
        with self.start(__file__, "--child", what) as process:
            out, err = process.communicate()
        if process.returncode:
            sys.exit(err)
        return json.loads(out.splitlines()[-1])

    @contextmanager
    def watcher(self, *words: str) -> Iterator[int]:
        """Run the watcher and give its process id."""
        process = self.start("-m", "agent_memory", "watch", "--wait-for-transcripts", "--quiet", *words)
        try:
            yield process.pid
        finally:
            process.terminate()
            process.communicate()


# What a child process measures of itself.


def take() -> dict:
    with open_app() as app:
        options = ingest.Options(agent=app.agent, idle_after=timedelta(minutes=5))
        tally = ingest.process(app, options)
        return {"turns": tally.turns, "skipped": tally.skipped_lines, "errors": len(tally.errors)}


def decode() -> dict:
    with open_app() as app:
        options = ingest.Options(agent=app.agent, idle_after=timedelta(minutes=5))
        paths = [path for folder in ingest.transcript_folders(app, options) for path in folder.rglob("*.jsonl")]
    for path in paths:
        with path.open("rb") as handle:
            for line in handle:
                json.loads(line)
    return {}


def child(what: str) -> None:
    cpu, wall = time.process_time(), time.monotonic()
    found = {"take": take, "decode": decode}[what]()
    found |= {"cpu_s": time.process_time() - cpu, "wall_s": time.monotonic() - wall}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(found | {"peak_mb": peak / (MB if sys.platform == "darwin" else MB / 1024)}))


# The measurements.


def repeated(runs: int, measure: Callable[[Place], dict[str, float]]) -> dict[str, float]:
    """Return the medians of several runs, each in a new workspace."""
    found = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory(prefix="am-bench-") as folder:
            found.append(measure(Place(Path(folder))))
    return {name: statistics.median(each[name] for each in found) for name in found[0]}


def backlog(place: Place, sessions: int, lines: int) -> dict[str, float]:
    for number in range(sessions):
        place.chat(number, lines)
    before, first, after, second = (place.child(what) for what in ("decode", "take", "decode", "take"))
    decode_s = (before["cpu_s"] + after["cpu_s"]) / 2  # a machine may have grown slower or quicker meanwhile
    return {
        "decode_cpu_s": decode_s,
        "cpu_s": first["cpu_s"],
        "wall_s": first["wall_s"],
        "times_decode": first["cpu_s"] / decode_s,
        "peak_mb": first["peak_mb"],
        "again_wall_s": second["wall_s"],
        "again_share": second["cpu_s"] / first["cpu_s"],
    }


def nothing_new(place: Place, sessions: int) -> dict[str, float]:
    for number in range(sessions):
        place.chat(number, 4)
    place.child("take")
    again = place.child("take")
    return {"wall_s": again["wall_s"], "cpu_s": again["cpu_s"], "peak_mb": again["peak_mb"]}


def appended(place: Place, size: int) -> dict[str, float]:
    """Take one more line of a transcript of ``size`` bytes, most of them what tools were given."""
    path, chance = place.chat(1, 20), random.Random(1)
    contents = "x = 1\n" * 3000
    work = {"type": "tool_use", "name": "Write", "input": {"path": "src/app.py", "contents": contents}}
    with path.open("a", encoding="utf-8") as handle:
        while handle.tell() < size:
            handle.write(line_of("user", f"<user_query>\n{filler(chance)}\n</user_query>", chance))
            answer = [{"type": "text", "text": filler(chance)}, work]
            handle.write(json.dumps({"role": "assistant", "message": {"content": answer}}) + "\n")
    place.age(path)
    place.child("take")
    with path.open("a", encoding="utf-8") as handle:
        handle.write(line_of("user", "<user_query>\nLet's keep the old names.\n</user_query>", chance))
    place.age(path)
    found = place.child("take")
    return {"cpu_s": found["cpu_s"], "wall_s": found["wall_s"], "peak_mb": found["peak_mb"]}


def giant_line(place: Place) -> dict[str, float]:
    path = place.chat(1, 20)
    with path.open("a", encoding="utf-8") as handle:
        handle.write('{"role":"user","message":{"content":[{"type":"text","text":"')
        for _ in range(40):
            handle.write("x" * MB)
        handle.write('"}]}}\n' + "".join(session(place.records, 7, 20)))
    place.age(path)
    found = place.child("take")
    return {name: found[name] for name in ("skipped", "cpu_s", "peak_mb")}


def latency(place: Place, runs: int) -> dict[str, float]:
    """From the write of a line to a search that finds it, the watcher without a debounce."""
    path, chance = place.chat(1, 20), random.Random(1)
    waits = []
    with place.watcher("--debounce", "0") as _, open_app(workspace=str(place.root)) as app:
        until((app.folder.machine / "state.sqlite3").exists, 30)
        time.sleep(1)
        for _ in range(runs):
            word, *others = ("".join(chance.choices("bdfgklmnprstaeiou", k=9)) for _ in range(7))
            said = "Let's go with {} for the {} {}, because {} {} needs {}.".format(word, *others)
            text = f"<user_query>\n{said}\n</user_query>"
            with path.open("a", encoding="utf-8") as handle:
                handle.write(line_of("user", text, chance) + line_of("assistant", "Done.", chance))
                handle.flush()
                started = time.monotonic()
            until(lambda word=word: bool(recall.search(app, Query(word))), 10, pause_s=0.002)
            waits.append((time.monotonic() - started) * 1000)
            time.sleep(0.1)
    return {"p50_ms": statistics.median(waits), "p95_ms": statistics.quantiles(waits, n=20)[-1]}


def idle(place: Place, sessions: int, seconds: float) -> dict[str, float]:
    """The share of a core and the memory of a watcher to which nothing happens, and the most that its start took."""
    for number in range(sessions):
        place.chat(number, 4)
    place.child("take")
    with place.watcher() as pid:
        last = -1.0
        while (now := cpu_of(pid)) != last or not now:  # until its first look is over
            last = now
            time.sleep(2)
        time.sleep(5)
        before = cpu_of(pid)
        time.sleep(seconds)
        share, memory, peak = (cpu_of(pid) - before) / seconds, memory_mb(pid, "VmRSS"), memory_mb(pid, "VmHWM")
    return {"core_percent": 100 * share, "memory_mb": memory, "start_peak_mb": peak}


def until(question: Callable[[], object], within_s: float, *, pause_s: float = 0.05) -> None:
    deadline = time.monotonic() + within_s
    while not question():
        if time.monotonic() > deadline:
            sys.exit("the watcher took too long")
        time.sleep(pause_s)


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int, which: str) -> float:
    found = re.search(rf"{which}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) * 1024 / MB if found else 0.0


def measurements(args: argparse.Namespace) -> dict[str, Callable[[], dict[str, float]]]:
    runs, sessions, lines = args.runs, args.sessions, args.lines
    return {
        "backlog": lambda: repeated(runs, lambda place: backlog(place, sessions, lines)),
        "twice the backlog": lambda: repeated(runs, lambda place: backlog(place, 2 * sessions, lines)),
        "nothing new": lambda: repeated(runs, lambda place: nothing_new(place, args.idle_sessions)),
        "append to 50 kB": lambda: repeated(runs, lambda place: appended(place, 50_000)),
        "append to 50 MB": lambda: repeated(runs, lambda place: appended(place, 50 * MB)),
        "a line of 40 MB": lambda: repeated(runs, giant_line),
        "latency": lambda: repeated(runs, lambda place: latency(place, LATENCIES)),
        "idle": lambda: repeated(1, lambda place: idle(place, args.idle_sessions, args.idle_s)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure ingestion.")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--idle-sessions", type=int, default=5000)
    parser.add_argument("--idle-s", type=float, default=60)
    parser.add_argument("--only", default="", help="names of measurements, with commas between")
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.child)
        return
    wanted = [name.strip() for name in args.only.split(",") if name.strip()]
    print(f"prose share {prose_share(labelled()):.2f}")
    for name, measure in measurements(args).items():
        if not wanted or name in wanted:
            found = measure()
            print(f"{name:18}", "  ".join(f"{what} {value:.3g}" for what, value in found.items()), flush=True)


if __name__ == "__main__":
    main()
