"""What the memory holds, counted: by agent, category and month, by outcome, and what nobody ever asked for."""

from __future__ import annotations

import pytest

from agent_memory.app import vault
from agent_memory.app.brief import brief
from agent_memory.app.counting import chart, counts
from tests.workspace import Workspace

DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."


@pytest.fixture
def taken(workspace: Workspace) -> Workspace:
    chat = workspace.chat().user(DECISION).assistant("Done, it is SQLite now.").ended()
    chat.save(written=workspace.long_ago())
    workspace.process()
    return workspace


def test_an_empty_memory_counts_nothing_and_is_not_made(workspace):
    with workspace.app() as app:
        found = counts(app)
    assert (found.active, found.by_month, found.outcomes, found.recalled, found.never) == ({}, {}, {}, 0, 0)
    assert not workspace.memory.exists()


def test_memories_are_counted_by_agent_category_month_author_and_outcome(taken):
    page = taken.memory / "default" / "decisions.md"
    page.write_text(page.read_text() + "\n## 2026-01-02\n\nAn old one, by hand.\n")
    with taken.app() as app:
        found = counts(app)

    assert found.active == {"default": {"decisions": 2, "handoffs": 1}}
    assert list(found.by_month) == ["2026-01", "2026-02", "2026-03"]
    assert found.by_month["2026-02"] == {}
    assert found.by_month["2026-03"]["decisions"] == 1
    assert found.written_by == {"heuristic": 2, "user": 1}
    assert found.outcomes["stored"] == 2
    assert set(found.briefings["default"]) == {"session", "turn"}
    assert 0 < found.briefings["default"]["session"] <= 2000


def test_what_was_told_or_looked_up_is_recalled_and_the_rest_is_named(taken):
    with taken.app() as app:
        told = vault.add(app, "default", "lessons", "Restart the till after every update.", []).memory
        silent = vault.add(app, "default", "notes", "The cellar key hangs behind the door.", []).memory
        brief(app, "default", "", session="s1")
        found = counts(app)
    assert (found.recalled, found.never, found.never_oldest) == (1, 1, (silent.id,))
    assert told.id not in found.never_oldest


@pytest.mark.parametrize(
    ("numbers", "bars"), [([], ""), ([0, 0], "  "), ([1], "█"), ([0, 1, 8], " ▁█"), ([1, 100], "▁█")]
)
def test_a_chart_has_a_bar_for_each_number(numbers, bars):
    assert chart(numbers) == bars
