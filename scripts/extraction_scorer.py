"""Labelled conversations, what extraction stores of them, and how the two compare.

A conversation is a folder with a transcript in Cursor's form and ``gold.json``. A stored text matches a
label if they share half of the shorter one's words, and four words that carry meaning, or all that the
label has. One text serves one label. What matches nothing is wrong, unless the labels call it borderline.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from agent_memory.extraction import Memo, step
from agent_memory.model.memory import Candidate
from agent_memory.model.transcript import Record, Turn
from agent_memory.redaction import redact
from agent_memory.sources import cursor, jsonl
from agent_memory.sources.base import Status
from agent_memory.sources.turns import Assembly, Setting

KINDS = ("decisions", "lessons", "tasks")
MIN_CONFIDENCE = 0.5
LONG_AGO, FAR = datetime(2026, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
SHARED_PART = 0.5
MEANINGFUL_WORDS = 4
# A text that is this much closer to a look-alike than to a label is not that label.
CLEARLY_CLOSER = 0.15
SMALL_WORDS = frozenset(
    "a an the this that these those it its i me my you your he she they them their we us our and or but if then "
    "than so not no as at by for from in into of on out over to up with about via per is are was were be been "
    "being do does did done has have had will would can could should may might must there here what which who "
    "when where how why just only also more most very all any each o os um uma uns umas e ou mas se que isso isto "
    "este esta esse essa estes estas aquele aquela de do da dos das em na nos nas por para pra pro com sem ao aos "
    "sao foi era ser estar esta estao tem ter ha nao sim ja so mais menos muito tambem quando onde porque pois "
    "entao ele ela eles elas eu nos voces voce vc seu sua meu minha nosso nossa lhe te ate entre sobre aqui ali "
    "la agora fica ficar vai vao vou".split()
)
LANGUAGES = {"ptpt": "pt"}


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of ``text`` in lower case without accents."""
    plain = "".join(char for char in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(char))
    return tuple(re.findall(r"[a-z0-9]+", plain))


def likeness(said: tuple[str, ...], label: tuple[str, ...]) -> float:
    """Return which part of the shorter text's words both have; 0 where that makes no match."""
    left, right = Counter(said), Counter(label)
    part = (left & right).total() / max(min(len(said), len(label)), 1)
    meaning = Counter(
        {word: n for word, n in right.items() if word not in SMALL_WORDS and (word.isdigit() or word[1:])}
    )
    common = (left & meaning).total()
    enough = common >= MEANINGFUL_WORDS or common == meaning.total() > 0
    return part + common / 1000 if part >= SHARED_PART and enough else 0.0


@dataclass(frozen=True)
class Label:
    """One row of ``gold.json``: the words it may be recognised by, and what the labels say of it."""

    forms: tuple[tuple[str, ...], ...]
    quote: str
    done: bool
    why: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Label:
        texts = [row["quote"], *filter(None, [row.get("norm")]), *(other["quote"] for other in row.get("alt", ()))]
        return cls(tuple(map(words_of, texts)), row["quote"], row.get("status") == "done", row.get("why", ""))

    def likeness(self, said: tuple[str, ...]) -> float:
        """Return how well a text matches this label, 0 if it does not."""
        return max(likeness(said, form) for form in self.forms)


@dataclass(frozen=True)
class Conversation:
    """A labelled conversation."""

    folder: Path

    @cached_property
    def gold(self) -> dict[str, Any]:
        """What the labels say, as they were written."""
        gold: dict[str, Any] = json.loads((self.folder / "gold.json").read_text(encoding="utf-8"))
        return gold

    @property
    def language(self) -> str:
        """``en``, ``pt`` or ``mix``."""
        return LANGUAGES.get(self.gold["lang"], self.gold["lang"])

    def labels(self, name: str) -> list[Label]:
        """Return the labels of one list of the file."""
        return [Label.of(row) for row in self.gold.get(name, ())]

    @property
    def transcript(self) -> Path:
        """The file that an editor would have written."""
        return next(self.folder.glob("*.jsonl"))

    @cached_property
    def turns(self) -> list[Turn]:
        """The closed turns, redacted, as the reader gives them."""
        assembly = Assembly(Setting(self.transcript.stem, "cursor", False, LONG_AGO, FAR))
        fed = [assembly.feed(event) for event in self._events()]
        return [turn for turn in (*fed, assembly.close()) if turn]

    def _events(self) -> Iterator[Record | Status]:
        for line in jsonl.split([self.transcript.read_bytes()]):
            for event in cursor.events(line):
                if isinstance(event, Record):
                    clean = redact(event.text)
                    yield replace(event, text=clean.text, redacted=clean.count > 0)
                elif isinstance(event, Status):
                    yield event

    def stored(self) -> list[Candidate]:
        """Return what would stand in the vault at the end: by key, the last word on each, nothing replaced."""
        memo, standing = Memo.empty(), dict[str, Candidate]()
        for turn in self.turns:
            memo, candidates = step(memo, turn)
            for one in candidates:
                if one.confidence >= MIN_CONFIDENCE:
                    standing[one.key] = one
                    for key in one.replaces:
                        standing.pop(key, None)
        return list(standing.values())


def conversations(folder: Path) -> list[Conversation]:
    """Return the labelled conversations below ``folder``."""
    return [Conversation(path.parent) for path in sorted(folder.glob("*/gold.json"))]


@dataclass
class Counts:
    """How many labels there are of a kind, and what became of the texts stored as it."""

    labels: int = 0
    right: int = 0
    wrong: Counter[str] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        self.labels += other.labels
        self.right += other.right
        self.wrong += other.wrong

    @property
    def precision(self) -> float:
        return self.right / max(self.right + self.wrong.total(), 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.labels, 1)

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / ((self.precision + self.recall) or 1)


@dataclass
class Report:
    """Counts by language (``all`` among them) and kind (``total`` among them), and every error."""

    counts: dict[tuple[str, str], Counts] = field(default_factory=lambda: defaultdict(Counts))
    errors: list[tuple[str, str, str, str]] = field(default_factory=list)
    look_alikes: int = 0
    look_alikes_stored: Counter[str] = field(default_factory=Counter)
    noise: list[str] = field(default_factory=list)

    def of(self, kind: str = "total", language: str = "all") -> Counts:
        """Return the counts of one kind in one language."""
        return self.counts[language, kind]


def score(chosen: Iterable[Conversation]) -> Report:
    """Compare what is stored of each conversation with its labels."""
    report = Report()
    for conversation in chosen:
        _Comparison(conversation, report).run()
    return report


class _Comparison:
    """One conversation's labels and what was stored of it."""

    def __init__(self, conversation: Conversation, report: Report) -> None:
        self.conversation = conversation
        self.report = report
        self.against = conversation.labels("hard_negatives")
        self.borderline = conversation.labels("ignore")
        tasks = conversation.labels("tasks")
        self.finished = [label for label in tasks if label.done]
        self.labels = {kind: [one for one in conversation.labels(kind) if not one.done] for kind in KINDS}
        self.texts: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.ticked: set[str] = set()

    def run(self) -> None:
        for one in self.conversation.stored():
            text = re.sub(r"^- \[[ x]\] ", "", one.body)
            self.texts[one.category].append(text)
            if one.body.startswith("- [x] "):
                self.ticked.add(text)
        self.report.look_alikes += len(self.against)
        matches = {kind: self._matches(kind) for kind in KINDS}
        for kind in KINDS:
            self._count(kind, matches)
        nothing_to_store = not any(self.conversation.gold[kind] for kind in KINDS)
        if nothing_to_store and any(self.texts.values()):
            self.report.noise.append(self.conversation.folder.name)

    def _matches(self, kind: str) -> dict[str, Label]:
        """Pair texts with labels so that as many as possible have one, the likest first."""
        labels, texts = self.labels[kind], [text for text in self.texts[kind] if text not in self.ticked]
        edges = {text: self._edges(words_of(text), labels) for text in texts}
        taken: dict[int, str] = {}

        def place(text: str, tried: set[int]) -> bool:
            for _, number in edges[text]:
                if number not in tried:
                    tried.add(number)
                    if number not in taken or place(taken[number], tried):
                        taken[number] = text
                        return True
            return False

        for text in sorted(texts, key=lambda one: -max((like for like, _ in edges[one]), default=0)):
            place(text, set())
        return {text: labels[number] for number, text in taken.items()}

    def _edges(self, said: tuple[str, ...], labels: list[Label]) -> list[tuple[float, int]]:
        closest = max((label.likeness(said) for label in self.against), default=0.0)
        likes = [(label.likeness(said), number) for number, label in enumerate(labels)]
        return sorted((edge for edge in likes if edge[0] and closest < edge[0] + CLEARLY_CLOSER), reverse=True)

    def _count(self, kind: str, matches: Mapping[str, Mapping[str, Label]]) -> None:
        counts = Counts(len(self.labels[kind]), len(matches[kind]))
        for text in self.texts[kind]:
            if text not in matches[kind] and (what := self._error(kind, text, matches)):
                counts.wrong[what] += 1
                self._note(kind, what, text)
        for label in self.labels[kind]:
            if not any(label is found for found in matches[kind].values()):
                self._note(kind, "missed", label.quote)
        for language in (self.conversation.language, "all"):
            for name in (kind, "total"):
                self.report.of(name, language).add(counts)

    def _error(self, kind: str, text: str, matches: Mapping[str, Mapping[str, Label]]) -> str:
        """Say what is wrong with a text that matches no label of its kind; nothing if it does not count."""
        said = words_of(text)
        done = kind == "tasks" and any(label.likeness(said) for label in self.finished)
        if (done and text in self.ticked) or any(label.likeness(said) for label in self.borderline):
            return ""
        if done:
            return "stale"
        taken = [label for found in matches.values() for label in found.values()]
        others = [label for other in KINDS if other != kind for label in self.labels[other]]
        if any(label.likeness(said) for label in others if not any(label is one for one in taken)):
            return "misfiled"
        if any(label.likeness(said) for label in taken):
            return "repeated"
        if like := max(self.against, key=lambda label: label.likeness(said), default=None):
            self.report.look_alikes_stored[like.why] += bool(like.likeness(said))
        return "false"

    def _note(self, kind: str, what: str, text: str) -> None:
        self.report.errors.append((self.conversation.folder.name, kind, what, text))
