"""Laws 1, 2, 4, 5, 7, 8 and 10, end to end: transcripts on disk in, a vault on disk out."""

import json
import shutil
import tempfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_memory.app import brief, changes, vault
from agent_memory.errors import UnknownEntry, UsageError
from tests.workspace import Chat, Workspace, essence

FIXTURES = Path(__file__).parent.parent / "fixtures"
CONVERSATIONS = sorted((FIXTURES / "demo").glob("*.jsonl")) + sorted((FIXTURES / "labelled").glob("*/*.jsonl"))
FEW = settings(max_examples=8, suppress_health_check=list(HealthCheck))


@pytest.fixture(params=CONVERSATIONS[:3], ids=lambda path: path.stem[:8])
def conversation(request):
    return request.param


def a_workspace(folder: Path) -> Workspace:
    root, home = folder / "shop", folder / "home"
    (root / ".git").mkdir(parents=True)
    home.mkdir()
    return Workspace(root.resolve(), home)


@pytest.fixture
def make(monkeypatch):
    """Make workspaces, each with a HOME of its own, and take them away again."""
    folders = []

    def _make() -> Workspace:
        folder = Path(tempfile.mkdtemp(prefix="am-law-"))
        folders.append(folder)
        made = a_workspace(folder)
        monkeypatch.setenv("HOME", str(made.home))
        return made

    yield _make
    for folder in folders:
        shutil.rmtree(folder)


def chat_of(workspace: Workspace, source: Path) -> Chat:
    path = workspace.transcripts / source.stem / source.name
    return Chat(path, lines=source.read_bytes().splitlines(keepends=True))


def undisturbed(make, source: Path) -> set[tuple[Any, ...]]:
    workspace = make()
    chat_of(workspace, source).save(written=workspace.long_ago())
    workspace.process()
    return essence(workspace.memories())


def grow(workspace: Workspace, chat: Chat, cut: int, *, idle: bool) -> None:
    """Let the file have ``cut`` bytes, and process it: as it is being written, or after it has been quiet."""
    chat.save(upto=cut, written=workspace.clock.now())
    workspace.clock.advance(hours=1 if idle else 0)
    workspace.process()


@FEW
@given(data=st.data())
def test_law_2_any_split_of_the_bytes_with_idle_closes_in_between_gives_one_undisturbed_run(make, conversation, data):
    workspace = make()
    chat = chat_of(workspace, conversation)
    cuts = data.draw(st.lists(st.integers(0, len(chat.data)), max_size=5).map(sorted))
    idles = data.draw(st.lists(st.booleans(), min_size=len(cuts), max_size=len(cuts)))

    for cut, idle in zip(cuts, idles, strict=True):
        grow(workspace, chat, cut, idle=idle)
    grow(workspace, chat, len(chat.data), idle=True)

    assert essence(workspace.memories()) == undisturbed(make, conversation)


@FEW
@given(data=st.data())
def test_law_1_state_and_mirror_may_be_deleted_at_any_moment(make, conversation, data):
    workspace = make()
    chat = chat_of(workspace, conversation)
    for cut in data.draw(st.lists(st.integers(0, len(chat.data)), max_size=3).map(sorted)):
        grow(workspace, chat, cut, idle=data.draw(st.booleans()))
        for name in data.draw(st.sets(st.sampled_from(["state.sqlite3", "mirror.sqlite3", "taken.jsonl"]))):
            folder = workspace.memory if name == "taken.jsonl" else workspace.memory / ".vault"
            (folder / name).unlink(missing_ok=True)
    grow(workspace, chat, len(chat.data), idle=True)

    assert essence(workspace.memories()) == undisturbed(make, conversation)


def test_law_2_a_file_that_is_emptied_shrunk_or_replaced_loses_nothing(make, conversation):
    workspace = make()
    chat = chat_of(workspace, conversation)
    for cut in (len(chat.data), 0, len(chat.data) // 2, len(chat.data)):
        grow(workspace, chat, cut, idle=True)
    replacement = chat.path.with_suffix(".new")
    replacement.write_bytes(chat.data)
    replacement.replace(chat.path)
    workspace.clock.advance(hours=1)
    workspace.process()

    assert essence(workspace.memories()) == undisturbed(make, conversation)


def test_law_2_replayed_turns_are_taken_once(make, conversation):
    workspace = make()
    chat = chat_of(workspace, conversation)
    grow(workspace, chat, len(chat.data), idle=True)
    before = {each for each in essence(workspace.memories()) if each[0] != "handoffs"}
    chat.lines[-1] = chat.lines[-1].rstrip(b"\n") + b"\n"
    chat.lines += list(chat.lines)
    grow(workspace, chat, len(chat.data), idle=True)

    after = workspace.memories()
    assert before <= essence(after)
    assert len({memory.key for memory in after}) == len(after)
    assert len({(memory.page, memory.body) for memory in after}) == len(after)


def test_law_4_everything_the_machine_wrote_can_be_taken_back(make, conversation):
    workspace = make()
    grow(workspace, chat_of(workspace, conversation), 10**9, idle=True)
    with workspace.app() as app:
        while True:
            try:
                undone = changes.undo(app, None)
            except UnknownEntry:
                break
            assert undone.kept == ()

    assert workspace.memories() == ()
    assert workspace.process(full=True).decisions == 0
    assert [m for m in workspace.memories() if m.page.category != "handoffs"] == []


@FEW
@given(data=st.data())
def test_law_5_what_was_deleted_stays_away_whatever_is_read_again(make, conversation, data):
    workspace = make()
    chat = chat_of(workspace, conversation)
    grow(workspace, chat, len(chat.data), idle=True)
    memories = workspace.memories()
    gone = data.draw(st.sets(st.integers(0, len(memories) - 1), max_size=5))
    with workspace.app() as app:
        for memory in (memories[number] for number in gone):
            vault.delete(app, memory.page.agent, memory.page.category, memory.id)
    left = essence(workspace.memories())

    for name in data.draw(st.sets(st.sampled_from(["state.sqlite3", "mirror.sqlite3"]))):
        (workspace.memory / ".vault" / name).unlink()
    copied = chat_of(workspace, conversation)
    copied.path = copied.path.parent.parent / ("f" * 8) / ("f" * 8 + ".jsonl")
    copied.save(written=workspace.long_ago())
    workspace.process(full=True)

    # Words that redaction touched have no fingerprint, so a copy under another name may bring those back.
    returned = essence(workspace.memories()) - left
    assert {each for each in returned if each[0] != "handoffs" and "[REDACTED" not in each[1]} == set()


def planted() -> list[tuple[str, str]]:
    text = (FIXTURES / "secrets" / "planted.jsonl").read_text(encoding="utf-8").replace("⟨cut⟩", "")
    return [(row["text"], row["secret"]) for row in map(json.loads, text.splitlines())]


def test_law_7_no_planted_secret_is_written_anywhere(make):
    workspace = make()
    secrets = planted()
    for number, start in enumerate(range(0, len(secrets), 20)):
        chat = workspace.chat(number)
        for text, _ in secrets[start : start + 20]:
            chat.user(f"Let's always use the staging account, because production is billed. {text}")
            chat.assistant(
                f"Done.\n\n**Root cause:** the old value was wrong. {text}\n\nStill to do: rotate it. {text}"
            )
        chat.ended().save(written=workspace.long_ago())
    workspace.process()
    with workspace.app() as app:
        for text, _ in secrets[:20]:
            with suppress(UsageError):
                vault.add(app, "default", "lessons", text, [])
        brief.brief(app, "default", "staging")

    everything = b"\n".join(workspace.files().values())
    lines = {line for _, secret in secrets for line in secret.splitlines() if len(line) > 12 and "-----" not in line}
    assert [line for line in sorted(lines) if line.encode() in everything] == []


def test_law_8_what_was_recalled_is_never_learnt_again(make, conversation):
    workspace = make()
    grow(workspace, chat_of(workspace, conversation), 10**9, idle=True)
    with workspace.app() as app:
        text = brief.brief(app, "default", "").text
    before = {each for each in essence(workspace.memories()) if each[0] != "handoffs"}
    chat = workspace.chat(77).user(f"{text}\n\nPlease go on.").assistant(f"I remember:\n\n{text}").ended()
    workspace.clock.advance(days=1)
    chat.save(written=workspace.clock.now() - timedelta(hours=1))

    workspace.process()

    assert {each for each in essence(workspace.memories()) if each[0] != "handoffs"} == before


GARBAGE = [
    b"\xff\xfe\x00garbage\n",
    b'{"role":"user","message":{"content":[{"type":"text","text":"half\n',
    b"[" * 100_000 + b"\n",
    b"null\n",
    b'{"role":"robot","message":{"content":"Let\'s use Mongo."}}\n',
    b'{"role":"user","message":{"content":42}}\n',
    b"\x00" * 4096 + b"\n",
    b'{"type":"progress"}\n',
]


@FEW
@given(data=st.data())
def test_law_10_bad_lines_cost_themselves_and_nothing_else(make, conversation, data):
    workspace = make()
    chat = chat_of(workspace, conversation)
    for place in data.draw(st.lists(st.integers(0, len(chat.lines)), min_size=1, max_size=4)):
        chat.lines.insert(place, data.draw(st.sampled_from(GARBAGE)))
    chat.save(written=workspace.long_ago())

    tally = workspace.process()

    assert not tally.failed
    assert tally.skipped_lines == len(tally.errors)
    assert essence(workspace.memories()) == undisturbed(make, conversation)
