"""The fold over closed turns: ``step(memo, turn) → (memo, candidates)``.

A turn is observed, its sentences are judged, bare answers are resolved, and what is left becomes
candidates. Pure: the same memo and turn always give the same result. It reaches back only by what a
candidate carries: a finished task is proposed again under its key, and a choice names those that it
replaces. What stands in the vault is left to whoever takes the candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from agent_memory.extraction import acceptance, tasks
from agent_memory.extraction.body import MAX_BODY_CHARS, compose, tags_of
from agent_memory.extraction.handoff import cover
from agent_memory.extraction.memo import Memo, OpenTask, Option, Proposal, Said
from agent_memory.extraction.observe import Observation, asked_by, mood_of, observe
from agent_memory.extraction.score import Category, classify, vetoed
from agent_memory.extraction.sentences import plain
from agent_memory.extraction.standing import SURE, settle
from agent_memory.extraction.table import fold_sentence, load
from agent_memory.model.ids import fingerprint, key_of
from agent_memory.model.memory import Candidate
from agent_memory.model.text import language_of
from agent_memory.model.transcript import Origin, Turn
from agent_memory.redaction.redact import MARK

LEAST_CONFIDENCE: Final = 0.3
# Too weak alone, strong enough beside a neighbour that says something of the same kind.
WEAK_CONFIDENCE: Final = 0.15
ACCEPTED_CONFIDENCE: Final = 0.8
TODO_CONFIDENCE: Final = 0.7
LANGUAGE_SENTENCES: Final = 3
FEW_WORDS: Final = 4
POINTS_BACK: Final = re.compile(r"(?:that|this|it|those|they|isso|isto|esse|essa|este|esta)\b", re.IGNORECASE)


class Finding(NamedTuple):
    """A stretch of the turn that is worth remembering, before it becomes a candidate."""

    category: Category
    confidence: float
    start: int
    end: int
    text: str
    redacted: bool
    reason: str = ""
    block: int = 0
    numbered: bool = False


def step(memo: Memo, turn: Turn) -> tuple[Memo, tuple[Candidate, ...]]:
    """Take one closed turn: return the memo after it, and what it proposes to remember.

    Candidates carry a confidence of 0.3 and more; the caller decides where to draw the line. A task that
    this turn reports done is proposed again under its key, as ``- [x] …``.
    """
    observed = observe(memo, turn, load())
    # Numbered lines above a question are options, whatever they sound like.
    offering = turn.role == "assistant" and any("veto:question" in one.signals for one in observed[-2:])
    found: list[Candidate] = []
    if not (turn.from_agent and turn.role == "user"):
        found += _chosen(memo, turn)
        findings = _findings(turn, [one for one in observed if not (offering and one.sentence.mark.isalnum())])
        found += [_candidate(turn, finding) for finding in findings if finding.confidence >= LEAST_CONFIDENCE]
    found, said = settle(memo.said, turn.role, found)
    closed = tasks.finished(memo, turn, observed)
    todos = [task for task in tasks.open_todos(turn) if task not in memo.tasks]
    found += [_of_todo(turn, task, "- [ ] ") for task in todos] + [_of_todo(turn, task, "- [x] ") for task in closed]
    opened = [OpenTask(one.key, one.body.removeprefix("- [ ] ")) for one in found if _opens(one)]
    opened = [task for task in opened if task.key not in {todo.key for todo in todos}] + todos
    return _after(memo, turn, observed, said, tasks.after(memo, opened, closed)), tuple(found)


def _opens(candidate: Candidate) -> bool:
    return candidate.confidence >= SURE and candidate.body.startswith("- [ ] ")


def _findings(turn: Turn, observed: list[Observation]) -> Iterator[Finding]:
    """Judge every sentence; join neighbours that say one thing, and a statement with its reason."""
    pending: Finding | None = None
    before: Observation | None = None
    for one in observed:
        finding = _judge(turn, one)
        if finding is None:
            if pending and _gives_reason(pending, one):
                pending = pending._replace(reason=one.sentence.text)
        elif pending and _joins(pending, finding):
            pending = _joined(turn, pending, finding)
        else:
            if pending:
                yield pending
            pending = _widened(turn, finding, before)
        before = one
    if pending:
        yield pending


def _joined(turn: Turn, first: Finding, second: Finding) -> Finding:
    text = plain(turn.text[first.start : second.end])
    return second._replace(start=first.start, text=text, confidence=max(first.confidence, second.confidence))


def _widened(turn: Turn, finding: Finding, before: Observation | None) -> Finding:
    """A few words, or "that", say nothing alone; they take the statement before them along."""
    alone = len(finding.text.split()) > FEW_WORDS and not POINTS_BACK.match(finding.text)
    if before is None or vetoed(before.signals) or turn.role != "user" or alone:
        return finding
    first = before.sentence
    far = finding.start - first.end > 2 or finding.end - first.start > MAX_BODY_CHARS
    if first.block != finding.block or far:
        return finding
    return _joined(turn, finding._replace(start=first.start), finding)


def _judge(turn: Turn, one: Observation) -> Finding | None:
    judged = classify(turn.role, one.signals)
    sentence = one.sentence
    if sentence.kind == "checkbox":
        judged = None if sentence.mark == "x" else ("tasks", 0.9)
    if judged is None or judged[1] < WEAK_CONFIDENCE:
        return None
    start, text = sentence.start, sentence.text
    if sentence.label and sentence.kind != "cell" and any(name.startswith("label:") for name in one.signals):
        start = sentence.body_start
        text = plain(turn.text[start : sentence.end])
    return Finding(
        judged[0],
        judged[1],
        start,
        sentence.end,
        text,
        one.redacted,
        block=sentence.block,
        numbered=bool(sentence.mark),
    )


def _joins(first: Finding, second: Finding) -> bool:
    """Neighbours on one line that say something of the same kind are one thing said."""
    near_by = first.block == second.block and second.start - first.end <= 2
    together = second.end - first.start <= MAX_BODY_CHARS
    return (
        first.category == second.category != "tasks" and near_by and together and not (second.numbered or first.reason)
    )


def _gives_reason(finding: Finding, one: Observation) -> bool:
    follows = one.sentence.block == finding.block and 0 <= one.sentence.start - finding.end <= 2
    reasons = ("because", "since", "otherwise", "porque", "pois", "senao", "ja que", "that way", "this way", "assim")
    return (
        follows
        and not finding.reason
        and finding.category != "tasks"
        and fold_sentence(one.sentence.text).startswith(reasons)
    )


def _candidate(turn: Turn, finding: Finding) -> Candidate:
    quoted = turn.text[finding.start : finding.end]
    body = compose(finding.text, finding.reason)
    return Candidate(
        category=finding.category,
        body=f"- [ ] {body}" if finding.category == "tasks" else body,
        key=key_of(turn.conversation, turn.role, quoted),
        origin=Origin(turn.source, turn.conversation, turn.ordinal, (finding.start, finding.end), turn.digest),
        said_at=turn.at,
        words=None if finding.redacted else fingerprint(quoted),
        tags=tags_of(finding.text),
        confidence=round(finding.confidence, 2),
        approximate=turn.approximate,
    )


def _chosen(memo: Memo, turn: Turn) -> list[Candidate]:
    """Return what a user's bare answer settles, in the words of whoever proposed it."""
    if turn.role != "user" or not memo.proposal.options:
        return []
    option = acceptance.settled(memo, turn.text)
    return [_of_option(memo.proposal, turn, option)] if option else []


def _of_option(proposal: Proposal, turn: Turn, option: Option) -> Candidate:
    return Candidate(
        category="decisions",
        body=compose(plain(option.text)),
        key=key_of(turn.conversation, "assistant", option.text),
        origin=Origin(turn.source, turn.conversation, proposal.turn, (option.start, option.end), proposal.digest),
        said_at=turn.at,
        words=None if proposal.redacted else fingerprint(option.text),
        tags=tags_of(option.text),
        confidence=ACCEPTED_CONFIDENCE,
        approximate=turn.approximate,
    )


def _of_todo(turn: Turn, task: OpenTask, box: str) -> Candidate:
    return Candidate(
        category="tasks",
        body=box + task.text,
        key=task.key,
        origin=Origin(turn.source, turn.conversation, turn.ordinal, (0, 0), turn.digest),
        said_at=turn.at,
        words=None if MARK in task.text else fingerprint(task.text),
        tags=tags_of(task.text),
        confidence=TODO_CONFIDENCE,
        approximate=turn.approximate,
    )


def _after(
    memo: Memo, turn: Turn, observed: list[Observation], said: tuple[Said, ...], open_tasks: tuple[OpenTask, ...]
) -> Memo:
    """Return the memo with what the turn tells about the conversation."""
    language = language_of(" ".join(one.sentence.text for one in observed[:LANGUAGE_SENTENCES]))
    of_user = turn.role == "user"
    return Memo(
        conversation=turn.conversation,
        source=turn.source,
        from_agent=turn.from_agent,
        portuguese=memo.portuguese + (language == "pt"),
        english=memo.english + (language == "en"),
        mood=mood_of(observed, fold_sentence(turn.text.strip())) if of_user else memo.mood,
        asked=memo.asked if of_user else asked_by(turn, observed),
        proposal=Proposal() if of_user else acceptance.proposal_of(turn, observed),
        said=said,
        tasks=open_tasks,
        coverage=cover(memo, turn, observed),
    )
