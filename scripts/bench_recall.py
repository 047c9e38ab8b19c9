"""Measure recall through the library: what part of the evidence a question finds, and how long it takes.

    bench_recall.py PATH… [--typos] [--json]
    bench_recall.py --latency [1000 10000 100000] [--json]

PATH is a file of questions with their evidence: ``{"name", "corpora": [{"id", "docs": [{"id", "text", "speaker",
"time", "session", "seq"}], "queries": [{"id", "text", "gold": [ids]}]}]}``. Each corpus becomes a vault of its own,
its documents entries of category notes, and its questions are asked of that vault.

R@k is the share of a question's evidence in the first k, hit@k whether any is there, MRR the mean of 1 / the place of
the first evidence (of 100), nDCG@10 its gain discounted by place, and R@2kT the share that fits a context of 2,000
tokens filled in order of rank, at four characters a token and 12 tokens an entry. ``--typos`` exchanges two
neighbouring letters in the longest word of each question that is no stop word, the same ones every time.
``--vectors`` makes vectors first, so that meaning counts; the extra ``semantic`` must be installed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from agent_memory import NewEntry, open_memory
from agent_memory.app import maintain
from agent_memory.app.container import App, open_app
from agent_memory.mirror.fts import STOP_WORDS
from agent_memory.model.recall import Query
from agent_memory.model.text import fold
from agent_memory.recall.engine import recall
from agent_memory.vault.view import PageState

AT = (1, 3, 5, 10)
DEPTH = 100
CONTEXT_TOKENS, FRAME_TOKENS = 2000, 12
SEED = 20_260_316
NO_TIME = datetime(2026, 1, 1, tzinfo=UTC)

SIZES = (1_000, 10_000, 100_000)
PAGES = 500
TALK_TURNS = 6
WORDS_PER_ENTRY = (20, 60)
VOCABULARY = 30_000
STOP_SHARE = 0.4
SMALL_WORDS = "the of and to in is that it for was on with as be at by this have from or we not are".split()
SYLLABLES = [a + b for a in "bcdfglmnprstv" for b in "aeiou"]
ROUNDS = 60


def measure(path: Path, *, typos: bool, vectors: bool) -> dict[str, float]:
    """Return the metrics of one file, averaged over all its questions."""
    data = json.loads(path.read_text(encoding="utf-8"))
    rng = random.Random(SEED)
    rows: list[dict[str, float]] = []
    for corpus in data["corpora"]:
        with tempfile.TemporaryDirectory() as name, open_memory(folder := Path(name) / ".memory") as memory:
            ids = memory.add_all([entry(doc) for doc in corpus["docs"]])
            if vectors:
                with open_app(directory=str(folder)) as app:
                    maintain.reindex(app, vectors=True)
            known = dict(zip(ids, corpus["docs"], strict=True))
            first = timed(lambda: memory.search("warm up"))
            for query in corpus["queries"]:
                text = with_typo(query["text"], rng) if typos else query["text"]
                started = time.process_time()
                found = [known[hit.id] for hit in memory.search(text, limit=DEPTH)]
                spent = time.process_time() - started
                rows.append({**scores(found, set(query["gold"])), "cpu_ms": 1000 * spent})
    means = {name: statistics.fmean(row[name] for row in rows) for name in rows[0] if name != "cpu_ms"}
    return {
        "questions": len(rows),
        **means,
        "first_cpu_ms": 1000 * first,
        **percentiles("cpu_ms", [row["cpu_ms"] for row in rows]),
    }


def entry(doc: Mapping[str, Any]) -> NewEntry:
    """Return a document as an entry: a turn of a conversation."""
    return NewEntry(
        spoken(doc),
        at=datetime.fromisoformat(doc["time"]).replace(tzinfo=UTC) if doc["time"] else NO_TIME,
        author=doc["speaker"] or None,
        conversation=str(doc["session"]),
        turn=doc["seq"],
    )


def spoken(doc: Mapping[str, Any]) -> str:
    """Return a document's text with its speaker."""
    return f"{doc['speaker']}: {doc['text']}" if doc["speaker"] else str(doc["text"])


def scores(found: Sequence[Mapping[str, Any]], gold: set[str]) -> dict[str, float]:
    """Return one question's metrics."""
    ranked = [doc["id"] for doc in found]
    places = [place for place, one in enumerate(ranked, 1) if one in gold]
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(len(gold), 10) + 1))
    return {
        **{f"R@{k}": sum(place <= k for place in places) / len(gold) for k in AT},
        **{f"hit@{k}": float(any(place <= k for place in places)) for k in (5, 10)},
        "MRR": 1 / places[0] if places else 0.0,
        "nDCG@10": sum(1 / math.log2(place + 1) for place in places if place <= 10) / ideal,
        "R@2kT": len(gold & set(fitting(found))) / len(gold),
    }


def fitting(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the ids of what fits the context, in order of rank."""
    used = 0.0
    for doc in found:
        used += len(spoken(doc)) / 4 + FRAME_TOKENS
        if used > CONTEXT_TOKENS:
            return
        yield doc["id"]


def with_typo(text: str, rng: random.Random) -> str:
    """Exchange two neighbouring, different letters in the longest content word."""
    content = [word for word in re.finditer(r"[^\W\d_]+", text) if fold(word[0]) not in STOP_WORDS]
    if not content:
        return text
    word = max(content, key=lambda found: len(found[0]))
    places = [at for at in range(word.start(), word.end() - 1) if text[at].lower() != text[at + 1].lower()]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def percentiles(name: str, values: Sequence[float]) -> dict[str, float]:
    """Return the median and the 95th percentile."""
    return {f"{name}_p50": statistics.median(values), f"{name}_p95": statistics.quantiles(values, n=20)[-1]}


def latency(entries: int) -> dict[str, float]:
    """Return what search and sync cost on a vault of this size: milliseconds of processor time, and ratios."""
    rng = random.Random(SEED)
    lexicon = ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(VOCABULARY)]
    texts = [sentence(rng, lexicon, rng.randint(*WORDS_PER_ENTRY)) for _ in range(entries)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / ".memory"
        with open_app(directory=str(folder)) as app:
            write_vault(app, texts)
            mirror, states = app.mirror, app.shelf.page_states
            with open_app(directory=str(folder)) as other:
                from_files = timed(lambda: mirror.rebuild(other.pages()))
            bare = min(timed(lambda: bare_insert(texts)) for _ in range(3))
            rebuild = timed(lambda: mirror.rebuild(states()))
            changes = [change_and_sync(app, number) for number in range(ROUNDS // 2)]
            asked = [sentence(rng, lexicon, 3) for _ in range(ROUNDS)]
            long = [sentence(rng, lexicon, 12) for _ in range(ROUNDS)]
            ours = [timed(partial(recall, mirror, Query(text))) for text in asked]
            theirs = bare_matches(app.folder.mirror, asked)
            questions = [timed(partial(recall, mirror, Query(text))) for text in long]
    return {
        "entries": entries,
        **percentiles("three_terms_ms", [1000 * one for one in ours]),
        "bare_match_ms_p50": 1000 * statistics.median(theirs),
        "three_terms_times_bare": statistics.median(ours) / statistics.median(theirs),
        **percentiles("twelve_words_ms", [1000 * one for one in questions]),
        "look_through_pages_ms_p50": 1000 * statistics.median(look for look, _ in changes),
        "sync_of_one_page_ms_p50": 1000 * statistics.median(sync for _, sync in changes),
        "rebuild_s": rebuild,
        "rebuild_times_bare_insert": rebuild / bare,
        "rebuild_from_files_s": from_files,
        "rebuild_from_files_times_bare_insert": from_files / bare,
    }


def sentence(rng: random.Random, lexicon: Sequence[str], words: int) -> str:
    """Return words as in speech: two of five are stop words; of the others the n-th comes 1/n times as often."""
    return " ".join(
        rng.choice(SMALL_WORDS) if rng.random() < STOP_SHARE else lexicon[int(VOCABULARY ** rng.random()) - 1]
        for _ in range(words)
    )


def write_vault(app: App, texts: Sequence[str]) -> None:
    """Write pages of notes by as many agents as it takes, some turns of a conversation to each, as files."""
    per_page = math.ceil(len(texts) / PAGES)
    for start in range(0, len(texts), per_page):
        page = app.folder.root / f"agent{start // per_page}" / "notes.md"
        page.parent.mkdir(parents=True)
        page.write_text("\n".join(entry_text(n, texts[n]) for n in range(start, min(start + per_page, len(texts)))))


def entry_text(number: int, text: str) -> str:
    """Return one entry as a page has it."""
    said = NO_TIME - timedelta(minutes=number)
    number_of_id = int(said.timestamp() * 1000)
    origin = f"library/talk{number // TALK_TURNS}/{TALK_TURNS - number % TALK_TURNS}/0-{len(text)}/77e0a1b2c3d4"
    return f"<!-- id:{number_of_id} by:agent origin:{origin} -->\n## {said:%Y-%m-%dT%H:%M}\n\n{text}\n\n---\n"


def change_and_sync(app: App, number: int) -> tuple[float, float]:
    """Add an entry to one page by hand; return what it takes to look through the pages, and to follow in the mirror."""
    page = app.folder.root / f"agent{number}" / "notes.md"
    page.write_text(entry_text(-1 - number, f"A new line, number {number}.") + page.read_text())
    found: list[PageState] = []
    look = timed(lambda: found.extend(app.pages()))
    mirror = app.mirror
    page.write_text(entry_text(-1000 - number, f"Another line, number {number}.") + page.read_text())
    states = app.pages()
    return look, timed(lambda: mirror.sync(states))


def bare_insert(texts: Sequence[str]) -> None:
    """Fill a plain FTS5 table with the same texts."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(sqlite3.connect(Path(folder) / "bare.sqlite3")) as database,
        database,
    ):
        database.execute("pragma journal_mode = wal")
        database.execute("create virtual table bare using fts5(body, tokenize = 'unicode61 remove_diacritics 2')")
        database.executemany("insert into bare values (?)", ((text,) for text in texts))


def bare_matches(path: Path, asked: Sequence[str]) -> list[float]:
    """Time the same words as one bare MATCH with the same LIMIT on the same file."""
    select = "select rowid from passages where passages match ? order by rank limit 10"
    with contextlib.closing(sqlite3.connect(path)) as database:
        matches = [" OR ".join(f'"{word}"' for word in text.split()) for text in asked]
        return [timed(partial(lambda match: database.execute(select, [match]).fetchall(), match)) for match in matches]


def timed(work: Callable[[], object]) -> float:
    """Return the processor seconds that ``work`` takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files of questions with their evidence")
    parser.add_argument("--typos", action="store_true", help="with a slip in each question")
    parser.add_argument("--vectors", action="store_true", help="with meaning, too")
    parser.add_argument(
        "--latency", nargs="*", type=int, metavar="ENTRIES", help="time synthetic vaults of these sizes"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if missing := [str(path) for path in options.paths if not path.is_file()]:
        print(f"Missing: {', '.join(missing)}. Name files of questions with their evidence.", file=sys.stderr)
        return 1
    if not options.paths and options.latency is None:
        parser.error("name a file of questions, or ask for --latency")
    os.environ["AGENT_MEMORY_SEMANTIC_TIMEOUT_S"] = "60"  # what is measured is what it finds, on any machine
    for path in options.paths:
        show(path.stem, measure(path, typos=options.typos, vectors=options.vectors), as_json=options.json)
    for entries in SIZES if options.latency == [] else options.latency or ():
        show("latency", latency(entries), as_json=options.json)
    return 0


def show(name: str, figures: Mapping[str, float], *, as_json: bool) -> None:
    """Print one line of figures."""
    rounded = {key: round(value, 4) for key, value in figures.items()}
    print(
        json.dumps({"name": name, **rounded})
        if as_json
        else f"{name:10} " + "  ".join(f"{k} {v:g}" for k, v in rounded.items()),
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
