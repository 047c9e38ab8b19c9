"""Everything that has been seen to happen to transcripts on disk, each as a small function that makes it happen.

A case arranges files, and may process them in between. Where ``same`` is set the vault must be that of the plain talk.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tests.workspace import Chat, Workspace

DECISION: Final = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."
LESSON: Final = (
    "Root cause: the payment webhook was retried by the provider after 10 s, so every slow order was booked twice."
)
TASK: Final = "Still to do: rotate the webhook secret before the launch."
ANSWER: Final = f"Done, the store uses SQLite now.\n\n**{LESSON}**\n\n{TASK}"


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that happens to transcripts, by name."""

    name: str
    make: Callable[[Workspace], None]
    same: bool


CASES: Final[list[Case]] = []


def case(*, same: bool = False) -> Callable[[Callable[[Workspace], None]], Callable[[Workspace], None]]:
    def _add(make: Callable[[Workspace], None]) -> Callable[[Workspace], None]:
        CASES.append(Case(make.__name__.replace("_", "-"), make, same))
        return make

    return _add


def talk(workspace: Workspace, number: int = 1) -> Chat:
    chat = workspace.chat(number).user(DECISION).assistant(ANSWER).ended()
    return chat.user("thanks").assistant("You're welcome.").ended()


def put(workspace: Workspace, chat: Chat) -> None:
    chat.save(written=workspace.long_ago())


def put_bytes(workspace: Workspace, chat: Chat, data: bytes) -> None:
    chat.lines = [data]
    put(workspace, chat)


def then(workspace: Workspace, chat: Chat, upto: int | None = None) -> None:
    """Write the file as it is now, let it be quiet for an hour, and take it."""
    chat.save(upto=upto, written=workspace.clock.now())
    workspace.clock.advance(hours=1)
    workspace.process()


def claim(project: Path, path: Path | str) -> None:
    project.mkdir(parents=True, exist_ok=True)
    (project / ".workspace-trusted").write_text(json.dumps({"workspacePath": str(path)}), encoding="utf-8")


def moved(workspace: Workspace, name: str) -> Path:
    """Give the project's folder another name, and return it."""
    folder = workspace.transcripts.parent
    return Path(shutil.move(folder, folder.with_name(name)))


# --- bytes ---------------------------------------------------------------------------------------------------------


@case(same=True)
def plain(workspace: Workspace) -> None:
    put(workspace, talk(workspace))


@case(same=True)
def torn_last_line_that_is_completed(workspace: Workspace) -> None:
    chat = talk(workspace)
    for upto in (len(chat.data) - 60, len(chat.data) - 1, None):
        then(workspace, chat, upto)


@case(same=True)
def last_line_without_its_end(workspace: Workspace) -> None:
    put_bytes(workspace, chat := talk(workspace), chat.data.rstrip(b"\n"))


@case(same=True)
def crlf(workspace: Workspace) -> None:
    put_bytes(workspace, chat := talk(workspace), chat.data.replace(b"\n", b"\r\n"))


@case(same=True)
def byte_order_mark(workspace: Workspace) -> None:
    put_bytes(workspace, chat := talk(workspace), b"\xef\xbb\xbf" + chat.data)


@case(same=True)
def two_byte_order_marks(workspace: Workspace) -> None:
    put_bytes(workspace, chat := talk(workspace), b"\xef\xbb\xbf" * 2 + chat.data)


@case(same=True)
def runs_of_nul(workspace: Workspace) -> None:
    chat = talk(workspace)
    chat.lines[2:2] = [b"\0" * 4096 + b"\n"]
    put_bytes(workspace, chat, chat.data + b"\0" * 512)


@case(same=True)
def objects_glued_together(workspace: Workspace) -> None:
    chat = talk(workspace)
    put_bytes(workspace, chat, chat.data.replace(b"}\n{", b"}{", 3))


@case()
def lone_surrogates(workspace: Workspace) -> None:
    chat = workspace.chat()
    chat.lines = [json.dumps({"role": "user", "message": {"content": f"{DECISION} \udc88\ud83d"}}).encode() + b"\n"]
    put(workspace, chat.assistant(ANSWER).ended())


@case()
def line_ends_inside_texts(workspace: Workspace) -> None:
    odd = "".join(map(chr, (0x2028, 0x85, 0x0B, 0x0C, 0x1C)))
    put(workspace, workspace.chat().user(f"{DECISION}{odd}Please.").assistant(ANSWER).ended())


@case()
def invalid_utf_8(workspace: Workspace) -> None:
    put_bytes(
        workspace, chat := talk(workspace), chat.data.replace(b"one file per shop", b"one \xff\xc3 file per shop")
    )


@case(same=True)
def a_line_of_40_mb(workspace: Workspace) -> None:
    chat = talk(workspace)
    chat.lines[2:2] = [b'{"role":"assistant","message":{"content":"' + b"x" * 40_000_000 + b'"}}\n']
    put(workspace, chat)


@case(same=True)
def deep_nesting(workspace: Workspace) -> None:
    chat = talk(workspace)
    chat.lines[2:2] = [b"[" * 100_000 + b"\n"]
    put(workspace, chat)


@case()
def contents_of_every_kind(workspace: Workspace) -> None:
    chat = workspace.chat()
    contents: list[Any] = [DECISION, None, 7, [], ["plain"], [{"type": "text", "text": ANSWER}]]
    chat.lines = [
        json.dumps({"role": "user" if n == 0 else "assistant", "message": {"content": content}}).encode() + b"\n"
        for n, content in enumerate(contents)
    ]
    put(workspace, chat.ended())


@case(same=True)
def kinds_that_nobody_knows(workspace: Workspace) -> None:
    chat = talk(workspace)
    chat.lines[2:2] = [
        b'{"type":"brand_new"}\n',
        b'{"role":"oracle","message":{"content":"x"}}\n',
        b'{"role":"user","message":{"content":[{"type":"hologram"}]}}\n',
    ]
    put(workspace, chat)


# --- the file as a whole -------------------------------------------------------------------------------------------


@case()
def an_empty_file(workspace: Workspace) -> None:
    put_bytes(workspace, workspace.chat(), b"")


@case(same=True)
def emptied_and_filled_again(workspace: Workspace) -> None:
    chat = talk(workspace)
    for upto in (None, 0, None):
        then(workspace, chat, upto)


@case(same=True)
def emptied_for_good(workspace: Workspace) -> None:
    chat = talk(workspace)
    for upto in (None, 0):
        then(workspace, chat, upto)


@case(same=True)
def shrunk(workspace: Workspace) -> None:
    chat = talk(workspace)
    for upto in (None, len(chat.data) // 2):
        then(workspace, chat, upto)
    then(workspace, chat)


@case()
def rewritten_to_the_same_size(workspace: Workspace) -> None:
    chat = talk(workspace)
    then(workspace, chat)
    chat.lines = [chat.data.replace(b"SQLite", b"MySQL8")]
    then(workspace, chat)


@case()
def grown_with_another_beginning(workspace: Workspace) -> None:
    chat = talk(workspace)
    then(workspace, chat)
    chat.lines[0] = chat.lines[0].replace(b"one file per shop", b"one file for each shop")
    then(workspace, chat.user("Still there?").assistant("Yes.").ended())


@case(same=True)
def renamed_over(workspace: Workspace) -> None:
    chat = talk(workspace)
    then(workspace, chat)
    fresh = chat.path.with_suffix(".new")
    fresh.write_bytes(chat.data)
    fresh.replace(chat.path)
    workspace.clock.advance(hours=1)


@case(same=True)
def deleted_and_made_again(workspace: Workspace) -> None:
    chat = talk(workspace)
    then(workspace, chat)
    chat.path.unlink()
    workspace.process()
    then(workspace, chat)


@case()
def replayed_turns(workspace: Workspace) -> None:
    chat = talk(workspace)
    then(workspace, chat)
    chat.lines += list(chat.lines)
    then(workspace, chat)


# --- turns ---------------------------------------------------------------------------------------------------------

ENDED: Final = b'{"type":"turn_ended","status":"success"}\n'


@case(same=True)
def turn_ended_first(workspace: Workspace) -> None:
    chat = talk(workspace)
    chat.lines[:0] = [b'{"type":"turn_ended","status":"error","error":"usage limit"}\n']
    put(workspace, chat)


@case()
def turn_ended_only(workspace: Workspace) -> None:
    put_bytes(workspace, workspace.chat(), ENDED * 3)


@case(same=True)
def turn_ended_never(workspace: Workspace) -> None:
    chat = talk(workspace)
    chat.lines = [line for line in chat.lines if line != ENDED]
    put(workspace, chat)


@case(same=True)
def turn_ended_dropped_when_the_next_begins(workspace: Workspace) -> None:
    chat = talk(workspace)
    whole = list(chat.lines)
    chat.lines = whole[:3]
    then(workspace, chat)
    chat.lines = [*whole[:2], *whole[3:]]
    then(workspace, chat)


@case()
def idle_during_a_tool_run(workspace: Workspace) -> None:
    chat = workspace.chat().user(DECISION).assistant("I will run the migration.", {"name": "Shell", "input": {}})
    then(workspace, chat)
    then(workspace, chat.assistant(ANSWER))
    then(workspace, chat.user("thanks").assistant("You're welcome.").ended())


@case()
def a_closing_tag_in_a_prompt(workspace: Workspace) -> None:
    put(workspace, workspace.chat().user(f"Mind the </user_query> tag. {DECISION}").assistant(ANSWER).ended())


def _at(workspace: Workspace, stamp: str) -> None:
    chat = talk(workspace)
    chat.lines[0] = chat.lines[0].replace(b"Monday, Mar 16, 2026, 09:00 AM (UTC)", stamp.encode())
    put(workspace, chat)


@case()
def no_times(workspace: Workspace) -> None:
    chat = workspace.chat()
    chat.at = None
    put(workspace, chat.user(DECISION).assistant(ANSWER).ended())


@case(same=True)
def a_time_of_another_zone(workspace: Workspace) -> None:
    _at(workspace, "Monday, Mar 16, 2026, 2:30 PM (UTC+5:30)")


@case()
def a_time_in_the_future(workspace: Workspace) -> None:
    _at(workspace, "Monday, Mar 16, 2099, 9:00 AM (UTC)")


@case()
def a_time_in_1970(workspace: Workspace) -> None:
    _at(workspace, "Thursday, Jan 1, 1970, 12:00 AM (UTC)")


# --- layouts -------------------------------------------------------------------------------------------------------

LEGACY: Final = Path(__file__).parents[1] / "fixtures" / "transcripts" / "legacy.txt"


def legacy(workspace: Workspace, number: int = 1) -> Chat:
    chat = workspace.chat(number)
    chat.path = workspace.transcripts / f"{chat.path.stem}.txt"
    chat.lines = [LEGACY.read_bytes()]
    return chat


@case()
def legacy_text(workspace: Workspace) -> None:
    put(workspace, legacy(workspace))


@case(same=True)
def legacy_text_and_its_twin(workspace: Workspace) -> None:
    put(workspace, legacy(workspace))
    put(workspace, talk(workspace))


@case(same=True)
def a_flat_file(workspace: Workspace) -> None:
    chat = talk(workspace)
    chat.path = workspace.transcripts / chat.path.name
    put(workspace, chat)


@case()
def a_sub_agent(workspace: Workspace) -> None:
    put(workspace, chat := talk(workspace))
    child = workspace.chat(2).user("Always check the licence of a new dependency first.").assistant("I will.").ended()
    child.path = chat.path.parent / "subagents" / child.path.name
    put(workspace, child)


@case(same=True)
def five_thousand_sessions_without_a_word(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    for number in range(5_000):
        (workspace.transcripts / f"{number:08d}-0000-4000-8000-00000000ffff").mkdir()


# --- whose folder it is --------------------------------------------------------------------------------------------


@case(same=True)
def one_conversation_under_two_slugs(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    twin = talk(workspace)
    twin.lines = twin.lines[:3]
    project = workspace.transcripts.parent.with_name("private-truncated-157e277")
    claim(project, workspace.root)
    twin.path = project / "agent-transcripts" / twin.path.parent.name / twin.path.name
    put(workspace, twin)


@case()
def a_slug_that_two_folders_share(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    workspace.root.with_name("_shop").mkdir()


@case(same=True)
def a_shared_slug_with_a_claim(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    workspace.root.with_name("_shop").mkdir()
    claim(workspace.transcripts.parent, workspace.root)


@case(same=True)
def a_shared_slug_with_a_log(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    workspace.root.with_name("_shop").mkdir()
    log = f"[info] starting\n[info] workspacePath={workspace.root}\n"
    (workspace.transcripts.parent / "worker.log").write_text(log, encoding="utf-8")


@case()
def a_shared_slug_whose_log_names_the_other(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    other = workspace.root.with_name("_shop")
    other.mkdir()
    (workspace.transcripts.parent / "worker.log").write_text(f"workspacePath={other}\n", encoding="utf-8")


@case()
def an_empty_window(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    moved(workspace, "empty-window")


@case()
def a_numeric_slug(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    moved(workspace, "1778382652592")


@case(same=True)
def a_numeric_slug_with_a_claim(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    claim(moved(workspace, "1778382652592"), workspace.root)


@case()
def no_slug_level(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    shutil.move(workspace.transcripts, workspace.transcripts.parents[1] / "agent-transcripts")


def _cut(workspace: Workspace) -> str:
    return f"{workspace.transcripts.parent.name[:-3]}-e83f160"


@case()
def a_cut_slug(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    moved(workspace, _cut(workspace))


@case(same=True)
def a_cut_slug_with_a_claim(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    claim(moved(workspace, _cut(workspace)), workspace.root)


@case()
def a_claim_to_another_folder(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    claim(workspace.transcripts.parent, "/somewhere/else")


@case()
def a_claim_to_this_folder_from_one_named_for_another(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    other = workspace.root.with_name("other")
    other.mkdir()
    claim(moved(workspace, workspace.transcripts.parent.name[: -len("shop")] + "other"), workspace.root)


@case(same=True)
def a_claim_through_a_link(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    link = workspace.root.with_name("a-link")
    link.symlink_to(workspace.root)
    claim(moved(workspace, "something-else"), link)


@case()
def a_claim_in_another_case(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    claim(moved(workspace, "something-else"), str(workspace.root).swapcase())


def _roots(workspace: Workspace, *paths: str) -> None:
    put(workspace, talk(workspace))
    file = workspace.root / "all.code-workspace"
    folders = ", ".join(json.dumps({"path": path}) for path in paths)
    file.write_text(f'{{ // several roots\n  "folders": [{folders},], "settings": {{}}}}\n', encoding="utf-8")
    claim(moved(workspace, "1778382652593"), file)


@case(same=True)
def several_roots_of_this_workspace(workspace: Workspace) -> None:
    _roots(workspace, ".", "packages/api")


@case()
def several_roots_of_which_one_is_elsewhere(workspace: Workspace) -> None:
    _roots(workspace, ".", "../shop10")


# --- what cannot be read -------------------------------------------------------------------------------------------


@case(same=True)
def bad_files_among_good_ones(workspace: Workspace) -> None:
    put(workspace, talk(workspace))
    put_bytes(workspace, workspace.chat(2), bytes(range(1, 256)) * 40)
    dangling = workspace.chat(3).path
    dangling.parent.mkdir()
    dangling.symlink_to(dangling.parent / "gone")
    (workspace.transcripts / "0000000a-0000-4000-8000-000000000000.jsonl").mkdir()


# --- dashboards ----------------------------------------------------------------------------------------------------

MESSAGES: Final[list[dict[str, Any]]] = [
    {"role": "user", "text": DECISION},
    {"role": "agent", "text": "A note that the host keeps to itself.", "internal": True},
    {"role": "agent", "text": ANSWER},
    {"role": "user", "text": "thanks"},
    {"role": "agent", "text": "You're welcome."},
]


def dashboard(workspace: Workspace, messages: list[dict[str, Any]], agent: str = "dev", **rest: Any) -> None:
    """Save a chat as a dashboard does, let an hour pass, and take it."""
    path = workspace.memory / "conversations" / f"{agent}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    value = {"agentId": agent, "savedAt": workspace.clock.now().isoformat(), "messages": messages, **rest}
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    written = workspace.clock.now().timestamp()
    os.utime(path, (written, written))
    workspace.clock.advance(hours=1)
    workspace.process()


@case()
def a_dashboard(workspace: Workspace) -> None:
    dashboard(workspace, MESSAGES)


@case()
def a_dashboard_with_its_own_chat_and_time(workspace: Workspace) -> None:
    at = datetime(2026, 3, 17, tzinfo=UTC).timestamp() * 1000
    dashboard(workspace, MESSAGES, chatId="chat_1", savedAt=at)


@case()
def a_dashboard_that_cuts_its_front(workspace: Workspace) -> None:
    more = [{"role": "user", "text": f"And number {n}?"} for n in range(1, 4)]
    dashboard(workspace, MESSAGES)
    dashboard(workspace, MESSAGES[2:] + more[:1])
    dashboard(workspace, MESSAGES[3:] + more[:2])
    dashboard(workspace, MESSAGES[4:] + more)


@case()
def a_dashboard_with_one_chat_after_another(workspace: Workspace) -> None:
    dashboard(workspace, MESSAGES)
    again = "Let's always store prices in cents, never as floats, because rounding lost money."
    dashboard(workspace, [{"role": "user", "text": again}, {"role": "agent", "text": "Done, prices are cents now."}])


@case()
def a_dashboard_in_pieces(workspace: Workspace) -> None:
    dashboard(workspace, MESSAGES)
    path = workspace.memory / "conversations" / "dev.json"
    path.write_bytes(path.read_bytes()[:300])
    workspace.process()
