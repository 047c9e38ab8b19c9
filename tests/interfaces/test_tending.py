"""Lessons, procedures, links, votes and consolidation on the command line and for MCP clients."""

import json

import pytest
from mcp.shared.exceptions import MCPError

from agent_memory.interfaces.cli.main import run
from tests.mcp_clients import Here

LESSON = (
    "<!-- id:41 by:consolidation links:parent>5 confidence:0.60 activation:smoke,%20oven -->\n"
    "## 2026-03-16T10:00 · #bakery\n\nTurn the valve first.\n"
)
OFF = {"lessons": "memory_lessons_recall", "procedures": "memory_procedures_recall", "links": "memory_links",
       "voting": "memory_vote"}  # fmt: skip


@pytest.fixture
def cli(workspace, monkeypatch, capsys):
    monkeypatch.chdir(workspace.root)
    write(workspace, "lessons", LESSON)

    def _run(*words):
        code = run(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return _run


def write(workspace, category, text):
    page = workspace.memory / "default" / f"{category}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")


def test_a_lesson_is_found_by_its_signs_and_shown_by_its_id(cli):
    assert cli("lessons", "recall", "smoke")[1] == (
        "41  2026-03-16 #bakery\n  Turn the valve first.\n  when: smoke, oven\n"
    )
    assert cli("lessons", "recall", "--id", "41")[1].endswith("  from: 5\n")
    found = json.loads(cli("--json", "lessons", "recall", "smoke", "-k", "1")[1])["lessons"]
    assert [(one["id"], one["parents"], one["activation"]) for one in found] == [("41", ["5"], "smoke, oven")]
    assert cli("procedures", "recall", "smoke") == (0, "No procedures.\n", "")
    assert cli("procedures", "recall", "--id", "41")[0] == 2


def test_a_deprecated_lesson_is_told_no_more_is_read_by_its_id_and_comes_back_by_undo(cli):
    assert cli("lessons", "deprecate", "41")[:2] == (0, "41 is told no more.  Turn the valve first.\n")
    assert cli("lessons", "recall", "smoke")[1] == "No lessons.\n"
    assert "(deprecated)" in cli("lessons", "recall", "--id", "41")[1]
    assert cli("procedures", "deprecate", "41")[0] == 2
    cli("undo")
    assert "41" in cli("lessons", "recall", "smoke")[1]


def test_links_are_drawn_shown_and_taken_away(cli):
    one = json.loads(cli("--json", "notes", "store", "The oven smokes.")[1])["id"]
    assert cli("links", "add", one, "caused-by", "41") == (0, f"{one} caused-by 41.\n", "")
    assert cli("links", "show", one)[1] == "-> caused-by 41\n   Turn the valve first.\n"
    assert cli("links", "show", "41")[1].startswith("-> parent 5  (gone)\n<- caused-by")
    assert cli("links", "remove", one, "41")[:2] == (0, f"{one} leads to 41 no more.\n")
    assert cli("links", "show", one)[1] == "No links.\n"
    assert cli("links", "add", one, "because", "41")[0] == 2


def test_a_vote_says_what_it_comes_to(cli):
    assert cli("vote", "up", "41")[1] == "41 has +1.00.  Turn the valve first.\n"
    assert json.loads(cli("--json", "vote", "down", "41")[1]) == {"id": "41", "votes": 0.0}
    assert cli("vote", "up", "42")[0] == 2
    assert cli("vote", "sideways", "41")[0] == 2


def test_consolidation_says_what_it_did_and_stats_count_it(cli):
    cli("notes", "store", "The oven smokes at dawn.")
    dry = cli("consolidate", "--dry-run")[1]
    assert dry.startswith("Would be: 0 lessons out of 0 clusters of 0 entries;")
    assert dry.endswith("    Too young yet: 1; made a lesson of before: 0.\n")
    done = json.loads(cli("--json", "consolidate")[1])
    assert (done["made"], done["declined"]) == ([], 0)
    assert "Consolidation last at" in cli("stats")[1]
    assert json.loads(cli("--json", "stats")[1])["fabric"]["distilled"] == 1


def test_an_mcp_client_recalls_follows_and_votes(workspace):
    write(workspace, "lessons", LESSON)
    write(workspace, "procedures", "## 2026-03-16\n\n1. Open the smoke vent.\n2. Wait.\n")
    here = Here(workspace)

    (lesson,) = here.call("memory_lessons_recall", query="smoke").value["lessons"]
    assert (lesson["content"], lesson["parents"]) == ("Turn the valve first.", ["5"])
    assert here.call("memory_lessons_recall", id=41).value["lessons"][0]["id"] == "41"
    (procedure,) = here.call("memory_procedures_recall", query="smoke").value["procedures"]
    assert procedure["content"].startswith("1. Open")
    assert here.call("memory_vote", id="41", direction="down").value == {"id": "41", "votes": -1.0}
    assert here.call("memory_links", id="41").value["links"][0]["status"] == "gone"


@pytest.mark.parametrize(
    ("tool", "given", "field"),
    [
        ("memory_lessons_recall", {}, "query"),
        ("memory_lessons_recall", {"query": "x", "k": 11}, "k"),
        ("memory_procedures_recall", {"id": "41"}, "id"),
        ("memory_links", {"id": "42"}, "id"),
        ("memory_vote", {"id": "41", "direction": "sideways"}, "direction"),
        ("memory_vote", {"id": "42", "direction": "up"}, "id"),
    ],
)
def test_what_a_tool_cannot_take_is_refused_by_name(workspace, tool, given, field):
    write(workspace, "lessons", LESSON)
    refused = Here(workspace).call(tool, **given)
    assert refused.error[1] == field


@pytest.mark.parametrize(("channel", "tool"), OFF.items())
def test_what_is_switched_off_has_no_tool(workspace, channel, tool):
    here = Here(workspace, **{f"{channel}__enabled": False})
    assert set(OFF.values()) - set(here.tools()) == {tool}
    with pytest.raises(MCPError, match="switched off"):
        here.call(tool, id="41", query="x", direction="up")
