"""What the routes do to a vault, over real HTTP."""

import contextlib
import json
import threading

import pytest

from agent_memory.app.maintain import STEPS
from tests.web import PATIENCE_S, site, until

TASKS = "- [ ] Rodar a migração\n- [ ] Avisar a Ana"


@pytest.fixture
def api(workspace):
    with site(workspace) as one:
        yield one


def test_the_short_routes_answer_as_the_npm_packages_viewer_did(api):
    entry = api.post("/api/vault", agent="dev", category="decisions", content="We keep orders in SQLite.", tags=["db"])[
        "entry"
    ]

    assert list(entry) == ["id", "date", "content", "tags", "agentId", "category"]
    assert api.get("/api/agents") == {"agents": ["dev"]}
    assert api.get("/api/vault", agent="dev", category="decisions") == {"entries": [entry]}
    assert api.get("/api/vault", agent="nobody", category="decisions") == {"entries": []}
    assert api.get("/api/counts", agent="dev")["counts"]["decisions"] == 1
    [found] = api.get("/api/search", q="orders")["results"]
    assert (found["entry"], set(found)) == (entry, {"entry", "score", "snippet"})
    stats = api.get("/api/stats")
    assert (stats["totalAgents"], stats["totalEntries"], stats["agentStats"][0]["agentId"]) == (1, 1, "dev")
    assert set(api.post("/api/compact")) == {
        "timestamp", "checkpointsCleaned", "conversationsTrimmed", "vaultEntriesMerged", "indexRebuilt",
        "legacyFilesCleaned",
    }  # fmt: skip
    named = {"agent": "dev", "category": "decisions", "id": entry["id"]}
    assert api.send("PUT", "/api/vault", **named, content="In PostgreSQL.") == {"ok": True}
    assert api.send("DELETE", "/api/vault", **named) == {"ok": True}
    assert api.send("DELETE", "/api/vault", 404, **named)["error"]["type"] == "UnknownEntry"


def test_an_entry_is_written_read_edited_deleted_and_brought_back(api):
    entry = api.add("Guardar os pedidos em **SQLite**.", tags=["pedidos"])
    assert "<strong>SQLite</strong>" in entry["html"]
    named = {"agentId": "default", "category": "decisions", "id": entry["id"]}

    edited = api.send("PUT", "/api/memory/vault", **named, content="Em PostgreSQL.")["entry"]
    assert (edited["content"], edited["tags"], edited["edited"]) == ("Em PostgreSQL.", ["pedidos"], True)
    assert api.get("/api/memory/search", q="postgresql")["results"][0]["entry"]["id"] == entry["id"]

    api.send("DELETE", "/api/memory/vault", **named)
    assert api.listed() == []
    assert api.get("/api/memory/search", q="postgresql")["results"] == []

    assert api.post("/api/memory/undo", id=entry["id"])["entries"] == [entry["id"]]
    assert api.listed() == [edited]


def test_who_edits_what_has_changed_meanwhile_is_told_and_changes_nothing(api):
    entry = api.add("First.")
    named = {"agentId": "default", "category": "decisions", "id": entry["id"]}
    second = api.send("PUT", "/api/memory/vault", match=entry["etag"], **named, content="Second.")["entry"]

    lost = api.client.put(
        "/api/memory/vault", json={**named, "content": "Third."}, headers={"If-Match": f'"{entry["etag"]}"'}
    )

    assert (lost.status_code, lost.json()["error"]["type"]) == (412, "Outdated")
    assert (lost.json()["current"], lost.headers["etag"]) == (second, f'"{second["etag"]}"')
    assert api.client.request("DELETE", "/api/memory/vault", json=named, headers={"If-Match": '"x"'}).status_code == 412
    assert api.listed() == [second]


def test_a_hand_edit_between_reading_and_writing_is_not_lost(api, workspace):
    entry = api.add("First.")
    page = workspace.memory / "default" / "decisions.md"
    page.write_text(page.read_text().replace("First.", "By hand."))

    named = {"agentId": "default", "category": "decisions", "id": entry["id"]}
    answer = api.client.put(
        "/api/memory/vault", json={**named, "content": "Over it."}, headers={"If-Match": f'"{entry["etag"]}"'}
    )

    assert (answer.status_code, answer.json()["current"]["content"]) == (412, "By hand.")
    assert "By hand." in page.read_text()


def test_the_shared_page_is_replaced_only_as_it_was_read(api):
    page = api.get("/api/memory/project")
    written = api.send("PUT", "/api/memory/project", match=page["etag"], content="# A loja\n\nVende pão.\n")

    assert (written["words"], "<h1>A loja</h1>" in written["html"]) == (5, True)
    answer = api.client.put("/api/memory/project", json={"content": "x"}, headers={"If-Match": f'"{page["etag"]}"'})
    assert (answer.status_code, answer.json()["current"]) == (412, {"content": "# A loja\n\nVende pão.\n"})
    assert api.get("/api/project") == {"content": "# A loja\n\nVende pão.\n"}


def test_a_task_is_ticked_by_its_words(api):
    entry = api.add(TASKS, "tasks")
    assert entry["openTasks"] == ["Rodar a migração", "Avisar a Ana"]

    assert api.post("/api/memory/tick", 400, agentId="default", id=entry["id"])["error"]["type"] == "InvalidValue"
    ticked = api.post("/api/memory/tick", agentId="default", id=entry["id"], words="Avisar a Ana")

    assert ticked["entry"]["openTasks"] == ["Rodar a migração"]
    assert api.get("/api/memory/overview")["agents"][0]["openTasks"] == 1


def test_proposals_are_listed_accepted_and_rejected(workspace):
    page = workspace.memory / "default" / "decisions.md"
    page.parent.mkdir(parents=True)
    entries = (
        f"<!-- id:177367987183{n} by:heuristic status:proposed -->\n## 2026-03-16T16:5{n}\n\nIdea {n}.\n" for n in "21"
    )
    page.write_text("\n".join(entries))
    with site(workspace) as api:
        assert api.get("/api/memory/overview")["agents"][0]["proposed"] == 2
        second, first = api.listed(show="proposed")

        accepted = api.post("/api/memory/accept", agentId="default", category="decisions", id=first["id"])["entry"]
        api.post("/api/memory/reject", agentId="default", category="decisions", id=second["id"])

        assert (accepted["status"], accepted["content"]) == ("active", "Idea 1.")
        assert api.listed(show="all") == [accepted]
        again = api.post("/api/memory/accept", 404, agentId="default", category="decisions", id=first["id"])
        assert again["error"]["type"] == "UnknownEntry"


def test_an_entry_tells_the_turn_that_it_came_from(workspace):
    said = "Let's go with SQLite for the order store, because backups are a plain copy."
    workspace.chat().user(f"Olá, ação. {said}").assistant("Done.").ended().save(written=workspace.long_ago())
    workspace.process()

    with site(workspace) as api:
        [decision] = api.listed()
        found = api.get("/api/memory/entry", id=decision["id"])

    start, end = found["quote"]["span"]
    assert found["quote"]["role"] == "user"
    assert found["quote"]["text"][start:end] == said
    assert found["entry"]["confidence"] == decision["confidence"]


def test_a_fact_has_every_value_that_it_had(api):
    api.post("/api/memory/profile", agentId="default", key="editor", value="vim")
    set_ = api.post("/api/memory/profile", agentId="default", key="editor", value="emacs")
    values = [
        one["value"] for one in api.get("/api/memory/profile/history", agentId="default", key="editor")["versions"]
    ]

    assert values == ["vim", "emacs"]
    assert [one["value"] for one in api.get("/api/memory/entry", id=set_["fact"]["id"])["history"]] == values
    assert api.send("DELETE", "/api/memory/profile", agentId="default", key="editor")["fact"]["value"] == "emacs"
    assert api.get("/api/memory/profile", agentId="default") == {"facts": []}
    assert api.send("DELETE", "/api/memory/profile", 404, agentId="default", key="editor")


def test_a_page_comes_in_parts_and_by_tag(api):
    for number in range(5):
        api.add(f"Decision {number}.", tags=["even" if number % 2 == 0 else "odd", "all"])

    part = api.get("/api/memory/vault", agentId="default", category="decisions", offset=3, limit=2)
    assert (part["total"], len(part["entries"])) == (5, 2)
    assert part["tags"][0] == {"name": "all", "count": 5}
    assert {one["content"] for one in api.listed(tag="#ODD")} == {"Decision 1.", "Decision 3."}


def test_of_a_long_entry_a_list_has_the_beginning(api):
    entry = api.add("word " * 5_000)
    [listed] = api.listed()

    assert (listed["shortened"], len(listed["content"]) < 5_000) == (True, True)
    assert api.get("/api/memory/entry", id=entry["id"])["entry"]["content"].split() == ["word"] * 5_000


def test_a_briefing_says_what_each_section_takes_and_what_was_cut(api):
    for number in range(9):
        api.add(f"We keep the oven number {number} apart from the queue, because {number} bakers book it by the hour.")

    told = api.get("/api/memory/context", agentId="default", command="oven queue", budget=120)

    assert told["tokens"] <= told["maxTokens"] == 120
    assert sum(one["tokens"] for one in told["sections"]) <= 120
    assert any(one["fate"] == "cut" for one in told["items"])
    assert any(one["section"] == "decisions" for one in told["cuts"])


def test_a_message_that_refers_back_is_briefed_with_what_was_said_before(api):
    api.add("The ovens are booked by the hour.", "notes")

    said = [{"role": "user", "text": "Who books the ovens?"}, {"role": "agent", "text": "Whoever comes first."}]
    told = api.post("/api/memory/context", agentId="default", command="and since when?", kind="turn", history=said)

    assert "ovens" in told["query"]
    assert "booked by the hour" in told["block"]


def test_secrets_do_not_get_into_the_vault(api, workspace):
    secret = "ghp_" + "a1B2" * 9
    written = api.post(
        "/api/memory/vault", agentId="default", category="notes", content=f"The token is {secret}.", tags=[secret]
    )
    api.send("PUT", "/api/memory/project", content=f"Use {secret}.")
    api.post("/api/memory", agentId="default", messages=[{"role": "user", "text": f"Use {secret}."}])

    assert written["redactions"] == 1
    assert [name for name, data in workspace.files().items() if secret.encode() in data] == []


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/api/memory/vault", {"agentId": "a", "category": "decisions"}, "content"),
        ("POST", "/api/memory/vault", {"agentId": "a", "category": "decisions", "content": 5}, "content"),
        ("POST", "/api/memory/vault", {"agentId": "a", "category": "decisions", "content": "x", "tag": []}, "tag"),
        ("POST", "/api/memory/vault", {"agentId": "a", "category": "decisions", "content": "x", "tags": "a,b"}, "tags"),
        ("POST", "/api/memory/vault", {"agentId": "a", "category": "decisions", "content": "  "}, "needs some text"),
        ("POST", "/api/memory/vault", {"agentId": "", "category": "decisions", "content": "x"}, "agentId"),
        ("POST", "/api/memory/vault", {"agentId": "a", "category": "nonsense", "content": "x"}, "nonsense"),
        ("PUT", "/api/memory/vault", {"agentId": "a", "category": "decisions", "id": "x", "content": "y"}, "id"),
        ("POST", "/api/memory/checkpoint", {"agentId": "a", "messages": [{"role": "system", "text": "x"}]}, "role"),
        ("POST", "/api/memory/compact", {"ifDue": 1}, "ifDue"),
    ],
)
def test_what_is_wrong_is_said_by_name_and_nothing_is_written(api, workspace, method, path, body, field):
    answer = api.client.request(method, path, json=body)

    assert answer.status_code in (400, 404)
    assert field in answer.json()["error"]["message"]
    assert not (workspace.memory / "a").exists()


def test_what_somebody_else_writes_is_told_to_whoever_listens(api, workspace):
    api.add("There is a vault.")
    with api.client.stream("GET", "/api/events") as stream:
        lines = until(PATIENCE_S, stream.iter_lines())
        assert next(lines) == "event: hello"
        page = workspace.memory / "dev" / "notes.md"
        page.parent.mkdir()
        page.write_text("## 2026-03-16T10:00\n\nBy hand.\n")
        told = next(json.loads(line.removeprefix("data: ")) for line in lines if line.startswith('data: {"pages"'))
    assert told == {"pages": ["dev/notes.md"]}


def test_a_compaction_tells_whoever_listens_how_far_it_is(api):
    api.add("There is a vault.")
    with api.client.stream("GET", "/api/events") as stream:
        lines = until(PATIENCE_S, stream.iter_lines())
        assert next(lines) == "event: hello"
        api.post("/api/memory/compact")
        told = (json.loads(line.removeprefix("data: ")) for line in lines if line.startswith('data: {"running"'))
        began, *steps = (next(told) for _ in range(len(STEPS) + 1))
        ended = next(told)
    assert began["running"] is not None
    assert [(one["step"], one["done"], one["steps"]) for one in steps] == [
        (step, number, len(STEPS)) for number, step in enumerate(STEPS)
    ]
    assert {one["running"] for one in steps} == {began["running"]}
    assert ended == {"running": None}


def test_fifty_writers_at_once_lose_nothing(api):
    threads = [threading.Thread(target=api.add, args=(f"Decision of writer {number}.",)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)

    found = api.get("/api/memory/vault", agentId="default", category="decisions", limit=100)["entries"]
    assert {one["content"] for one in found} == {f"Decision of writer {number}." for number in range(50)}
    assert len({one["id"] for one in found}) == 50


def test_nothing_is_made_by_looking(api, workspace):
    for path in ("/", "/api/agents", "/api/stats", "/api/memory/overview", "/api/project", "/api/memory/compact"):
        assert api.client.get(path).status_code == 200
    api.get("/api/memory/context", agentId="default")

    assert not workspace.memory.exists()


def test_who_asks_for_the_head_of_a_stream_gets_that(api):
    assert api.client.head("/api/events").headers["content-type"].startswith("text/event-stream")


def test_many_may_listen_and_each_is_told(api, workspace):
    api.add("There is a vault.")
    with contextlib.ExitStack() as streams:
        listening = [
            until(PATIENCE_S, streams.enter_context(api.client.stream("GET", "/api/events")).iter_lines())
            for _ in range(3)
        ]
        assert [next(lines) for lines in listening] == ["event: hello"] * 3
        (workspace.memory / "_project.md").write_text("# Mudou\n")
        for lines in listening:
            assert 'data: {"pages": ["_project.md"]}' in lines


def test_a_page_that_cannot_be_read_costs_itself(api, workspace, tmp_path):
    entry = api.add("There is a vault.")
    (tmp_path / "elsewhere.md").write_text("# Not ours\n")
    (workspace.memory / "dev").mkdir()
    (workspace.memory / "dev" / "notes.md").mkdir()
    (workspace.memory / "default" / "lessons.md").symlink_to(tmp_path / "elsewhere.md")
    (workspace.memory / "_project.md").unlink()
    (workspace.memory / "_project.md").mkdir()

    assert api.listed() == [entry]
    overview = api.get("/api/memory/overview")
    assert [line.split(" ")[0].rsplit("/", 2)[1:] for line in overview["unreadable"]] == [
        ["dev", "notes.md"],
        [".memory", "_project.md"],
    ]
    assert (overview["projectWords"], overview["agents"][0]["total"]) == (0, 1)
    api.add("There is an agent.", "lessons", "dev")
    assert api.get("/api/memory/vault", 500, agentId="dev", category="notes")["error"]["type"] == "FileError"
    refused = api.client.post("/api/memory/vault", json={"agentId": "dev", "category": "notes", "content": "x"})
    assert (refused.status_code, refused.json()["error"]["type"]) == (500, "FileError")
    assert api.add("It goes on.", "notes")["content"] == "It goes on."
