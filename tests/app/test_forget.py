"""Forgetting: the words go from wherever the machine put them, stay away, and nobody's own words are touched."""

import json
import zlib

import pytest

from agent_memory.app import changes, profile, recall, vault
from agent_memory.app.forget import forget, preview, words_of
from agent_memory.errors import UnknownEntry, UsageError
from agent_memory.model.memory import Fact
from agent_memory.model.recall import Query
from agent_memory.system.database import Database
from tests.workspace import Workspace

SECRET = "Let's go with Bluefinch for the order store, one file per shop, because backups are a plain copy."
OTHER = "Let's always deploy on Tuesdays, because support is there the next day."
LESSON = "Root cause: the payment webhook was retried after 10 s, so every slow order was booked twice."


@pytest.fixture
def taken(workspace):
    chat = workspace.chat().user(SECRET).assistant(f"Done, the store is in place.\n\n{LESSON}").user(OTHER)
    chat.assistant("Done, the calendar says Tuesday now.").ended().save(written=workspace.long_ago())
    workspace.process()
    assert {"decisions", "handoffs"} <= {memory.page.category for memory in workspace.memories()}
    return workspace


def the_secret(workspace: Workspace) -> str:
    return next(m.id for m in workspace.memories() if "Bluefinch" in m.body and m.page.category == "decisions")


def forgotten(workspace: Workspace, entry_id: str | None = None, match: str | None = None):
    with workspace.app() as app:
        return forget(app, words_of(app, entry_id, match))


def places_of(workspace: Workspace, word: str) -> list[str]:
    """The files of the memory folder that hold a word, bookmarks unpacked."""
    found = [name for name, data in workspace.files().items() if word.lower().encode() in data.lower()]
    database = Database.open(workspace.memory / ".vault" / "state.sqlite3")
    memos = [zlib.decompress(row["body"]) for row in database.rows("select body from bookmarks")]
    database.close()
    return sorted([*found, *(["a bookmark"] if any(word.encode() in memo for memo in memos) else [])])


def test_forgetting_an_entry_leaves_its_words_nowhere(taken):
    with taken.app() as app:
        assert recall.search(app, Query("Bluefinch"))
    assert "a bookmark" in places_of(taken, "Bluefinch")

    done = forgotten(taken, the_secret(taken))

    assert len(done.removed) >= 1
    assert done.kept == ()
    assert places_of(taken, "Bluefinch") == []
    with taken.app() as app:
        assert recall.search(app, Query("Bluefinch")) == []


def test_the_handoff_loses_the_line_and_keeps_the_rest(taken):
    forgotten(taken, the_secret(taken))

    handoffs = [memory for memory in taken.memories() if memory.page.category == "handoffs"]
    assert len(handoffs) == 1
    assert "Tuesday" in handoffs[0].body
    assert not handoffs[0].edited


def test_nothing_brings_it_back_from_what_was_said_before(taken):
    forgotten(taken, the_secret(taken))

    taken.process(full=True)
    copy = taken.chat(7).user(OTHER).user(SECRET).assistant("Done.").ended()
    copy.save(written=taken.long_ago())
    taken.process()

    assert [memory.body for memory in taken.memories() if "Bluefinch" in memory.body] == []


def test_what_is_said_again_afterwards_is_taken(taken):
    forgotten(taken, the_secret(taken))
    taken.clock.advance(days=1)
    chat = taken.chat(9)
    chat.at = taken.clock.now()
    chat.user(SECRET).assistant("Done.").ended().save(written=taken.clock.now())
    taken.clock.advance(hours=3)
    taken.process()

    assert [m.page.category for m in taken.memories() if "Bluefinch" in m.body and m.active] == ["decisions"]


def test_there_is_no_undo(taken):
    secret = the_secret(taken)
    forgotten(taken, secret)

    with taken.app() as app:
        runs = changes.changes(app, since=None, limit=50)
        for run in runs:
            changes.undo(app, run.run)

    assert "Bluefinch" not in str([change.snippet for run in runs for change in run.changes])
    assert [memory for memory in taken.memories() if "Bluefinch" in memory.body] == []


def test_matching_words_finds_them_whatever_their_case_and_accents(taken):
    with taken.app() as app:
        mine = vault.add(app, "default", "lessons", "A BLÚEFINCH is what I call it.", []).memory

    done = forgotten(taken, match="bluefinch")

    assert done.kept == (f"default/lessons.md, entry {mine.id}",)
    assert [memory.id for memory in taken.memories() if "FINCH" in memory.body.upper()] == [mine.id]


def test_an_entry_of_ones_own_goes_when_it_is_named(workspace):
    with workspace.app() as app:
        mine = vault.add(app, "default", "lessons", "The shop's code is bluefinch.", []).memory

    forgotten(workspace, mine.id)

    assert workspace.memories() == ()
    assert [name for name, data in workspace.files().items() if b"bluefinch" in data] == []


def test_an_edited_entry_the_shared_page_and_conversations_are_named_and_left(taken):
    handoff = next(memory for memory in taken.memories() if memory.page.category == "handoffs")
    with taken.app() as app:
        vault.edit(app, "default", "handoffs", handoff.id, "I note: Bluefinch it is.")
    (taken.memory / "_project.md").write_text("# Shop\n\nBluefinch everywhere.\n", encoding="utf-8")
    chats = taken.memory / "conversations"
    chats.mkdir(exist_ok=True)
    (chats / "ana.json").write_text(json.dumps({"messages": [{"role": "user", "text": "Bluefinch?"}]}))

    done = forgotten(taken, match="Bluefinch")

    assert done.kept == (f"default/handoffs.md, entry {handoff.id}", "_project.md", "conversations/ana.json")
    assert "Bluefinch everywhere" in (taken.memory / "_project.md").read_text(encoding="utf-8")


def test_words_that_call_a_fact_to_mind_are_words_of_it(workspace):
    fact = Fact("vault", "It is with Rui.", pinned=False, keywords=("o cofre da Maria",))
    with workspace.app() as app:
        profile.set_fact(app, fact, for_user=False, agent=None)
    [entry] = [memory.id for memory in workspace.memories()]

    assert forgotten(workspace, match="Cofre da Maria").kept == (f"default/profile.md, entry {entry}",)


def test_checkpoints_briefings_and_our_block_of_the_shared_page_lose_the_words(taken):
    machine = taken.memory / ".vault"
    (machine / "checkpoints").mkdir()
    (machine / "briefing").mkdir()
    messages = [{"role": "user", "text": "Use Bluéfinch.\nNow."}, {"role": "agent", "text": "Bread is sold."}]
    (machine / "checkpoints" / "ana.json").write_text(json.dumps({"savedAt": 1, "messages": messages}))
    (machine / "briefing" / "default.md").write_text("Decisions: Bluefinch.")
    block = "<!-- agent-memory:project -->\n- Sells bread.\n- Uses Bluefinch.\n<!-- /agent-memory:project -->\n"
    (taken.memory / "_project.md").write_text(f"# Shop\n\n{block}\nMine.\n", encoding="utf-8")

    done = forgotten(taken, match="Bluefinch")

    assert done.kept == ()
    assert json.loads((machine / "checkpoints" / "ana.json").read_text())["messages"] == messages[1:]
    assert "Bluefinch" not in (machine / "briefing" / "default.md").read_text(encoding="utf-8")
    project = (taken.memory / "_project.md").read_text(encoding="utf-8")
    assert "Bluefinch" not in project
    assert "- Sells bread." in project


def test_a_preview_changes_nothing(taken):
    before = taken.files()
    with taken.app() as app:
        told = preview(app, words_of(app, the_secret(taken), None))
        assert [memory.id for memory in told.removed] == [the_secret(taken)]

    after = taken.files()
    assert {name: after[name] for name in before if "sqlite3" not in name} == {
        name: data for name, data in before.items() if "sqlite3" not in name
    }


def test_forgetting_again_after_an_interruption_is_fine(taken):
    for _ in range(2):
        forgotten(taken, match="Bluefinch")

    assert places_of(taken, "Bluefinch") == []


def test_it_asks_for_one_thing_that_exists(workspace):
    with workspace.app() as app:
        for entry, match in ((None, None), ("1", "words"), (None, " … ")):
            with pytest.raises(UsageError):
                words_of(app, entry, match)
        with pytest.raises(UnknownEntry):
            words_of(app, "1", None)


def test_of_two_entries_with_one_id_the_one_with_the_words_goes(taken):
    page = taken.memory / "default" / "decisions.md"
    twin = f"<!-- id:{the_secret(taken)} -->\n## 2026-03-16T09:00\n\n{OTHER}\n\n---\n\n<!-- id:"
    page.write_text(page.read_text().replace("<!-- id:", twin, 1))

    forgotten(taken, match=SECRET)

    assert [m.body for m in taken.memories() if m.page.category == "decisions"] == [OTHER]
    assert "Bluefinch" not in page.read_text()


def test_reading_the_conversation_again_puts_no_word_back_anywhere(taken):
    forgotten(taken, match="Bluefinch")
    assert not taken.process().failed
    assert not taken.process(full=True).failed
    with taken.app() as app:
        assert [len(bookmark.marks) for bookmark in app.state.bookmarks()] == [4]

    assert places_of(taken, "Bluefinch") == []
