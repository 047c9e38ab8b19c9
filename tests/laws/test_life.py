"""Half a year of a web shop goes through the memory, without a model and with one: what it teaches is learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from agent_memory.app import ingest, maintain, reflecting
from agent_memory.app.consolidate import consolidate
from agent_memory.app.container import App
from agent_memory.app.ingest import Options
from agent_memory.app.recall import search
from agent_memory.fabric.lessons import parents_of
from agent_memory.model.memory import Memory
from agent_memory.model.recall import Query
from agent_memory.model.text import normalise
from tests.life import SESSIONS, SUPERSEDED, THEMES, life
from tests.oracle import Oracle
from tests.servers import answers, model_server
from tests.workspace import Chat, Workspace

EVERY = 10
MOST_ON_A_PAGE = 31


def live(workspace: Workspace, seed: int, every: int = EVERY, upto: int | None = None, **settings: Any) -> None:
    """Write the sessions and, every so many, take them in and tidy up, as a watcher would."""
    sessions = life(seed)[:upto]
    for number, session in enumerate(sessions, 1):
        chat = Chat(workspace.transcripts / session.id / f"{session.id}.jsonl", at=session.at)
        for turn in session.turns:
            _ = chat.user(turn.text) if turn.role == "user" else chat.assistant(turn.text, *turn.tools)
        chat.ended().save(written=session.at + timedelta(minutes=30))
        if number % every == 0 or number == len(sessions):
            workspace.clock.moment = session.at + timedelta(hours=2)
            with workspace.app(**settings) as app:
                take_in(app)
                workspace.clock.advance(hours=30)
                consolidate(app)
                maintain.compact(app, dry_run=False)


def take_in(app: App) -> None:
    options = Options(app.agent, timedelta(minutes=5))
    ingest.process(app, options)
    if app.models is not None:
        dues = reflecting.backlog(app, options)
        reflecting.reflect(app, dues, reflecting.estimate(app, dues[:0]))


@contextmanager
def a_model(seed: int) -> Iterator[dict[str, Any]]:
    with model_server(answers(Oracle(seed).reply)) as server:
        yield server.settings(reflection__daily_token_cap=10**9)


def themes_of(text: str) -> tuple[str, ...]:
    return tuple(theme.name for theme in THEMES if theme.told_in(text))


def slow(*seeds: int) -> list[Any]:
    return [pytest.param(seed, marks=pytest.mark.slow) for seed in seeds]


@pytest.mark.parametrize("seed", [1, *slow(2, 3, 4, 5, 6)])
def test_every_theme_is_learnt_none_is_mixed_and_what_was_replaced_does_not_come_back(workspace, seed):
    live(workspace, seed)
    _themes_are_learnt(workspace)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("seed", "upto"), [(1, 90), *(pytest.param(n, None, marks=pytest.mark.slow) for n in (1, 2, 3))]
)
def test_the_same_with_a_model(workspace, seed, upto):
    with a_model(seed) as settings:
        live(workspace, seed, every=30, upto=upto, **settings)
        lessons = _themes_are_learnt(workspace, upto, at_least=3 if upto is None else 2)
    memories = workspace.memories()
    assert {memory.meta["confidence"] for memory in lessons} == {"0.70"}, "a model distilled them all"
    assert any(memory.meta.get("by") == "reflection" for memory in memories)


def _themes_are_learnt(workspace: Workspace, upto: int | None = None, *, at_least: int = len(THEMES)) -> list[Memory]:
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
    assert len(learnt) >= at_least
    assert set(learnt) <= {theme.name for theme in THEMES}

    parents = [parent for lesson in lessons for parent in parents_of(lesson)]
    assert len(parents) == len(set(parents)), "an entry is in one lesson at most"
    _nothing_replaced_is_found(workspace, upto or SESSIONS)
    active = Counter(memory.page.category for memory in memories if not memory.page.archived)
    assert all(active[category] <= MOST_ON_A_PAGE for category in ("decisions", "lessons", "handoffs"))
    return lessons


def _nothing_replaced_is_found(workspace: Workspace, upto: int) -> None:
    """Neither a statement that was replaced nor a lesson that says it; a handoff is a record of its day."""
    with workspace.app() as app:
        for one in (one for one in SUPERSEDED if one.replaced_in <= upto):
            hits = search(app, Query(one.statement, limit=20))
            stale = [hit.page.path for hit in hits if normalise(one.statement) in normalise(hit.body)]
            assert not [path for path in stale if not path.endswith("handoffs.md")], one.statement
