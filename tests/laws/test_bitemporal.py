"""Laws of the profile: one active value for each key, every value readable, and what was known stays known."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_memory.app import profile
from agent_memory.app.container import App
from agent_memory.errors import UnknownEntry
from agent_memory.model.memory import Fact
from agent_memory.system.paths import MemoryFolder, Places
from agent_memory.system.settings import load
from agent_memory.vault.shelf import Shelf
from tests.fakes import FrozenClock

KEYS = ("editor", "shell", "deploy")
VALUES = ("red apple", "green pear", "blue plum", "grey fig")

steps = st.one_of(
    st.tuples(st.just("set"), st.sampled_from(KEYS), st.sampled_from(VALUES)),
    st.tuples(st.just("remove"), st.sampled_from(KEYS), st.just("")),
    st.tuples(st.just("edit"), st.sampled_from(KEYS), st.sampled_from(VALUES)),
)


@contextmanager
def an_app() -> Iterator[App]:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        places = Places(root, root, root / "config", root / "data")
        given_settings = load(user_file=root / "none", workspace_file=root / "none", environment={}, flags={})
        clock = FrozenClock(datetime(2026, 3, 16, tzinfo=UTC))
        folder = MemoryFolder(root / ".memory")
        app = App(places, {}, folder, given_settings, clock, Shelf(folder))
        try:
            yield app
        finally:
            app.close()


@dataclass
class Model:
    """What a person would remember of it: what holds, everything that ever held, and what was told when."""

    holds: dict[str, str] = field(default_factory=dict)
    ever: set[tuple[str, str]] = field(default_factory=set)
    told: list[tuple[datetime, dict[str, str]]] = field(default_factory=list)

    def step(self, app: App, what: str, key: str, value: str) -> None:
        try:
            if what == "set":
                profile.set_fact(app, Fact(key, value))
                self.holds[key] = value
            elif what == "remove":
                profile.remove(app, key)
                del self.holds[key]
            elif key in self.holds:
                page = app.folder.root / "default" / "profile.md"
                entry = profile.listed(app).facts
                raw = next(known.version.memory.raw for known in entry if known.version.fact.key == key)
                text = page.read_text(encoding="utf-8")
                page.write_text(text.replace(raw, raw.replace(self.holds[key], value)), encoding="utf-8")
                self.holds[key] = value
        except UnknownEntry:
            assert key not in self.holds
        self.ever |= set(self.holds.items())
        self.told.append((app.clock.now(), values(app)))
        assert isinstance(app.clock, FrozenClock)
        app.clock.advance(minutes=1)


def values(app: App, **when: Any) -> dict[str, str]:
    return {known.version.fact.key: known.version.fact.value for known in profile.listed(app, **when).facts}


@settings(max_examples=12)
@given(st.lists(steps, max_size=8))
def test_any_sequence_of_changes_keeps_every_value_readable_and_every_answer_true(history: list[tuple[str, str, str]]):
    with an_app() as app:
        model = Model()
        for step in history:
            model.step(app, *step)

        assert values(app) == model.holds
        versions = [known.version for key in {key for key, _ in model.ever} for known in profile.history(app, key)]
        assert {(version.fact.key, version.fact.value) for version in versions} == model.ever
        assert sorted(version.fact.key for version in versions if version.holds) == sorted(model.holds)
        for when, told in model.told:
            assert values(app, known_at=when) == told
            assert values(app, as_of=when) == told
        for name in ("mirror.sqlite3", "state.sqlite3"):
            (app.folder.machine / name).unlink(missing_ok=True)
        assert values(app) == model.holds


@settings(max_examples=8)
@given(st.lists(steps, min_size=1, max_size=6), st.integers(0, 5))
def test_a_lost_journal_is_admitted_and_costs_no_value_that_stands(
    history: list[tuple[str, str, str]], lost_after: int
):
    with an_app() as app:
        model = Model()
        for number, step in enumerate(history):
            if number == lost_after:
                profile.listed(app)
                app.folder.journal.unlink(missing_ok=True)
            model.step(app, *step)

        assert values(app) == model.holds
        for number, (when, told) in enumerate(model.told):
            then = profile.listed(app, known_at=when)
            assert then.whole_from is not None or values(app, known_at=when) == told
            if number >= lost_after:
                assert then.whole_from is None or when < then.whole_from or values(app, known_at=when) == told
