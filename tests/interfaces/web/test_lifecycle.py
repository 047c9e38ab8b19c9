"""A session as a dashboard leads it: its first prompt, the agent's answer as it comes, saving, ending."""

import json
import shlex
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.web import PATIENCE_S, site, until

SAID = [
    {"role": "user", "text": "Let's go with a queue for the ovens, because two bakers booked the same hour."},
    {"role": "agent", "text": "Done, bookings go through the queue now."},
]
ECHO = "import sys; text = sys.stdin.read(); print(len(text)); print('ação ' + text[-9:], flush=True)"
# Tells its own number and a child's, and then stays.
STAYS = (
    "import subprocess, sys, time;"
    " child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
    " print(__import__('os').getpid(), child.pid, flush=True); time.sleep(600)"
)
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {STAYS}"
LEAVES = STAYS.removesuffix(" time.sleep(600)")
FAILS = "import sys; sys.stderr.write('no credit'); sys.exit(3)"


def command(code):
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


@contextmanager
def asked(api, **body):
    """The events of a running command, as pairs of name and value."""
    with api.client.stream(
        "POST", "/api/agents/command", json={"agentId": "dev", "command": "Bake it.", **body}
    ) as got:
        assert got.headers["content-type"].startswith("text/event-stream")
        yield events(until(PATIENCE_S, got.iter_lines()))


def events(lines):
    for line in lines:
        if line.startswith("event: "):
            yield line.removeprefix("event: "), json.loads(next(lines).removeprefix("data: "))


def numbers_in(told):
    """The first line that a command says, which may come in pieces."""
    text = ""
    while not text.endswith("\n"):
        text += next(told)[1].get("text", "")
    return [int(word) for word in text.split()]


def is_alive(number):
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc")
    try:
        return ") Z " not in Path(f"/proc/{number}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def wait_until(true, why):
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, why
        time.sleep(0.02)


def test_a_new_session_is_briefed_and_a_resumed_one_is_not(workspace):
    with site(workspace) as api:
        api.add("We book the ovens by the hour.", agent="dev")
        new = api.post("/api/agents/command", agentId="dev", command="Bake it.", persona="You bake.", chatId="c-1")
        api.post("/api/memory/checkpoint", agentId="dev", messages=SAID, chatId="c-1")
        same = api.post("/api/agents/command", agentId="dev", command="Go on.", chatId="c-1")
        said_so = api.post("/api/agents/command", agentId="dev", command="Go on.", resume=True)
        other = api.post("/api/agents/command", agentId="dev", command="Go on.", chatId="c-2")

    assert new["prompt"].startswith("You bake.\n\n<!-- agent-memory:briefing -->")
    assert "book the ovens by the hour" in new["prompt"]
    assert new["prompt"].endswith("<!-- /agent-memory:briefing -->\n\nBake it.")
    assert (new["briefed"], same["briefed"], said_so["briefed"], other["briefed"]) == (True, False, False, True)
    assert same["prompt"] == said_so["prompt"] == "Go on."


def test_an_agent_that_nobody_has_heard_of_gets_the_shared_page(workspace):
    with site(workspace) as api:
        api.send("PUT", "/api/memory/project", content="# The shop\n\nWe sell bread.\n")
        assert "We sell bread." in api.post("/api/agents/command", agentId="novo", command="Oi")["prompt"]
        assert api.post("/api/agents/command", 400, agentId="../novo", command="Oi")["error"]["type"] == "InvalidName"


def test_a_command_gets_the_prompt_and_its_answer_comes_as_it_is_said(workspace):
    with site(workspace, agents__command=command(ECHO)) as api, asked(api) as told:
        (first, start), *outputs, (last, end) = told

    assert (first, start["briefed"], last, end) == ("start", True, "end", {"exitCode": 0, "error": ""})
    text = "".join(value["text"] for name, value in outputs if name == "output")
    assert int(text.split()[0]) > 100
    assert text.endswith("ação \nBake it.\n")


def test_a_command_that_fails_says_why(workspace):
    with site(workspace, agents__command=command(FAILS)) as api, asked(api) as told:
        assert list(told)[-1] == ("end", {"exitCode": 3, "error": "no credit"})
    with site(workspace, agents__command="/nowhere/agent") as api, asked(api) as told:
        assert list(told)[-1][1]["exitCode"] is None


def test_a_command_that_takes_too_long_is_ended(workspace):
    with site(workspace, agents__command=command(STAYS), agents__timeout_s=1.0) as api, asked(api) as told:
        numbers, [(_, end)] = numbers_in(told), list(told)
    assert "more than 1 s" in end["error"]
    for number in numbers:
        wait_until(lambda number=number: not is_alive(number), "the command goes on")


@pytest.mark.parametrize("ends", ["the request", "the server"])
def test_a_command_and_its_children_end_with(workspace, ends):
    with site(workspace, agents__command=command(STUBBORN if ends == "the server" else STAYS)) as api:
        with asked(api) as told:
            numbers = numbers_in(told)
            assert all(map(is_alive, numbers))
            if ends == "the server":
                api.end()
                assert list(told) == [("end", {"exitCode": -9, "error": ""})]
        for number in numbers:
            wait_until(lambda number=number: not is_alive(number), f"{number} goes on without {ends}")


def test_what_a_command_leaves_behind_holds_nobody_up_and_ends(workspace):
    with site(workspace, agents__command=command(LEAVES)) as api, asked(api) as told:
        numbers, [(_, end)] = numbers_in(told), list(told)
    assert end == {"exitCode": 0, "error": ""}
    for number in numbers:
        wait_until(lambda number=number: not is_alive(number), f"{number} goes on")


def test_words_of_a_chat_are_never_a_shells(workspace, tmp_path):
    hostile = f"$(touch {tmp_path}/x); `touch {tmp_path}/x` | touch {tmp_path}/x"
    with site(workspace, agents__command=command(ECHO)) as api, asked(api, command=hostile) as told:
        assert list(told)[-1][1]["exitCode"] == 0
    assert not (tmp_path / "x").exists()


def test_a_conversation_is_saved_shown_and_taken_up_again(workspace):
    with site(workspace) as api:
        assert api.get("/api/memory", agentId="dev")["messages"] == []
        saved = api.post("/api/memory", agentId="dev", messages=SAID, chatId="c-1")
        beaconed = api.post("/api/agents/beacon", agentId="dev", messages=[*SAID, SAID[0]], chatId="c-1")

        assert (saved["messages"], beaconed["messages"]) == (2, 3)
        shown = api.get("/api/memory", agentId="dev")
        assert (shown["chatId"], shown["messages"]) == ("c-1", [*SAID, SAID[0]])
        assert api.get("/api/memory/checkpoint", agentId="dev")["checkpoint"]["messages"] == [*SAID, SAID[0]]
        assert api.get("/api/memory/checkpoint", agentId="nobody") == {"checkpoint": None}
    assert workspace.memories() == ()  # no handoff, nothing taken: that is for closing


def test_closing_takes_what_was_said_once_and_writes_the_handoff(workspace):
    with site(workspace) as api:
        api.post("/api/memory", agentId="dev", messages=SAID[:1], chatId="c-1")
        first = api.post("/api/agents/close", agentId="dev", messages=SAID, chatId="c-1")
        again = api.post("/api/agents/close", agentId="dev", messages=SAID, chatId="c-1")
        [handoff] = api.listed("handoffs", "dev")
        [decision] = api.listed("decisions", "dev")

        assert (first["decisions"], first["handoffs"], again["decisions"], again["handoffs"]) == (1, 1, 0, 0)
        assert {"auto-handoff", "session-close"} <= set(handoff["tags"])
        assert api.get("/api/memory/entry", id=decision["id"])["quote"]["text"] == SAID[0]["text"]
    workspace.clock.advance(hours=1)
    assert workspace.process().decisions == 0  # the conversation's file has nothing new


def test_a_summary_stands_as_the_handoff(workspace):
    with site(workspace) as api:
        api.post("/api/agents/close", agentId="dev", messages=SAID, summary="O forno tem fila.")
        [handoff] = api.listed("handoffs", "dev")
    assert handoff["content"] == "O forno tem fila."


def test_an_open_page_has_the_vault_compacted_every_ten_minutes(workspace):
    with site(workspace) as api:
        for number in range(31):
            api.add(f"Decision {number}.")
        planned = api.get("/api/memory/compact/plan")
        ran = [api.post("/api/memory/compact", ifDue=True)["ran"] for _ in range(2)]
        workspace.clock.advance(minutes=10)
        ran.append(api.post("/api/memory/compact", ifDue=True)["ran"])
        told = api.get("/api/memory/compact")

        assert planned["plan"] == ["default/decisions.md: 11 entries, to the archive"]
        assert ran == [True, False, True]
        assert (told["running"], set(told["last"]) > {"timestamp", "vaultEntriesMerged"}) == (None, True)
        assert len(api.listed(show="archived")) == 11


def test_flat_notes_become_pages(workspace):
    workspace.memory.mkdir()
    (workspace.memory / "Dev.md").write_text("## Decisões\n\nPão só de manhã.\n")
    with site(workspace) as api:
        assert len(api.post("/api/memory/migrate", dryRun=True)["migrated"]) == 1
        assert (workspace.memory / "Dev.md").exists()
        api.post("/api/memory/migrate")
        assert api.listed("decisions", "Dev")[0]["content"] == "Pão só de manhã."
