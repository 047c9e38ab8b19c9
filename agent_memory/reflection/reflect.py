"""What to ask of an exchange, and what of the reply becomes candidates and facts.

Pure. The settings of the moment decide how much of a reply counts, never which key a line has: a recorded
reply that is applied again proposes the same things under the same keys.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Final

from agent_memory.model.asking import Prompt
from agent_memory.model.ids import fingerprint
from agent_memory.model.memory import Candidate, Fact
from agent_memory.model.refining import Evolution, Refinement
from agent_memory.model.text import fold, one_line, words
from agent_memory.model.transcript import Origin
from agent_memory.redaction import redact
from agent_memory.redaction.redact import MARK
from agent_memory.reflection.exchange import Exchange
from agent_memory.reflection.grounding import Ground, Support, introduced
from agent_memory.reflection.reply import Kind, Said, Set, parse
from agent_memory.reflection.table import table

KNOWN_FACTS: Final = 40
KNOWN_CHARS: Final = 80
ECHO_WORDS: Final = 6
TRIVIAL_WORDS: Final = 12

CATEGORIES: Final[Mapping[Kind, str]] = {"note": "notes", "decision": "decisions", "lesson": "lessons", "task": "tasks"}
# What is settled, and what was learnt, no question or guess bears out.
UNLIKE: Final[Mapping[str, tuple[str, ...]]] = {"decision": ("unsettled",), "lesson": ("unsettled",)}
SCHEMA: Final = {
    "type": "object",
    "properties": {"lines": {"type": "array", "items": {"type": "string"}}},
    "required": ["lines"],
    "additionalProperties": False,
}
GRAMMAR: Final = r"""
root ::= "NONE" | line ("\n" line){0,11}
line ::= ("NOTE " | "DECISION " | "LESSON " | "TASK ") [^\n]+ | "SET " [a-zA-Z0-9] [a-zA-Z0-9_.-]* "=" [^\n]+ | listed
listed ::= "LINK #" id " " [a-z-]+ " #" id | "VOTE " ("up" | "down") " #" id | "EVOLVE #" id " [tags=" [^\n\]]+ "]"
id ::= [1-9] [0-9]{0,17}
""".strip()

_NAMED: Final = re.compile(
    r"(?:\b[Nn]ame(?:d| is|'s)|\b[Cc]alled|\b[Cc]hama(?:-se|d[oa])?|\b[Nn]ome (?:é|e)|'s name is)\s+([^\W\d_]\w*)"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one reply counts: facts, and entries of each kind; whether ``notes`` are among these."""

    facts: int = 3
    entries: int = 2
    notes: bool = True


@dataclass(frozen=True, slots=True)
class Reflection:
    """What is believed of a reply; ``dropped`` counts the reasons for which the rest is not."""

    candidates: tuple[Candidate, ...] = ()
    facts: tuple[Fact, ...] = ()
    refinements: tuple[Refinement, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def says_something(self) -> bool:
        """Whether anything of the reply is believed."""
        return bool(self.candidates or self.facts or self.refinements)


def is_trivial(exchange: Exchange) -> bool:
    """Tell whether there is nothing to ask about: a greeting, a nod, a test of the line, and hardly an answer."""
    clauses = [clause for clause in re.split(r"[.!?;,\n]+", fold(exchange.user_text)) if clause.strip()]
    if table().finds("lasting", fold(exchange.user_text)) or len(words(exchange.answer_text)) >= TRIVIAL_WORDS:
        return False
    return all(table().finds("probe", clause) or table().finds("once", clause) for clause in clauses)


def prompt_for(
    exchange: Exchange,
    *,
    known: Sequence[str] = (),
    told: Sequence[str] = (),
    near: Sequence[str] = (),
    max_reply_tokens: int,
) -> Prompt:
    """Return what to ask about an exchange.

    Args:
        exchange: What was said.
        known: The facts that stand already, each ``key: value``.
        told: The memories that its conversation was told, each ``#id`` and its words.
        near: Other memories of what it speaks of.
        max_reply_tokens: How long the reply may be.
    """
    # Each side is one line, so that nothing said in it can look like a heading of ours.
    said, answered = (one_line(text) for text in (exchange.user_text, exchange.answer_text))
    profile = [f"- {one_line(fact)[:KNOWN_CHARS]}" for fact in known[:KNOWN_FACTS]]
    lists = {"known profile": profile, "told": told, "near": near}
    parts = [line for name, rows in lists.items() if rows for line in (f"### {name}", *map(one_line, rows), "")]
    parts += ["### exchange", f"USER: {said}", f"ASSISTANT: {answered}", "", "### output"]
    return Prompt(_instructions(), "\n".join(parts), max_reply_tokens, SCHEMA, GRAMMAR)


def read(exchange: Exchange, reply: str, limits: Limits) -> Reflection:
    """Return what of a reply is believed.

    The first lines count, up to the limits; a line that is not believed takes nobody's place.
    """
    judged = _Judge(exchange)
    parsed = parse(reply)
    judged.dropped["malformed"] += parsed.malformed
    room: Counter[str] = Counter(dict.fromkeys(CATEGORIES, limits.entries) | {"fact": limits.facts})
    room["note"] *= limits.notes
    believed: list[Candidate | Fact] = []
    refinements: list[Refinement] = []
    for line in parsed.lines:
        if not isinstance(line, Said | Set):
            refinements += judged.refined(line)
            continue
        kind = line.kind if isinstance(line, Said) else "fact"
        if (found := judged.believe(line)) is None:
            continue
        if room[kind] > 0:
            believed.append(found)
        else:
            judged.dropped["too many"] += 1
        room[kind] -= 1
    candidates = tuple(found for found in believed if isinstance(found, Candidate))
    facts = tuple(found for found in believed if isinstance(found, Fact))
    return Reflection(candidates, facts, tuple(refinements), dict(+judged.dropped))


class _Judge:
    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.dropped: Counter[str] = Counter()
        self._user = Ground(exchange.said)
        self._both = Ground((*exchange.said, exchange.answer))
        folded = fold(exchange.user_text)
        self._once = table().finds("once", folded) and not table().finds("lasting", folded)

    def believe(self, line: Said | Set) -> Candidate | Fact | None:
        found = self._candidate(line) if isinstance(line, Said) else self._fact(line)
        if isinstance(found, str):
            self.dropped[found] += 1
            return None
        return found

    def refined(self, line: Refinement) -> list[Refinement]:
        """Leave out the tags that nobody spoke of; the rest of such a line is judged by whoever has the memories."""
        if not isinstance(line, Evolution):
            return [line]
        tags = tuple(tag for tag in line.tags if self._both.holds(tag) and not self._refused(tag))
        self.dropped["ungrounded"] += not tags
        return [replace(line, tags=tags)] if tags else []

    def _candidate(self, line: Said) -> Candidate | str:
        if why := self._refused(line.text):
            return why
        named = [name for name in _NAMED.findall(line.text) if name[0].isupper()]
        if not all(introduced(name, self.exchange.user_text) for name in named):
            return "invented name"
        support = self._both.support(line.text, unlike=UNLIKE.get(line.kind, ()))
        return support if isinstance(support, str) else self._proposed(line, support)

    def _proposed(self, line: Said, support: Support) -> Candidate:
        turn = support.turn
        quoted = turn.text[slice(*support.span)]
        return Candidate(
            category=CATEGORIES[line.kind],
            body=f"- [ ] {line.text}" if line.kind == "task" else line.text,
            key=self.exchange.line_key(line.number),
            origin=Origin(turn.source, turn.conversation, turn.ordinal, support.span, turn.digest),
            said_at=turn.at,
            words=None if any(record.redacted for record in turn.records) else fingerprint(quoted),
            tags=tuple(tag for tag in line.tags if self._both.holds(tag)),
            confidence=round(0.5 + 0.4 * support.share, 2),
            by="reflection",
            approximate=turn.approximate,
        )

    def _fact(self, line: Set) -> Fact | str:
        fact = line.fact
        if why := self._refused(f"{fact.key}={fact.value}", fact.key):
            return why
        if table().finds("name-key", fact.key.lower()) and not introduced(fact.value, self.exchange.user_text):
            return "invented name"
        plain = fact.value if words(fact.value) not in (["true"], ["yes"], ["sim"]) else fact.key.replace("_", " ")
        support = self._user.support(plain, unlike=("unsettled", "of-others"), exact=True)
        return support if isinstance(support, str) else fact

    def _refused(self, text: str, key: str = "") -> str | None:
        """Return why ``text``, a body or ``key=value``, may not be stored, whatever the exchange bears out."""
        folded, user_text = fold(text), self.exchange.user_text
        if (key and table().finds("secret-key", key.lower())) or MARK in text or redact(text).count:
            return "secret"
        if why := next((name for name in ("order", "private") if table().finds(name, folded)), None):
            return why
        persona = table().expressions["persona"].search(folded)
        if persona and persona[0] not in fold(user_text):  # of themselves people may speak as they like
            return "persona"
        if self._once and table().finds("of-replies", folded):
            return "one-off"
        return "echo" if _runs(text) & _said_by_us() - _runs(user_text) else None


@cache
def _instructions() -> str:
    return resources.files(__package__).joinpath("prompts", "reflect.md").read_text(encoding="utf-8")


@cache
def _said_by_us() -> frozenset[tuple[str, ...]]:
    return _runs(_instructions())


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    found = words(text)
    return frozenset(tuple(found[n : n + ECHO_WORDS]) for n in range(len(found) - ECHO_WORDS + 1))
