"""Setting a workspace up, and leaving without a trace."""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from agent_memory.app import forget, recall, rule, setup, vault
from agent_memory.app.checks import examine
from agent_memory.app.status import status
from agent_memory.editors.table import BRIEFING_RULE, INTEGRATIONS
from agent_memory.errors import LockTimeout, UsageError
from agent_memory.model.recall import Query
from agent_memory.system import locks
from agent_memory.system.files import TEMPORARY_SUFFIX
from tests.workspace import Workspace

DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."
TASKS = '\ufeff// ours\r\n{\r\n\t"tasks": [\r\n\t\t{"label": "build"}, // fast\r\n\t],\r\n}\r\n'
ALL = (*setup.rows_for(None, [], []), *setup.rows_for(None, ["automatic-tasks"], []))


def init(workspace, rows=ALL, **flags):
    with workspace.app(**flags) as app:
        return setup.init(app, rows)


def uninstall(workspace):
    with workspace.app() as app:
        return setup.uninstall(app)


def outside_the_vault(workspace):
    found = (path for path in workspace.root.rglob("*") if ".memory" not in path.parts)
    return {path.relative_to(workspace.root).as_posix(): path.is_file() and path.read_bytes() for path in found}


def write(workspace, path, text):
    target = workspace.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode())
    return target


def states(workspace):
    with workspace.app() as app:
        return status(app).editor_files


def test_init_then_uninstall_leaves_the_vault_and_no_other_trace(workspace):
    write(workspace, ".vscode/tasks.json", TASKS)
    write(workspace, ".cursor/mcp.json", '{"mcpServers": {"other": {"command": "x"}}}')
    before = outside_the_vault(workspace)

    done = init(workspace)

    assert all(part.state == "installed" for part in done.parts)
    assert set(states(workspace).values()) == {"installed"}
    uninstall(workspace)
    assert outside_the_vault(workspace) == before
    assert (workspace.memory / "_project.md").is_file()
    assert not (workspace.memory / ".vault" / "setup.json").exists()


def test_init_twice_is_init_once(workspace):
    init(workspace)
    once = outside_the_vault(workspace), workspace.files()[".vault/setup.json"], workspace.files()["_project.md"]

    again = init(workspace)

    assert not any(part.changes for part in again.parts)
    now = workspace.files()
    assert (outside_the_vault(workspace), now[".vault/setup.json"], now["_project.md"]) == once


def test_the_first_minute_pays(workspace):
    workspace.chat().user(DECISION).assistant("Done.").ended().save(written=workspace.long_ago())

    done = init(workspace)

    assert (done.tally.decisions, done.tally.sessions_processed) == (1, 1)
    assert "SQLite for the order store" in (workspace.root / BRIEFING_RULE).read_text("utf-8")


def test_the_project_page_is_seeded_from_the_repository_and_a_persons_is_left(workspace):
    (workspace.root / "pyproject.toml").write_text('[project]\ndependencies = ["httpx"]\n')
    init(workspace)
    page = workspace.memory / "_project.md"
    assert "httpx" in page.read_text("utf-8")

    page.write_text("# Mine\n", encoding="utf-8")
    init(workspace)
    assert page.read_text("utf-8") == "# Mine\n"


def test_a_file_that_does_not_parse_is_named_and_left(workspace):
    broken = write(workspace, ".vscode/tasks.json", '{\n"tasks": [\n')

    parts = {part.row.path: part for part in init(workspace).parts}

    assert "line 3" in parts[".vscode/tasks.json"].why
    assert broken.read_bytes() == b'{\n"tasks": [\n'
    assert parts[BRIEFING_RULE].state == "installed"


@pytest.mark.parametrize("data", [b"\xff\xfe{\0}\0", b"[]", b"// mine", b'{"tasks": 1}', b'{"tasks": null}'])
def test_what_holds_something_else_is_left(workspace, data):
    path = workspace.root / ".vscode" / "tasks.json"
    path.parent.mkdir()
    path.write_bytes(data)

    parts = {part.row.path: part for part in init(workspace).parts}
    assert parts[".vscode/tasks.json"].state == "left alone"
    uninstall(workspace)

    assert path.read_bytes() == data


@pytest.mark.parametrize("data", [b"", b"\n", b" \t\r\n\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n  "])
def test_an_empty_file_is_an_empty_object_and_is_empty_again(workspace, data):
    paths = [workspace.root / row.path for row in INTEGRATIONS if row.entries]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    before = outside_the_vault(workspace)

    assert {part.state for part in init(workspace).parts} == {"installed"}
    assert {json.loads(path.read_text("utf-8-sig")) != {} for path in paths} == {True}
    init(workspace)
    uninstall(workspace)

    assert outside_the_vault(workspace) == before


def test_the_doctor_says_why_a_file_is_left_alone_once_anything_is_set_up(workspace, tmp_path):
    def told():
        with workspace.app() as app:
            return {found.where: found.what for found in examine(app).findings}

    (workspace.root / ".cursor").symlink_to(tmp_path)
    assert ".cursor/hooks.json" not in told()

    init(workspace)
    assert "leads out" in told()[".cursor/hooks.json"]
    assert ".vscode/tasks.json" not in told()


def test_links_that_lead_out_are_refused(workspace, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (workspace.root / ".cursor").symlink_to(elsewhere)
    (workspace.root / ".vscode").symlink_to(workspace.root / ".vscode")

    parts = init(workspace).parts

    assert all("leads out" in part.why for part in parts)
    assert list(elsewhere.iterdir()) == []


def test_a_link_within_the_workspace_stays_and_what_it_leads_to_comes_and_goes(workspace):
    (workspace.root / ".cursor").symlink_to("shared/cursor")  # which is not there yet
    write(workspace, "editor/tasks.json", TASKS)
    (workspace.root / ".vscode").mkdir()
    (workspace.root / ".vscode" / "tasks.json").symlink_to("../editor/tasks.json")
    (workspace.root / ".vscode" / "mcp.json").symlink_to("../editor/mcp.json")
    (workspace.root / "shared").mkdir()
    before = outside_the_vault(workspace)

    assert {part.state for part in init(workspace).parts} == {"installed"}
    assert (workspace.root / "shared" / "cursor" / "hooks.json").is_file()
    uninstall(workspace)

    assert outside_the_vault(workspace) == before
    assert all((workspace.root / name).is_symlink() for name in (".cursor", ".vscode/tasks.json", ".vscode/mcp.json"))


def test_what_is_of_another_kind_is_named_and_left(workspace):
    (workspace.root / ".cursor").write_bytes(b"mine")
    (workspace.root / ".vscode" / "tasks.json").mkdir(parents=True)
    os.mkfifo(workspace.root / ".vscode" / "mcp.json")
    before = outside_the_vault(workspace)

    whys = {part.row.path: part.why for part in init(workspace).parts}

    assert whys[".cursor/hooks.json"] == whys[BRIEFING_RULE] == "It has a file where its folder should be."
    assert whys[".vscode/tasks.json"] == whys[".vscode/mcp.json"] == "It is no file."
    assert set(outside_the_vault(workspace).keys() - before.keys()) == {".vscode/settings.json"}
    uninstall(workspace)
    assert outside_the_vault(workspace) == before


def test_a_file_that_may_only_be_read_is_left(workspace):
    path = write(workspace, ".vscode/tasks.json", TASKS)
    path.chmod(0o444)

    parts = {part.row.path: part for part in init(workspace).parts}

    assert "only be read" in parts[".vscode/tasks.json"].why
    assert path.read_bytes() == TASKS.encode()


def test_what_a_person_changed_in_our_entry_is_left_by_init_and_goes_with_uninstall(workspace):
    path = write(workspace, ".vscode/tasks.json", TASKS)
    init(workspace)
    path.write_bytes(path.read_bytes().replace(b'"never"', b'"always"'))
    changed = path.read_bytes()

    init(workspace)
    assert path.read_bytes() == changed
    assert states(workspace)[".vscode/tasks.json"] == "changed by hand"

    uninstall(workspace)
    assert path.read_bytes() == TASKS.encode()


def test_what_an_older_version_put_there_is_brought_up_to_date(workspace):
    init(workspace)
    path, note = workspace.root / ".vscode/tasks.json", workspace.memory / ".vault" / "setup.json"
    current = path.read_bytes()
    path.write_bytes(current.replace(b"--wait-for-transcripts", b"--wait"))
    stands = [{**json.loads(path.read_text("utf-8"))["tasks"][0]}]
    kept = json.loads(note.read_text("utf-8"))
    kept[str(workspace.root)][".vscode/tasks.json"]["ours"] = digest_of_what_stands(stands)
    note.write_text(json.dumps(kept), encoding="utf-8")
    assert states(workspace)[".vscode/tasks.json"] == "outdated"

    init(workspace)

    assert path.read_bytes() == current


def digest_of_what_stands(stands):
    from agent_memory.app.parts import digest

    return digest(stands)


def test_a_person_s_rule_and_setting_stay(workspace):
    init(workspace, setup.rows_for(None, ["rule"], []))
    mine = write(workspace, ".cursor/rules/agent-memory.mdc", "mine")
    setting = write(workspace, ".vscode/settings.json", '{"task.allowAutomaticTasks": "on"}')

    init(workspace)
    uninstall(workspace)

    assert mine.read_bytes() == b"mine"
    assert setting.read_bytes() == b'{"task.allowAutomaticTasks": "on"}'


def test_what_was_added_since_survives_the_taking_back(workspace):
    init(workspace)
    path = workspace.root / ".vscode" / "tasks.json"
    path.write_text(path.read_text("utf-8").replace('"tasks": [', '"tasks": [\n    {"label": "mine"}, // yes'), "utf-8")

    uninstall(workspace)

    assert path.read_text("utf-8") == '{\n  "version": "2.0.0",\n  "tasks": [\n    {"label": "mine"} // yes\n  ]\n}\n'


def test_notes_of_an_older_version_are_enough_to_leave_no_trace(workspace):
    before = outside_the_vault(workspace)
    init(workspace)
    note = workspace.memory / ".vault" / "setup.json"
    kept = json.loads(note.read_text("utf-8"))
    for known in kept[str(workspace.root)].values():
        known["made"] = [name for name in known["made"] if name]  # which did not name the object around everything
    note.write_text(json.dumps(kept), encoding="utf-8")

    init(workspace)
    uninstall(workspace)

    assert outside_the_vault(workspace) == before


def test_a_clone_without_our_notes_is_cleaned_too(workspace):
    before = outside_the_vault(workspace)
    init(workspace, setup.rows_for(None, [], []))
    (workspace.memory / ".vault" / "setup.json").unlink()

    uninstall(workspace)

    assert outside_the_vault(workspace) == before


def test_killed_before_any_file_was_written_all_can_be_taken_back(workspace):
    write(workspace, ".vscode/tasks.json", TASKS)
    before = outside_the_vault(workspace)
    init(workspace)
    note = workspace.files()[".vault/setup.json"]
    uninstall(workspace)
    (workspace.memory / ".vault" / "setup.json").write_bytes(note)  # as if only this had been written

    uninstall(workspace)
    assert outside_the_vault(workspace) == before
    (workspace.memory / ".vault" / "setup.json").write_bytes(note)
    init(workspace)
    uninstall(workspace)
    assert outside_the_vault(workspace) == before


def test_whoever_writes_the_rule_just_now_is_left_alone(workspace):
    init(workspace)
    path = workspace.root / BRIEFING_RULE
    half = path.with_name(f".{path.name}.0123456789ab{TEMPORARY_SUFFIX}")
    half.write_bytes(b"half")
    lock = locks.try_lock(workspace.memory / ".vault" / "briefing.lock")
    assert lock

    with pytest.raises(LockTimeout):
        init(workspace, vault__lock_timeout_s=0.1)
    assert half.exists()
    lock.release()
    init(workspace)
    assert not half.exists()


def test_two_at_once_are_as_one(workspace):
    before = outside_the_vault(workspace)
    with ThreadPoolExecutor(3) as threads:
        done = list(threads.map(lambda _: init(workspace), range(3)))

    assert all(part.state == "installed" for one in done for part in one.parts)
    assert set(states(workspace).values()) == {"installed"}
    uninstall(workspace)
    assert outside_the_vault(workspace) == before


def test_the_rule_follows_the_vault_and_has_nothing_that_was_forgotten(workspace):
    workspace.chat().user(DECISION).assistant("Done.").ended().save(written=workspace.long_ago())
    init(workspace)
    path = workspace.root / BRIEFING_RULE
    assert "SQLite" in path.read_text("utf-8")

    with workspace.app() as app:
        forget.forget(app, forget.words_of(app, None, "SQLite for the order store, one file per shop"))
        assert "SQLite" not in path.read_text("utf-8")
        vault.add(app, "default", "decisions", "Preços ficam em centavos.", [])
        rule.follow(app)

    assert "centavos" in path.read_text("utf-8")


def told_after_a_hand_edit(workspace):
    """Set up, remember, and change pages by hand, as one does where nothing watches; return where it is told."""
    init(workspace)
    with workspace.app() as app:
        vault.add(app, "default", "decisions", "We use Redis for queues.", [])
        vault.add(app, "default", "lessons", "Kafka loses nothing.", [])
        rule.follow(app)
    told = [workspace.root / BRIEFING_RULE, workspace.memory / ".vault" / "briefing" / "default.md"]
    assert all("Redis" in path.read_text("utf-8") and "Kafka" in path.read_text("utf-8") for path in told)
    page = workspace.memory / "default" / "decisions.md"
    page.write_text(page.read_text("utf-8").replace("Redis", "Válquiria"), "utf-8")
    (workspace.memory / "default" / "lessons.md").unlink()
    return told


def looked(workspace):
    with workspace.app() as app:
        recall.search(app, Query("queues"))
        rule.follow(app)


def looked_by_who_tells_nobody(workspace):
    with workspace.app() as app:
        recall.search(app, Query("queues"))
    workspace.process()


@pytest.mark.parametrize("act", [looked, looked_by_who_tells_nobody, Workspace.process])
def test_what_was_edited_while_nobody_watched_is_told_as_it_is_by_the_next_command(workspace, act):
    told = told_after_a_hand_edit(workspace)

    act(workspace)

    for path in told:
        text = path.read_text("utf-8")
        assert "Válquiria" in text
        assert "Redis" not in text
        assert "Kafka" not in text


def test_a_workspace_that_was_not_set_up_gets_no_rule(workspace):
    with workspace.app() as app:
        vault.add(app, "default", "decisions", "Prices are in cents.", [])
        rule.follow(app)

    assert not (workspace.root / ".cursor").exists()


def test_the_words_are_portuguese_where_the_system_is(workspace, monkeypatch):
    monkeypatch.setenv("LC_ALL", "pt_BR.UTF-8")
    with workspace.app() as app:
        language = setup.language_of(app)
    init(workspace, vault__language=language)

    assert "memória" in (workspace.root / ".cursor/rules/agent-memory.mdc").read_text("utf-8")
    assert "# A memória" in (workspace.memory / "README.md").read_text("utf-8")


def test_parts_are_chosen_by_name_and_editor():
    def names(*choice):
        return {row.name for row in setup.rows_for(*choice)}

    assert names("vscode", [], []) == {"task", "mcp"}
    assert names(None, ["task"], []) == {"task"}
    assert "mcp" not in names(None, [], ["mcp"])
    with pytest.raises(UsageError):
        setup.rows_for("emacs", [], [])
    with pytest.raises(UsageError):
        setup.rows_for(None, [], ["tasks"])


def test_home_is_no_project(workspace, home):
    from agent_memory.app.container import open_app

    with open_app(workspace=str(home)) as app, pytest.raises(UsageError, match="home"):
        setup.plan(app, ALL)


def test_files_that_are_committed_name_no_machine(workspace):
    init(workspace)

    for row in INTEGRATIONS:
        if not row.live:
            assert str(workspace.home) not in (workspace.root / row.path).read_text("utf-8")


def test_our_own_task_is_the_one_that_users_get(workspace):
    from pathlib import Path

    ours = json.loads((Path(__file__).resolve().parents[2] / ".vscode" / "tasks.json").read_text("utf-8"))
    init(workspace)

    assert json.loads((workspace.root / ".vscode" / "tasks.json").read_text("utf-8")) == ours


def test_a_rule_without_its_memory_says_nothing_more(workspace):
    init(workspace)
    with workspace.app() as app:
        vault.add(app, "default", "decisions", "Prices are in cents.", [])
        rule.follow(app)
    shutil.rmtree(workspace.memory)

    with workspace.app() as app:
        rule.refresh(app)

    assert "cents" not in (workspace.root / BRIEFING_RULE).read_text("utf-8")
    assert not workspace.memory.exists()


def test_what_was_briefed_before_a_forgetting_is_not_written_after_it(workspace):
    workspace.chat().user(DECISION).assistant("Done.").ended().save(written=workspace.long_ago())
    init(workspace)

    def refresh(_):
        with workspace.app() as app:
            rule.refresh(app)

    def forgotten():
        with workspace.app() as app:
            forget.forget(app, forget.words_of(app, None, "SQLite for the order store, one file per shop"))

    with ThreadPoolExecutor(4) as threads:
        refreshing = [threads.submit(refresh, None) for _ in range(6)]
        threads.submit(forgotten).result()
        for one in refreshing:
            one.result()

    assert "SQLite" not in (workspace.root / BRIEFING_RULE).read_text("utf-8")


def test_a_memory_that_the_editor_would_not_find_is_told(workspace, tmp_path):
    from agent_memory.app.container import open_app

    with open_app(directory=str(tmp_path / "elsewhere"), workspace=str(workspace.root)) as app:
        assert str(workspace.memory) in setup.obstacle(app)


def test_a_program_that_goes_with_its_environment_is_told(workspace, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with workspace.app() as app:
        assert "not on your PATH" in setup.obstacle(app)

    (tmp_path / "agent-memory").write_text("#!/bin/sh\n")
    (tmp_path / "agent-memory").chmod(0o755)
    for name in ("VIRTUAL_ENV", "UV_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv("TMPDIR", "/nowhere")
        with monkeypatch.context() as patched, workspace.app() as app:
            patched.setenv(name, str(tmp_path))
            assert "only for a while" in setup.obstacle(app)


def test_what_is_known_of_a_file_that_was_deleted_is_not_held_against_the_next_one(workspace):
    init(workspace)
    path = write(workspace, ".vscode/tasks.json", '{"tasks": []}')
    uninstall(workspace)
    assert path.read_bytes() == b'{"tasks": []}'

    path.unlink()
    init(workspace)
    path.write_bytes(b'{"tasks": [ ]}')
    init(workspace)
    uninstall(workspace)
    assert path.read_bytes() == b'{"tasks": [ ]}'


def test_an_entry_of_ours_that_a_merge_has_doubled_goes_twice(workspace):
    init(workspace)
    path = workspace.root / ".vscode" / "tasks.json"
    task = json.loads(path.read_text("utf-8"))["tasks"][0]
    path.write_text(json.dumps({"version": "2.0.0", "tasks": [task, {"label": "mine"}, task]}), encoding="utf-8")

    uninstall(workspace)

    assert json.loads(path.read_text("utf-8")) == {"version": "2.0.0", "tasks": [{"label": "mine"}]}


def test_a_rule_whose_line_ends_git_has_changed_is_still_ours(workspace):
    init(workspace)
    path = workspace.root / ".cursor" / "rules" / "agent-memory.mdc"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert states(workspace)[".cursor/rules/agent-memory.mdc"] == "installed"
    uninstall(workspace)
    assert not path.exists()


def entries_of(workspace, path=".cursor/hooks.json"):
    return list(json.loads((workspace.root / path).read_text("utf-8"))["hooks"])


def with_events(workspace, events, *, noted):
    """Let the hooks stand as an older version has put them, with or without what it noted of that."""
    path, note = workspace.root / ".cursor" / "hooks.json", workspace.memory / ".vault" / "setup.json"
    stands = json.loads(path.read_text("utf-8"))
    stands["hooks"] = {event: stands["hooks"][event] for event in events}
    path.write_text(json.dumps(stands), encoding="utf-8")
    known = json.loads(note.read_text("utf-8"))
    ours = [entry for event in events for entry in stands["hooks"][event]]
    known[str(workspace.root)][".cursor/hooks.json"]["ours"] = digest_of_what_stands(ours) if noted else ""
    note.write_text(json.dumps(known), encoding="utf-8")


@pytest.mark.parametrize("noted", [True, False])
def test_hooks_of_an_older_version_are_outdated_and_brought_up_to_date(workspace, noted):
    before = outside_the_vault(workspace)
    init(workspace)
    now = entries_of(workspace)
    with_events(workspace, ["sessionStart"], noted=noted)
    assert states(workspace)[".cursor/hooks.json"] == "outdated"

    init(workspace)

    assert entries_of(workspace) == now
    assert states(workspace)[".cursor/hooks.json"] == "installed"
    uninstall(workspace)
    assert outside_the_vault(workspace) == before


def test_hooks_that_came_with_a_clone_have_something_to_tell_without_any_setting_up(workspace):
    init(workspace)
    shutil.rmtree(workspace.memory / ".vault")
    with workspace.app() as app:
        vault.add(app, "default", "decisions", "Prices are in cents.", [])
        rule.follow(app)
    assert "Prices are in cents" in (workspace.memory / ".vault" / "briefing" / "default.md").read_text("utf-8")

    uninstall(workspace)
    with workspace.app() as app:
        vault.add(app, "default", "decisions", "Taxes are not.", [])
        rule.follow(app)
    assert not (workspace.memory / ".vault" / "briefing").exists()


def test_what_was_left_out_is_missing_and_what_must_be_asked_for_is_not_told_of(workspace):
    init(workspace, setup.rows_for(None, [], ["hooks"]))

    assert states(workspace)[".cursor/hooks.json"] == "missing"
    assert ".vscode/settings.json" not in states(workspace)


def test_a_hook_that_a_person_has_taken_out_stays_out(workspace):
    init(workspace)
    path = workspace.root / ".cursor" / "hooks.json"
    stands = json.loads(path.read_text("utf-8"))
    del stands["hooks"]["postToolUse"]
    path.write_text(json.dumps(stands), encoding="utf-8")

    init(workspace)

    assert "postToolUse" not in entries_of(workspace)
    assert states(workspace)[".cursor/hooks.json"] == "changed by hand"


def test_the_hook_for_prompts_comes_and_goes_with_its_setting(workspace):
    init(workspace)
    once = outside_the_vault(workspace)
    assert "beforeSubmitPrompt" not in entries_of(workspace)

    init(workspace, hooks__prompts=True)
    assert "beforeSubmitPrompt" in entries_of(workspace)
    init(workspace)
    assert outside_the_vault(workspace) == once


def test_an_older_wording_of_the_rule_is_ours(workspace):
    init(workspace)
    path = workspace.root / ".cursor" / "rules" / "agent-memory.mdc"
    now = path.read_text("utf-8")
    older = now.replace(
        "Say decisions out loud, each with its reason:", 'Decide out loud and say why ("we use X, because Y"):'
    )
    path.write_text(older, encoding="utf-8")
    (workspace.memory / ".vault" / "setup.json").unlink()
    assert states(workspace)[".cursor/rules/agent-memory.mdc"] == "outdated"

    init(workspace)
    assert path.read_text("utf-8") == now
    path.write_text(older, encoding="utf-8")
    uninstall(workspace)
    assert not path.exists()
