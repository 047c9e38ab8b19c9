"""What models were asked: a ledger of calls with their cost, and the replies, kept so that nothing is asked twice.

A call is entered, with the most that it may use, before it is sent; so whatever interrupts it the day's cap
holds, between processes too. The ledger has no word of what was asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Final, Literal

from agent_memory.system.database import Database

Outcome = Literal["sent", "ok", "none", "skipped", "aborted", "timeout", "failed"]
FAILURES: Final = frozenset({"timeout", "failed"})


@dataclass(frozen=True, slots=True)
class Spent:
    """What a call came to: its outcome, the tokens that count, how long it took, what it cost."""

    outcome: Outcome
    prompt_tokens: int = 0
    reply_tokens: int = 0
    latency_s: float = 0.0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Subject:
    """What a call is about: its purpose, whose it is (a conversation or session), what its reply is found by.

    ``model`` is who is asked.
    """

    purpose: str
    speaker: str
    digest: str
    model: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A call as the ledger has it."""

    purpose: str
    at: datetime
    model: str
    spent: Spent


class Calls:
    """The ledger and the replies of one memory folder."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def reserve(self, about: Subject, at: datetime, *, tokens: int, cap: int, timeout_s: float) -> int | None:
        """Enter a call that may use ``tokens``; None if the day has no room for it, or somebody else has just sent it.

        The ``cap`` is of all calls of the day, in UTC. A call that was sent more than ``timeout_s`` ago was killed.
        What the day has no room for is entered as skipped, once.
        """
        since = _utc(at - timedelta(seconds=timeout_s))
        with self._database.atomic():
            if self._has(about, "sent", since):
                return None
            if self.tokens_on(at) + tokens <= cap:
                return self._enter(about, at, Spent("sent", prompt_tokens=tokens))
            self._skip(about, at)
        return None

    def skip(self, about: Subject, at: datetime) -> None:
        """Enter that there was nothing to ask about a subject, once."""
        with self._database.atomic():
            self._skip(about, at)

    def enter(self, about: Subject, at: datetime, outcome: Outcome) -> None:
        """Enter what became of a part of a reply that another call paid for, once."""
        with self._database.atomic():
            if not self._has(about, outcome):
                self._enter(about, at, Spent(outcome))

    def settle(self, call: int, about: Subject, spent: Spent, reply: str | None = None) -> None:
        """Enter what a reserved call came to, and keep its reply if it has one."""
        with self._database.atomic():
            self._database.run(
                "update calls set outcome = ?, prompt_tokens = ?, reply_tokens = ?, latency_s = ?, cost = ?"
                " where id = ?",
                [spent.outcome, spent.prompt_tokens, spent.reply_tokens, spent.latency_s, spent.cost, call],
            )
            if reply is not None:
                self._database.run(
                    "insert or replace into replies (purpose, conversation, digest, at, body)"
                    " select purpose, ?, subject, at, ? from calls where id = ?",
                    [about.speaker, reply, call],
                )

    def reply(self, about: Subject) -> str | None:
        """Return the recorded reply, None if there is none."""
        query = "select body from replies where purpose = ? and conversation = ? and digest = ?"
        row = self._database.row(query, [about.purpose, about.speaker, about.digest])
        return None if row is None else str(row["body"])

    def keep_replies(self, purpose: str, number: int) -> None:
        """Drop the replies of a purpose but for the latest ones."""
        latest = "select at from replies where purpose = ? order by at desc limit 1 offset ?"
        row = self._database.row(latest, [purpose, number])
        if row is not None:
            with self._database.atomic():
                self._database.run("delete from replies where purpose = ? and at <= ?", [purpose, row["at"]])

    def forget_where(self, holds: Callable[[str], bool]) -> None:
        """Drop the replies that ``holds``; whoever called shrinks the file."""
        for row in self._database.rows("select purpose, conversation, digest, body from replies"):
            if holds(row["body"]):
                query = "delete from replies where purpose = ? and conversation = ? and digest = ?"
                self._database.run(query, [row["purpose"], row["conversation"], row["digest"]])

    def tokens_on(self, day: datetime) -> int:
        """Return how many tokens the calls of a day have used or may still use."""
        query = "select coalesce(sum(prompt_tokens + reply_tokens), 0) from calls where at like ?"
        row = self._database.row(query, [f"{day.astimezone(UTC):%Y-%m-%d}%"])
        return int(row[0]) if row else 0

    def failures_in_a_row(self, purpose: str) -> int:
        """Return how many of the last calls failed; one that was given up says nothing either way."""
        query = (
            "select outcome from calls where purpose = ? and outcome not in ('aborted', 'sent', 'skipped')"
            " order by id desc limit 100"
        )
        outcomes = (row["outcome"] for row in self._database.rows(query, [purpose]))
        return sum(1 for _ in takewhile(FAILURES.__contains__, outcomes))

    def entries(self) -> list[Entry]:
        """Return the whole ledger, oldest first."""
        return [
            Entry(
                row["purpose"],
                datetime.fromisoformat(row["at"]),
                row["model"],
                Spent(row["outcome"], row["prompt_tokens"], row["reply_tokens"], row["latency_s"], row["cost"]),
            )
            for row in self._database.rows("select * from calls order by id")
        ]

    def _skip(self, about: Subject, at: datetime) -> None:
        if not self._has(about, "skipped"):
            self._enter(about, at, Spent("skipped"))

    def _has(self, about: Subject, outcome: Outcome, since: str = "") -> bool:
        query = "select 1 from calls where purpose = ? and subject = ? and outcome = ? and at > ?"
        return self._database.row(query, [about.purpose, about.digest, outcome, since]) is not None

    def _enter(self, about: Subject, at: datetime, spent: Spent) -> int:
        return self._database.insert(
            "insert into calls (at, purpose, subject, model, outcome, prompt_tokens, reply_tokens, latency_s, cost)"
            " values (?, ?, ?, ?, ?, ?, 0, 0, 0)",
            [_utc(at), about.purpose, about.digest, about.model, spent.outcome, spent.prompt_tokens],
        )


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
