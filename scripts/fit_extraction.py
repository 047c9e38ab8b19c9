"""Fit the weights of extraction's signals on labelled conversations, and say how far they carry.

    fit_extraction.py EVALSET [EVALSET …] [--write] [--halves]

Logistic regression with a quadratic penalty, one for each category and speaker, by plain gradient descent:
no dependency, the same result on every run. A sentence counts as an example of a category where it
overlaps with a labelled quotation as the scorer of the set measures it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import bench_extraction as bench

from agent_memory.extraction import Memo, step
from agent_memory.extraction.observe import observe
from agent_memory.extraction.score import CATEGORIES, vetoed
from agent_memory.extraction.table import FILES, load, parse, text_of

ROOT = Path(__file__).resolve().parent.parent
PENALTY = 4.0
ROUNDS = 150
LEAN = {"decisions": 0.1, "lessons": 0.2, "tasks": 0.7}
PLACES: dict[str, dict[str, float]] = {
    "lessons.assistant": {
        "label:cause": 2.0,
        "under:cause": 1.5,
        "worked": 0.8,
        "answer": 0.3,
        "code": 0.3,
        "semicolon": 0.5,
        "words:3": -2.0,
        "words:6": -1.5,
        "words:10": -0.5,
        "words:more": 0.7,
        "after:reveal": 0.8,
        "label:aside": -1.0,
        "under:aside": -1.0,
        "label:task": -1.5,
        "under:task": -1.5,
        "exclaims": -1.0,
        "textbook": -1.0,
    },
    "decisions": {
        "label:decision": 3.0,
        "under:decision": 0.7,
        "label:aside": -1.0,
        "under:aside": -1.0,
        "label:task": -2.0,
        "under:task": -2.0,
        "first-request": -1.0,
        "later": -1.0,
        "record": -1.5,
        "leftover": -1.0,
    },
    "decisions.user": {
        "asked:choice": 1.2,
        "asked:question": 0.5,
        "asked:advice": 0.7,
        "terse-choice": 1.0,
        "kind:numbered": 0.7,
    },
    "decisions.assistant": {"answer": 0.3, "mood:accepted": 0.5, "words:3": -1.0},
    "tasks": {
        "label:task": 2.5,
        "under:task": 2.5,
        "label:cause": -1.0,
        "words:3": -1.0,
        "first-request": -1.0,
        "answer": 0.3,
    },
}
RARE = 4
ANCHORS = ROOT / "tests" / "fixtures" / "anchors.toml"
AFTER_A_QUESTION = replace(Memo.empty(), asked="question", mood="said")
PLACES_OF_ANCHORS = {"user": [(0, Memo.empty())], "assistant": [(0, Memo.empty()), (4, AFTER_A_QUESTION)]}
# Anchors are richer than talk; this signal takes up the difference, so that the bias stays that of talk.
ANCHOR = "anchor"
HEADER = """# What each signal weighs, by category and speaker, in natural logarithms of odds. Written by
# scripts/fit_extraction.py; signals that are missing here weigh nothing.
"""
Example = tuple[frozenset[str], float]


def examples_of(folder: Path, scorer: ModuleType) -> dict[str, list[Example]]:
    """Return the signals of every sentence of one conversation with its truth, by category and speaker."""
    gold = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    found: dict[str, list[Example]] = defaultdict(list)
    memo, table = Memo.empty(), load()
    ignored = [scorer.Item("ignore", row) for row in gold.get("ignore", [])]
    truth = {c: [scorer.Item(c, row) for row in gold[c] if row.get("status") != "done"] for c in CATEGORIES}
    against = [scorer.Item("against", row) for row in gold["hard_negatives"]]
    for turn in bench.turns_of(folder):
        for one in observe(memo, turn, table):
            words = scorer.norm(one.sentence.text)
            if vetoed(one.signals) or any(item.score(words) for item in ignored):
                continue
            worst = max((item.score(words) for item in against), default=0.0)
            for category in CATEGORIES:
                best = max((item.score(words) for item in truth[category]), default=0.0)
                found[f"{category}.{turn.role}"].append((one.signals, float(best > 0 and best > worst - 0.1)))
        memo, _ = step(memo, turn)
    return found


def prior_of(category: str, role: str) -> dict[str, float]:
    """Return what the rows of the tables and ``PLACES`` say before any conversation is seen."""
    rows = [cue for name in FILES for cue in parse(text_of(name), name)]
    said = {cue.id: cue.weight for cue in rows if cue.category in (category, "any")}
    return said | PLACES.get(category, {}) | PLACES.get(f"{category}.{role}", {})


def fit(examples: list[Example], prior: Mapping[str, float], lean: float = 0.3) -> dict[str, float]:
    """Return the weights that explain ``examples`` best, pulled towards ``prior`` by the penalty."""
    counts: dict[str, int] = defaultdict(int)
    for found, _ in examples:
        for name in found:
            counts[name] += 1
    names = sorted(name for name, count in counts.items() if count >= RARE or name in prior)
    weights = {name: prior.get(name, 0.0) for name in ["bias", *names]}
    rows = [(["bias", *[name for name in found if name in weights]], truth) for found, truth in examples]
    step_size = dict.fromkeys(weights, 1e-6)
    for _ in range(ROUNDS):
        slope = {
            name: (0.0 if name == "bias" else -PENALTY * (weight - prior.get(name, 0.0)))
            for name, weight in weights.items()
        }
        for active, truth in rows:
            error = truth - 1 / (1 + math.exp(-sum(weights[name] for name in active)))
            for name in active:
                slope[name] += error
        for name, value in slope.items():
            step_size[name] += value * value
            weights[name] += 0.5 * value / math.sqrt(step_size[name])
    weights.pop(ANCHOR, None)
    weights["bias"] += lean
    return {name: round(weight, 2) for name, weight in weights.items()}


def anchors() -> dict[str, list[Example]]:
    """Return the plain statements of ``anchors.toml`` as examples, each in the places where it may stand."""
    found: dict[str, list[Example]] = defaultdict(list)
    for role, kinds in tomllib.loads(ANCHORS.read_text(encoding="utf-8")).items():
        for kind, texts in kinds.items():
            for text, (ordinal, memo) in itertools.product(texts, PLACES_OF_ANCHORS[role]):
                for one in observe(memo, bench.a_turn(role, text, ordinal), load()):
                    for category in () if vetoed(one.signals) else CATEGORIES:
                        found[f"{category}.{role}"].append((one.signals | {ANCHOR}, float(kind == category)))
    return found


def fit_all(folders: list[Path], scorer: ModuleType) -> dict[str, dict[str, float]]:
    """Return the weights of every category and speaker, fitted on the conversations in ``folders``."""
    gathered = anchors()
    for folder in folders:
        for name, examples in examples_of(folder, scorer).items():
            gathered[name] += examples
    return {
        name: fit(examples, prior_of(*name.split(".")), LEAN[name.partition(".")[0]])
        for name, examples in sorted(gathered.items())
    }


def as_toml(weights: dict[str, dict[str, float]]) -> str:
    """Return the weights as the file that ships."""
    parts = [HEADER]
    for name, row in weights.items():
        lines = [f'"{signal}" = {weight}' for signal, weight in row.items() if signal == "bias" or abs(weight) >= 0.05]
        parts.append(f'["{name}"]\n' + "\n".join(lines) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Fit, and write or report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("evalset", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write patterns/weights.toml")
    parser.add_argument("--halves", action="store_true", help="fit on one half, score on the other, both ways")
    options = parser.parse_args()
    scorer = bench.load_scorer(options.evalset[0])
    folders = [folder for evalset in options.evalset for folder in bench.conversations(evalset)]
    if options.halves:
        for train, test in ((folders[::2], folders[1::2]), (folders[1::2], folders[::2])):
            with bench.weights_in_use(fit_all(train, scorer)):
                print(json.dumps(bench.totals(bench.score(test, scorer))))
        return
    weights = fit_all(folders, scorer)
    target = ROOT / "agent_memory" / "extraction" / "patterns" / "weights.toml"
    if options.write:
        target.write_text(as_toml(weights), encoding="utf-8")
    else:
        print(as_toml(weights))


if __name__ == "__main__":
    main()
