#!/usr/bin/env python3
"""How much of a corpus of planted secrets redaction removes, and how many look-alikes it spares.

    scripts/bench_redaction.py tests/fixtures/secrets/first.jsonl tests/fixtures/secrets/first-lookalikes.jsonl

Both files hold one JSON object a line: `id`, `kind`, `text`, and `secret` (to be removed) or `keep` (to be left alone).
A secret counts as redacted when no contiguous 60 % of it survives; a look-alike is a false alarm when its `keep` no
longer stands whole. Every `⟨cut⟩` is deleted first: it hides the shape of a token from services that refuse a push.
`--show` prints what went wrong, line by line.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agent_memory.redaction import redact

CUT = "⟨cut⟩"
SURVIVING_PERCENT = 60
SHOWN = 160


@dataclass(frozen=True)
class Case:
    """One line of a corpus; `part` is the secret, or the look-alike."""

    id: str
    kind: str
    text: str
    part: str


@dataclass(frozen=True)
class Verdict:
    """What redaction made of one case."""

    case: Case
    right: bool
    redacted: str


def survives(secret: str, text: str) -> bool:
    """Whether a contiguous piece of at least 60 % of the secret is still in the text."""
    size = max(1, -(-len(secret) * SURVIVING_PERCENT // 100))
    return any(secret[start : start + size] in text for start in range(len(secret) - size + 1))


def removed(case: Case, redacted: str) -> bool:
    """Whether the secret is gone."""
    return not survives(case.part, redacted)


def spared(case: Case, redacted: str) -> bool:
    """Whether the look-alike stands whole."""
    return case.part in redacted


def read(path: Path, field: str) -> Iterator[Case]:
    """The cases of a corpus, whose part is in the given field."""
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line.replace(CUT, ""))
            yield Case(row["id"], row["kind"], row["text"], row[field])


def judge(cases: Iterable[Case], right: Callable[[Case, str], bool]) -> list[Verdict]:
    """Every case redacted and judged."""
    texts = ((case, redact(case.text).text) for case in cases)
    return [Verdict(case, right(case, text), text) for case, text in texts]


def table(title: str, word: str, verdicts: list[Verdict]) -> Iterator[str]:
    """The score by kind, worst first, and the whole at the end."""
    kinds: dict[str, list[bool]] = defaultdict(list)
    for verdict in verdicts:
        kinds[verdict.case.kind].append(verdict.right)
    yield f"{title:<22} {word:>8} {'of':>5}"
    for kind, rights in sorted(kinds.items(), key=lambda item: (sum(item[1]) / len(item[1]), item[0])):
        yield f"  {kind:<20} {sum(rights):>8} {len(rights):>5}"
    good, count = sum(verdict.right for verdict in verdicts), len(verdicts)
    yield f"{word} {good} of {count} ({good / max(1, count):.1%})"


def misses(verdicts: list[Verdict]) -> Iterator[str]:
    """What went wrong: the part, and the text as it was left."""
    for verdict in verdicts:
        if not verdict.right:
            yield f"  {verdict.case.id} {verdict.case.kind}: {verdict.case.part[:SHOWN]!r}"
            yield f"      {verdict.redacted[: 2 * SHOWN]!r}"


def main() -> int:
    """Score both corpora."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("secrets", type=Path, help="JSON lines with a `secret` each")
    parser.add_argument("lookalikes", type=Path, help="JSON lines with a `keep` each")
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    options = parser.parse_args()
    runs = (
        ("secrets", "redacted", judge(read(options.secrets, "secret"), removed)),
        ("look-alikes", "spared", judge(read(options.lookalikes, "keep"), spared)),
    )
    for title, word, verdicts in runs:
        print("\n".join([*table(title, word, verdicts), *(misses(verdicts) if options.show else ()), ""]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
