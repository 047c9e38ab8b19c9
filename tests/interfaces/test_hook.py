"""What an editor's hooks are answered: JSON and 0, in time, whatever comes in."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.editors.table import BRIEFING_RULE, HOOK_EVENTS, INTEGRATIONS, rule_of
from agent_memory.interfaces.hook.answer import NEUTRAL, RULE, answer_to, read_payload, roots_of

BRIEFING = (
    "<!-- agent-memory:briefing -->\n## MEMORY CONTEXT\n- Preços em centavos, ação.\n<!-- /agent-memory:briefing -->"
)
PERMISSION = {"preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "subagentStart"}
START = {
    "conversation_id": "c", "generation_id": "", "hook_event_name": "sessionStart", "cursor_version": "3.9.16",
    "user_email": None, "transcript_path": None, "session_id": "s", "is_background_agent": False,
}  # fmt: skip


@pytest.fixture
def project(tmp_path):
    return with_rule(tmp_path / "project")


def with_rule(root):
    (root / RULE).parent.mkdir(parents=True)
    (root / RULE).write_text(rule_of(BRIEFING), encoding="utf-8")
    return root


def answer(payload, *words, here=Path("/nowhere")):
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return json.loads(answer_to(words or ("cursor", "sessionStart"), io.BytesIO(data), lambda: here))


def run(*words, stdin=b"", cwd=None, **more):
    command = [sys.executable, "-m", "agent_memory", "hook", *words]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, check=False, timeout=60, **more)


def test_a_session_is_told_what_the_managed_rule_says(project):
    assert answer({**START, "workspace_roots": [str(project)]}) == {"additional_context": BRIEFING}


def test_boms_empty_input_and_no_roots_lead_to_where_we_were_started(project):
    for data in (
        b"",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b"{",
        b"[]",
        b'{"workspace_roots": []}',
        b'{"workspace_roots": [1]}',
    ):
        assert answer(data, here=project) == {"additional_context": BRIEFING}


def test_a_folder_inside_a_repository_is_told_what_its_root_says_and_none_beyond(project):
    (project / "packages" / "a").mkdir(parents=True)
    start = {**START, "workspace_roots": [str(project / "packages" / "a")]}
    assert answer(start) == {}  # no repository: what lies above is nobody's

    (project / ".git").mkdir()
    assert answer(start) == {"additional_context": BRIEFING}

    (project / "packages" / ".git").mkdir()
    assert answer(start) == {}


def test_of_several_roots_the_first_with_a_memory_speaks(project, tmp_path):
    assert answer({**START, "workspace_roots": [str(tmp_path), str(project)]}) == {"additional_context": BRIEFING}


def test_a_root_on_windows_has_its_slash_taken_off():
    roots = roots_of({"workspace_roots": ["/D:/code/x", "/d:", "/data", "  "]}, Path)

    assert list(roots) == [Path("D:/code/x"), Path("d:"), Path("/data")]


def test_a_rule_that_is_a_link_out_of_the_project_is_not_told(project, tmp_path):
    other = tmp_path / "other"
    (other / RULE).parent.mkdir(parents=True)
    (other / RULE).symlink_to(project / RULE)

    assert answer({**START, "workspace_roots": [str(other)]}) == {}


def test_what_cursor_documents_no_context_for_gets_none(project):
    roots = {**START, "workspace_roots": [str(project)]}

    assert answer(roots, "cursor", "beforeSubmitPrompt") == {"continue": True}
    for event in ("stop", "sessionEnd", "workspaceOpen", "postToolUse", "preCompact", "nonsense"):
        assert answer(roots, "cursor", event) == {}
    assert answer(roots, "vscode", "sessionStart") == {}


def test_no_permission_is_ever_registered_nor_granted():
    hooks = next(row for row in INTEGRATIONS if row.name == "hooks")
    registered = {entry.path[1] for entry in hooks.entries if entry.path[0] == "hooks"}

    assert registered == set(HOOK_EVENTS)
    assert not registered & PERMISSION
    assert all(answer({}, "cursor", event) == {} for event in PERMISSION)
    for entry in hooks.entries:
        if not entry.default:
            assert not set(entry.value["command"]) & set("'\":\\$")


def test_the_rule_is_where_setup_puts_it():
    assert RULE == BRIEFING_RULE


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["workspace_roots", "a", ""]), inner),
    max_leaves=8,
)


@given(st.binary(max_size=80) | JSON.map(lambda value: json.dumps(value).encode()), st.sampled_from([*NEUTRAL, "stop"]))
def test_any_input_is_read_and_any_other_event_is_neutral(data, event):
    assert isinstance(read_payload(data), dict)
    assert answer(data, "cursor", event) == NEUTRAL.get(event, {})


HOSTILE = [
    b"", b"\x00" * 1000, b"[" * 100_000, b'{"workspace_roots": ["\\u0000"]}', b"9" * 10_000,
    b'{"workspace_roots": ["\\ud800"]}', b'{"workspace_roots": {"a": 1}}', b"\xff\xfe{\x00}\x00",
    b'{"workspace_roots": ["%s"]}' % (b"a" * 9000),
]  # fmt: skip


@pytest.mark.e2e
@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_input_gets_an_object_and_0_from_the_real_program(number, tmp_path):
    done = run("cursor", "sessionStart", stdin=HOSTILE[number], cwd=tmp_path)

    assert (done.returncode, json.loads(done.stdout)) == (0, {})


@pytest.mark.e2e
def test_the_real_program_tells_what_the_rule_says(project, tmp_path):
    payload = json.dumps({**START, "workspace_roots": [str(project)]}).encode()
    told = [run("cursor", "sessionStart", stdin=payload, cwd=tmp_path) for _ in range(5)]

    assert {done.returncode for done in told} == {0}
    assert {"additional_context": BRIEFING} in [
        json.loads(done.stdout) for done in told
    ]  # or a busy machine's deadline


@pytest.mark.e2e
@pytest.mark.parametrize("words", [(), ("cursor",), ("emacs", "x"), ("cursor", "sessionStart", "more")])
def test_wrong_words_get_an_object_too(words, tmp_path):
    done = run(*words, cwd=tmp_path)

    assert (done.returncode, json.loads(done.stdout)) == (0, {})


@pytest.mark.e2e
def test_an_input_that_never_ends_is_not_waited_for(tmp_path):
    command = [sys.executable, "-m", "agent_memory", "hook", "cursor", "sessionStart"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path)
    try:
        assert process.wait(timeout=30) == 0
        assert process.stdout
        assert json.loads(process.stdout.read()) == {}
    finally:
        process.kill()
        for stream in filter(None, (process.stdin, process.stdout)):
            stream.close()


@pytest.mark.e2e
def test_a_rule_that_is_no_file_is_not_waited_for(tmp_path):
    import os

    (tmp_path / RULE).parent.mkdir(parents=True)
    os.mkfifo(tmp_path / RULE)  # nobody ever writes to it

    done = run("cursor", "sessionStart", stdin=b"{}", cwd=tmp_path)

    assert (done.returncode, json.loads(done.stdout)) == (0, {})


@pytest.mark.e2e
def test_a_reader_that_has_gone_costs_nothing(tmp_path):
    command = f"{sys.executable} -m agent_memory hook cursor stop | true; exit ${{PIPESTATUS[0]}}"

    assert subprocess.run(["bash", "-c", command], cwd=tmp_path, check=False, stdin=subprocess.DEVNULL).returncode == 0
    closed = subprocess.run(["bash", "-c", f"{sys.executable} -m agent_memory hook cursor stop >&- <&-"], check=False)
    assert closed.returncode == 0
