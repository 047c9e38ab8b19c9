"""What comes in over standard input is a message that can be stored, or is answered where it stands."""

import io
import json

import pytest

from agent_memory.interfaces.mcp_server import wire
from agent_memory.interfaces.mcp_server.wire import Incoming, Outgoing


def told(data):
    """Return the messages that come through, and the answers to the rest."""
    out, ends = io.BytesIO(), []
    incoming = Incoming(io.BytesIO(data), Outgoing(out, gone=lambda: None), ended=lambda: ends.append(1))
    messages = [json.loads(line) for line in iter(incoming.readline, "")]
    assert ends == [1]
    return messages, [json.loads(line) for line in out.getvalue().splitlines()]


def request(**more):
    return {"jsonrpc": "2.0", "id": 1, "method": "ping", **more}


def test_messages_come_through_whatever_ends_their_lines():
    data = b"\xef\xbb\xbf" + json.dumps(request()).encode() + b"\r\n\n  \n" + json.dumps(request(id="a")).encode()

    assert told(data) == ([request(), request(id="a")], [])


def test_what_cannot_be_stored_is_replaced():
    line = rb'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud83d x \ud83d\ude00 \u0000"}}' + b"\n"

    messages, refused = told(line + b'{"jsonrpc":"2.0","id":2,"method":"p\xff"}\n')
    assert [messages[0]["params"], messages[1]["method"], refused] == [{"a": "? x 😀 \0"}, "p�", []]


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"1e999", b"9" * 5000])
def test_numbers_that_are_none_are_refused(number):
    messages, (refused,) = told(b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":' + number + b"}}\n")

    assert (messages, refused["error"]["code"] in (-32700, -32600)) == ([], True)


def test_a_line_without_end_is_passed_over_in_pieces():
    data = b'"' + b"x" * (2 * wire.MAX_LINE_BYTES) + b'"\n' + json.dumps(request()).encode() + b"\n"
    messages, refused = told(data)

    assert messages == [request()]
    assert [answer["error"]["code"] for answer in refused] == [-32700]


def test_whoever_stops_reading_is_noticed():
    class Closed(io.BytesIO):
        def write(self, data):
            raise BrokenPipeError

    gone = []
    Outgoing(Closed(), gone=lambda: gone.append(1)).write("x")

    assert gone == [1]


@pytest.mark.parametrize("name", [None, 1.5, True, {}, []])
def test_a_question_whose_id_is_none_is_refused_and_owes_no_answer(name):
    messages, (refused,) = told(json.dumps(request(id=name)).encode() + b"\n")

    assert (messages, refused["id"], refused["error"]["code"]) == ([], None, -32600)
