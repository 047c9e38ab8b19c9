"""Fit the weights of extraction's signals on labelled conversations, and say how far they carry.

    fit_extraction.py EVALSET [EVALSET …] [--write] [--halves]

Logistic regression, one for each category and speaker, pulled by a penalty towards weights set by hand;
no dependency, the same result on every run. A sentence counts as an example of a category where it
overlaps with a labelled quotation as the scorer measures it. ``tests/fixtures/phrases.toml`` and
``anchors.toml`` add plain statements from outside, so that the vocabulary is wider than the labels'.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

from bench_extraction import as_json
from extraction_scorer import CLEARLY_CLOSER, Conversation, conversations, score, words_of

from agent_memory.extraction import Memo, step
from agent_memory.extraction import score as scoring
from agent_memory.extraction.observe import observe
from agent_memory.extraction.score import CATEGORIES, vetoed
from agent_memory.extraction.table import FILES, ROLES, load, parse, text_of
from agent_memory.model.transcript import Record, Role, Turn

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = ROOT / "agent_memory" / "extraction" / "patterns" / "weights.toml"
FIXTURES = ROOT / "tests" / "fixtures"
# The weights set by hand count as much as this many sentences; chosen by the score of halves.
PENALTY = 4.0
STEPS = 12
# Added to the bias, because half sure is where a caller draws the line and precision counts double.
LEAN = {"decisions": 0.1, "lessons": 0.2, "tasks": 0.7}
# Signals that fewer sentences have are not fitted, unless they have a weight set by hand.
RARE = 4
PLACES: dict[str, dict[str, float]] = {
    "lessons": {
        "label:cause": 2.0,
        "under:cause": 1.5,
        "label:lesson": 4.5,
        "under:lesson": 1.5,
        "worked": 0.8,
        "textbook": -5.0,
        "explained": -1.5,
        "answer": 0.3,
        "semicolon": 0.5,
        "words:3": -2.0,
        "words:6": -1.5,
        "words:10": -0.5,
        "words:more": 0.7,
        "label:aside": -1.0,
        "under:aside": -1.0,
        "label:task": -1.5,
        "under:task": -1.5,
    },
    "decisions": {
        "label:decision": 3.0,
        "label:lesson": -3.0,
        "under:decision": 0.7,
        "label:aside": -1.0,
        "under:aside": -1.0,
        "label:task": -2.0,
        "under:task": -2.0,
        "first-request": -1.0,
        "later": -1.0,
        "record": -1.5,
        "leftover": -1.0,
        "asked:choice": 1.2,
        "asked:question": 0.5,
        "asked:advice": 0.7,
        "terse-choice": 1.0,
        "mood:accepted": 0.5,
        "words:3": -1.0,
    },
    "tasks": {
        "label:task": 2.5,
        "under:task": 2.5,
        "label:cause": -1.0,
        "label:lesson": -2.0,
        "words:3": -1.0,
        "first-request": -1.0,
        "answer": 0.3,
    },
}
AFTER_A_QUESTION = replace(Memo.empty(), asked="question", mood="reported")
PLACES_OF_STATEMENTS: dict[str, list[tuple[int, Memo]]] = {
    "user": [(0, Memo.empty())],
    "assistant": [(0, Memo.empty()), (4, AFTER_A_QUESTION)],
}
# Statements are richer than talk; this signal takes up the difference, so that the bias stays that of talk.
OUTSIDE = "outside"
HEADER = """# What each signal weighs, by category and speaker, in natural logarithms of odds. Written by
# scripts/fit_extraction.py; signals that are missing here weigh nothing.
"""


@dataclass(frozen=True)
class Example:
    """The signals of one sentence, whether it belongs to the category, and how much it counts."""

    signals: frozenset[str]
    belongs: bool
    counts: float = 1.0


def examples_of(conversation: Conversation) -> dict[str, list[Example]]:
    """Return every sentence of one conversation as an example, by category and speaker."""
    found: dict[str, list[Example]] = defaultdict(list)
    memo, table = Memo.empty(), load()
    truth = {kind: [label for label in conversation.labels(kind) if not label.done] for kind in CATEGORIES}
    against, borderline = conversation.labels("hard_negatives"), conversation.labels("ignore")
    for turn in conversation.turns:
        for one in observe(memo, turn, table):
            said = words_of(one.sentence.text)
            if vetoed(one.signals) or any(label.likeness(said) for label in borderline):
                continue
            worst = max((label.likeness(said) for label in against), default=0.0)
            for kind, labels in truth.items():
                best = max((label.likeness(said) for label in labels), default=0.0)
                belongs = best > max(worst - CLEARLY_CLOSER, 0.0)
                found[f"{kind}.{turn.role}"].append(Example(one.signals, belongs))
        memo, _ = step(memo, turn)
    return found


def statements(name: str, counts: float) -> dict[str, list[Example]]:
    """Return the plain statements of a fixture as examples, each in the places where it may stand."""
    found: dict[str, list[Example]] = defaultdict(list)
    for role, kinds in tomllib.loads((FIXTURES / name).read_text(encoding="utf-8")).items():
        for kind, texts in kinds.items():
            for text, (ordinal, memo) in itertools.product(texts, PLACES_OF_STATEMENTS[role]):
                for one in observe(memo, a_turn(role, text, ordinal), load()):
                    for category in () if vetoed(one.signals) else CATEGORIES:
                        example = Example(one.signals | {OUTSIDE}, kind == category, counts)
                        found[f"{category}.{role}"].append(example)
    return found


def a_turn(role: Role, text: str, ordinal: int) -> Turn:
    """Return a turn of one record."""
    record = Record(role=role, text=text, end_bytes=len(text))
    return Turn("statement", "cursor", ordinal, role, (record,), datetime(2026, 1, 1, tzinfo=UTC))


def by_hand(category: str) -> dict[str, float]:
    """Return what the rows of the tables and ``PLACES`` say before any conversation is seen."""
    rows = [cue for name in FILES for cue in parse(text_of(name), name)]
    return {cue.id: cue.weight for cue in rows if cue.category in (category, "any")} | PLACES[category]


def fit(examples: list[Example], prior: Mapping[str, float]) -> dict[str, float]:
    """Return the weights that explain ``examples`` best, pulled towards ``prior`` by the penalty."""
    counts = Counter(name for example in examples for name in example.signals)
    names = ["bias", *sorted(name for name in counts if counts[name] >= RARE or name in prior)]
    place = {name: number for number, name in enumerate(names)}
    rows = [([0, *(place[name] for name in one.signals if name in place)], one) for one in examples]
    goal = [prior.get(name, 0.0) for name in names]
    weights = goal[:]
    for _ in range(STEPS):
        pull = [1e-6 if number == 0 else PENALTY for number in range(len(names))]
        slope = [force * (weight - aim) for force, weight, aim in zip(pull, weights, goal, strict=True)]
        bend = [[pull[row] * (row == column) for column in range(len(names))] for row in range(len(names))]
        for active, one in rows:
            sure = 1 / (1 + math.exp(-sum(weights[number] for number in active)))
            for row in active:
                slope[row] += one.counts * (sure - one.belongs)
                for column in active:
                    bend[row][column] += one.counts * sure * (1 - sure)
        # Half a step cannot overshoot into the flat far ends of the curve.
        weights = [weight - change * 0.7 for weight, change in zip(weights, solved(bend, slope), strict=True)]
    return {name: round(weight, 2) for name, weight in zip(names, weights, strict=True) if name != OUTSIDE}


def solved(matrix: list[list[float]], values: list[float]) -> list[float]:
    """Solve a system of linear equations whose matrix is positive definite, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, values, strict=True)]
    for pivot, upper in enumerate(rows):
        for row in rows[pivot + 1 :]:
            if factor := row[pivot] / upper[pivot]:
                row[pivot:] = [left - factor * right for left, right in zip(row[pivot:], upper[pivot:], strict=True)]
    found = [0.0] * len(rows)
    for pivot in reversed(range(len(rows))):
        known = sum(rows[pivot][column] * found[column] for column in range(pivot + 1, len(rows)))
        found[pivot] = (rows[pivot][-1] - known) / rows[pivot][pivot]
    return found


def fit_all(chosen: list[Conversation]) -> dict[str, dict[str, float]]:
    """Return the weights of every category and speaker, fitted on ``chosen`` and the statements."""
    sources = [statements("anchors.toml", 1.0), statements("phrases.toml", 0.3), *map(examples_of, chosen)]
    found = {}
    for category, role in itertools.product(CATEGORIES, ROLES):
        name = f"{category}.{role}"
        weights = fit([example for source in sources for example in source.get(name, ())], by_hand(category))
        found[name] = weights | {"bias": round(weights["bias"] + LEAN[category], 2)}
    return found


def as_toml(weights: Mapping[str, Mapping[str, float]]) -> str:
    """Return the weights as the file that ships; what hardly weighs anything is left out."""
    parts = [HEADER]
    for name, row in weights.items():
        lines = [f'"{signal}" = {weight}' for signal, weight in row.items() if signal == "bias" or abs(weight) >= 0.1]
        parts.append(f'["{name}"]\n' + "\n".join(lines) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Fit, and write or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evalset", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write patterns/weights.toml")
    parser.add_argument("--halves", action="store_true", help="fit on one half, score on the other, both ways")
    options = parser.parse_args()
    chosen = [one for evalset in options.evalset for one in conversations(evalset)]
    if options.halves:
        for train, test in ((chosen[::2], chosen[1::2]), (chosen[1::2], chosen[::2])):
            with mock.patch.object(scoring, "weights", return_value=fit_all(train)):
                print(json.dumps(as_json(score(test))["scores"]["all"]))
        return
    text = as_toml(fit_all(chosen))
    if options.write:
        WEIGHTS.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
