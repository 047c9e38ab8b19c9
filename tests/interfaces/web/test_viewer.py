"""`agent-memory viewer` as a process: where it listens, how it ends, and what a kill costs."""

import contextlib
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading

import httpx
import pytest

from agent_memory.errors import FileError, UsageError
from agent_memory.interfaces.web.serve import serve
from tests.web import PATIENCE_S

pytestmark = pytest.mark.e2e

RUN = (sys.executable, "-m", "agent_memory", "viewer")


@contextlib.contextmanager
def viewer(workspace, *words, **environment):
    """The running command, and the address that it has told."""
    process = subprocess.Popen(
        [*RUN, *(words or ("--no-open", "--port", "0"))],
        cwd=workspace.root, env={**os.environ, **environment}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        told = process.stdout.readline()
        found = re.search(r"http://\S+", told)
        assert found, process.stderr.read()
        yield process, found[0]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def is_empty(group):
    """Whether a group of processes has none left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def client(url):
    return httpx.Client(base_url=url, timeout=PATIENCE_S, trust_env=False)


def add(asking, content):
    return asking.post("/api/memory/vault", json={"agentId": "default", "category": "notes", "content": content})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_says_where_it_listens_and_ends_at_once_with_nothing_left(workspace, number):
    with viewer(workspace) as (process, url), client(url) as asking:
        assert url.startswith("http://127.0.0.1:")
        assert add(asking, "There is a vault.").status_code == 200
        with socket.create_connection(("127.0.0.1", asking.base_url.port)) as leaving:
            head = f"Host: 127.0.0.1:{asking.base_url.port}\r\nContent-Length: 9"
            leaving.sendall(f"POST /api/memory/vault HTTP/1.1\r\n{head}\r\n\r\n{{".encode())
        with asking.stream("GET", "/api/events") as stream:
            assert next(stream.iter_lines()) == "event: hello"  # an open page does not hold it up
            process.send_signal(number)
            assert process.wait(PATIENCE_S) == 0
        out, err = process.communicate()
        assert (out, err) == ("", "")
        assert is_empty(process.pid)


def test_a_port_that_is_taken_is_not_the_end(workspace):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with viewer(workspace, "--no-open", "--port", str(port)) as (process, url):
            assert httpx.get(url, trust_env=False).status_code == 200
            process.terminate()
            _, err = process.communicate(timeout=PATIENCE_S)
    found = int(url.rsplit(":", 1)[1].strip("/"))
    assert found > port
    assert err == f"Port {port} is taken; this is {found}.\n"


def test_it_is_the_browser_that_opens_the_page(workspace, tmp_path):
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened.new && mv {tmp_path}/opened.new {tmp_path}/opened\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    with viewer(workspace, "--port", "0", BROWSER=f"{browser} %s") as (_, url):
        wait = threading.Event()
        while not (tmp_path / "opened").exists():
            assert not wait.wait(0.02)
    assert (tmp_path / "opened").read_text() == f"{url}\n"


def test_a_kill_loses_nothing_that_was_accepted(workspace):
    accepted = []

    def write(url, writer):
        with client(url) as asking, contextlib.suppress(httpx.TransportError):
            for number in range(1000):
                answer = add(asking, f"Note {number} of {writer}.")
                accepted.append(answer.json()["entry"]["id"])

    with viewer(workspace) as (process, url):
        writers = [threading.Thread(target=write, args=(url, writer)) for writer in range(4)]
        for writer in writers:
            writer.start()
        while len(accepted) < 12:
            assert any(writer.is_alive() for writer in writers)
        process.kill()
        for writer in writers:
            writer.join(PATIENCE_S)
    standing = {memory.id for memory in workspace.memories()}
    assert len(accepted) >= 12
    assert set(accepted) <= standing
    assert len(standing) <= len(accepted) + len(writers)


@pytest.mark.parametrize(
    ("host", "remote", "token", "told"),
    [
        ("", True, "", "can be reached from elsewhere"),
        ("0.0.0.0", False, "a" * 20, "can be reached from elsewhere"),
        ("0.0.0.0", True, "short", "no token"),
    ],
)
def test_it_does_not_listen_where_it_should_not(workspace, host, remote, token, told):
    with pytest.raises(UsageError, match=told):
        serve(str(workspace.memory), host, 0, opens=False, remote=remote, token=token)


def test_where_no_port_is_left_it_says_so(workspace):
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):  # somebody else may have it, which will do
            held.enter_context(socket.create_server(("127.0.0.1", 65_535)))
        with pytest.raises(FileError, match="No port from 65535 on is free"):
            serve(str(workspace.memory), "", 65_535, opens=False, remote=False, token="")


def test_without_the_extra_it_says_what_to_install(workspace, tmp_path):
    (tmp_path / "starlette").mkdir()
    (tmp_path / "starlette" / "__init__.py").write_text("raise ModuleNotFoundError('No module', name='starlette')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        RUN, cwd=workspace.root, env=environment, capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert 'pip install "agent-memory[web]"' in done.stderr


def test_what_is_being_written_when_it_ends_is_written_and_answered(workspace):
    with viewer(workspace) as (process, url), client(url) as asking:
        assert add(asking, "There is a vault.").status_code == 200
        said = [
            {"role": "user" if number % 2 else "agent", "text": f"Let's book oven {number}, because it is hot."}
            for number in range(200)
        ]
        answers = []
        body = {"agentId": "dev", "messages": said}
        writer = threading.Thread(target=lambda: answers.append(asking.post("/api/agents/close", json=body)))
        writer.start()
        chat = workspace.memory / "conversations" / "dev.json"
        wait = threading.Event()
        while not chat.exists():
            assert not wait.wait(0.01)
        process.terminate()
        writer.join(PATIENCE_S)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, "")
    assert answers[0].json()["turns"] == 200
