"""A known secret out of everything that we keep, whatever it is and however it was written; what is around it stays."""

from __future__ import annotations

import base64
import contextlib
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.app import changes, profile, recall, sessions, vault
from agent_memory.app.purge import look, purge
from agent_memory.app.sessions import chat
from agent_memory.errors import UsageError
from agent_memory.model.memory import Fact
from agent_memory.model.recall import Query
from agent_memory.model.text import clean
from agent_memory.redaction.forms import MARK, Forms
from agent_memory.vault import comment as comments
from tests.workspace import Workspace

# Of no shape that redaction knows, so that it gets everywhere.
SECRET = 'quetzal/märz "9"'
SAID = f"Let's go with {SECRET} as the pass phrase of the vault in Porto, because everybody can spell it."
OTHER = "Let's always deploy on Tuesdays, because support is there the next day."


def do(workspace: Workspace, verb, *arguments, **named):
    with workspace.app() as app:
        return verb(app, *arguments, **named)


@pytest.fixture
def full(workspace: Workspace) -> Workspace:
    """A memory with the secret in every kind of file that there is."""
    talk = workspace.chat().user(SAID).assistant(f"Done, {SECRET} is in place.").user(OTHER)
    talk.assistant("Noted in the calendar.").ended().save(written=workspace.long_ago())
    conversations = workspace.memory / "conversations"
    conversations.mkdir(parents=True)
    (conversations / "dev.json").write_text(json.dumps({"messages": [{"role": "user", "text": SAID}]}))
    workspace.process()
    do(workspace, vault.add, workspace_agent(workspace), "notes", f"My own words about {SECRET}.", ())
    do(workspace, sessions.checkpoint, chat("dev", [{"role": "user", "text": SAID}]))
    do(workspace, recall.search, Query("quetzal"))
    with workspace.app() as app:
        app.state.record_run("test", app.clock.now(), {"what": SECRET})
        app.state.shown.add(SECRET, ["x"], app.clock.now())
    machine = workspace.memory / ".vault"
    (machine / "briefing").mkdir()
    (machine / "briefing" / "dev.md").write_text(SAID)
    (machine / "compact-log.json").write_text(json.dumps({"what": SECRET}))
    (machine / "hook.log").write_text(quote(SECRET) + base64.b64encode(f"user:{SECRET}!".encode()).decode())
    (workspace.memory / "_project.md").write_text(f"Ours is {SECRET}.\n")
    return workspace


def workspace_agent(workspace: Workspace) -> str:
    with workspace.app() as app:
        return app.agent


def everything(workspace: Workspace) -> bytes:
    data = b"".join(workspace.files().values())
    with workspace.app() as app:
        return (data + "".join(app.state.memos()).encode()).lower()


def test_the_secret_is_nowhere_afterwards_and_that_is_proven(full):
    before = do(full, look, SECRET)
    assert {".vault/journal.jsonl", ".vault/state.sqlite3", ".vault/mirror.sqlite3", "_project.md"} <= set(before.found)
    assert {"default/decisions.md", "default/notes.md", "conversations/dev.json"} <= set(before.found)
    assert ".vault/state.sqlite3, packed" in before.found
    assert any("transcript" in sentence for sentence in before.beyond)

    done = do(full, purge, SECRET)

    assert done.found == before.found
    assert done.left == ()
    assert b"quetzal" not in everything(full)
    assert b"porto" in everything(full)


def test_what_the_machine_wrote_stays_the_machines_and_a_persons_stays_a_persons(full):
    before = {memory.id: memory.edited for memory in full.memories()}
    do(full, purge, SECRET)
    after = full.memories()

    assert {memory.id: memory.edited for memory in after} == before
    decision = next(memory for memory in after if memory.page.category == "decisions" and "Porto" in memory.body)
    assert MARK in decision.body


def test_no_transcript_brings_it_back(full):
    do(full, purge, SECRET)
    (full.memory / ".vault" / "state.sqlite3").unlink()
    (full.memory / "conversations" / "dev.json").unlink()
    full.process(full=True)
    copy = full.chat(7).user(SAID).assistant(f"Done, {SECRET} is in place.").ended()
    copy.save(written=full.long_ago())
    full.process()

    assert b"quetzal" not in everything(full)


def test_it_may_be_done_twice_and_undo_brings_nothing_back(full):
    do(full, purge, SECRET)
    assert do(full, purge, SECRET).found == ()
    ids = [memory.id for memory in full.memories()]
    for entry in ids:
        with full.app() as app, contextlib.suppress(UsageError):
            changes.undo(app, entry)
    assert b"quetzal" not in everything(full)


def test_the_users_own_vault_is_searched_too(full):
    with full.app() as app:
        vault.add(app.user, "user", "notes", f"As in {SECRET}.", ())
    do(full, purge, SECRET)
    with full.app() as app:
        assert "quetzal" not in "".join(memory.body for memory in app.user.vault.view().memories)


@pytest.mark.parametrize("short", ["", "abc", "12345678", "deadbeef99", "     ", "[REDACTED:pu", "purged", "redacted"])
def test_what_would_be_found_in_innocent_places_is_refused(workspace, short):
    with pytest.raises(UsageError):
        do(workspace, purge, short)


def test_a_secret_in_a_damaged_database_is_overwritten_in_place(full):
    data = (full.memory / ".vault" / "state.sqlite3").read_bytes()
    (full.memory / ".vault" / "state.sqlite3.broken-1").write_bytes(data)
    assert do(full, purge, SECRET).left == ()
    assert len((full.memory / ".vault" / "state.sqlite3.broken-1").read_bytes()) == len(data)


@pytest.mark.parametrize(
    "written",
    [
        "Senha-Azul-Do-Mar", "SENHA_AZUL_do_mar", "senha AZUL do Mar", "senha%20Azul%20do%20mar",
        "#senha-azul-do-mar", "Senha azul do m…",
    ],
)  # fmt: skip
def test_its_words_are_known_in_any_case_and_however_a_page_or_a_program_joins_them(workspace, written):
    entry = do(workspace, vault.add, "default", "notes", f"It is {written}, says Rui.", ()).memory
    done = do(workspace, purge, "senha azul do mar")

    assert "default/notes.md" in done.found
    assert done.left == ()
    [memory] = [memory for memory in workspace.memories() if memory.id == entry.id]
    assert MARK in memory.body
    assert "says Rui" in memory.body


def test_it_is_looked_for_at_any_depth_and_what_leads_elsewhere_is_named(workspace, tmp_path):
    deep = workspace.memory.joinpath(*"abcdefghijklmnopqrst")
    deep.mkdir(parents=True)
    (deep / "kept.txt").write_text(SECRET)
    (tmp_path / "outside.txt").write_text(SECRET)
    (workspace.memory / "link.txt").symlink_to(tmp_path / "outside.txt")
    done = do(workspace, purge, SECRET)

    assert (done.found, done.left) == ((f"{'/'.join('abcdefghijklmnopqrst')}/kept.txt",), ())
    assert (tmp_path / "outside.txt").read_text() == SECRET
    assert any(sentence.startswith("link.txt ") for sentence in done.beyond)


LETTERS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=12, max_size=40)


@given(
    LETTERS.filter(lambda text: len(text.strip()) >= 12 and MARK[:6] not in text and clean(text) == text),
    st.binary(max_size=9),
    st.binary(max_size=9),
)
def test_every_encoding_is_known_whatever_stands_beside_it(secret, before, behind):
    forms, data = Forms(secret), secret.encode()
    plain = json.dumps(secret)[1:-1]
    written = [
        data, plain.encode(), json.dumps(plain).encode(), json.dumps(secret, ensure_ascii=False).encode(),
        quote(secret).encode(), quote(secret, safe="").encode(), base64.b64encode(before + data + behind),
        base64.urlsafe_b64encode(before + data + behind), data.hex().encode(), secret.encode("utf-16-le"),
        comments.encode(secret).encode(),
    ]  # fmt: skip
    for one in written:
        assert forms.stand_in(before + one + behind)
        assert not forms.stand_in(forms.out_of(before + one + behind))


def test_a_file_that_is_called_so_is_left_to_a_person_and_named(workspace):
    workspace.memory.mkdir()
    (workspace.memory / "lanterna-azul.txt").write_text("That of the lanterna-azul.")
    done = do(workspace, purge, "lanterna-azul")

    assert done.found == ("lanterna-azul.txt", "lanterna-azul.txt, its name")
    assert done.left == ("lanterna-azul.txt, its name",)
    assert b"lanterna" not in everything(workspace)


def test_what_a_comment_has_of_it_goes_too(workspace):
    secret = "palavra-passe à beira: 100%"
    fact = Fact("vault", "It is with Rui.", pinned=False, keywords=(secret,))
    do(workspace, profile.set_fact, fact, for_user=False, agent=None)
    done = do(workspace, purge, secret)

    assert ("default/profile.md" in done.found, done.left) == (True, ())
    at = everything(workspace).find(b"beira")
    assert at < 0, everything(workspace)[max(at - 120, 0) : at + 60]
