"""The MCP server as a real child process, spoken to by the SDK's own client, and by hand where that is too polite."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import anyio
import pytest

from agent_memory.system import locks
from tests.app.test_watch import bodies, eventually
from tests.e2e.test_program import DECISION, start
from tests.mcp_clients import COMMAND, Told, call, child, settings_as_variables, talk

pytestmark = pytest.mark.e2e

HELLO = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip


async def every_tool(client) -> dict[str, Told]:
    """Call every tool so that it has something to answer."""
    told = {}

    async def tell(name, **arguments):
        told[name] = await call(client, name, **arguments)
        return told[name].value

    await tell("memory_profile_set", key="editor", value="vim")
    await tell("memory_profile_list")
    await tell("memory_profile_history", key="editor")
    await tell("memory_profile_remove", key="editor")
    note = await tell("memory_notes_store", content="O forno precisa de dez minutos.", tags=["forno"])
    await tell("memory_notes_recall", query="minutos", tags=["forno"])
    await tell("memory_notes_forget", id=int(note["id"]))
    entry = await tell("memory_vault_add", category="decisions", content="Prices are kept in cents.")
    await tell("memory_vault_edit", id=entry["id"], content="Prices are kept in whole cents.")
    task = await call(client, "memory_vault_add", category="tasks", content="Rodar a migração")
    await tell("memory_tasks_list")
    await tell("memory_tasks_done", id=task.value["id"])
    await tell("memory_search", query="prices")
    await tell("memory_context", query="what about prices?")
    await tell("memory_vote", id=entry["id"], direction="up")
    await tell("memory_links", id=entry["id"])
    await tell("memory_lessons_recall", query="prices")
    await tell("memory_procedures_recall", query="prices")
    return told


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_of_either_era_calls_every_tool_and_sees_a_hand_edit(workspace, mode):
    async def conversation():
        async with child(workspace.root, mode=mode, mcp_tools="all") as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            told = await every_tool(client)
            wrong = await call(client, "memory_profile_set", key="two words", value="x")
            page = workspace.memory / "default" / "decisions.md"
            page.write_text(page.read_text("utf-8").replace("whole cents", "centavos inteiros"), "utf-8")
            return listed, told, wrong, await call(client, "memory_search", query="centavos")

    listed, told, wrong, edited = talk(conversation)

    assert set(told) == set(listed)
    assert all(re.fullmatch(r"[a-z0-9_]{1,40}", name) for name in listed)
    assert [name for name, each in told.items() if each.failed or not isinstance(each.value, dict)] == []
    assert [name for name, each in told.items() if json.loads(each.text) != each.value] == []
    assert wrong.error == ("InvalidValue", "key")
    assert wrong.text.startswith("validation: key: must begin with a letter")
    assert [hit["content"] for hit in edited.value["results"]] == ["Prices are kept in centavos inteiros."]


class Wire:
    """A server spoken to by hand."""

    def __init__(self, root, *words, **settings):
        self.process = subprocess.Popen(
            [*COMMAND, *words], cwd=root, env=settings_as_variables(**settings),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert self.process.stdin
        assert self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout
        self.send(HELLO)
        self.answer()

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.input.write(line + b"\n")
        self.input.flush()

    def call(self, number, name, **arguments):
        params = {"name": name, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    def answer(self):
        return json.loads(self.output.readline())

    def close(self):
        """Close its input; return how long it took to go, with which code."""
        started = time.monotonic()
        self.input.close()
        code = self.process.wait(20)
        return time.monotonic() - started, code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.input.close()
        self.process.stdin = None
        self.process.communicate()


def test_garbage_is_answered_and_survived(workspace):
    deep = b'{"jsonrpc":"2.0","id":"deep","method":"ping","params":' + b'{"a":' * 500 + b"1" + b"}" * 501
    garbage = [
        (b"garbage", None), (b"\xff\xfe\x00", None), (b"[]", None), (b"{}", None), (b"NaN", None),
        (b"[" * 99_999, None),
        (b'{"jsonrpc":"2.0","id":9,"method":5}', 9), (deep, "deep"),
    ]  # fmt: skip
    with Wire(workspace.root) as server:
        for line, name in garbage:
            server.send(line)
            answer = server.answer()
            assert (answer["id"], answer["error"]["code"] in (-32700, -32600)) == (name, True)
        server.send(b"")
        server.send(b'{"jsonrpc":"2.0","id":1,"method":"no/such/method"}')
        assert server.answer()["error"]["code"] == -32601
        server.call(2, "memory_notes_store", content="Ainda aqui.")
        assert server.answer()["result"]["structuredContent"]["outcome"] == "stored"
        assert server.close()[1] == 0


def test_it_is_gone_within_a_second_of_its_input_even_while_a_tool_runs(workspace):
    with Wire(workspace.root) as server:
        server.call(1, "memory_notes_store", content="One.")
        assert server.answer()["id"] == 1
        idle = server.close()
    lock = locks.try_lock(workspace.memory / ".vault" / "vault.lock")
    assert lock is not None
    busy: list[tuple[float, int]] = []
    try:
        while not busy or (busy[-1][0] > 1 and len(busy) < 3):  # a machine may be slower than we are, once
            with Wire(workspace.root) as server:
                server.call(1, "memory_notes_store", content="Two.")
                server.send({"jsonrpc": "2.0", "id": 2, "method": "ping"})
                assert server.answer()["id"] == 2  # the loop goes on while the tool waits for the lock
                busy.append(server.close())
    finally:
        lock.release()

    assert (idle[1], busy[-1][1]) == (0, 0)
    assert busy[-1][0] <= 1


def test_what_was_asked_before_the_input_ended_is_answered(workspace):
    asked = "".join(json.dumps(message) + "\n" for message in (HELLO, {"jsonrpc": "2.0", "id": 1, "method": "ping"}))

    def answered():
        done = subprocess.run(COMMAND, cwd=workspace.root, input=asked, capture_output=True, text=True, check=True)
        return ["result" in json.loads(line) for line in done.stdout.splitlines()]

    assert any(answered() == [True, True] for _ in range(3))  # there is half a second for it, which a machine may miss


def test_fifty_calls_over_two_servers_beside_a_watcher_lose_and_double_nothing(workspace):
    watcher = start(workspace, "watch", "--wait-for-transcripts", "--quiet")
    workspace.chat().user(DECISION).assistant("Done.").ended().save(written=workspace.long_ago())

    async def conversation():
        ids = []
        async with child(workspace.root) as one, child(workspace.root) as other, anyio.create_task_group() as group:

            async def store(client, number):
                told = await call(client, "memory_notes_store", content=f"Fornada número {number}: {number * 7} pães.")
                ids.append(told.value["id"])

            for number in range(50):
                group.start_soon(store, (one, other)[number % 2], number)
        return ids

    try:
        ids = talk(conversation)
        eventually(lambda: len(bodies(workspace, "decisions")) == 1, within_s=20)
    finally:
        watcher.send_signal(signal.SIGINT)
        watcher.communicate(timeout=20)
    notes = [memory for memory in workspace.memories() if memory.page.category == "notes"]

    assert len(set(ids)) == 50
    assert {note.id for note in notes} == set(ids)


def test_what_was_acknowledged_survives_a_kill_in_the_middle_of_writing(workspace):
    with Wire(workspace.root) as server:
        for number in range(200):
            server.call(number, "memory_notes_store", content=f"Nota {number} sobre {number * 13} coisas.")
        told = [server.answer() for _ in range(random.randrange(2, 12))]
        server.process.kill()
    stored = {answer["result"]["structuredContent"]["id"] for answer in told}
    standing = workspace.memories()

    assert stored <= {memory.id for memory in standing}
    assert len({memory.body for memory in standing}) == len(standing)
    assert not [name for name in workspace.files() if "am-tmp" in name]


def test_only_messages_come_out_whoever_prints(workspace):
    program = (
        "import os, subprocess, sys\n"
        "print('before')\n"
        "from agent_memory.interfaces.mcp_server.wire import claimed\n"
        "taken, given = claimed()\n"
        "print('python', flush=True); os.write(1, b'c\\n')\n"
        "subprocess.run([sys.executable, '-c', 'print(input(), 1)'])\n"
        "given.write(taken.readline()); given.flush()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], input=b"message\n", capture_output=True, check=True)

    assert done.stdout.split() == [b"before", b"message"]
    assert b"python" in done.stderr
    assert b"c\n" in done.stderr
    assert b"EOFError" in done.stderr  # a child finds no message to take away


def test_without_the_extra_one_sentence_says_how_to_get_it(workspace):
    program = "import sys; sys.modules['mcp'] = None; from agent_memory.__main__ import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "mcp"], cwd=workspace.root, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "agent-memory: The MCP server needs the extra `mcp`, which is not installed.",
        '  pip install "agent-memory[mcp]"',
    ]


def test_what_is_wrong_with_the_start_is_said_before_anybody_connects(workspace):
    done = subprocess.run(
        [*COMMAND, "--agent", "../x"], cwd=workspace.root, capture_output=True, text=True, check=False, env=os.environ
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be the name of an agent" in done.stderr
