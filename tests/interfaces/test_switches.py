"""Every switch of the fabric takes its part of a turn's briefing and its tools away, and nothing else."""

from __future__ import annotations

import pytest

from agent_memory.app import maintain, notes, profile, tending
from agent_memory.app import vault as vaults
from agent_memory.app.brief import brief
from agent_memory.model.memory import Fact
from agent_memory.system.settings_table import SETTINGS
from tests.mcp_clients import Here

SECTIONS = {"profile", "recalled", "lessons", "procedures", "memory-index"}
ALL = {"profile", "notes", "lessons", "procedures", "links", "vote"}
ASKED = "how does the smoking oven begin?"
LINKED = "Valves come from Porto."
# By switch: which sections go, of what is told no more, which tools go, which jobs.
SWITCHES = {
    "profile": ({"profile"}, "vim", {"profile"}, ()),
    "recall_injection": ({"recalled"}, LINKED, set(), ()),
    "index": ({"memory-index"}, "Unrelated talk.", set(), ()),
    "notes": (set(), "The oven smokes.", {"notes"}, ()),
    "lessons": ({"lessons"}, "Turn the valve", {"lessons"}, ()),
    "procedures": ({"procedures"}, "Open the oven", {"procedures"}, ()),
    "links": (set(), LINKED, {"links"}, ()),
    "voting": (set(), "", {"vote"}, ()),
    "consolidation": (set(), "", set(), ("consolidate",)),
    "evolution": (set(), "", set(), ()),
    "dedup": (set(), "", set(), ()),
}


def tools(workspace, **settings):
    named = {name.removeprefix("memory_").split("_")[0] for name in Here(workspace, **settings).tools()}
    return named & ALL


@pytest.fixture
def full(workspace):
    """A vault that has something of everything to tell about an oven."""
    with workspace.app() as app:
        profile.set_fact(app, Fact("editor", "vim"))
        linked = vaults.add(app, "default", "decisions", LINKED, []).memory
        vaults.add(app, "default", "decisions", "An oven that is smoking is cooled first.", [])
        workspace.clock.advance(minutes=1)
        for number in range(8):  # what is linked is neither recalled by its words nor among the latest
            vaults.add(app, "default", "decisions", f"Shelf {number * 111} is for bread.", [])
        vaults.add(app, "default", "decisions", "Unrelated talk.", [])
        vaults.add(app, "default", "lessons", "Turn the valve first when the oven is smoking.", [])
        vaults.add(app, "default", "procedures", "1. Open the oven.\n2. Wait until it is not smoking.", [])
        note = notes.store(app, "The oven smokes. It is smoking at dawn.", by="user")
        tending.link(app, note.id, "caused-by", linked.id)
    return workspace


def told(workspace, **settings):
    with workspace.app(**{"index__limit": 3, **settings}) as app:
        briefing = brief(app, "default", ASKED, "turn")
        due = maintain.run_due(app, 0, starting=True)
    return set(briefing.sections), briefing.text, due


def test_with_all_switches_on_everything_is_told(full):
    sections, text, due = told(full)

    assert sections == SECTIONS
    assert [words for _, words, _, _ in SWITCHES.values() if words not in text] == []
    assert tools(full) == ALL
    assert "consolidate" in due


def test_every_switch_is_in_the_table():
    named = {setting.key.removesuffix(".enabled") for setting in SETTINGS if setting.key.endswith(".enabled")}
    assert named - {"reflection"} == SWITCHES.keys()


@pytest.mark.parametrize(("switch", "gone"), SWITCHES.items())
def test_a_switch_takes_section_and_tools_away_and_nothing_else(full, switch, gone):
    lost, words, tools_lost, jobs = gone
    sections, text, due = told(full, **{f"{switch}__enabled": False})

    assert sections == SECTIONS - lost
    assert not words or words not in text
    assert tools(full, **{f"{switch}__enabled": False}) == ALL - tools_lost
    assert all(job not in due for job in jobs)
    assert ("consolidate" in due) == (switch != "consolidation")
