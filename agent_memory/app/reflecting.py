"""What a model makes of exchanges, on its way into the vault: asked once, recorded, then applied.

The reply is on disk before the vault is touched, and the exchange's own line in the ledger comes with its
entries: whatever interrupts this, doing it again applies the same reply, and asks nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from agent_memory.app import asking, profile, refining, surfaced
from agent_memory.app.asking import FAILURES_WARNED, Call
from agent_memory.app.container import App
from agent_memory.app.conversations import Options, transcript_folders
from agent_memory.app.intake import Intake, rules
from agent_memory.app.reflected import Estimate, Reflected
from agent_memory.app.tally import Tally
from agent_memory.errors import AgentMemoryError, InvalidValue, UsageError
from agent_memory.fabric.forgotten import forgotten_at
from agent_memory.fabric.refine import Refined
from agent_memory.fabric.take import Proposal, Taking, take
from agent_memory.model.asking import Prompt
from agent_memory.model.memory import Batch, Fact, TakenLine
from agent_memory.reflection import Exchange, Limits, Pairing, Reflection, is_trivial, prompt_for, read
from agent_memory.state.calls import FAILURES, Subject
from agent_memory.system import logs
from agent_memory.tailing.scan import scan
from agent_memory.vault.store import View

PURPOSE: Final = "reflection"

_log = logs.get("reflection")


@dataclass(frozen=True, slots=True)
class Due:
    """An exchange that was not reflected on, and in whose pages it belongs."""

    agent: str
    exchange: Exchange


def _about(exchange: Exchange) -> Subject:
    return Subject(PURPOSE, exchange.conversation, exchange.digest)


def is_due(view: View, exchange: Exchange) -> bool:
    """Tell whether an exchange was never reflected on, has something to reflect on, and nothing that was forgotten."""
    if view.taken.by_key(exchange.key) is not None or is_trivial(exchange):
        return False
    forgotten = forgotten_at(view, f"{exchange.user_text} {exchange.answer_text}")
    return forgotten is None or exchange.answer.at > forgotten


class Reflector:
    """Asks about exchanges and applies the replies, one exchange at a time.

    Args:
        app: The product.
        verb: On whose behalf, for the journal.
    """

    def __init__(self, app: App, *, verb: str) -> None:
        self.tally = Reflected(Estimate())
        self._app = app
        self._verb = verb

    def recorded(self, exchange: Exchange) -> str | None:
        """Return the reply that came before something interrupted us, None if there is none."""
        if not self._app.folder.state.exists():
            return None  # looking makes none
        return self._app.state.calls.reply(_about(exchange))

    def tokens(self, due: Due) -> int:
        """Return the most tokens that asking may use."""
        return asking.tokens_of(self._prompt(due, surfaced.listed(self._app, due.agent, due.exchange)))

    def send(self, due: Due) -> Call | None:
        """Ask about an exchange; None where it is settled without a call, or there is no room for one today."""
        exchange, app = due.exchange, self._app
        if not is_due(app.vault.view(), exchange):
            if is_trivial(exchange):
                app.state.calls.skip(_about(exchange), app.clock.now())
            self.tally.count("skipped")
            return None
        if (reply := self.recorded(exchange)) is not None:
            self.apply(due, reply)
            return None
        timeout_s, listed = app.settings.number("reflection.timeout_s"), surfaced.listed(app, due.agent, exchange)
        call = asking.start(app, self._prompt(due, listed), about=_about(exchange), timeout_s=timeout_s)
        if call is not None:
            surfaced.keep_list(app, exchange, listed)
        else:
            self.tally.count("skipped")
        return call

    def conclude(self, due: Due, call: Call) -> str:
        """Wait for a call's end, apply what came, and return the outcome."""
        outcome, reply = asking.finish(self._app, call, tells=lambda text: self._read(due, text).says_something)
        self.tally.count(outcome)
        if outcome in ("ok", "none"):
            self.apply(due, reply)
        else:
            surfaced.drop_list(self._app, due.exchange)
        return outcome

    def apply(self, due: Due, reply: str) -> None:
        """Take into the vault what of a reply is believed, and note that the exchange was reflected on.

        Raises:
            LockTimeout: Somebody else kept the vault's lock; the reply stays, and is applied next time.
        """
        reflection, app = self._read(due, reply), self._app
        taken: list[tuple[Taking, Refined]] = []
        told, near = surfaced.kept_list(app, due.exchange)

        def plan(view: View) -> Batch:
            if view.taken.by_key(due.exchange.key) is not None:
                return Batch()
            taking = take(view, [self._proposal(due, reflection)], rules(self._app))
            refined = refining.refined(app, view, due.exchange, reflection, taking.batch, told, near)
            done = TakenLine(due.exchange.key, "", app.clock.now(), "reflected")
            taken[:] = [(taking, refined)]
            return Batch((*taking.batch.changes, *refined.changes), (*taking.batch.taken, done))

        if app.vault.view().taken.by_key(due.exchange.key) is None:
            self._take_facts(due, reflection.facts)
        app.vault.update(plan, verb=self._verb)
        for taking, refined in taken:
            self.tally.add(reflection, taking, refined)
            refining.enter(app, due.exchange, refined, listed=len(told | near))
        surfaced.drop_list(app, due.exchange)

    def _take_facts(self, due: Due, facts: Iterable[Fact]) -> None:
        """Tell the profile. If this is cut short it is told again, and what it knows already changes nothing."""
        exchange, now = due.exchange, self._app.clock.now()
        for fact in facts:
            try:
                profile.set_fact(
                    self._app,
                    fact,
                    agent=due.agent,
                    by="reflection",
                    said_at=min(exchange.answer.at, now),
                    said=[exchange.user_text],
                )
            except InvalidValue as error:
                _log.info("a fact was left out, for its %s", error.facts["field"])

    def _proposal(self, due: Due, reflection: Reflection) -> Proposal:
        return Proposal(due.exchange.answer, reflection.candidates, due.agent, resumed=False, by="reflection")

    def _read(self, due: Due, reply: str) -> Reflection:
        settings = self._app.settings
        facts = settings.count("reflection.max_facts_per_call") if settings.flag("profile.enabled") else 0
        notes = settings.flag("notes.enabled") and settings.flag("reflection.auto_store_notes")
        return read(due.exchange, reply, Limits(facts, settings.count("reflection.max_notes_per_call"), notes=notes))

    def _prompt(self, due: Due, listed: surfaced.Listed) -> Prompt:
        known = [f"{one.key}: {one.value}" for one in profile.listed(self._app, agent=due.agent).facts]
        return prompt_for(
            due.exchange,
            known=known,
            told=[surfaced.row(memory) for memory in listed.told],
            near=[surfaced.row(memory) for memory in listed.near],
            max_reply_tokens=self._app.settings.count("reflection.max_reply_tokens"),
        )


def check_model(app: App) -> None:
    """Make sure that there is somebody to ask; nothing is sent.

    Raises:
        UsageError: No endpoint is set, or reflection is switched off.
        SettingsError: The endpoint or its key cannot be one.
    """
    if app.models is None:
        raise UsageError(
            "There is no model to reflect with.",
            hint=f"Set reflection.base_url and reflection.model in {app.places.user_config}.",
        )


def backlog(app: App, options: Options) -> list[Due]:
    """Return the exchanges of all conversations that are to be reflected on; none where capture is off."""
    if app.settings.text("extraction.mode") == "off":
        return []
    view = app.vault.view()
    return [due for due in _exchanges(app, options) if is_due(view, due.exchange)]


def _exchanges(app: App, options: Options) -> Iterator[Due]:
    intake = Intake(app, options, Tally())
    for file in scan(transcript_folders(app, options), options.sources).files:
        try:
            reading = intake.reread(file)
            pairing = Pairing()
            for closed in reading.turns() if reading else ():
                if (exchange := pairing.feed(closed.turn)) is not None:
                    yield Due((reading and reading.agent) or options.agent, exchange)
        except AgentMemoryError as error:
            _log.warning("%s: %s", file.path, error.message)


def estimate(app: App, dues: list[Due]) -> Estimate:
    """Return what reflecting on these exchanges would cost at most; nothing is sent."""
    reflector = Reflector(app, verb="reflect")
    asked = [due for due in dues if reflector.recorded(due.exchange) is None]
    sizes = [reflector.tokens(due) for due in asked]
    replies = len(asked) * app.settings.count("reflection.max_reply_tokens")
    used = app.state.calls.tokens_on(app.clock.now()) if app.folder.state.exists() else 0
    left = app.settings.count("reflection.daily_token_cap") - used
    cost = asking.cost_of(app, sum(sizes) - replies, replies)
    return Estimate(len(asked), len(dues) - len(asked), sum(sizes), cost, max(left, 0))


def reflect(
    app: App, dues: list[Due], expected: Estimate, *, advance: Callable[[int, int], None] = lambda done, total: None
) -> Reflected:
    """Reflect on exchanges one after the other; three failures in a row end it, and the rest waits for next time."""
    reflector = Reflector(app, verb="reflect")
    reflector.tally.estimate = expected
    failures = 0
    for done, due in enumerate(dues):
        advance(done, len(dues))
        if (call := reflector.send(due)) is not None:
            failures = failures + 1 if reflector.conclude(due, call) in FAILURES else 0
        if failures == FAILURES_WARNED:
            reflector.tally.gave_up = True
            break
    advance(len(dues), len(dues))
    return reflector.tally
