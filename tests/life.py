"""Half a year of a developer and an agent at a web shop, and beside it the truth about what was said.

``life`` is 300 Cursor conversations, the same for the same seed; ``statements`` tells what was said in them that lasts.
Nothing here knows the memory tool: a test writes the turns with ``tests.workspace.Chat`` and compares with the truth.
The wording is in ``fixtures/life.toml``, one saying a line.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple
from uuid import NAMESPACE_URL, uuid5

SESSIONS, WORKDAYS = 300, 130
FIRST_DAY = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
WORDING = tomllib.loads((Path(__file__).parent / "fixtures" / "life.toml").read_text(encoding="utf-8"))

Role = Literal["user", "assistant"]
ROLES: tuple[Role, ...] = ("user", "assistant")
LANGUAGES = ("en", "pt")


class Turn(NamedTuple):
    """What ``Chat.user(text)`` or ``Chat.assistant(text, *tools)`` writes."""

    role: Role
    text: str
    tools: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Session:
    number: int
    at: datetime
    turns: tuple[Turn, ...]

    @property
    def id(self) -> str:
        return str(uuid5(NAMESPACE_URL, f"life/{self.number}"))


class Statement(NamedTuple):
    """A decision, a rule or a cause found: ``text`` stands word for word in a turn of ``role``."""

    session: int
    theme: str
    lang: str
    role: Role
    text: str


class Change(NamedTuple):
    """``statement``, said in session ``said_in``, is replaced in the later ``replaced_in`` (0: never).

    Both sessions are the same for every seed. ``theme`` is "other" for what belongs to none of the three.
    """

    theme: str
    lang: str
    said_in: int
    statement: str
    replaced_in: int
    replacement: str


class Theme(NamedTuple):
    """A theme's telling words, as beginnings of words: each statement of the theme has one, of the others none."""

    name: str
    en: tuple[str, ...]
    pt: tuple[str, ...]

    def told_in(self, text: str) -> bool:
        """Whether the text has a telling word of either language: each borrows from the other."""
        return any(re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE) for word in (*self.en, *self.pt))


THEMES = (
    Theme(
        "locking",
        ("sqlite", "lock", "wal", "busy", "transaction", "checkpoint", "begin immediate", "orders.db", "order store"),
        ("trava", "bloque", "transaç"),
    ),
    Theme(
        "webhook",
        ("webhook", "payment", "gateway", "refund", "idempoten", "hmac", "signature", "backoff", "dispute"),
        ("pagamento", "estorno", "idempot", "assinatura", "disputa"),
    ),
    Theme(
        "dates",
        ("date", "calendar", "utc", "time zone", "dst", "intl", "midnight", "weeks start", "birthday"),
        ("datas", "fuso", "calend", "meia-noite", "horário de verão"),
    ),
)

SUPERSEDED = tuple(Change(**change) for change in WORDING["superseded"])
"""What must never surface once it is replaced: the later session says so in words."""

CONTRADICTED = tuple(Change(**change) for change in WORDING["contradicted"])
"""Two statements that cannot both hold, of which the later does not mention the earlier."""

TASKS = tuple(Change(**change) for change in WORDING["tasks"])
"""Work put off, and the session that reports it done (0: it stays open)."""


def _filled(rng: Random, text: str, **fixed: str) -> str:
    """The text with names, days, parts of the shop and numbers in its slots."""
    slots = {name: rng.choice(values) for name, values in WORDING["slots"].items()}
    slots |= {"n": str(rng.randint(3, 97)), "ms": str(rng.randint(110, 990)), **fixed}
    return re.sub(r"\{(\w+)\}", lambda slot: str(slots[slot[1]]), text)


def _plan(rng: Random) -> dict[int, list[Statement]]:
    """What is said in which session: changes in theirs, the statements of a theme by twos to fours in free ones."""
    plan: dict[int, list[Statement]] = {}
    for change in (*SUPERSEDED, *CONTRADICTED, *TASKS):
        plan[change.said_in] = [Statement(change.said_in, change.theme, change.lang, "user", change.statement)]
        if number := change.replaced_in:
            role = ROLES[change in TASKS]
            plan[number] = [Statement(number, change.theme, change.lang, role, change.replacement)]
    free = [number for number in range(1, SESSIONS + 1) if number not in plan]
    rng.shuffle(free)
    for theme, lang in product(THEMES, LANGUAGES):
        wording = WORDING["said"][theme.name][lang]
        said = [(role, _filled(rng, line)) for role in ROLES for line in wording[role].splitlines()]
        rng.shuffle(said)
        while said:
            number, size = free.pop(), rng.randint(2, 4)
            plan[number] = [Statement(number, theme.name, lang, role, text) for role, text in said[:size]]
            del said[:size]
    return plan


def _worked(rng: Random, part: str) -> tuple[dict[str, Any], ...]:
    """One to three tool calls, as an agent makes them before it answers."""
    path = f"/srv/shop/{part}.py"
    calls: list[dict[str, Any]] = [
        {"name": "Read", "input": {"path": path}},
        {"name": "Grep", "input": {"pattern": f"{part}\\(", "path": "/srv/shop"}},
        {"name": "Shell", "input": {"command": f"pytest -q {path}", "description": "Run the tests"}},
        {"name": "StrReplace", "input": {"path": path, "old_string": "return None", "new_string": "return []"}},
    ]
    return tuple(rng.sample(calls, k=rng.randint(1, 3)))


def _exchanges(rng: Random, said: list[Statement], lang: str, part: str) -> list[tuple[str, str]]:
    """Requests with their answers: each statement of the user in one, those of the agent in an answer or two."""
    noise = WORDING["noise"][lang]
    asks = WORDING["asks"].get(said[0].theme if said else "", {}).get(lang) or [ask for ask, _ in noise["chores"]]
    found: list[tuple[str, str]] = []
    for one in said:
        ask = _filled(rng, rng.choice(asks), part=part)
        if one.role == "user":
            request = one.text if rng.random() < 0.5 else f"{ask}\n\n{one.text}"
            found.append((request, _filled(rng, rng.choice(noise["obeyed"]))))
    told = [one.text for one in said if one.role == "assistant"]
    while told:
        some = told[: (size := rng.randint(1, 3))]
        answer = "\n".join(f"- {text}" if len(some) > 1 else text for text in some)
        opening = _filled(rng, rng.choice(noise["found"]))
        found.append((_filled(rng, rng.choice(asks), part=part), f"{opening}\n\n{answer}"))
        del told[:size]
    for _ in range(rng.randint(0 if found else 1, 2)):
        number = str(rng.randint(3, 97))
        ask, answer = (_filled(rng, text, part=part, n=number) for text in rng.choice(noise["chores"]))
        found.insert(rng.randint(0, len(found)), (ask, answer))
    return found


def _turns(rng: Random, said: list[Statement]) -> tuple[Turn, ...]:
    """Exchanges of a request, work with tools and an answer, sometimes with small talk at the end."""
    lang = said[0].lang if said else rng.choice(LANGUAGES)
    noise, part = WORDING["noise"][lang], rng.choice(WORDING["slots"]["part"])
    turns: list[Turn] = []
    for ask, answer in _exchanges(rng, said, lang, part):
        look = _filled(rng, rng.choice(noise["look"]), part=part)
        turns += [Turn("user", ask), Turn("assistant", look, _worked(rng, part)), Turn("assistant", answer)]
    if rng.random() < 0.2:
        talk, bye = (_filled(rng, rng.choice(noise[kind])) for kind in ("talk", "bye"))
        turns += [Turn("user", talk), Turn("assistant", bye)]
    return tuple(turns)


@cache
def _lived(seed: int) -> tuple[tuple[Session, ...], tuple[Statement, ...]]:
    rng = Random(seed)
    plan = _plan(rng)
    sessions: list[Session] = []
    days = [number * WORKDAYS // SESSIONS for number in range(SESSIONS)]
    for number, day in enumerate(days, start=1):
        hours = timedelta(hours=3 * (number - 1 - days.index(day)), minutes=rng.randrange(120))
        at = FIRST_DAY + timedelta(weeks=day // 5, days=day % 5) + hours
        sessions.append(Session(number, at, _turns(rng, plan.get(number, []))))
    passing = {change.statement for change in (*SUPERSEDED, *TASKS)} | {change.replacement for change in TASKS}
    lasting = (one for number in sorted(plan) for one in plan[number] if one.text not in passing)
    return tuple(sessions), tuple(lasting)


def life(seed: int = 1) -> tuple[Session, ...]:
    """Three hundred sessions in order of time, from January to July."""
    return _lived(seed)[0]


def statements(seed: int = 1) -> tuple[Statement, ...]:
    """What was said that lasts, in order of time: no superseded statement, no task, both sides of a contradiction."""
    return _lived(seed)[1]
