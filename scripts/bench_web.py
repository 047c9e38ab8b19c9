"""Measure the viewer over HTTP: what a search and an entry take, and what the page transfers before it can be used.

    bench_web.py [--memories 10000] [--searches 200]

The vault of bench_cli.py is served on this computer. `/api/memory/search` is asked for one to four words, as people
type them, one after the other, and `/api/memory/entry` for memories here and there; each takes at most 20 ms at the
median. Of processor time, that of this client included, because on a busy machine wall time says how busy it is.
First paint: the page, each file that it names and each that these import, and what it asks first, the overview, a
part of a page and the shared page; at most 200 kB, heads included.
Exits with 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import uvicorn
from bench_cli import SEED, SUBJECTS, WEIGHTS, entries

from agent_memory import open_memory
from agent_memory.app.container import open_app
from agent_memory.interfaces.web.guard import Rules
from agent_memory.interfaces.web.serve import config_of
from agent_memory.interfaces.web.server import Server

MAX_ANSWER_MS = 20.0
FILLING = 3  # the first answers fill the mirror and what is remembered of the pages
MAX_FIRST_PAINT_BYTES = 200_000
NAMED = re.compile(r"""(?:src|href)="/?([\w.-]+)"|(?:from|import)\s*["']\./([\w.-]+)["']""")
ASKED = (
    "/api/memory/overview",
    "/api/memory/vault?agentId=default&category=decisions",
    "/api/memory/compact",
    "/api/memory/project",
)


@contextlib.contextmanager
def served(folder: Path) -> Iterator[httpx.Client]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        server = Server(lambda: open_app(directory=str(folder)), Rules(port))
        running = uvicorn.Server(config_of(server))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
                yield client
        finally:
            server.end()
            running.should_exit = True
            thread.join()
            server.close()


def search(client: httpx.Client, count: int) -> bool:
    chance = random.Random(SEED)
    asked = [" ".join(chance.choices(SUBJECTS, WEIGHTS, k=chance.randint(1, 4))) for _ in range(count + FILLING)]
    return is_quick(client, "search", [{"q": words} for words in asked])


def entry(client: httpx.Client, count: int) -> bool:
    page = {"agentId": "default", "category": "decisions", "limit": 100}
    listed = client.get("/api/memory/vault", params=page).raise_for_status().json()["entries"]
    return is_quick(client, "entry", [{"id": random.choice(listed)["id"]} for _ in range(count + FILLING)])


def is_quick(client: httpx.Client, route: str, asked: list[dict[str, str]]) -> bool:
    times = []
    for params in asked:
        cpu, wall = time.process_time(), time.perf_counter()
        client.get(f"/api/memory/{route}", params=params).raise_for_status()
        times.append((time.process_time() - cpu, time.perf_counter() - wall))
    cpu_ms, wall_ms = (1000 * statistics.median(pair[n] for pair in times[FILLING:]) for n in (0, 1))
    print(f"{route}: p50 {cpu_ms:.1f} ms of CPU, {wall_ms:.1f} ms of wall time")
    return cpu_ms <= MAX_ANSWER_MS


def first_paint(client: httpx.Client) -> bool:
    taken = {"/": client.get("/").raise_for_status()}
    waiting = ["/", *ASKED]
    while waiting:
        path = waiting.pop()
        answer = taken[path] = taken.get(path) or client.get(path).raise_for_status()
        if not path.startswith("/api"):
            named = {f"/{first or second}" for first, second in NAMED.findall(answer.text)}
            waiting += named - taken.keys()
    sizes = {path: size_of(answer) for path, answer in taken.items()}
    for path, size in sorted(sizes.items(), key=lambda pair: -pair[1]):
        print(f"  {size:7} {path}")
    print(f"first paint: {sum(sizes.values())} bytes")
    return sum(sizes.values()) <= MAX_FIRST_PAINT_BYTES


def size_of(answer: httpx.Response) -> int:
    return answer.num_bytes_downloaded + sum(len(name) + len(value) + 4 for name, value in answer.headers.raw)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--searches", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agent-memory-bench-") as name:
        os.environ["HOME"] = os.environ["USERPROFILE"] = name
        folder = Path(name) / "project" / ".memory"
        with open_memory(folder) as memory:
            memory.add_all(entries(given.memories))
        with served(folder) as client:
            results = [first_paint(client), search(client, given.searches), entry(client, given.searches)]
    print("every target is met" if all(results) else "a target is missed")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
