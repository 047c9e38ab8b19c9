from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import agent_memory
from agent_memory import NewEntry, open_memory
from agent_memory.app.container import open_app
from agent_memory.app.verify import verify
from agent_memory.errors import InvalidName, UnknownEntry, UsageError
from tests.builders import A_DAY


def page(folder: Path, category: str = "notes") -> str:
    return (folder / "default" / f"{category}.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".memory"


def test_what_is_added_is_found_with_who_said_it_and_where(folder):
    with open_memory(folder) as memory:
        added = memory.add("Usamos httpx no gateway.", at=A_DAY, author="Ana Maria", conversation="room 7")
        (hit,) = memory.search("httpx")

    assert (hit.id, hit.at, hit.page.path) == (added, A_DAY, "default/notes.md")
    assert "author:Ana%20Maria" in page(folder)
    assert "origin:library/room%25207/0/0-24/" in page(folder)


def test_turns_stand_in_the_order_in_which_they_were_said(folder):
    turns = [NewEntry(f"turn {n}", at=A_DAY, author="Bo", conversation="c", turn=n) for n in (1, 0, 2)]
    with open_memory(folder) as memory:
        ids = memory.add_all([*turns, NewEntry("turn -1", at=A_DAY - timedelta(days=1))])

    said = page(folder)
    from_the_top = [ids[n] for n in (2, 0, 1, 3)]
    assert [line.split()[1] for line in said.splitlines() if line.startswith("<!--")] == [
        f"id:{n}" for n in from_the_top
    ]


def test_what_is_handed_over_twice_stands_there_twice(folder):
    with open_memory(folder) as memory:
        ids = memory.add_all([NewEntry("Thanks!"), NewEntry("Thanks!")])

    assert len(set(ids)) == 2
    assert page(folder).count("Thanks!") == 2


def test_one_bad_entry_means_that_none_is_written(folder):
    with open_memory(folder) as memory, pytest.raises(UsageError, match="needs some text"):
        memory.add_all([NewEntry("good"), NewEntry(" \n")])

    assert not folder.exists()


def test_a_time_without_a_zone_is_refused(folder):
    with open_memory(folder) as memory, pytest.raises(UsageError, match="no time zone"):
        memory.add("x", at=datetime(2026, 3, 1))  # noqa: DTZ001


@pytest.mark.parametrize("name", ["../up", "", "con"])
def test_an_agent_or_a_category_that_is_no_folder_is_refused(folder, name):
    with open_memory(folder) as memory, pytest.raises(InvalidName):
        memory.add("x", category=name)
    with pytest.raises(InvalidName), open_memory(folder, agent=name or "..") as memory:
        pass


def test_secrets_are_taken_out_of_everything_that_is_handed_over(folder):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with open_memory(folder) as memory:
        memory.add(f"use {token}", tags=(token,), author=token, conversation=token)

    assert all(token not in path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


def test_a_task_gets_its_box_and_another_agents_page_is_its_own(folder):
    with open_memory(folder, agent="ana") as memory:
        memory.add("medir", category="tasks", tags=("#perf",), agent="default")
        memory.add("anotar")

    assert "- [ ] medir" in page(folder, "tasks")
    assert "#perf" in page(folder, "tasks")
    assert "anotar" in (folder / "ana" / "notes.md").read_text(encoding="utf-8")


def test_opening_alone_makes_nothing(folder, clock):
    with open_memory(folder, clock=clock) as memory:
        assert memory.search("anything") == []
        assert memory.briefing("anything").sections == {}

    assert not folder.exists()


def test_a_name_that_the_package_lacks_is_an_ordinary_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        agent_memory.nothing  # noqa: B018


def test_the_time_is_the_given_clocks(folder, clock):
    clock.moment = datetime(2031, 5, 6, 7, 8, tzinfo=UTC)
    with open_memory(folder, clock=clock) as memory:
        memory.add("x")

    assert "## 2031-05-06T07:08" in page(folder)


def test_the_vault_by_hand(folder):
    with open_memory(folder, agent="ana") as memory:
        first, second = memory.add("one", category="lessons"), memory.add("two", category="lessons")
        memory.edit(first, "one, corrected")
        memory.delete(second)

        assert [entry.body for entry in memory.entries("lessons")] == ["one, corrected"]
        assert memory.get(first).edited
        assert memory.agents() == ["ana"]
        with pytest.raises(UnknownEntry):
            memory.get(second)


def test_a_briefing_is_rendered_in_full_each_time_within_its_budget(folder):
    with open_memory(folder) as memory:
        memory.add("Usar httpx para HTTP.", category="decisions")
        texts = [memory.briefing("httpx", budget=150).text for _ in range(2)]

    assert texts[0] == texts[1]
    assert "Usar httpx" in texts[0]


def test_what_a_host_handed_over_is_not_said_to_be_gone(folder, workspace):
    with open_memory(folder) as memory:
        memory.add("We use httpx.", conversation="room 7")
    with open_app(directory=str(folder)) as app:
        assert verify(app) == []


def test_a_session_is_saved_recovered_and_ended_in_a_few_lines(folder):
    said = [
        {"role": "user", "text": "Let's go with SQLite for the order store, because backups are a plain copy."},
        {"role": "agent", "text": "Done, the store uses SQLite now."},
    ]
    with open_memory(folder, agent="dev") as memory:
        assert memory.recover() is None
        memory.checkpoint(said, chat_id="c1", model_id="m")
        found = memory.recover()
        assert found is not None
        assert (list(found.messages), found.model_id, memory.last_chat()) == (said, "m", "c1")

        taken, again = (memory.sleep(said, chat_id="c1") for _ in range(2))

    assert (taken.decisions, taken.handoffs) == (1, 1)
    assert (again.decisions, again.handoffs) == (0, 0)
    assert "SQLite" in (folder / "dev" / "handoffs.md").read_text(encoding="utf-8")


def test_what_is_no_message_is_refused_with_its_place(folder):
    with open_memory(folder) as memory, pytest.raises(UsageError, match="Message 2"):
        memory.checkpoint([{"role": "user", "text": "hi"}, {"role": "tool", "text": "x"}])


def test_threads_share_an_open_memory(folder, caplog):
    with open_memory(folder) as memory, ThreadPoolExecutor(4) as threads:
        memory.add("O forno do João.")
        added = [threads.submit(memory.add, f"Forno número {number}.") for number in range(12)]
        found = [threads.submit(memory.search, "forno joão") for _ in range(12)]
        told = [threads.submit(memory.briefing, "forno", kind="turn") for _ in range(12)]
        assert len({one.result() for one in added}) == 12
        assert all(one.result()[0].body == "O forno do João." for one in found)
        assert all("João" in one.result().text for one in told)
        assert len(memory.search("forno", limit=20)) == 13
    assert not caplog.records


def test_two_that_are_open_see_what_the_other_writes(folder):
    with open_memory(folder) as one, open_memory(folder) as other:
        for writing, reading in ((one, other), (other, one)):
            number = writing.add("Um forno a mais.")
            assert number in [hit.id for hit in reading.search("forno")]
