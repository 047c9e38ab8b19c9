"""Two hundred payloads that nobody should send: each gets its event's object, and 0."""

import json
import random
from typing import Any

import pytest

from agent_memory.app import hooks, rule, vault
from agent_memory.interfaces.hook.answer import NEUTRAL
from agent_memory.interfaces.hook.events import EVENTS
from tests.interfaces.hooks import PAYLOADS, ask, run

SEED = 9
COUNT = 200
VALUES: list[Any] = [
    None, True, 0, -1, 1e308, 10**30, "", " ", "\x00", "\ud800", "a" * 100_000, "../" * 500, "/D:/", "\\\\wsl$\\x",
    "~root/x", "~no-such-user", "/dev/zero", "/proc/self/mem", "file:///etc/passwd", [], [[]], [None], {},
    {"path": {"path": "x"}},
    "'; drop table memories; --", '" OR body : *', "prices.py NEAR(", "ação\u2028.py", "\u202egnp.sj",
    "%s%n${HOME}`id`",
]  # fmt: skip
BYTES = [
    b"", b"\x00" * 1000, b"[" * 100_000, b'{"a":' * 50_000, b"9" * 10_000, b"\xff\xfe{\x00}\x00", b"\xef\xbb\xbf" * 9,
    b"null", b'"text"', b"{}}", b'{"workspace_roots": ["%s"]}' % (b"a" * 9000), b"{'a': 1}", b'{"a": NaN}', b"\r\n",
    b'{"workspace_roots": ["\\u0000"]}', b'{"workspace_roots": ["\\ud800"]}', b'{"workspace_roots": {"a": 1}}',
]  # fmt: skip


def payloads(root):
    """Events with what an editor might send, each with something wrong in it."""
    chance = random.Random(SEED)
    yield from ((chance.choice(EVENTS), data) for data in BYTES)
    for number in range(COUNT - len(BYTES)):
        event = chance.choice(EVENTS)
        payload = {**PAYLOADS[event], "workspace_roots": [str(root)], "conversation_id": str(number)}
        for _ in range(chance.randint(1, 3)):
            where = chance.choice([*payload, "prompt", "tool_input", "workspace_roots", "conversation_id", "surprise"])
            wrong = chance.choice(VALUES)
            inside = {"tool_input": {"path": wrong}, "workspace_roots": [wrong, str(root)]}
            payload[where] = inside.get(where, wrong) if chance.random() < 0.7 else wrong
        data = json.dumps(payload).encode()
        yield event, data[: chance.randrange(len(data))] if chance.random() < 0.1 else data


@pytest.fixture
def project(workspace):
    with workspace.app(hooks__prompts=True) as app:
        vault.add(app, "default", "decisions", "Prices in src/prices.py are kept in cents.", [])
        app.folder.briefings.mkdir()
        rule.refresh(app)
    return workspace


def is_answer(event, answer):
    rest = {name: value for name, value in answer.items() if name != "additional_context"}
    return rest == NEUTRAL.get(event, {}) and isinstance(answer.get("additional_context", ""), str)


def test_each_gets_its_events_object(project):
    answers = [(event, ask(event, data)) for event, data in payloads(project.root)]

    assert len(answers) == COUNT
    assert all(is_answer(event, answer) for event, answer in answers)
    assert sum("additional_context" in answer for _, answer in answers) > 20  # many are as good as any other
    with project.app() as app:
        assert [one for one in hooks.answers(app) if one.failed] == []  # nor did it take the last resort


@pytest.mark.e2e
@pytest.mark.parametrize("stride", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_the_real_program_answers_them_with_0(project, stride):
    for event, data in list(payloads(project.root))[::stride]:
        done = run("cursor", event, stdin=data, cwd=project.root)

        assert (done.returncode, done.stdout.count(b"\n")) == (0, 1), done.stderr
        assert is_answer(event, json.loads(done.stdout))
