"""The process is killed while a model reflects: the next one applies the same reply, once, and pays for it once."""

from functools import partial

from agent_memory.app import vault as vaults
from tests.app.test_refining import FILE, OLD, note, tell
from tests.app.test_reflecting import LINES, reflect, talk
from tests.crash.faults import put_back, states_of
from tests.servers import model_server, says
from tests.workspace import Workspace, essence


def reflected(workspace: Workspace) -> bool:
    return '"reflected"' in (workspace.memory / "taken.jsonl").read_text(encoding="utf-8")


def test_after_any_durable_step_the_recorded_reply_is_applied_once(make):
    with model_server(says(LINES), says(LINES), says("NONE")) as server:
        undisturbed = make()
        talk(undisturbed)
        reflect(undisturbed, server)
        expected = essence(undisturbed.memories())
        workspace = make()
        talk(workspace)
        states = states_of(workspace, partial(reflect, workspace, server))
        asked_again = []
        for state in states:
            put_back(workspace, state)
            workspace.clock.advance(minutes=2)  # by now a call that was cut off must be over
            before = len(server.requests)
            reflect(workspace, server)
            assert reflected(workspace)
            asked_again.append(len(server.requests) > before)
            active = [memory for memory in workspace.memories() if memory.active]
            # Whoever had no reply yet is told NONE this time; everybody else has what the first reply said.
            assert essence(tuple(active)) == (set() if asked_again[-1] else expected)
            assert len(active) == len({memory.key for memory in active})

    assert len(expected) == 3
    assert len(states) > 10
    assert asked_again == sorted(asked_again, reverse=True)
    assert not all(asked_again)


def test_what_a_killed_call_may_have_used_counts_against_the_day(make):
    workspace = make()
    with model_server(says("NONE")) as server:
        talk(workspace)
        states = states_of(workspace, partial(reflect, workspace, server))
        put_back(workspace, states[-1])
        with workspace.app() as app:
            settled = app.state.calls.tokens_on(app.clock.now())
        reserved = 0
        for state in states:
            put_back(workspace, state)
            with workspace.app() as app:
                reserved = max(reserved, app.state.calls.tokens_on(app.clock.now()))

    assert reserved > settled == 110


def test_after_any_durable_step_links_tags_and_votes_are_applied_once(make):
    workspace = make()
    first, second = note(workspace, OLD), note(workspace, FILE)
    with workspace.app() as app:
        decision = vaults.add(app, "default", "decisions", "The import of the supplier file runs at noon.", []).memory
    tell(workspace, first, second, decision.id)
    talk(workspace)
    votes = "\n".join(f"VOTE down #{name}" for name in (first, second, decision.id))
    said = f"{LINES}\nLINK #{second} caused-by #1\n{votes}\nEVOLVE #{second} [tags=import]"
    with model_server(says(said), says("NONE")) as server:
        states = states_of(workspace, partial(reflect, workspace, server))
        expected = refined(workspace)
        found = []
        for state in states:
            put_back(workspace, state)
            workspace.clock.advance(minutes=2)
            before = len(server.requests)
            reflect(workspace, server)
            found += [refined(workspace)] if len(server.requests) == before else []

    assert len(found) > 5
    assert [one for one in found if one != expected] == []
    assert len([one for one in expected if one[1] == "-1"]) == 3


def refined(workspace: Workspace) -> set[tuple[object, ...]]:
    standing = (memory for memory in workspace.memories() if memory.active)
    return {
        (one.body, one.meta.get("votes"), one.meta.get("links", "").partition(">")[0], one.tags) for one in standing
    }
