"""Half a year of a web shop goes through the memory without a model: what it teaches is learnt, theme by theme."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from agent_memory.app import maintain
from agent_memory.app.consolidate import consolidate
from agent_memory.app.recall import search
from agent_memory.fabric.lessons import parents_of
from agent_memory.model.recall import Query
from agent_memory.model.text import normalise
from tests.life import SUPERSEDED, THEMES, life
from tests.workspace import Chat, Workspace

EVERY = 10


def live(workspace: Workspace, seed: int) -> None:
    """Write the sessions and, every ten, take them in and tidy up, as a watcher would."""
    sessions = life(seed)
    for number, session in enumerate(sessions, 1):
        chat = Chat(workspace.transcripts / session.id / f"{session.id}.jsonl", at=session.at)
        for turn in session.turns:
            _ = chat.user(turn.text) if turn.role == "user" else chat.assistant(turn.text, *turn.tools)
        chat.ended().save(written=session.at + timedelta(minutes=30))
        if number % EVERY == 0 or number == len(sessions):
            workspace.clock.moment = session.at + timedelta(hours=2)
            workspace.process()
            workspace.clock.advance(hours=30)
            with workspace.app() as app:
                consolidate(app)
                maintain.compact(app, dry_run=False)


def themes_of(text: str) -> tuple[str, ...]:
    return tuple(theme.name for theme in THEMES if theme.told_in(text))


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4, 5, 6))])
def test_every_theme_is_learnt_none_is_mixed_and_what_was_replaced_does_not_come_back(workspace, seed):
    live(workspace, seed)
    memories = workspace.memories()
    by_id = {memory.id: memory for memory in memories}
    lessons = [memory for memory in memories if memory.meta.get("by") == "consolidation"]
    learnt = Counter[str]()
    for lesson in lessons:
        told = {themes_of(by_id[parent].body) for parent in parents_of(lesson)}
        assert len(told) == 1, f"{lesson.body} mixes {told}"
        learnt.update(told.pop())
        assert set(normalise(lesson.body).split()) <= {
            word for parent in parents_of(lesson) for word in normalise(by_id[parent].body).split()
        }
    assert set(learnt) == {theme.name for theme in THEMES}

    parents = [parent for lesson in lessons for parent in parents_of(lesson)]
    assert len(parents) == len(set(parents)), "an entry is in one lesson at most"
    _nothing_replaced_is_found(workspace)
    active = Counter(memory.page.category for memory in memories if not memory.page.archived)
    assert all(active[category] <= 31 for category in ("decisions", "lessons", "handoffs"))


def _nothing_replaced_is_found(workspace: Workspace) -> None:
    """Of what the vault knows to be replaced nothing is found; a handoff is a record of its day, and no statement."""
    standing = [one for one in workspace.memories() if one.page.category != "handoffs"]
    said = {normalise(memory.body) for memory in standing if memory.active}
    known = [one for one in SUPERSEDED if any(normalise(one.replacement) in body for body in said)]
    assert known
    with workspace.app() as app:
        for one in known:
            hits = search(app, Query(one.statement, limit=20))
            stale = [hit for hit in hits if normalise(hit.body) == normalise(one.statement)]
            assert not [hit for hit in stale if hit.page.category != "handoffs"], one.statement
