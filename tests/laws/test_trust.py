"""Laws of trust: what is taken back leaves no byte, what is forgotten never comes back, what is private is nowhere."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agent_memory.app import changes, forget, maintain, notes, profile, reflecting, sessions, tending, vault
from agent_memory.app.consolidate import consolidate
from agent_memory.app.container import App
from agent_memory.app.ingest import Options, import_conversations
from agent_memory.app.library import NewEntry, OpenMemory
from agent_memory.app.pause import pause, resume
from agent_memory.app.sessions import chat
from agent_memory.app.sleep import sleep
from agent_memory.errors import AgentMemoryError
from agent_memory.model.memory import Fact
from tests.laws.test_dashboards import make
from tests.servers import model_server, says
from tests.workspace import Chat, Workspace

__all__ = ["make"]

FEW = settings(max_examples=10, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
SAID = (
    "Let's go with SQLite for the order store, because backups are a plain copy.",
    "Vamos usar filas por loja, porque assim um pedido lento não trava os outros.",
    "Root cause: the payment webhook was retried after 10 s, so every slow order was booked twice.",
    "Still to do: rotate the webhook secret before the launch.",
    "Let's always deploy on Tuesdays, because support is there the next day.",
    "Let's go with Postgres instead of SQLite for the order store, because reports lock the file.",
)


def do(workspace: Workspace, verb: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    with workspace.app() as app:
        return verb(app, *arguments, **named)


def pages(workspace: Workspace) -> dict[str, bytes]:
    """What is in the pages; one that only has its front matter left is none."""
    found = {name: data for name, data in workspace.files().items() if name.count("/") and name.endswith(".md")}
    return {name: data for name, data in found.items() if b"\n## " in data or b"<!-- id:" in data}


def everything(workspace: Workspace) -> bytes:
    """Every byte that we have written, memos unpacked; a host's own files are not ours."""
    kept = [data for name, data in workspace.files().items() if not name.startswith("conversations/")]
    rules = [path.read_bytes() for path in workspace.root.rglob("*.mdc")]
    with workspace.app() as app:
        memos = "".join(app.state.memos()) if app.folder.state.exists() else ""
        own = [path.read_bytes() for path in app.places.user_memory.root.rglob("*") if path.is_file()]
    return b"\n".join([*kept, *rules, *own, memos.encode()]).lower()


class Talk:
    """A chat that goes on, one exchange at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.chat = workspace.chat(len(list(workspace.transcripts.glob("*"))) + 1)
        self.chat.at = workspace.clock.now()

    def say(self, text: str, answer: str = "Done, the two tests pass.") -> None:
        self.workspace.clock.advance(hours=1)
        self.chat.at = self.workspace.clock.now()
        self.chat.user(text).assistant(answer).save(written=self.workspace.clock.now())
        self.workspace.clock.advance(hours=1)


DEEDS: dict[str, Callable[[App, int], object]] = {
    "note": lambda app, n: notes.store(app, f"The till number {n} is on loan.", []),
    "fact": lambda app, n: profile.set_fact(app, Fact("till", f"number {n}")),
    "vote": lambda app, n: tending.vote(app, app.vault.view().memories[0].id, "up"),
    "add": lambda app, n: vault.add(app, "default", "decisions", f"We keep till number {n}.", []),
    "edit": lambda app, n: vault.edit(app, *_first(app), f"Edited {n}."),
    "delete": lambda app, n: vault.delete(app, *_first(app)),
    "consolidate": lambda app, n: consolidate(app, dry_run=False),
    "undo": lambda app, n: changes.undo(app, None),
}


def _first(app: App) -> tuple[str, str, str]:
    memory = next(one for one in app.vault.view().memories if one.page.category != "profile" and not one.page.archived)
    return memory.page.agent, memory.page.category, memory.id


@FEW
@given(deeds=st.lists(st.sampled_from([*DEEDS, "say", "say"]), min_size=1, max_size=8), first=st.booleans())
def test_any_sequence_of_writes_followed_by_undos_restores_every_byte(make, deeds, first):
    workspace = make()
    talk, said = Talk(workspace), iter(SAID * 2)
    if first:
        talk.say(next(said))
        workspace.process()
    before, runs_before = pages(workspace), do(workspace, lambda app: app.vault.journal_runs())
    for number, deed in enumerate(deeds):
        workspace.clock.advance(minutes=1)
        if deed == "say":
            talk.say(next(said))
            workspace.process()
        else:
            with workspace.app() as app:
                try:
                    DEEDS[deed](app, number)
                except (AgentMemoryError, StopIteration, IndexError):
                    continue
    done = do(workspace, lambda app: app.vault.journal_runs())[len(runs_before) :]
    for run in reversed(done):
        workspace.clock.advance(minutes=1)
        assert do(workspace, changes.undo, run.run).kept == ()

    assert pages(workspace) == before


RETURNS = (
    "read in full",
    "copy",
    "lose the machine's folder",
    "reindex",
    "compact",
    "sleep",
    "undo all",
    "consolidate",
)


def _return(workspace: Workspace, way: str, talk: Talk, number: int) -> None:
    match way:
        case "read in full":
            workspace.process(full=True)
        case "copy":
            copy = Chat(
                workspace.home / "copies" / f"{number:08d}-1111-4000-8000-000000000000.jsonl", lines=talk.chat.lines
            )
            copy.save(written=workspace.long_ago())
            options = Options("default", timedelta(0))
            do(workspace, import_conversations, options, [copy.path.parent])
        case "lose the machine's folder":
            shutil.rmtree(workspace.memory / ".vault", ignore_errors=True)
            workspace.process()
        case "reindex":
            do(workspace, maintain.reindex, vectors=False)
        case "compact":
            do(workspace, maintain.compact, dry_run=False)
        case "sleep":
            said = [{"role": "user", "text": text} for text in SAID]
            do(workspace, sleep, chat("dev", said, "a-copy"))
        case "undo all":
            for run in reversed(do(workspace, lambda app: app.vault.journal_runs())):
                do(workspace, changes.undo, run.run)
        case "consolidate":
            do(workspace, consolidate, dry_run=False)
        case _:
            raise AssertionError(way)


@FEW
@given(ways=st.lists(st.sampled_from(RETURNS), min_size=1, max_size=5), which=st.integers(0, 2))
def test_what_was_forgotten_never_comes_back(make, ways, which):
    workspace, talk = make(), None
    talk = Talk(workspace)
    for text in SAID[:3]:
        talk.say(text)
    workspace.process()
    word = ("SQLite", "filas", "webhook")[which]
    assert word.lower().encode() in everything(workspace)
    do(workspace, forget.forget, do(workspace, forget.words_of, None, SAID[which]))
    for number, way in enumerate(ways):
        workspace.clock.advance(hours=1)
        _return(workspace, way, talk, number)

    bodies = "\n".join(memory.body for memory in workspace.memories())
    assert SAID[which][:40].lower() not in bodies.lower()
    assert SAID[which][6:40].lower().encode() not in everything(workspace)


SECRET = "quetzalcoatl"
wrapped = st.tuples(
    st.sampled_from(["", "Let's go with ", "Still to do: ", "We decided: "]),
    st.sampled_from(["<private>", "<PRIVATE>", "< private >", "<private\n>", '<private why="x">']),
    st.sampled_from([SECRET, f"let's go with {SECRET}, because it is ours", f"a\n\n- {SECRET}\n```\n{SECRET}\n```\n"]),
    st.sampled_from(["</private>", "</Private >", "< /private>", ""]),
    st.sampled_from(["", " for the store.", "\n\nLet's always deploy on Tuesdays, because support is there."]),
).map("".join)
DOORS: dict[str, Callable[[Workspace, str], object]] = {}


def door(function: Callable[[Workspace, str], object]) -> Callable[[Workspace, str], object]:
    """Enter a way in, by its name."""
    DOORS[function.__name__] = function
    return function


@door
def cursor(workspace: Workspace, text: str) -> None:
    talk = Talk(workspace)
    talk.say(text, answer=f"Done. You said: {text}")
    workspace.process()


@door
def cursor_legacy(workspace: Workspace, text: str) -> None:
    path = workspace.transcripts / "00000009-0000-4000-8000-000000000000.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"user:\n<user_query>\n{text}\n</user_query>\n\nassistant:\nDone, the two tests pass.\n")
    workspace.clock.advance(hours=5)
    workspace.process()


@door
def dashboard(workspace: Workspace, text: str) -> None:
    path = workspace.memory / "conversations" / "dev.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"messages": _messages(text)}))
    os.utime(path, (workspace.clock.now().timestamp(),) * 2)
    workspace.clock.advance(hours=5)
    workspace.process()
    do(workspace, sessions.sync_checkpoints, force=True)


@door
def host(workspace: Workspace, text: str) -> None:
    do(workspace, sessions.checkpoint, chat("dev", _messages(text)))
    do(workspace, sleep, chat("dev", _messages(text)), text)


@door
def library(workspace: Workspace, text: str) -> None:
    with workspace.app() as app:
        memory = OpenMemory(app, "default")
        memory.add_all([NewEntry(text, "decisions", tags=(text,), author=text), NewEntry(text, "tasks")])
        memory.search(text, session="s", history=[("user", text)])
        memory.briefing(text, session="s")


@door
def agent(workspace: Workspace, text: str) -> None:
    with workspace.app() as app:
        notes.store(app, text, [])
        vault.add(app, "default", "lessons", text, [text])


@door
def a_model(workspace: Workspace, text: str) -> None:
    reply = f"DECISION {text}" if "<" in text else "NONE"  # what it was never sent it cannot say
    with model_server(says(reply)) as server:
        Talk(workspace).say(
            text, answer="It is in place now, and the accountants have their export before six o'clock."
        )
        with workspace.app(**server.settings()) as app:
            dues = reflecting.backlog(app, Options(app.agent, timedelta(minutes=5)))
            reflecting.reflect(app, dues, reflecting.estimate(app, dues))
        assert SECRET not in "".join(request.text for request in server.requests).lower()


def _messages(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "text": text}, {"role": "agent", "text": f"Done. You said: {text}"}]


@FEW
@given(doors=st.lists(st.sampled_from(sorted(DOORS)), min_size=1, max_size=3), text=wrapped)
def test_private_words_are_nowhere_whatever_they_come_through(make, doors, text):
    workspace = make()
    for name in doors:
        DOORS[name](workspace, text)
    assert SECRET.encode() not in everything(workspace)


@FEW
@given(
    doors=st.lists(
        st.sampled_from(["cursor", "cursor_legacy", "dashboard", "host", "a_model"]), min_size=1, max_size=3
    ),
    watched=st.booleans(),
    afterwards=st.lists(st.sampled_from(RETURNS[:5]), max_size=3),
)
def test_what_is_said_in_a_pause_is_nowhere_whatever_it_comes_through(make, doors, watched, afterwards):
    workspace = make()
    talk = Talk(workspace)
    talk.say(SAID[0])
    do(workspace, pause)
    text = f"Let's go with {SECRET} for the payroll, because an audit takes an hour less."
    for name in doors if watched else ():
        DOORS[name](workspace, text)
    if not watched:
        talk.say(text, answer=f"Done, it is {SECRET} now.")
    do(workspace, resume)
    for number, way in enumerate(afterwards):
        workspace.clock.advance(hours=1)
        _return(workspace, way, talk, number)
    workspace.process()

    assert SECRET.encode() not in everything(workspace)
    assert "SQLite" in "\n".join(memory.body for memory in workspace.memories())
