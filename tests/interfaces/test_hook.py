"""What an editor's hooks are answered: JSON and 0, in time, whatever comes in."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.app import forget, hooks, rule, surfaced, vault
from agent_memory.app.brief import brief
from agent_memory.context.counting import COUNTERS
from agent_memory.editors.table import HOOK_EVENTS, INTEGRATIONS, PROMPT_EVENT
from agent_memory.interfaces.hook import traces
from agent_memory.interfaces.hook.answer import NEUTRAL, answer_with
from agent_memory.interfaces.hook.events import EVENTS
from agent_memory.interfaces.hook.glance import MAX_TOLD, names_file, phrase_of
from agent_memory.interfaces.hook.payload import Event, parts_of, read_payload
from agent_memory.mirror import fts
from agent_memory.model.briefing import BRIEFING_END, BRIEFING_START
from agent_memory.model.memory import Fact
from agent_memory.system.paths import MemoryFolder
from tests.interfaces.hooks import PAYLOADS, START, answer_in_time, ask, compiled, run
from tests.workspace import Workspace

PERMISSION = {"preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "subagentStart"}
PRICES = "Prices in src/prices.py are kept in cents, because floats lost one in March."
AÇÃO = "A ação `prices.py` arredonda para baixo; nunca usar round()."


@pytest.fixture(scope="module")
def remembered(tmp_path_factory):
    """A memory whose hooks have something to tell."""
    root = tmp_path_factory.mktemp("remembered") / "shop"
    (root / ".git").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(root.parent))
        patch.setenv("AGENT_MEMORY_SEMANTIC_MODE", "off")
        with Workspace(root, root.parent).app() as app:
            vault.add(app, "default", "decisions", PRICES, [])
            vault.add(app, "default", "lessons", AÇÃO, [])
            app.folder.briefings.mkdir()
            rule.refresh(app)
    return root / ".memory"


@pytest.fixture
def project(workspace, remembered):
    """A workspace with that memory."""
    shutil.copytree(remembered, workspace.memory)
    return workspace


def forgotten(workspace, words):
    with workspace.app() as app:
        (entry,) = [memory for memory in app.vault.view().memories if words in memory.body]
        forget.forget(app, forget.words_of(app, entry.id, None))


def asked(workspace, event, **fields):
    return ask(event, {**PAYLOADS[event], "workspace_roots": [str(workspace.root)], **fields})


def told(workspace, event="postToolUse", **fields):
    return asked(workspace, event, **fields).get("additional_context", "")


def wishing_for_prompts(workspace):
    (workspace.memory / "config.toml").write_text("[hooks]\nprompts = true\n", encoding="utf-8")
    with workspace.app() as app:
        rule.refresh(app)


def test_a_session_is_told_what_the_rule_says(project):
    with project.app() as app:
        text = brief(app, "default", "", recovering=()).text

    assert told(project, "sessionStart") == text
    assert PRICES in text


def test_boms_empty_input_and_no_roots_lead_to_where_we_were_started(project, monkeypatch):
    monkeypatch.chdir(project.root)
    for data in (
        b"",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b"{",
        b"[]",
        b'{"workspace_roots": []}',
        b'{"workspace_roots": [1]}',
    ):
        assert PRICES in ask("sessionStart", data)["additional_context"]


def test_a_hook_of_the_users_own_is_started_elsewhere_and_told_for_which_project(project, monkeypatch, home):
    monkeypatch.chdir(home)
    assert ask("sessionStart", {"workspace_roots": []}) == {}

    monkeypatch.setenv("CURSOR_PROJECT_DIR", str(project.root))
    assert PRICES in ask("sessionStart", {"workspace_roots": []})["additional_context"]


def test_a_folder_inside_a_repository_is_told_what_its_root_says_and_none_beyond(project):
    inner = project.root / "packages" / "a"
    inner.mkdir(parents=True)
    assert PRICES in ask("sessionStart", {"workspace_roots": [str(inner)]})["additional_context"]

    (project.root / "packages" / ".git").mkdir()
    assert ask("sessionStart", {"workspace_roots": [str(inner)]}) == {}


def test_a_linked_worktree_is_told_what_the_main_one_remembers_unless_it_is_separate(project, tmp_path):
    private = project.root / ".git" / "worktrees" / "w"
    private.mkdir(parents=True)
    (private / "commondir").write_text("../..\n")
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {private}\n")
    assert PRICES in ask("sessionStart", {"workspace_roots": [str(linked)]})["additional_context"]

    with project.app(workspace__separate_worktrees=True) as app:
        rule.refresh(app)
    assert ask("sessionStart", {"workspace_roots": [str(linked)]}) == {}


def test_of_several_roots_the_first_with_a_memory_speaks_and_that_of_the_file_at_hand(project, tmp_path):
    from agent_memory.app.container import open_app

    other = tmp_path / "shop2"  # whose name begins like the first one's
    other.mkdir()
    with open_app(workspace=str(other)) as app:
        vault.add(app, "default", "decisions", "The other prices.py has euros.", [])
        app.folder.briefings.mkdir()
        rule.refresh(app)
    roots = [str(tmp_path), str(project.root), str(other)]

    assert PRICES in told(project, "sessionStart", workspace_roots=roots)
    assert "euros" in told(project, workspace_roots=roots, tool_input={"path": f"{other}/prices.py"})
    assert "cents" in told(
        project, workspace_roots=roots, tool_input={"path": f"{project.root}/src/prices.py"}, conversation_id="d"
    )


def test_a_root_on_windows_has_its_slash_taken_off():
    event = Event("stop", {"workspace_roots": ["/D:/code/x", "/d:", "/data", "  "]}, {}, Path)

    assert event.roots() == [Path("D:/code/x"), Path("d:"), Path("/data")]
    assert parts_of("/D:/code/x") == parts_of("D:\\code\\x\\")


@pytest.mark.parametrize(
    ("roots", "path", "first"),
    [
        (["/c:/code/app", "/c:/code/app2"], "C:\\code\\app2\\src\\a.py", "c:/code/app2"),
        (["/Users/me/App", "/Users/me/Lib"], "/users/me/lib/a.swift", "/Users/me/Lib"),
        (["//wsl.localhost/U/a", "//wsl.localhost/U/b"], "\\\\wsl.localhost\\U\\b\\x.c", "//wsl.localhost/U/b"),
        (["/home/u/a", "/home/u/b"], "src/x.c", "/home/u/a"),
        (["/", "/home/u/b"], "/etc/x", "/"),
    ],
)  # fmt: skip
def test_the_root_that_a_file_is_in_comes_first_on_every_system(roots, path, first):
    event = Event("postToolUse", {"workspace_roots": roots, "tool_input": {"path": path}}, {}, Path)

    assert min(event.roots(), key=event._is_elsewhere) == Path(first)


def test_a_briefing_that_is_a_link_out_of_the_memory_is_not_told(project, tmp_path):
    path = project.memory / ".vault" / "briefing" / "default.md"
    path.rename(tmp_path / "default.md")
    path.symlink_to(tmp_path / "default.md")

    assert told(project, "sessionStart") == ""


def test_an_agent_whose_name_would_lead_elsewhere_has_no_briefing(project, tmp_path):
    (project.memory / ".vault" / "secret.md").write_text(f"{BRIEFING_START}\nx\n{BRIEFING_END}\n", encoding="utf-8")
    for name in ("../secret", "..", "", 5, "/etc/passwd"):
        MemoryFolder(project.memory).hooks.write_text(json.dumps({"agent": name}), encoding="utf-8")
        assert told(project, "sessionStart") == ""


def test_decisions_and_lessons_that_name_a_file_are_told_once_in_a_session(project):
    first = told(project)

    assert PRICES in first
    assert "A ação `prices.py` arredonda" in first
    assert (first.startswith(f"{BRIEFING_START}\n"), first.endswith(f"\n{BRIEFING_END}")) == (True, True)
    assert told(project, tool_use_id="t2", tool_name="StrReplace") == ""
    assert PRICES in told(project, conversation_id="another")


def test_what_a_session_began_with_is_not_told_again(project):
    told(project, "sessionStart")

    assert told(project) == ""


def test_a_reflection_on_the_chat_knows_what_it_was_told(project):
    told(project, conversation_id="chat")
    with project.app() as app:
        ids = {memory.id for memory in app.vault.view().memories}
        app.state.shown.clear(surfaced.EVERY_CHAT)

        assert set(surfaced.told(app, "chat")) == ids


def test_after_a_compaction_everything_is_told_anew(project):
    told(project)
    assert asked(project, "preCompact") == {}

    assert PRICES in told(project, tool_use_id="t2")


def test_two_hooks_for_one_event_tell_it_once_and_the_same_event_later_again(project):
    both = [told(project, "sessionStart"), told(project, "sessionStart")]
    assert sum(map(bool, both)) == 1

    for claim in MemoryFolder(project.memory).briefings.glob(".*.told"):
        past = claim.stat().st_mtime - 2 * traces.CLAIM_S
        os.utime(claim, (past, past))
    assert PRICES in told(project, "sessionStart")
    assert len(list(MemoryFolder(project.memory).briefings.glob(".*.told"))) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_input": {"path": "README.md"}},
        {"tool_input": {"path": "lib/prices.py"}},  # another file of that name
        {"tool_input": {"path": ""}},
        {"tool_input": {"path": "..."}},
        {"tool_input": {"path": 7}},
        {"tool_input": None},
        {"tool_input": "src/prices.py"},
        {"tool_name": "Grep", "tool_input": {"path": "src/prices.py"}},
    ],
)
def test_nothing_is_told_of_what_no_memory_names(project, fields):
    forgotten(project, "arredonda")  # it names no folder

    assert told(project, **fields) == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_input": {"path": "/any/where/src/prices.py"}},
        {"tool_input": {"file_path": "C:\\shop\\src\\prices.py"}},
        {"tool_name": "ApplyPatch", "tool_input": "*** Begin Patch\n*** Update File: src/prices.py\n@@\n+1\n"},
        {"tool_name": "ApplyPatch", "tool_input": {"patch": "*** Begin Patch\n*** Update File: src/prices.py\n"}},
        {"tool_name": "new_tool", "tool_input": {"target_file": "./src/prices.py"}},
    ],
)
def test_a_file_is_known_however_a_tool_is_told_of_it(project, fields):
    assert PRICES in told(project, **fields)


def test_a_file_named_often_is_told_of_bit_by_bit(project):
    with project.app() as app:
        for number in range(MAX_TOLD + 2):
            vault.add(app, "default", "lessons", f"Lesson {number}: busy.py is busy.", [])
        rule.refresh(app)
    told(project, "sessionStart")
    counts = [told(project, tool_use_id=str(n), tool_input={"path": "busy.py"}).count("busy.py is") for n in range(3)]

    assert counts[0] == MAX_TOLD or sum(counts) == MAX_TOLD  # the session's own briefing has told two
    assert counts[-1] == 0


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize("budget", [50, 120, 700])
def test_the_budget_of_a_briefing_holds_for_hooks_too(project, budget, counter):
    with project.app() as app:
        for number, word in enumerate(["busy.py", "漢字テスト" * 60, "ação " * 80] * 3):
            vault.add(app, "default", "lessons", f"busy.py {number} {word}", [])
    with project.app(context__max_tokens=budget, context__counter=counter, hooks__prompts=True) as app:
        rule.refresh(app)
    count = COUNTERS[counter].tokens
    for number in range(4):
        assert count(told(project, tool_use_id=str(number), tool_input={"path": "busy.py"})) <= budget
    assert count(told(project, "beforeSubmitPrompt", prompt="busy ação", conversation_id="p")) <= budget


@pytest.mark.parametrize(
    ("body", "is_named"),
    [
        ("see src/prices.py.", True), ("`prices.py`", True), ("in ../src/prices.py: no", True), ("prices.py", True),
        ("src\\prices.py", True), ("shop/src/prices.py", True), ("other/src/prices.py", False),
        ("lib/prices.py", False), ("prices.pyc", False), ("old-prices.py", False), ("prices.py/x", False),
        ("Prices.py", False), ("lib/prices.py but also src/prices.py", True), ("prices.py.bak", False),
    ],
)  # fmt: skip
def test_which_words_name_a_file(body, is_named):
    assert names_file(body, ["home", "me", "shop", "src", "prices.py"]) is is_named


@pytest.mark.parametrize("written", ["NFC", "NFD"])
@pytest.mark.parametrize("sent", ["NFC", "NFD"])
def test_accents_name_the_same_file_however_they_are_composed(project, written, sent):
    with project.app() as app:
        vault.add(app, "default", "lessons", normalize(written, "Somas em src/promoção.py são em centavos."), [])
        rule.follow(app)

    assert "centavos" in told(project, tool_input={"path": normalize(sent, "/x/src/promoção.py")})


@pytest.mark.no_cover  # which makes its inner loop seven times slower
def test_what_is_long_and_looks_like_a_path_throughout_costs_no_more_than_its_length():
    for body in ("a/" * 100_000, "prices.py/" * 20_000, "x" * 200_000 + "/prices.py"):
        names_file(body, ["src", "prices.py"])  # for ever, if it were quadratic


def test_links_that_a_repository_brings_along_are_not_written_through(project, tmp_path):
    theirs = tmp_path / "bashrc"
    theirs.write_text("mine", encoding="utf-8")
    machine = project.memory / ".vault"
    (machine / "wake").symlink_to(theirs)
    (machine / "hooks.log").symlink_to(theirs)
    asked(project, "stop")
    assert theirs.read_text("utf-8") == "mine"

    machine.rename(tmp_path / "elsewhere")
    machine.symlink_to(tmp_path / "elsewhere")
    assert told(project, "sessionStart") == ""


@given(st.text(min_size=1, max_size=30).filter(lambda name: set(name).isdisjoint("/\\")))
def test_a_name_is_looked_for_as_the_mirror_looks_for_a_phrase(name):
    assert phrase_of(name) == fts.phrase(name)


def test_a_prompt_is_told_of_only_where_that_is_wished_for(project):
    assert asked(project, "beforeSubmitPrompt") == {"continue": True}

    wishing_for_prompts(project)
    answer = asked(project, "beforeSubmitPrompt", prompt="How are prices kept?")
    assert answer["continue"] is True
    assert "### recalled\n" in answer["additional_context"]
    assert PRICES in answer["additional_context"]
    assert told(project, "beforeSubmitPrompt", prompt="And how are prices kept?") == ""  # it has been told
    assert told(project, "beforeSubmitPrompt", prompt="!?", conversation_id="d") == ""
    assert "arredonda" in told(project, "beforeSubmitPrompt", prompt="como arredondar?", conversation_id="e")


def test_a_prompt_is_told_the_projects_own_pinned_facts(project):
    from agent_memory.app import profile

    with project.app() as app:
        profile.set_fact(app, Fact("currency", "euro", pinned=True))
        profile.set_fact(app, Fact("mine", "a secret of my own", pinned=True), for_user=True)
    wishing_for_prompts(project)

    text = told(project, "beforeSubmitPrompt", prompt="Hello there.")
    assert "### profile\n- currency: euro" in text
    assert "my own" not in text  # whatever forgets it does not look into every project


@pytest.mark.parametrize("event", ["workspaceOpen", "stop", "sessionEnd", "sessionStart"])
def test_the_watcher_is_woken(project, event):
    asked(project, event)

    assert (project.memory / ".vault" / "wake").read_text("utf-8") == f"{event}\n"


def test_where_there_is_no_memory_nothing_is_told_or_made(workspace):
    for event in EVENTS:
        assert asked(workspace, event) == NEUTRAL.get(event, {})
    assert not workspace.memory.exists()


@pytest.mark.parametrize("state", [b"", b"no database" * 1000, None])
@pytest.mark.parametrize("name", ["mirror.sqlite3", "state.sqlite3", "briefing/hook.json"])
def test_what_is_broken_or_missing_costs_no_answer(project, name, state):
    path = project.memory / ".vault" / name
    wishing_for_prompts(project)
    for beside in path.parent.glob(f"{path.name}*"):
        beside.unlink()
    if state is not None:
        path.write_bytes(state)

    for event in EVENTS:
        assert set(asked(project, event)) <= {"continue", "additional_context"}
    assert path.exists() == (state is not None)  # what is missing is not made


def test_who_writes_the_state_just_now_is_not_waited_for(project):
    with sqlite3.connect(project.memory / ".vault" / "state.sqlite3", isolation_level=None) as busy:
        busy.execute("begin exclusive")
        assert PRICES in told(project)
        busy.execute("rollback")
    busy.close()

    assert PRICES in told(project, tool_use_id="t2")  # it was not noted, so it is told once more
    assert told(project, tool_use_id="t3") == ""


def test_what_is_forgotten_is_told_no_more(project):
    forgotten(project, "cents")

    assert "cents" not in told(project, "sessionStart")
    assert "cents" not in told(project, conversation_id="d")
    assert all(b"cents" not in data for name, data in project.files().items() if "/briefing/" in name)


def test_failures_and_last_answers_are_noted_for_the_doctor_without_a_word_of_the_payload(project):
    told(project, "sessionStart")
    (project.memory / ".vault" / "mirror.sqlite3").write_bytes(b"broken" * 999)
    told(project, tool_input={"path": "sk-secret.py"})

    ask("anything", {"workspace_roots": [str(project.root)]})

    with project.app() as app:
        assert "characters, after" in hooks.last_of_each(app)["sessionStart"]
        assert "anything" not in hooks.last_of_each(app)
        assert list(hooks.failing(app)) == ["postToolUse"]
        assert "DatabaseBroken" in hooks.failing(app)["postToolUse"][-1].sentence
    assert b"secret" not in project.files()[".vault/hooks.log"]

    with project.app() as app:
        _ = app.mirror
    told(project, tool_use_id="t2")
    with project.app() as app:
        assert hooks.failing(app) == {}


def test_the_log_is_bounded(project):
    folder = MemoryFolder(project.memory)
    for _ in range(3):
        traces.note(folder, "stop", "x" * (traces.MAX_LOG_BYTES + 1), failed=True, ms=1)
    sizes = [path.stat().st_size for path in folder.machine.glob("hooks.*")]

    assert len(sizes) == 2
    assert sum(sizes) < 3 * traces.MAX_LOG_BYTES
    folder.hook_log.write_text('{"at": 1}\n[]\n{"event": "stop", "at": "now", "said": "cut o', encoding="utf-8")
    with project.app() as app:
        assert [one.event for one in hooks.answers(app)] == ["stop"]


def test_no_permission_is_ever_registered_nor_granted():
    row = next(row for row in INTEGRATIONS if row.name == "hooks")
    registered = {entry.path[1] for entry in row.entries if entry.path[0] == "hooks"}

    assert registered == {*HOOK_EVENTS, PROMPT_EVENT}
    assert registered <= set(EVENTS)
    assert not (registered | set(EVENTS)) & PERMISSION
    assert all(ask(event, {}) == {} for event in PERMISSION)
    for entry in row.entries:
        if not entry.default:
            assert not set(entry.value["command"]) & set("'\":\\$")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["workspace_roots", "a", ""]), inner),
    max_leaves=8,
)


@given(st.binary(max_size=80) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_input_is_read(data):
    assert isinstance(read_payload(data), dict)


@given(st.text(), st.sampled_from([*EVENTS, "preToolUse", ""]))
def test_an_answer_is_one_line_of_ascii(text, event):
    answer = answer_with(event, text)

    assert answer.isascii()
    assert "\n" not in answer
    assert json.loads(answer).get("additional_context", "") == text


@pytest.mark.e2e
@pytest.mark.parametrize("event", EVENTS)
def test_every_event_is_answered_by_the_real_program(project, event):
    wishing_for_prompts(project)
    tells = event in {"sessionStart", "postToolUse", "beforeSubmitPrompt"}
    answer = answer_in_time(event, project.root, lambda answer: tells == ("additional_context" in answer))

    assert ("additional_context" in answer) is tells
    assert {name: answer[name] for name in answer if name != "additional_context"} == NEUTRAL.get(event, {})


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
@pytest.mark.parametrize("name", ["briefing/default.md", "briefing/hook.json"])
def test_what_is_no_file_is_not_waited_for(project, name):
    path = project.memory / ".vault" / name
    path.unlink()
    os.mkfifo(path)  # nobody ever writes to it
    payload = json.dumps({**START, "workspace_roots": [str(project.root)]}).encode()

    done = run("cursor", "sessionStart", stdin=payload)

    assert (done.returncode, json.loads(done.stdout)) == (0, {})


@pytest.mark.e2e
def test_who_holds_every_lock_and_is_stopped_is_not_waited_for(project):
    program = (
        "import sys, os, signal, sqlite3\n"
        "from pathlib import Path\n"
        "from agent_memory.system import locks\n"
        "machine = Path(sys.argv[1])\n"
        "held = [locks.try_lock(machine / name) for name in ('vault.lock', 'briefing.lock', 'setup.lock')]\n"
        "for name in ('state', 'mirror'):\n"
        "    held.append(sqlite3.connect(machine / f'{name}.sqlite3', isolation_level=None))\n"
        "    held[-1].execute('begin immediate')\n"
        "os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", program, str(project.memory / ".vault")])
    try:
        _, status = os.waitpid(holder.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        for event in ("sessionStart", "postToolUse"):
            assert PRICES in str(answer_in_time(event, project.root, lambda answer: PRICES in str(answer)))
    finally:
        os.kill(holder.pid, signal.SIGKILL)
        holder.returncode = os.waitstatus_to_exitcode(os.waitpid(holder.pid, 0)[1])


@pytest.mark.e2e
def test_a_reader_that_has_gone_costs_nothing(tmp_path):
    command = f"{sys.executable} -m agent_memory hook cursor stop | true; exit ${{PIPESTATUS[0]}}"

    assert subprocess.run(["bash", "-c", command], cwd=tmp_path, check=False, stdin=subprocess.DEVNULL).returncode == 0
    closed = subprocess.run(["bash", "-c", f"{sys.executable} -m agent_memory hook cursor stop >&- <&-"], check=False)
    assert closed.returncode == 0


@pytest.mark.e2e
def test_a_reader_that_never_reads_keeps_no_process(project):
    (project.memory / ".vault" / "briefing" / "default.md").write_text(
        f"{BRIEFING_START}\n{'long ' * 100_000}\n{BRIEFING_END}\n", encoding="utf-8"
    )
    command = [sys.executable, "-m", "agent_memory", "hook", "cursor", "sessionStart"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project.root, env=compiled()
    ) as process:
        assert process.stdin
        process.stdin.close()
        assert process.wait(timeout=30) == 0
