"""What somebody else's page, a proxy or a broken client may send: it is refused, and nothing is written."""

import json
import socket

import pytest

from tests.web import PATIENCE_S, site
from tests.workspace import Workspace

WRITE = {"agentId": "dev", "category": "decisions", "content": "Planted."}
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) <svg/onload=alert(1)>"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    root = tmp_path_factory.mktemp("attacked") / "shop"
    (root / ".git").mkdir(parents=True)
    return Workspace(root.resolve(), tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def served(shop):
    with site(shop) as one:
        yield one


@pytest.fixture
def api(served, shop):
    """A server that, whatever a test has sent, is still there afterwards, and has had nothing planted."""
    served.client.cookies.clear()
    yield served
    assert served.get("/api/agents") == {"agents": []}
    assert not shop.memory.exists()


def request(api, method="POST", path="/api/memory/vault", *headers, host="", body=None, kind="application/json"):
    data = json.dumps(WRITE if body is None else body).encode() if not isinstance(body, bytes) else body
    lines = [
        f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{api.port}'}", "Connection: close",
        f"Content-Type: {kind}", f"Content-Length: {len(data)}", *headers,
    ]  # fmt: skip
    return api.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + data)


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer else None


@pytest.mark.parametrize(
    "host",
    ["evil.test", "evil.test:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.test:{port}", "0.0.0.0:{port}"],
)
def test_a_name_that_is_not_ours_is_refused(api, host):
    for method, path in (("POST", "/api/memory/vault"), ("GET", "/api/agents"), ("GET", "/"), ("GET", "/api/events")):
        assert status(request(api, method, path, host=host.format(port=api.port))) == 403


@pytest.mark.parametrize(
    "headers",
    [
        ["Origin: http://evil.test"],
        ["Origin: null"],
        ["Origin: http://127.0.0.1:1"],
        ["Origin: https://127.0.0.1:{port}"],
        ["Origin: http://127.0.0.1:{port}", "Origin: http://evil.test"],
        ["Sec-Fetch-Site: cross-site"],
        ["Sec-Fetch-Site: same-site"],
        ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"],
    ],
)
def test_another_sites_page_is_refused(api, headers):
    given = [header.format(port=api.port) for header in headers]
    assert status(request(api, "POST", "/api/memory/vault", *given)) == 403
    assert status(request(api, "POST", "/api/memory/vault", *given, kind="text/plain")) == 403
    assert status(request(api, "GET", "/api/memory/overview", *given)) == 403


def test_our_own_page_and_a_link_to_it_are_welcome(api):
    own = (f"Origin: http://127.0.0.1:{api.port}", "Sec-Fetch-Site: same-origin")
    assert status(request(api, "POST", "/api/memory/context", *own, body={"agentId": "default"})) == 200
    assert status(request(api, "GET", "/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate")) == 200
    assert status(request(api, "GET", "/api/agents", host=f"LOCALHOST:{api.port}")) == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_can_send_is_no_json(api, kind):
    assert status(request(api, kind=kind)) == 415


def test_nobody_is_told_that_other_sites_may_ask(api):
    answer = request(api, "OPTIONS", "/api/memory/vault", "Access-Control-Request-Method: POST")
    assert status(answer) == 405
    assert b"access-control" not in answer.lower()


@pytest.mark.parametrize(
    "header",
    ["X-Forwarded-For: 127.0.0.1", "x-FORWARDED-host: a", "X_Forwarded_For: 127.0.0.1", "Forwarded: for=127.0.0.1",
     "Via: 1.1 proxy", "X-Real-IP: 127.0.0.1", "CF-Connecting-IP: 127.0.0.1"],
)  # fmt: skip
def test_upkeep_is_for_this_computer_alone(api, header):
    for method, path in (("POST", "/api/compact"), ("POST", "/api/memory/compact"), ("POST", "/api/memory/migrate"),
                         ("POST", "/api/agents/command"), ("GET", "/api/memory/compact/plan"),
                         ("HEAD", "/api/memory/compact/plan"), ("POST", "//api/compact")):  # fmt: skip
        assert status(request(api, method, path, header, body={})) == 403


@pytest.mark.parametrize(
    "name",
    ["../escaped", "..", ".", "a/b", "a\\b", "/etc", "C:x", ".hidden", "conversations", "archive", "con",
     "a\u0000/../b", "..%2f..%2fx", "\u202e", "a\nb", "x" * 81, "-rf", " a", "a.", "taken.jsonl"],
)  # fmt: skip
def test_no_name_leads_out_of_the_folder(api, shop, name):
    before = sorted(shop.root.parent.rglob("*"))
    messages = [{"role": "user", "text": "Hi."}]
    for path, body in (
        ("/api/memory/vault", {**WRITE, "agentId": name}),
        ("/api/memory/vault", {**WRITE, "category": name}),
        ("/api/vault", {"agent": name, "category": "decisions", "content": "x"}),
        ("/api/memory", {"agentId": name, "messages": messages}),
        ("/api/memory/checkpoint", {"agentId": name, "messages": messages}),
        ("/api/agents/close", {"agentId": name, "messages": messages}),
        ("/api/agents/command", {"agentId": name, "command": "x"}),
    ):
        answer = api.client.post(path, json=body)
        assert answer.status_code in (400, 404), (path, answer.text)
    for path in ("/api/memory/vault", "/api/memory", "/api/memory/checkpoint", "/api/memory/context"):
        answer = api.client.get(
            path, params={"agentId": name, **({"category": name} if path.endswith("vault") else {})}
        )
        assert answer.status_code in (400, 404), (path, answer.text)
    assert sorted(shop.root.parent.rglob("*")) == before


@pytest.mark.parametrize(
    "path",
    ["/../server.py", "/..%2fserver.py", "/%2e%2e/server.py", "/page/../server.py", "/....//server.py", "/server.py",
     "/index.html/", "/.%00/index.html", "/..\\server.py", "/page/index.html", "/favicon.ico", "/api", "/api/",
     "/api/x", "/api/agents/", "/API/agents", "/%", "/\xff"],
)  # fmt: skip
def test_there_is_nothing_but_the_page_and_the_routes(api, path):
    answer = request(api, "GET", path.encode("latin-1").decode("latin-1"))
    assert status(answer) in (400, 404)
    assert b"import" not in answer


def test_nothing_can_be_sent_where_there_is_nothing(api):
    assert status(request(api, "POST", "/api/memory/close")) == 404
    assert status(request(api, "DELETE", "/")) == 404
    assert status(request(api, "PATCH", "/api/memory/vault")) == 405


@pytest.mark.parametrize("target", ["//", "///api", "http://evil.test/", "*", "/?token=x&token=y", "/" + "a" * 60_000])
def test_no_address_ends_the_server(api, target):
    assert status(request(api, "GET", target)) in (200, 400, 404)


@pytest.mark.parametrize(
    "data",
    [b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
     b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
     b"POST /api/memory/vault HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"],
)  # fmt: skip
def test_what_is_no_request_is_answered_as_such(api, data):
    assert status(api.raw(data)) in (400, 403, 505, None)


def test_a_request_inside_a_body_is_not_one(api):
    inner = json.dumps(WRITE).encode()
    smuggled = (
        b"POST /api/memory/vault HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (api.port, len(inner), inner)
    )
    outer = b"POST /api/memory/tick HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 4\r\n"
    answer = api.raw(outer + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n" + smuggled)
    assert b"200 OK" not in answer


def test_a_big_body_is_refused_before_it_is_there(api):
    head = f"POST /api/memory/vault HTTP/1.1\r\nHost: 127.0.0.1:{api.port}\r\nContent-Type: application/json\r\n"
    assert status(api.raw(f"{head}Content-Length: 60000000\r\nConnection: close\r\n\r\n".encode())) == 413

    chunk = b"%x\r\n%s\r\n" % (1_000_000, b"x" * 1_000_000)
    with socket.create_connection(("127.0.0.1", api.port), timeout=PATIENCE_S) as wire:
        wire.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            wire.sendall(chunk * 60)


@pytest.mark.parametrize(
    ("rest", "expected"),
    [("Content-Length: 100\r\n\r\n{", 408), ("Content-Le", None), ("\r\nGET / HT", 400)],
    ids=["half a body", "half a head", "half a second head"],
)
def test_what_does_not_come_is_not_waited_for(workspace, rest, expected):
    with site(workspace, patience_s=0.2) as api:
        head = f"POST /api/memory/vault HTTP/1.1\r\nHost: 127.0.0.1:{api.port}\r\nContent-Type: application/json\r\n"
        assert status(api.raw(f"{head}{rest}".encode())) == expected
        assert api.get("/api/agents") == {"agents": []}


def test_of_what_is_refused_the_rest_is_not_waited_for(api):
    head = "POST /api/memory/vault HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 100\r\n\r\n{"
    assert status(api.raw(head.encode())) == 403


@pytest.mark.parametrize(
    "body",
    [b"[" * 100_000, b'{"a":' * 100_000, b"[]", b"null", b'"x"', b"{", b"\xff\xfe", b'{"agentId": NaN}',
     b'{"agentId": ' + b"9" * 10_000 + b"}", b'{"agentId": "a", "category": "decisions", "content": {"$ne": ""}}'],
    ids=lambda body: body[:12].decode("latin-1"),
)  # fmt: skip
def test_a_body_that_is_no_object_is_refused(api, body):
    answer = request(api, body=body)
    assert status(answer) == 400
    assert b"InvalidValue" in answer


def test_a_link_that_leads_out_of_the_vault_is_not_followed(workspace, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text('{"messages": [{"role": "user", "text": "hidden"}], "savedAt": 1}')
    (workspace.memory / "conversations").mkdir(parents=True)
    (workspace.memory / "conversations" / "dev.json").symlink_to(secret)
    with site(workspace) as api:
        assert api.get("/api/memory", 500, agentId="dev")["error"]["type"] == "FileError"
        api.post("/api/memory", 500, agentId="dev", messages=[{"role": "user", "text": "Hi."}])
    assert "hidden" in secret.read_text()


@pytest.mark.parametrize(
    "content", [SCRIPT, f"```{SCRIPT}\n```", f"[a]: {SCRIPT}", f"<div\n{SCRIPT}", f"|{SCRIPT}|\n|-|"]
)
def test_stored_markdown_never_becomes_a_script(workspace, content):
    with site(workspace) as api:
        entry = api.add(content, tags=[SCRIPT])
        page = api.send("PUT", "/api/memory/project", content=content)
        for html in (entry["html"], page["html"], api.get("/api/memory/entry", id=entry["id"])["entry"]["html"]):
            for forbidden in ("<script", "<img", "<svg", "<div", 'href="javascript', "href='javascript"):
                assert forbidden not in html
            assert "alert(1)" in html  # it is to be seen, as the text that it is
        assert all(not set(tag) & set("<>\"'=") for tag in entry["tags"])
        agent = 'x" onmouseover="alert(1)'
        assert api.post("/api/memory/vault", 400, agentId=agent, category="notes", content="x")


@pytest.mark.parametrize("path", ["/", "/nothing", "/api/agents", "/api/nothing", "/api/openapi.json"])
def test_every_answer_says_what_a_browser_may_do_with_it(api, path):
    headers = api.client.get(path).headers
    policy = headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")
    assert "server" not in headers


def test_who_asks_from_elsewhere_needs_the_token(workspace):
    token = "a-word-of-twenty-chars"
    with site(workspace, remote=True, token=token) as api:
        ask = api.client.get
        assert ask("/api/agents").status_code == 401
        assert ask("/?token=wrong").status_code == 401
        assert ask("/api/agents", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert ask("/api/agents", headers={"Cookie": "agent_memory_token=wrong; ;;="}).status_code == 401
        told = {"Authorization": f"Bearer {token}"}
        assert ask("/api/agents", headers=told).status_code == 200
        assert ask("/api/agents", headers={**told, "Host": "my-desk:80"}).status_code == 200
        assert ask("/api/memory/compact/plan", headers={**told, "Host": "my-desk:80"}).status_code == 403
        assert ask("/api/agents", headers={**told, "Origin": "http://evil.test"}).status_code == 403
        assert ask("/api/agents", headers={**told, "Host": "my-desk", "Origin": "https://my-desk"}).status_code == 200

        opened = ask("/", params={"token": token})
        assert (opened.status_code, opened.headers["location"]) == (303, "/")
        assert "httponly" in opened.headers["set-cookie"].lower()
        assert "samesite=strict" in opened.headers["set-cookie"].lower()
        assert ask("/api/agents").status_code == 200  # the client has kept the cookie
