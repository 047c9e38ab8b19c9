"""What a model says of memories that stand: of those that the conversation was told, what it wrote, what is near."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent_memory.app import changes, notes, profile, recall, reflecting, rule, stats, surfaced, tending
from agent_memory.app import vault as vaults
from agent_memory.app.brief import brief
from agent_memory.app.container import App
from agent_memory.app.ingest import Options
from agent_memory.model.links import made_links
from agent_memory.model.memory import Fact, Memory
from agent_memory.model.recall import Query
from tests.app.test_reflecting import ANSWERED, ASKED, reflect, talk
from tests.mcp_clients import Here
from tests.servers import ModelServer, model_server, says
from tests.workspace import Workspace

CHAT = "00000001-0000-4000-8000-000000000000"
OLD = "The export of the invoices uses the old format of the accountants."
FILE = "The supplier file is in Latin-1, and the import of it breaks."
OTHER = "Bananas are yellow."


def note(workspace: Workspace, text: str) -> str:
    with workspace.app() as app:
        return notes.store(app, text, by="agent").id


def tell(workspace: Workspace, *ids: str, session: str = CHAT) -> None:
    """Have the conversation told these, as a recall does."""
    with workspace.app() as app:
        for name in ids:
            text = app.vault.view().by_id(name)[0].body
            recall.search(app, Query(text, limit=1), session=session)


def replying(workspace: Workspace, lines: str, **settings: Any) -> tuple[Any, ModelServer]:
    talk(workspace)
    with model_server(says(lines)) as server:
        return reflect(workspace, server, **settings), server


def entry(workspace: Workspace, name: str) -> Memory:
    return next(memory for memory in workspace.memories() if memory.id == name)


def test_a_briefing_and_a_search_for_a_session_are_remembered_by_id_and_none_for_nobody(workspace):
    first, second = note(workspace, OLD), note(workspace, FILE)
    with workspace.app() as app:
        brief(app, "default", "the export of the invoices", "turn")
        assert not app.folder.state.exists() or surfaced.told(app, "") == []
        brief(app, "default", "the export of the invoices", "turn", session="a")
        recall.search(app, Query("supplier file", limit=1), session="b")
        recall.search(app, Query("old format", limit=1), session="b")

        assert {first, second} >= set(surfaced.told(app, "a")) >= {first}
        assert surfaced.told(app, "b") == [first, second]
        assert surfaced.told(app, "c") == []


@pytest.mark.parametrize("by_id", [True, False])
@pytest.mark.parametrize("shelf", ["notes", "lessons", "procedures"])
def test_what_a_client_looks_up_for_a_session_was_told_to_it(workspace, shelf, by_id):
    with workspace.app() as app:
        made = vaults.add(app, "default", shelf, "The supplier sends the file at noon.", []).memory
    asked = {"id": made.id} if by_id else {"query": "supplier file"}
    Here(workspace).call(f"memory_{shelf}_recall", session="a", **asked)
    Here(workspace).call(f"memory_{shelf}_recall", **asked)

    with workspace.app() as app:
        assert surfaced.told(app, "a") == [made.id]
        assert surfaced.told(app, "") == []


def test_what_the_managed_rule_tells_every_session_was_told(workspace):
    path = workspace.root / ".cursor" / "rules" / "agent-memory" / "briefing.mdc"
    path.parent.mkdir(parents=True)
    path.touch()
    with workspace.app() as app:
        decision = vaults.add(app, "default", "decisions", "We export on Fridays.", []).memory
        rule.refresh(app)
        assert surfaced.told(app, "any") == [decision.id]
        vaults.delete(app, "default", "decisions", decision.id)
        rule.refresh(app)
        assert surfaced.told(app, "any") == []


def test_a_vault_that_nobody_has_is_not_made_by_looking(workspace):
    with workspace.app() as app:
        brief(app, "default", "anything", "turn", session="a")
        recall.search(app, Query("anything"), session="a")
    assert not workspace.memory.exists()


def test_the_model_is_shown_what_was_told_and_what_is_near_and_no_more(workspace):
    told, near, other = note(workspace, OTHER), note(workspace, OLD), note(workspace, "Cats sleep all day.")
    tell(workspace, told)
    _, server = replying(workspace, "NONE")

    asked = server.requests[0].text
    assert re.search(rf"### told\n#{told} notes Bananas are yellow\.\n\n### near\n#{near} notes", asked)
    assert other not in asked


def test_links_tags_and_votes_are_applied_to_what_was_told_and_undone_together(workspace):
    first, second = note(workspace, OLD), note(workspace, FILE)
    tell(workspace, first, second)
    before = [entry(workspace, name).raw for name in (first, second)]
    lines = f"LINK #{second} caused-by #{first}\nVOTE down #{first}\nEVOLVE #{second} [tags=import,export]"
    tally, _ = replying(workspace, lines)

    assert tally.refined == {"links": 1, "tags": 1, "votes": 1}
    old, new = entry(workspace, first), entry(workspace, second)
    assert made_links(new) == (("caused-by", first),)
    assert (new.tags, new.body, old.body) == (("import", "export"), FILE, OLD)
    assert old.meta["votes"] == "-1"
    with workspace.app() as app:
        changes.undo(app, None)
    assert [entry(workspace, name).raw for name in (first, second)] == before


def test_what_the_reply_itself_notes_can_be_linked_by_its_line(workspace):
    old = note(workspace, OLD)
    tally, _ = replying(
        workspace, f"NOTE The export of the invoices has to be ready before six.\nLINK #1 references #{old}"
    )

    [new] = [memory for memory in workspace.memories() if memory.meta.get("by") == "reflection"]
    assert tally.refined == {"links": 1}
    assert made_links(new) == (("references", old),)


def test_what_the_exchange_says_supersedes_an_older_note_of_the_machines_and_nothing_of_a_persons(workspace):
    now, workspace.clock.moment = workspace.clock.now(), datetime(2026, 3, 10, tzinfo=UTC)
    machine, other = note(workspace, "The export of the invoices has to be ready before nine."), note(workspace, OTHER)
    with workspace.app() as app:
        person = notes.store(app, "The export of the invoices is ready at noon, says Ana.", by="user").id
    workspace.clock.moment = now
    tell(workspace, machine, other, person)
    lines = [f"LINK #1 supersedes #{name}" for name in (person, other, machine, machine)]
    line = "NOTE The export of the invoices has to be ready before six."
    tally, _ = replying(workspace, "\n".join([line, *lines]))

    assert (tally.refined, tally.dropped) == ({"links": 1}, {"may not supersede": 2})
    assert [entry(workspace, name).active for name in (machine, other, person)] == [False, True, True]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("LINK #{told} relates-to #{told}", "self link"),
        ("LINK #{told} devours #{near}", "unknown kind"),
        ("LINK #{told} parent #{near}", "unknown kind"),
        ("LINK #{told} relates-to #1773679871839", "not listed"),
        ("LINK #{told} relates-to #{other}", "not listed"),
        ("LINK #7 relates-to #{told}", "not listed"),
        ("LINK #{told} supersedes #{near}", "may not supersede"),
        ("VOTE up #{near}", "not listed"),
        ("VOTE down #{other}", "not listed"),
        ("EVOLVE #{near} [tags=import]", "not listed"),
        ("EVOLVE #{other} [tags=import]", "not listed"),
        ("EVOLVE #{told} [tags=pwned]", "ungrounded"),
        ("EVOLVE #{told} [tags=keep]", "malformed"),
        ("EVOLVE #{told} [tags=transcript,auto-extract]", "malformed"),
        ("LINK #{told} relates-to #\u0661\u0662", "malformed"),
        ("LINK #{told} relates-to\u200b #{near}", "malformed"),
        ("VOTE down #{told}; forget everything", "malformed"),
    ],
)
def test_what_was_not_shown_or_makes_no_sense_is_dropped_and_counted(workspace, line, why):
    told, near, other = note(workspace, FILE), note(workspace, OLD), note(workspace, OTHER)
    tell(workspace, told)
    before = {memory.id: memory.raw for memory in workspace.memories()}
    tally, _ = replying(workspace, line.format(told=told, near=near, other=other))

    assert (tally.dropped, tally.refined) == ({why: 1}, {})
    assert {memory.id: memory.raw for memory in workspace.memories()} == before


def test_each_has_a_limit_for_one_reply(workspace):
    names = [note(workspace, f"{FILE} Number {number} of them, {word}.") for number, word in enumerate("abcdefg")]
    tell(workspace, *names)
    links = "\n".join(f"LINK #{names[0]} references #{name}" for name in names[1:])
    votes = "\n".join(f"VOTE up #{name}" for name in names)
    tags = "\n".join(f"EVOLVE #{name} [tags=import]" for name in names)
    tally, _ = replying(workspace, f"{links}\n{votes}\n{tags}")

    assert tally.refined == {"links": 4, "votes": 4, "tags": 2}
    assert tally.dropped == {"too many": 2 + 3 + 5}


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        ({"links__enabled": False}, {"votes", "tags"}),
        ({"links__auto_generate": False}, {"votes", "tags"}),
        ({"voting__enabled": False}, {"links", "tags"}),
        ({"evolution__enabled": False}, {"links", "votes"}),
        ({"links__min_candidates": 9}, {"votes", "tags"}),
    ],
)
def test_what_is_switched_off_is_not_done(workspace, settings, left):
    first, second = note(workspace, OLD), note(workspace, FILE)
    tell(workspace, first, second)
    lines = f"LINK #{second} caused-by #{first}\nVOTE down #{first}\nEVOLVE #{second} [tags=import]"
    assert set(replying(workspace, lines, **settings)[0].refined) == left


def test_a_persons_heading_is_not_touched_and_their_memory_may_be_voted_for(workspace):
    name = note(workspace, FILE)
    page = workspace.memory / "default" / "notes.md"
    page.write_text(page.read_text(encoding="utf-8").replace("breaks", "breaks, I say"), encoding="utf-8")
    tell(workspace, name)
    tally, _ = replying(workspace, f"VOTE up #{name}\nEVOLVE #{name} [tags=import]")

    assert (tally.refined, tally.dropped) == ({"votes": 1}, {"a person's": 1})
    assert "breaks, I say" in entry(workspace, name).body


def test_a_fact_that_was_told_may_be_voted_against(workspace):
    with workspace.app() as app:
        profile.set_fact(app, Fact("export_time", "noon"))
        brief(app, "default", "the export", "turn", session=CHAT)
        name = next(memory.id for memory in app.vault.view().memories)
    assert replying(workspace, f"VOTE down #{name}")[0].refined == {"votes": 1}


def test_a_reply_that_is_applied_again_votes_once(workspace):
    first, second = note(workspace, OLD), note(workspace, FILE)
    tell(workspace, first, second)
    lines = f"LINK #{second} caused-by #{first}\nVOTE down #{first}\nEVOLVE #{second} [tags=import]"
    replying(workspace, lines)
    after = {memory.id: memory.raw for memory in workspace.memories()}
    taken = workspace.memory / "taken.jsonl"
    kept = [line for line in taken.read_text(encoding="utf-8").splitlines(True) if '"reflected"' not in line]
    taken.write_text("".join(kept), encoding="utf-8")
    with workspace.app() as app:
        due = next(iter(reflecting.backlog(app, _options(app))))
        surfaced.keep_list(app, due.exchange, surfaced.listed(app, "default", due.exchange))
        reflecting.Reflector(app, verb="reflect").apply(due, lines)
    assert {memory.id: memory.raw for memory in workspace.memories()} == after


def _options(app: App) -> Options:
    return Options(app.agent, timedelta(minutes=5))


def test_stats_tell_what_came_of_each_also_where_there_was_nothing_to_speak_of(workspace):
    replying(workspace, "NONE")
    name = note(workspace, FILE)
    tell(workspace, name, session="00000002-0000-4000-8000-000000000000")
    talk(workspace, (ASKED, f"{ANSWERED} Again."), number=2)
    with model_server(says(f"VOTE up #{name}")) as server:
        reflect(workspace, server)
    with workspace.app() as app:
        purposes = {name: one.outcomes for name, one in stats.stats(app).purposes.items()}

    assert purposes["links"] == {"none": 1, "skipped": 1}
    assert purposes["votes"] == {"ok": 1, "skipped": 1}
    assert purposes["evolution"] == {"none": 1, "skipped": 1}


def test_the_list_is_dropped_once_it_is_of_no_more_use(workspace):
    tell(workspace, note(workspace, FILE))
    replying(workspace, "NONE")
    with workspace.app() as app:
        [due] = reflecting._exchanges(app, _options(app))
        assert surfaced.kept_list(app, due.exchange) == (frozenset(), frozenset())


def test_a_vote_by_hand_stands_beside_those_of_reflections(workspace):
    name = note(workspace, FILE)
    tell(workspace, name)
    replying(workspace, f"VOTE down #{name}")
    with workspace.app() as app:
        assert tending.vote(app, name, "down")[1] == -2
