from __future__ import annotations

from threading import Event

import pytest

from agent_memory.errors import ModelError
from agent_memory.system.encoders import Local, Remote
from agent_memory.system.llm import Client, Endpoint
from tests.servers import hangs_up, model_server, refuses, says, sends, waits


@pytest.fixture
def connect():
    clients: list[Client] = []

    def _connect(url: str, timeout_s: float = 10) -> Remote:
        clients.append(Client(Endpoint(url, "bge", key="k-123")))
        return Remote(clients[-1], timeout_s)

    yield _connect
    for client in clients:
        client.close()


def test_a_server_is_asked_for_vectors_in_the_way_of_openai_and_answers_in_any_order(connect):
    rows = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    with model_server(sends({"data": rows})) as server:
        encoder = connect(server.url)
        assert encoder.encode(["a", "olá\ud800"]) == [[1.0, 0.0], [0.0, 1.0]]
        assert encoder.name.startswith("bge at http://")
    assert server.requests[0].path == "/v1/embeddings"
    assert server.requests[0].body == {"model": "bge", "input": ["a", "olá?"]}


@pytest.mark.parametrize(
    "answer",
    [
        refuses(401),
        hangs_up,
        says("no vectors"),
        sends([1]),
        sends({"data": []}),
        sends({"data": [{"index": 0, "embedding": None}]}),
        sends({"data": [{"index": 0, "embedding": ["x"]}]}),
        sends({"data": [{"embedding": [1]}]}),
    ],
)
def test_any_other_answer_is_an_error_without_the_key(connect, answer):
    with model_server(answer) as server, pytest.raises(ModelError) as caught:
        connect(server.url).encode(["a"])
    assert "k-123" not in f"{caught.value!r} {caught.value.hint} {caught.value.facts}"


def test_nobody_waits_longer_than_configured(connect):
    with model_server(says("never")) as server:
        server.scripts = [waits(server, says("late"))]
        with pytest.raises(ModelError):
            connect(server.url, timeout_s=0.2).encode(["a"])


class Lengths:
    def encode(self, texts):
        return [[float(len(text))] for text in texts]


def test_who_is_in_a_hurry_does_not_wait_for_the_model_and_who_is_patient_does():
    may_load, asked = Event(), []

    def load():
        asked.append("once")
        assert may_load.wait(10)
        return Lengths()

    encoder = Local(0.01, load)
    for _ in range(2):
        with pytest.raises(ModelError, match="not loaded yet"):
            encoder.encode(["um"])
    may_load.set()
    assert encoder.encode(["um", "dois"], patient=True) == [[2.0], [4.0]] == encoder.encode(["um", "dois"])
    assert asked == ["once"]


def test_a_model_that_cannot_be_loaded_says_so_at_once_to_everybody():
    def load():
        raise ModelError("It is torn.")

    for patient in (True, False):
        with pytest.raises(ModelError, match="torn"):
            Local(10, load).encode(["um"], patient=patient)
