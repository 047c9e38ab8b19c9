"""The one door to models, against a real HTTP server on loopback."""

import gzip
import threading
import time

import pytest

from agent_memory.errors import ModelAborted, ModelError, ModelRefused, ModelTimeout, SettingsError
from agent_memory.model.asking import Answer, Prompt
from agent_memory.system.llm import Client, Endpoint, wait
from tests.servers import drips, hangs_up, model_server, refuses, says, sends, waits

PROMPT = Prompt("Be brief.", "USER: olá, ação\ud83d", 50, {"type": "object"}, "root ::= [a-z]+")
KEY = "sk-not-to-be-seen-anywhere"


@pytest.fixture
def connect():
    """Return what makes clients, each closed at the end."""
    clients: list[Client] = []

    def _connect(url: str, **given) -> Client:
        clients.append(Client(Endpoint(url, "m", **given)))
        return clients[-1]

    yield _connect
    for client in clients:
        client.close()


def ask(client: Client, timeout_s: float) -> Answer:
    return wait(client.start(PROMPT, timeout_s=timeout_s))


def test_an_answer_comes_with_what_it_cost(connect):
    with model_server(says("NONE", usage={"prompt_tokens": 7, "completion_tokens": 3})) as server:
        answer = ask(connect(server.url), 10)

    assert (answer.text, answer.prompt_tokens, answer.reply_tokens) == ("NONE", 7, 3)
    assert answer.latency_s > 0
    assert server.requests[0].path == "/v1/chat/completions"


@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": -1, "completion_tokens": "many"}])
def test_a_server_that_counts_nothing_is_counted_for(connect, usage):
    with model_server(says("four words of text", usage=usage)) as server:
        answer = ask(connect(server.url), 10)

    assert answer.prompt_tokens > 0
    assert answer.reply_tokens == 5


def test_a_reply_that_was_cut_off_loses_its_last_line(connect):
    with model_server(says("NOTE one\nNOTE never do tw", ended="length")) as server:
        assert ask(connect(server.url), 10).text == "NOTE one"


@pytest.mark.parametrize(
    ("kind", "path", "sent"),
    [
        ("openai", "/v1/chat/completions", {"max_tokens": 50, "temperature": 0, "stream": False}),
        ("llamacpp", "/v1/chat/completions", {"max_tokens": 50, "grammar": "root ::= [a-z]+", "id_slot": 2}),
        ("ollama", "/api/chat", {"format": {"type": "object"}, "options": {"temperature": 0, "num_predict": 50}}),
    ],
)
def test_each_kind_of_server_is_asked_in_its_own_way(connect, kind, path, sent):
    ollama = {"message": {"content": "ok"}, "prompt_eval_count": 5, "eval_count": 1, "done_reason": "stop"}
    with model_server(sends(ollama) if kind == "ollama" else says("ok")) as server:
        answer = ask(connect(server.url, server=kind, slot_id=2), 10)

    assert answer.text == "ok"
    assert server.requests[0].path == path
    assert server.requests[0].body.items() >= sent.items()
    assert server.requests[0].body["messages"][1]["content"] == "USER: olá, ação?"


def test_a_schema_goes_to_whoever_takes_one_and_is_left_out_for_whoever_refuses_it(connect):
    with model_server(refuses(400), says("first"), says("second")) as server:
        client = connect(server.url)
        answers = [ask(client, 10).text for _ in range(2)]

    assert answers == ["first", "second"]
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]


@pytest.mark.parametrize("url", ["http://h:8080", "http://h:8080/"])
def test_an_address_without_a_path_gets_the_usual_one(url):
    assert Endpoint(url, "m").url("/embeddings") == "http://h:8080/v1/embeddings"
    assert Endpoint("http://h/api/openai/", "m").url("/embeddings") == "http://h/api/openai/embeddings"


@pytest.mark.parametrize(
    "url",
    ["ftp://h/v1", "h:8080", "http://", "http://me:secret@h/v1", "http://h/v1?key=secret", "file:///etc", "http://h:x"],
)
def test_what_is_no_address_is_refused_without_being_repeated(url):
    with pytest.raises(SettingsError) as caught:
        Endpoint(url, "m")

    assert "secret" not in str(caught.value)


def test_a_key_that_cannot_be_one_is_refused_without_being_repeated():
    with pytest.raises(SettingsError) as caught:
        Endpoint("http://h", "m", key="line\nend")

    assert "line" not in str(caught.value)


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (refuses(401), ModelRefused),
        (refuses(500), ModelRefused),
        (hangs_up, ModelError),
        (sends(b"<html>no</html>"), ModelError),
        (sends(b"[" * 100_000), ModelError),
        (sends([]), ModelError),
        (sends({"choices": []}), ModelError),
        (sends({"choices": [{"message": {"content": ["a"]}}]}), ModelError),
        (sends({"choices": [{"message": {}}]}), ModelError),
        (sends(b" " * 17_000_000), ModelError),
    ],
)
def test_whatever_else_a_server_does_is_an_error_without_the_key(connect, script, kind):
    with model_server(script) as server, pytest.raises(kind) as caught:
        ask(connect(server.url, key=KEY), 20)

    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{caught.value!r} {caught.value.hint} {caught.value.facts} {caught.value.__cause__!r}"


def test_the_key_is_in_no_repr():
    assert KEY not in repr(Endpoint("http://h", "m", key=KEY))


def test_nobody_listening_is_an_error(connect):
    with model_server(says("ok")) as server:
        pass

    with pytest.raises(ModelError, match=r"127\.0\.0\.1"):
        ask(connect(server.url), 10)


def test_a_redirect_is_not_followed_and_the_key_stays_here(connect):
    with model_server(says("stolen")) as thief, model_server(refuses(307, Location=thief.url)) as server:
        with pytest.raises(ModelRefused, match="307"):
            ask(connect(server.url, key=KEY), 10)

        assert thief.requests == []


def test_a_proxy_of_the_environment_does_not_see_what_stays_on_this_computer(connect, monkeypatch):
    with model_server(says("proxied")) as proxy, model_server(says("direct")) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)

        assert ask(connect(server.url), 10).text == "direct"


@pytest.mark.parametrize("dripping", [False, True])
def test_a_call_ends_by_its_deadline_however_slowly_the_server_answers(connect, dripping):
    with model_server(says("never")) as server:
        server.scripts = [drips if dripping else waits(server, says("late"))]
        started = time.monotonic()
        with pytest.raises(ModelTimeout):
            ask(connect(server.url), 0.3)

        assert time.monotonic() - started < 10


def test_a_call_is_given_up_at_once_when_somebody_cancels_it(connect):
    with model_server(says("never")) as server:
        server.scripts = [waits(server, says("late")), says("next")]
        client = connect(server.url)
        future = client.start(PROMPT, timeout_s=60)
        server.wait_for_request()
        future.cancel()
        with pytest.raises(ModelAborted):
            wait(future)

        assert ask(client, 10).text == "next"


def test_closing_gives_up_what_is_under_way_and_leaves_no_thread(connect):
    before = set(threading.enumerate())
    with model_server(says("never")) as server:
        server.scripts = [waits(server, says("late")), says("again")]
        client = connect(server.url)
        future = client.start(PROMPT, timeout_s=60)
        server.wait_for_request()
        client.close()
        client.close()
        with pytest.raises(ModelAborted):
            wait(future)
        assert not [thread for thread in threading.enumerate() if thread.name == "models"]

        assert ask(client, 10).text == "again"
        client.close()
    assert set(threading.enumerate()) <= before


def test_any_json_can_be_posted(connect):
    with model_server(sends({"data": [1]})) as server:
        found = connect(server.url).post_json("/embeddings", {"input": ["é"]}, timeout_s=10)

    assert found == {"data": [1]}
    assert (server.requests[0].path, server.requests[0].body) == ("/v1/embeddings", {"input": ["é"]})


def test_what_is_packed_is_not_unpacked(connect):
    def packed(handler, body):
        data = gzip.compress(b" " * 1_000_000)
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    with model_server(packed) as server, pytest.raises(ModelError, match="packed"):
        ask(connect(server.url), 20)

    assert server.requests[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("count", [-1, 10**30, "12", None, 1.5, True])
def test_a_count_that_cannot_be_is_none(connect, count):
    with model_server(says("NONE", usage={"prompt_tokens": count, "completion_tokens": count})) as server:
        answer = ask(connect(server.url), 20)

    assert (answer.prompt_tokens, answer.reply_tokens) == (7, 1)
