"""Quality on labelled conversations that somebody else wrote; the floors may rise, never fall.

Matching follows the labels' own rule: half of the shorter side's words shared, and four words that carry
meaning (or all of them). One prediction serves one label.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent_memory.extraction import Memo, step
from agent_memory.extraction.likeness import content, words
from agent_memory.model.transcript import Record
from agent_memory.sources import cursor, jsonl
from agent_memory.sources.base import Status
from agent_memory.sources.turns import Assembly, Setting

FOLDERS = sorted(path.parent for path in (Path(__file__).parent.parent / "fixtures" / "labelled").glob("*/gold.json"))
KINDS = ("decisions", "lessons", "tasks")
SURE = 0.5
PRECISION_FLOOR = 0.75
RECALL_FLOOR = 0.6
HARD_NEGATIVES_CEILING = 0.05
LONG_AGO, FAR = datetime(2026, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


@dataclass
class Tally:
    predicted: int = 0
    right: int = 0
    labelled: int = 0
    negatives: int = 0
    negatives_hit: int = 0


def predictions(folder: Path) -> dict[str, list[str]]:
    path = next(folder.glob("*.jsonl"))
    assembly = Assembly(Setting(path.stem, "cursor", False, LONG_AGO, FAR))
    events = [event for line in jsonl.split([path.read_bytes()]) for event in cursor.events(line)]
    turns = [turn for event in events if isinstance(event, Record | Status) and (turn := assembly.feed(event))]
    memo, found = Memo.empty(), []
    for turn in (*turns, *filter(None, [assembly.close()])):
        memo, candidates = step(memo, turn)
        found += [one for one in candidates if one.confidence >= SURE and not one.body.startswith("- [x]")]
    return {kind: [re.sub(r"^- \[ \] ", "", one.body) for one in found if one.category == kind] for kind in KINDS}


def same(prediction: str, label: dict[str, Any]) -> bool:
    forms = [label["quote"], label.get("norm", ""), *(alt["quote"] for alt in label.get("alt", []))]
    return any(_overlap(prediction, form) for form in forms if form)


def _overlap(left: str, right: str) -> bool:
    shorter = min(len(words(left)), len(words(right)))
    common = len([word for word in words(left) if word in words(right)])
    meaning = len(content(left) & content(right))
    return common >= shorter / 2 and (meaning >= 3 or meaning == len(content(right)) > 0)


@pytest.fixture(scope="module")
def tally() -> Tally:
    total = Tally()
    for folder in FOLDERS:
        gold = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
        found = predictions(folder)
        total.negatives += len(gold["hard_negatives"])
        for kind in KINDS:
            labels = [label for label in gold[kind] if label.get("status") != "done"]
            total.labelled += len(labels)
            for text in found[kind]:
                match = next((label for label in labels if same(text, label)), None)
                if match is not None:
                    labels.remove(match)
                    total.right += 1
                elif any(same(text, row) for row in gold.get("ignore", [])):
                    continue
                total.predicted += 1
                total.negatives_hit += match is None and any(same(text, row) for row in gold["hard_negatives"])
    return total


def test_most_of_what_is_stored_is_worth_it(tally: Tally) -> None:
    assert tally.right / tally.predicted >= PRECISION_FLOOR


def test_most_of_what_is_worth_it_is_stored(tally: Tally) -> None:
    assert tally.right / tally.labelled >= RECALL_FLOOR


def test_hardly_any_look_alike_is_stored(tally: Tally) -> None:
    assert tally.negatives_hit / tally.negatives <= HARD_NEGATIVES_CEILING
