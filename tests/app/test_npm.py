"""Moving in from the npm package: its vault works in place, and nothing that it has read is read again."""

import json
import re

import pytest

from agent_memory.app import recall, vault
from agent_memory.app.forget import forget, words_of
from agent_memory.app.npm import import_npm
from agent_memory.errors import FileError
from agent_memory.model.recall import Query
from tests.npm_vault import FIXTURE, HALF_TAKEN, NEW, TAKEN, installed, pages, transcript, untouched
from tests.workspace import essence

SECRET = "Zk3vQ9xT2bLw7RfYp0aHsd5"


@pytest.fixture
def npm(workspace):
    return installed(workspace)


def moved_in(workspace, *, dry=False, **options):
    with workspace.app() as app:
        return import_npm(app, dry=dry, **options)


def what(rows):
    return {row.what for row in rows}


def extracted(workspace):
    return {memory.body for memory in workspace.memories() if memory.key and memory.page.category != "handoffs"}


def stored_in_index():
    index = json.loads((FIXTURE / "memory/.vault/index.json").read_text(encoding="utf-8"))
    return index["storedFields"].values()


def test_every_entry_of_the_package_is_listed_as_it_has_it(npm):
    listed = {(memory.page.agent, memory.page.category, memory.id): memory.body for memory in npm.memories()}

    assert listed == {(row["agentId"], row["category"], row["id"]): row["content"] for row in stored_in_index()}
    assert {memory.page.category for memory in npm.memories()} == {
        "decisions", "lessons", "tasks", "projects", "handoffs",
    }  # fmt: skip


def test_its_hyphen_free_tags_mean_what_they_meant(npm):
    tags = {memory.id: memory.tags for memory in npm.memories()}

    assert tags["1773825613107"] == ("auto-extract",)
    assert tags["1773826200900"] == ("auto-handoff", "auto-extract")
    assert tags["1773160800077"] == ("preços",)


def test_every_entry_is_found_by_its_words(npm):
    with npm.app() as app:
        for memory in app.vault.view().memories:
            words = " ".join(re.findall(r"[^\W\d_]{4,}", memory.body)[:6])
            assert memory.id in [hit.id for hit in recall.search(app, Query(words, limit=12))], words


def test_an_entry_is_edited_and_the_rest_of_its_page_stays_byte_for_byte(npm):
    before = untouched()["dev/decisions.md"].split(b"\n\n---")
    with npm.app() as app:
        vault.edit(app, "dev", "decisions", "1773770400412", "Sessions are kept in Redis 7.")
        found = recall.search(app, Query("Redis 7", agent="dev", category="decisions"))
    after = pages(npm)["dev/decisions.md"].split(b"\n\n---")

    assert [hit.id for hit in found][:1] == ["1773770400412"]
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, True, True]


def test_moving_in_changes_no_page_and_removes_the_index_alone(npm):
    before = npm.files()
    report = moved_in(npm)
    after = npm.files()

    assert pages(npm) == untouched()
    assert before.keys() - after.keys() == {".vault/index.json"}
    assert [name for name in before.keys() & after.keys() if before[name] != after[name]] == []
    assert {TAKEN, HALF_TAKEN, "dev.json", "ana.json", "index.json", "dev/decisions.md"} <= what(report.taken)
    assert what(report.skipped) == {"1f0c2d3e-0000-4000-8000-00000000dead", "Rita.md"}


def test_a_dry_run_says_the_same_and_writes_nothing(npm):
    before = npm.files()
    would = moved_in(npm, dry=True)

    assert npm.files() == before
    assert (would.taken, would.skipped) == ((did := moved_in(npm)).taken, did.skipped)


def test_moving_in_twice_changes_nothing_the_second_time(npm):
    moved_in(npm)
    before = npm.files()["taken.jsonl"]
    report = moved_in(npm)

    assert npm.files()["taken.jsonl"] == before
    assert {TAKEN, HALF_TAKEN, "dev.json", "ana.json"} <= what(report.skipped)


def test_without_moving_in_everything_would_be_taken_again(npm):
    npm.process()

    assert any(body.startswith("Vamos usar Postgres") for body in extracted(npm))


@pytest.mark.parametrize("lost", [[], ["state.sqlite3"], ["state.sqlite3", "mirror.sqlite3", "journal.jsonl"]])
def test_afterwards_only_what_is_new_is_taken_whatever_is_lost(npm, lost):
    moved_in(npm)
    for name in lost:
        for path in npm.memory.glob(f".vault/{name}*"):
            path.unlink()
    tally = npm.process()
    once = essence(npm.memories())
    npm.process(full=True)

    assert extracted(npm) == {
        "We decided to keep the old table for a month, read only, so that support can look things up.",
        "Let's go with weekly partitions for the order table, because the reports only read one week.",
        "Decidimos que o relatório de vendas sai em CSV, porque a contabilidade usa planilhas.",
        "Let's go with a nightly backup of Redis, because the disk of that machine is old.",
    }
    handed_off = {memory.origin.conversation for memory in npm.memories() if memory.key and memory.origin}
    assert TAKEN not in handed_off
    assert {HALF_TAKEN, NEW, "chat_7"} <= handed_off
    assert not tally.failed
    assert essence(npm.memories()) == once


def test_a_conversation_that_goes_on_gets_a_handoff_of_what_is_new(npm):
    moved_in(npm)
    chat = npm.chat()
    chat.path = transcript(npm, TAKEN)
    chat.lines = [chat.path.read_bytes()]
    chat.user("Também decidimos que o catálogo sai em PDF, porque os clientes imprimem.").assistant(
        "O PDF está pronto."
    )
    chat.ended().save(written=npm.long_ago())
    npm.process()

    (handoff,) = [
        m for m in npm.memories() if m.page.category == "handoffs" and m.origin and m.origin.conversation == TAKEN
    ]
    assert "PDF" in handoff.body
    assert "static export" not in handoff.body


def test_a_transcript_shorter_than_what_was_read_counts_as_read(npm):
    path = transcript(npm, TAKEN)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    moved_in(npm)
    npm.process()

    assert TAKEN not in {m.origin.conversation for m in npm.memories() if m.origin}


def test_an_index_that_holds_what_no_page_has_is_kept_and_says_so(npm):
    page = npm.memory / "ana" / "lessons.md"
    page.write_text("", encoding="utf-8")
    report = moved_in(npm)

    assert (npm.memory / ".vault" / "index.json").exists()
    assert any("1773057600003" in row.why for row in report.skipped)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"documentCount":0}', b'{"storedFields":{"0":{"id":"1"}}}', b"\xff\xfe"]
)
def test_an_index_that_cannot_be_read_is_kept(npm, data):
    (npm.memory / ".vault" / "index.json").write_bytes(data)
    report = moved_in(npm)

    assert (npm.memory / ".vault" / "index.json").exists()
    assert "index.json" in what(report.skipped)


@pytest.mark.parametrize("name", ["processed-transcripts.json", "processed-conversations.json"])
@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"null", b"[1, null, {}]", b'{"a": null, "b": {"lastLine": "7"}, "../../x": {"lastLine": 1e999}}',
     b'["dev", ":", "dev:x", "dev:-1"]', b"[" * 3000, b'"\xed\xa0\x80"'],
)  # fmt: skip
def test_state_files_that_make_no_sense_cost_themselves(npm, name, data):
    (npm.memory / ".vault" / name).write_bytes(data)
    report = moved_in(npm)

    assert "dev/decisions.md" in what(report.taken)
    assert not npm.process().failed


def test_a_transcript_that_cannot_be_read_costs_itself(npm):
    path = transcript(npm, TAKEN)
    path.write_bytes(b"")
    report = moved_in(npm)

    assert TAKEN in what(report.skipped)
    assert HALF_TAKEN in what(report.taken)


def test_entries_that_hold_secrets_are_named_and_left(npm):
    page = npm.memory / "ana" / "lessons.md"
    page.write_text(f"<!-- id:1 -->\n## 2026-03-01T10:00\n\nThe sandbox has API_KEY={SECRET}\n\n---", encoding="utf-8")
    before = page.read_bytes()
    report = moved_in(npm)

    assert "ana/lessons.md 1" in what(report.skipped)
    assert page.read_bytes() == before
    assert [name for name, data in npm.files().items() if SECRET.encode() in data] == ["ana/lessons.md"]


def test_what_was_forgotten_before_moving_in_stays_forgotten(npm):
    with npm.app() as app:
        forget(app, words_of(app, None, "relatório de vendas sai em CSV"))
    moved_in(npm)
    npm.process()

    assert not any("relatório" in body for body in extracted(npm))


def test_transcripts_elsewhere_are_named(npm, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    npm.transcripts.rename(elsewhere)

    assert TAKEN in what(moved_in(npm, dry=True).skipped)
    assert TAKEN in what(moved_in(npm, transcripts=elsewhere).taken)
    with pytest.raises(FileError):
        moved_in(npm, transcripts=npm.memory / "_project.md")


def test_where_there_is_no_memory_folder_none_is_made(workspace):
    report = moved_in(workspace)

    assert (report.taken, len(report.skipped)) == ([], 1)
    assert not workspace.memory.exists()


def test_a_chat_that_was_cut_since_is_read_as_far_as_it_was_counted(npm):
    path = npm.memory / "conversations" / "dev.json"
    chat = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**chat, "messages": chat["messages"][:3]}), encoding="utf-8")
    moved_in(npm)
    npm.process()

    assert "Vamos usar o Redis para as sessões, porque um restart derruba todo mundo." in extracted(npm)
