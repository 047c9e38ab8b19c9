"""A year of use, generated: pages full of entries, and dashboards' conversations of hundreds of messages."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agent_memory.model.memory import Add, Batch, Draft, PageRef
from tests.workspace import Workspace

NEW_YEAR = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)
NUMBERS_FROM = 1_740_000_000_000
CATEGORIES = ("decisions", "lessons", "tasks", "projects", "handoffs")

_THINGS = "order store|payment webhook|invoice mailer|fila de e-mails|search index|stock import|login page".split("|")
_TOOLS = "SQLite|Redis|Postgres|Kafka|nginx|Celery|Docker".split("|")
# Most of what is said is worth nothing later.
_SAID = (
    *("Please look at the {thing} again, ticket {n} says it is slow.", "ok", "Veja o arquivo {n} também.") * 3,
    "Let's go with {tool} for the {thing} number {n}, because backups are a plain copy.",
    "Vamos usar o {tool} para {thing} {n}, porque o cron perdeu pedidos ontem.",
)
_ANSWERED = (
    *("Looking at file {n} of the {thing} first.", "Running the tests of the {thing}, {n} to go.") * 4,
    "O {thing} está no ar com {tool}, versão {n}.",
    "Done, the {thing} uses {tool} now, see change {n}.",
    "Root cause: the {thing} was retried after {n} s, so every slow order was booked twice.",
    "Still to do: rotate the {tool} key of the {thing} before launch {n}.",
)


@dataclass(frozen=True, slots=True)
class Year:
    """How much was done in it."""

    agents: int
    chats: int
    messages: int
    entries: int


SMALL = Year(agents=2, chats=3, messages=60, entries=350)
WHOLE = Year(agents=5, chats=40, messages=400, entries=3000)


def live(workspace: Workspace, year: Year) -> None:
    """Write what a year leaves behind; the conversations have been still for hours and nobody has read them."""
    _write_pages(workspace, year)
    folder = workspace.memory / "conversations"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(year.chats):
        path = folder / f"chat-{number:02d}.json"
        saved = NEW_YEAR + timedelta(days=360 * number / year.chats)
        value = {"agentId": f"agent-{number % year.agents}", "savedAt": saved.isoformat(), "chatId": f"c{number}"}
        path.write_text(json.dumps({**value, "messages": messages(number, year.messages), "theirs": [1]}))
        os.utime(path, (saved.timestamp(), saved.timestamp()))


def messages(seed: int, count: int) -> list[dict[str, Any]]:
    """Return a chat, the same for the same seed."""
    dice = random.Random(seed)
    said = (
        ("agent" if number % 3 else "user", dice.choice(_ANSWERED if number % 3 else _SAID)) for number in range(count)
    )
    return [
        {
            "role": role,
            "text": text.format(tool=dice.choice(_TOOLS), thing=dice.choice(_THINGS), n=seed * count + number),
        }
        for number, (role, text) in enumerate(said)
    ]


def sentences(text: str) -> Iterator[str]:
    """Return the sentences of an entry's words."""
    return (part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip())


def _write_pages(workspace: Workspace, year: Year) -> None:
    each = year.entries // (year.agents * len(CATEGORIES))
    adds = [
        Add(PageRef(f"agent-{agent}", category), _draft(category, agent * each + number, number * 360 / each))
        for agent in range(year.agents)
        for category in CATEGORIES
        for number in range(each)
    ]
    # Each with an id of its own, since looking for a free one takes its time.
    adds = [replace(add, draft=replace(add.draft, id=str(NUMBERS_FROM + n))) for n, add in enumerate(adds)]
    with workspace.app() as app:
        app.vault.update(lambda view: Batch(tuple(adds)), verb="live")


def _draft(category: str, number: int, day: float) -> Draft:
    at = NEW_YEAR + timedelta(days=day)
    if category == "tasks":
        return Draft(f"- [{'x' if number % 4 else ' '}] Renew certificate {number}.", at, "heuristic")
    body = (
        f"A {category} entry, number {number}. A decisão {number} tem uma razão.\n\n---\n\nIts third part, ## {number}."
    )
    return Draft(body, at, "user" if number % 7 == 0 else "heuristic", ("keep",) if number % 31 == 0 else ())
