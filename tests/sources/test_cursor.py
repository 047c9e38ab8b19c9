from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from agent_memory.model.transcript import Record, SkippedLine, Todo, ToolUse
from agent_memory.sources import SOURCES, source_named
from agent_memory.sources.base import Event, Line, Status
from agent_memory.sources.cursor import (
    CURSOR,
    claimed_workspace,
    conversation_of,
    cursor_slug,
    events,
    is_cut_slug,
    logged_workspace,
    names_of,
    root_of,
)
from agent_memory.sources.jsonl import split
from tests.builders import assistant_line, json_line, user_line

FIXTURES = Path(__file__).parent.parent / "fixtures"


def event_of(line: bytes | Mapping[str, object]) -> Event:
    raw = json.dumps(line).encode() if isinstance(line, Mapping) else line.rstrip(b"\n")
    (event,) = events(Line(1, 0, raw))
    return event


def record_of(line: bytes) -> Record:
    event = event_of(line)
    assert isinstance(event, Record)
    return event


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/Users/foo.bar/my_app", "Users-foo-bar-my-app"),
        ("/Users/me/.claude", "Users-me-claude"),
        ("/home/u/My Project (1)/é", "home-u-My-Project-1"),
        ("C:\\Dev\\simulations\\opc", "c-Dev-simulations-opc"),
        ("D:\\projects\\video_editor", "d-projects-video-editor"),
        ("D:\\projects\\mcp持久化", "d-projects-mcp"),
        ("\\\\wsl.localhost\\Ubuntu-24.04\\home\\u\\proj", "wsl-localhost-Ubuntu-24-04-home-u-proj"),
    ],
)
def test_the_slug_is_cursors(path, slug):
    assert cursor_slug(path) == slug


def test_a_drive_letter_counts_in_both_cases():
    assert names_of("C:\\Dev\\opc") == {"c-Dev-opc", "C-Dev-opc"}


@pytest.mark.parametrize("workspace", ["/empty-window", "/1778382652592", "/", "/持久化"])
def test_names_that_cursor_gives_to_no_workspace_never_match_by_name(workspace):
    assert names_of(workspace) == frozenset()


def test_the_data_folder_can_be_moved():
    assert root_of("/home/u", None) == "/home/u/.cursor/projects"
    assert root_of("/home/u", "/data/cursor") == "/data/cursor/projects"


@pytest.mark.parametrize("claim", ["", "{", "[]", "{}", '{"workspacePath": 3}', '{"workspacePath": "a\\u0000b"}'])
def test_a_claim_that_makes_no_sense_claims_nothing(claim):
    assert claimed_workspace(claim) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a1/a1.jsonl", ("a1", None)),
        ("a1.jsonl", ("a1", None)),
        ("a1/subagents/b2.jsonl", ("b2", "a1")),
        ("a1/b2.jsonl", None),
        ("a1.txt", ("a1", None)),
        ("a1/a1.txt", None),
        ("a1.json", None),
        ("a1/other/b2.jsonl", None),
        ("a b.jsonl", None),
        (".jsonl", None),
        (".hidden.jsonl", None),
        ("a1/subagents/sub/b2.jsonl", None),
    ],
)
def test_conversations_are_known_by_their_place(path, expected):
    assert conversation_of(tuple(path.split("/"))) == expected


def test_a_persons_words_come_out_of_their_wrapping():
    record = record_of(user_line("Vamos usar SQLite.", at="Monday, Mar 16, 2026, 10:30 AM (UTC-3)"))

    assert (record.role, record.text, record.injected) == ("user", "Vamos usar SQLite.", False)
    assert record.said_at is not None
    assert record.said_at.isoformat() == "2026-03-16T13:30:00+00:00"


def test_an_agents_texts_are_joined_and_its_tools_keep_name_and_paths():
    content = [
        {"type": "text", "text": "First."},
        {"type": "tool_use", "name": "Write", "input": {"path": "src/a.py", "contents": "TOP SECRET"}},
        {"type": "text", "text": "Second.\n\n[REDACTED]"},
        {"type": "tool_use", "name": "Shell", "input": {"command": "rm -rf /", "working_directory": "/srv"}},
        {"type": "tool_use", "name": "Edit", "input": {"target_file": "b.py", "file_path": "b.py"}},
    ]

    record = record_of(json_line("assistant", content))

    assert record.text == "First.\n\nSecond."
    assert record.tools == (ToolUse("Write", ("src/a.py",)), ToolUse("Shell"), ToolUse("Edit", ("b.py",)))
    assert "SECRET" not in repr(record)
    assert "rm -rf" not in repr(record)


def test_a_patch_names_the_files_it_touches_and_nothing_else():
    patch = "*** Begin Patch\n*** Update File: src/a.py\n-old\n+new\n*** Add File: src/b.py\n+x\n*** End Patch"

    expected = (ToolUse("ApplyPatch", ("src/a.py", "src/b.py")),)

    assert record_of(assistant_line("", ("ApplyPatch", patch))).tools == expected
    assert record_of(assistant_line("", ("ApplyPatch", {"input": patch}))).tools == expected


def test_the_to_do_list_keeps_its_lines():
    todos = [
        {"id": "1", "content": "Migrar o  banco", "status": "in_progress"},
        {"content": "Ship"},
        "junk",
        {"id": "2"},
    ]

    (tool,) = record_of(assistant_line("", ("TodoWrite", {"merge": True, "todos": todos}))).tools

    assert tool.todos == (Todo("Migrar o banco", "in_progress"), Todo("Ship", "pending"))


@pytest.mark.parametrize("given", [None, 3, [], "text", {"path": 7}, {"path": ["a"]}, {"todos": "x"}, {"path": ""}])
def test_tool_inputs_of_any_kind_are_survived(given):
    assert record_of(assistant_line("", ("TodoWrite", given))).tools == (ToolUse("TodoWrite"),)


def test_a_hundred_paths_are_not_kept():
    patch = "\n".join(f"*** Add File: f{n}" for n in range(100))

    assert len(record_of(assistant_line("", ("ApplyPatch", patch))).tools[0].paths) == 50


@pytest.mark.parametrize("content", ["plain", [{"type": "text", "text": "plain"}], ["plain"]])
def test_content_may_be_text_or_blocks(content):
    assert record_of(json_line("assistant", content)).text == "plain"


@pytest.mark.parametrize("content", [None, 7, True, {"type": "text"}])
def test_content_of_another_kind_is_counted(content):
    assert event_of(json_line("user", content)) == SkippedLine(1, "a message without content")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"type": "turn_ended", "status": "success"}, Status(ends_turn=True)),
        ({"type": "turn_ended", "status": "error", "error": "usage limit"}, Status(ends_turn=True)),
        ({"type": "progress"}, Status()),
        ({"role": "tool", "message": {"content": "x"}}, Status()),
        ({"type": "brand_new"}, SkippedLine(1, "unknown type of line")),
        ({}, SkippedLine(1, "unknown type of line")),
        ({"type": ["turn_ended"]}, SkippedLine(1, "unknown type of line")),
        ({"role": "oracle", "message": {"content": "x"}}, SkippedLine(1, "unknown role")),
        ({"role": ["user"], "message": {"content": "x"}}, SkippedLine(1, "unknown role")),
        ({"role": "user"}, SkippedLine(1, "a message without content")),
        ({"role": "user", "message": "x"}, SkippedLine(1, "a message without content")),
        ({"role": "user", "message": {"content": [{"type": "hologram"}]}}, SkippedLine(1, "no block of a known type")),
        ({"role": "user", "message": {"content": [{"type": ["x"]}]}}, SkippedLine(1, "no block of a known type")),
        ({"role": "assistant", "message": {"content": [{"type": "text", "text": "[REDACTED]"}]}}, Status()),
        ({"role": "assistant", "message": {"content": [{"type": "thinking", "thinking": "x"}]}}, Status()),
        ({"role": "assistant", "message": {"content": []}}, Status()),
    ],
)
def test_lines_without_words(line, expected):
    assert event_of(line) == expected


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ({"type": "brand_new"}, "line brand_new"),
        ({"type": "words of a person, perhaps"}, "line ?"),
        ({"role": "oracle", "message": {"content": "x"}}, "role oracle"),
        ({"role": "user"}, "message without content"),
        ({"role": "user", "message": {"content": [{"type": "hologram"}]}}, "block hologram"),
    ],
)
def test_what_nobody_knows_is_named_by_its_kind_never_by_its_words(line, kind):
    event = event_of(line)

    assert isinstance(event, SkippedLine)
    assert event.kind == kind


@pytest.mark.parametrize(
    ("log", "path"),
    [
        ("workspacePath=/a b/c\n", "/a b/c"),
        ("[x] workspacePath=/old\n[x] workspacePath=/new pid=4\n", "/new"),
        ('{"workspacePath":"/a/b","pid":1}', "/a/b"),
        ("workspacePath: C:\\Dev\\opc\r\n", "C:\\Dev\\opc"),
        ("path=/a", None),
        ("", None),
    ],
)
def test_a_log_names_the_workspace_it_was_opened_for(log, path):
    assert logged_workspace(log) == path


@pytest.mark.parametrize(
    ("name", "slug", "cut"),
    [
        ("private-tmp-claude-501-Users-johnknox-code-switchbo-157e277",
         "private-tmp-claude-501-Users-johnknox-code-switchboard", True),
        ("private-tmp-claude-501-Users-johnknox-code-switchbo-157e27",
         "private-tmp-claude-501-Users-johnknox-code-switchboard", False),
        ("private-tmp-claude-501-Users-other-157e277", "private-tmp-claude-501-Users-johnknox", False),
        ("w-app-1234567", "w-app-12345678", False),
    ],
)  # fmt: skip
def test_a_long_slug_may_have_been_cut(name, slug, cut):
    assert is_cut_slug(name, slug) is cut


def test_unknown_blocks_are_passed_over():
    content = [{"type": "hologram", "text": "no"}, {"type": "text", "text": "yes"}, {"type": "text", "text": 4}]

    assert record_of(json_line("assistant", content)).text == "yes"


def test_lone_surrogates_and_nul_never_leave_the_parser():
    record = record_of(b'{"role":"user","message":{"content":"a\\ud83db\\u0000c"}}')

    assert record.text.encode("utf-8")
    assert "\0" not in record.text


def test_a_records_own_timestamp_is_accepted():
    line = {"role": "assistant", "timestamp": "2026-07-21T12:57:06Z", "message": {"content": "Done."}}

    event = event_of(line)

    assert isinstance(event, Record)
    assert event.said_at is not None
    assert event.said_at.isoformat() == "2026-07-21T12:57:06+00:00"


def test_every_shipped_conversation_is_read_without_a_skipped_line():
    paths = sorted(FIXTURES.glob("demo/*.jsonl")) + sorted(FIXTURES.glob("labelled/*/*.jsonl"))

    found = [event for path in paths for line in split([path.read_bytes()]) for event in events(line)]

    assert len(paths) >= 9
    assert not [event for event in found if isinstance(event, SkippedLine)]


def test_sources_are_found_by_name():
    assert CURSOR in SOURCES
    assert source_named("cursor") is CURSOR
