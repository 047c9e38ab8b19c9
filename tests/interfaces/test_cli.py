"""The command line as a user has it: arguments in; text, JSON and an exit code out."""

import importlib
import io
import json
import os
import sys

import pytest
import typer

from agent_memory.errors import AgentMemoryError, UsageError
from agent_memory.interfaces.cli import failures
from agent_memory.interfaces.cli.main import COMMANDS, hoist, run

DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."


@pytest.fixture
def here(workspace, monkeypatch):
    monkeypatch.chdir(workspace.root)
    return workspace


@pytest.fixture
def cli(here, capsys):
    def _run(*words, stdin=None):
        if stdin is not None:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(sys, "stdin", io.StringIO(stdin))
                code = run(list(words))
        else:
            code = run(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return _run


@pytest.fixture
def taken(here, cli):
    here.chat().user(DECISION).assistant("Done, it is SQLite now.").ended().save(written=here.long_ago())
    assert cli("process")[0] == 0
    return here


def answer(result):
    code, out, _ = result
    assert code == 0
    return json.loads(out)


def test_process_counts_what_it_took(here, cli):
    here.chat().user(DECISION).assistant("Done.").ended().save(written=here.long_ago())

    told = answer(cli("process", "--json"))

    assert set(told) == {
        "sessions_found", "sessions_processed", "sessions_up_to_date", "turns", "decisions", "lessons", "tasks",
        "handoffs", "duplicates", "redactions", "skipped_lines", "errors", "alarms",
    }  # fmt: skip
    assert (told["sessions_found"], told["decisions"]) == (1, 1)


def test_process_without_a_chat_says_so_and_writes_nothing(here, cli):
    code, out, _ = cli("process")

    assert (code, "No conversations found" in out) == (0, True)
    assert not here.memory.exists()


def test_an_entry_is_added_read_edited_and_deleted(here, cli):
    added = answer(cli("vault", "add", "default", "lessons", "--content", "Ação: é 18.", "--tags", "a,b", "--json"))
    assert added["tags"] == ["a", "b"]

    listed = answer(cli("vault", "list", "default", "lessons", "--json"))
    assert [row["id"] for row in listed["entries"]] == [added["id"]]
    assert set(listed["entries"][0]) == {"id", "date", "tags", "status", "snippet"}

    edited = answer(cli("vault", "edit", "default", "lessons", added["id"], "--json", stdin="É 20.\n"))
    assert (edited["content"], edited["id"]) == ("É 20.", added["id"])

    code, out, _ = cli("vault", "get", "default", "lessons", added["id"])
    assert (code, out) == (0, "É 20.\n")

    assert cli("vault", "delete", "default", "lessons", added["id"], "--force")[0] == 0
    assert answer(cli("--json", "vault", "list", "default", "lessons"))["entries"] == []

    assert cli("undo")[0] == 0
    assert cli("vault", "get", "default", "lessons", added["id"])[1] == "É 20.\n"


def test_a_task_added_by_hand_is_open_and_briefed(cli):
    cli("vault", "add", "default", "tasks", "--content", "Rodar a migração antes do deploy")

    code, out, _ = cli("inject", "preview", "default")

    assert code == 0
    assert "- [ ]" in out
    assert "Rodar a migração" in out


def test_a_secret_given_by_hand_is_taken_out_with_a_remark(here, cli):
    secret = "Zk3vQ9xT2bLw7RfYp0aHsd5"

    _, _, err = cli("vault", "add", "default", "lessons", "--content", f"The sandbox uses API_KEY={secret} for now.")

    assert "taken out" in err
    assert not [name for name, data in here.files().items() if secret.encode() in data]


def test_deleting_asks_and_without_a_terminal_needs_force(cli):
    added = answer(cli("vault", "add", "default", "lessons", "--content", "x y z", "--json"))

    code, _, err = cli("vault", "delete", "default", "lessons", added["id"], stdin="")

    assert code == 2
    assert "--force" in err
    assert cli("vault", "get", "default", "lessons", added["id"])[0] == 0


def test_search_finds_without_accents_and_says_where(taken, cli):
    cli("vault", "add", "default", "decisions", "--content", "Decisão: a autenticação usa sessão em cookie.")

    found = answer(cli("search", "autenticacao", "cookie", "--json"))

    assert found["query"] == "autenticacao cookie"
    assert found["results"][0]["content"].startswith("Decisão")
    assert set(found["results"][0]) == {"id", "agent", "category", "date", "score", "snippet", "content"}


@pytest.mark.parametrize(
    ("words", "finds"),
    [
        (["sqlite", "-kafka"], True), (["sqlite", "-store"], False), (["-store", "sqlite"], False),
        (["sqlite", "-cache", "-login", "-l", "1", "--json"], True), (["sqlite", "-l1", "-auth"], True),
        (["sqlite", "--", "-store"], False), (["sqlite", "-in"], True), (['"order store"'], True),
        (['"store order"'], False), (["sqlite", '-"order store"'], False), (["category:decisions", "-kafka"], True),
        (["agent:default"], True), (["-kafka"], False),
    ],
)  # fmt: skip
def test_a_word_with_a_dash_is_no_option_of_search(taken, cli, words, finds):
    assert bool(answer(cli("--json", "search", *words))["results"]) is finds


def test_a_hand_edit_is_searchable_at_once(taken, cli):
    page = taken.memory / "default" / "decisions.md"
    page.write_text(
        page.read_text(encoding="utf-8") + "\n## 2026-03-19\n\nWe ship on Wednesdays only.\n", encoding="utf-8"
    )

    assert answer(cli("search", "wednesdays", "--json"))["results"]


def test_the_briefing_keeps_its_budget_and_explains_itself(taken, cli):
    code, out, _ = cli("inject", "preview", "default", "orders", "--budget", "150", "--explain")

    assert code == 0
    assert "of 150 tokens" in out
    told = answer(cli("inject", "preview", "default", "orders", "--budget", "150", "--json"))
    assert told["tokens"] <= 150


def test_undo_takes_an_extraction_back_for_good(taken, cli):
    assert "Took back" in cli("undo")[1]

    cli("undo")
    cli("process", "--full")

    assert answer(cli("vault", "list", "default", "decisions", "--json"))["entries"] == []


def test_undoing_an_undo_brings_it_back(taken, cli):
    runs = answer(cli("changes", "--json"))["runs"]
    added = next(run for run in runs if any(change["page"].endswith("decisions.md") for change in run["changes"]))
    cli("undo", added["run"])
    undoing = answer(cli("changes", "--json"))["runs"][0]

    cli("undo", undoing["run"])

    assert len(answer(cli("vault", "list", "default", "decisions", "--json"))["entries"]) == 1


def test_changes_lists_runs_newest_first_and_can_begin_at_a_day(taken, cli):
    cli("vault", "add", "default", "lessons", "--content", "The newest.")

    runs = answer(cli("changes", "--json"))["runs"]

    assert runs[0]["verb"] == "vault add"
    assert runs[0]["changes"][0]["snippet"] == "The newest."
    assert answer(cli("changes", "--since", "2999-01-01", "--json"))["runs"] == []


def test_compact_moves_old_entries_to_the_archive_where_they_are_found(cli):
    for number in range(31):
        cli("vault", "add", "default", "decisions", "--content", f"Shelf number {number} holds rye bread.")

    dry = answer(cli("compact", "--dry-run", "--json"))
    done = answer(cli("compact", "--json"))

    assert dry["plan"] == done["plan"] == ["default/decisions.md: 11 entries, to the archive"]
    assert len(answer(cli("vault", "list", "default", "decisions", "--json"))["entries"]) == 20
    assert len(answer(cli("search", "rye", "bread", "--limit", "100", "--json"))["results"]) == 31
    assert cli("compact")[1] == "nothing to do.\n"


def test_status_tells_places_and_counts(taken, cli):
    told = answer(cli("status", "--json"))

    assert told["conversations_found"] == told["conversations_taken"] == 1
    assert told["entries"]["default"]["decisions"] == 1
    assert told["watcher"] == ""


def test_status_of_nothing_writes_nothing(here, cli):
    code, out, _ = cli("status")

    assert (code, "not there yet" in out) == (0, True)
    assert not here.memory.exists()


def test_the_project_page_is_seeded_from_the_readme_and_replaced_from_a_pipe(taken, cli):
    assert "The shop" in cli("project", "show")[1]

    assert cli("project", "edit", stdin="# Nossa loja\n\nVendemos pão.\n")[0] == 0

    assert cli("project", "show")[1] == "# Nossa loja\n\nVendemos pão.\n"


def test_the_project_page_opens_in_the_users_editor(taken, cli, monkeypatch, tmp_path):
    editor = tmp_path / "editor.py"
    editor.write_text("import sys; open(sys.argv[1], 'a').write('Edited.')")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {editor}")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)

    assert cli("project", "edit")[0] == 0

    assert cli("project", "show")[1].rstrip().endswith("Edited.")


def test_config_show_says_where_each_value_comes_from(here, cli):
    here.memory.mkdir()
    (here.memory / "config.toml").write_text("[context]\nmax_tokens = 900\n", encoding="utf-8")

    told = answer(cli("config", "show", "--json"))["settings"]

    assert told["context.max_tokens"]["value"] == 900
    assert told["context.max_tokens"]["source"].endswith("config.toml, line 2")


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        (["vault", "list", "nobody", "decisions"], 2, "UnknownAgent"),
        (["vault", "list", "default", "nothing"], 2, "UnknownCategory"),
        (["vault", "get", "default", "decisions", "42"], 2, "UnknownEntry"),
        (["vault", "edit", "default", "decisions", "42", "--content", "x"], 2, "UnknownEntry"),
        (["vault", "delete", "default", "decisions", "42", "--force"], 2, "UnknownEntry"),
        (["vault", "add", "../evil", "decisions", "--content", "x"], 2, "InvalidName"),
        (["vault", "add", "a/b", "decisions", "--content", "x"], 2, "InvalidName"),
        (["vault", "add", "CON", "decisions", "--content", "x"], 2, "InvalidName"),
        (["vault", "add", "default", "nothing", "--content", "x"], 2, "UnknownCategory"),
        (["vault", "add", "default", "decisions", "--content", "  \n "], 2, "UsageError"),
        (["vault", "add", "default", "decisions", "--file", "missing.txt"], 1, "FileError"),
        (["vault", "list"], 2, "UsageError"),
        (["nonsense"], 2, "UsageError"),
        (["search", "x", "--agent", "nobody"], 2, "UnknownAgent"),
        (["search", "x", "--category", "nothing"], 2, "UnknownCategory"),
        (["search", "x", "--limit", "0"], 2, "UsageError"),
        (["inject", "preview", "nobody"], 2, "UnknownAgent"),
        (["inject", "preview", "default", "--budget", "5"], 1, "SettingsError"),
        (["undo"], 2, "UnknownEntry"),
        (["undo", "42"], 2, "UnknownEntry"),
        (["changes", "--since", "yesterday"], 2, "UsageError"),
        (["process", "--source", "emacs"], 2, "UsageError"),
        (["process", "--threshold", "-1"], 1, "SettingsError"),
        (["process", "--agent", ".."], 2, "InvalidName"),
        (["process", "--workspace", "missing"], 1, "FileError"),
        (["process", "--transcripts-dir", "README.md"], 1, "FileError"),
        (["--dir", "README.md", "agents"], 1, "FileError"),
    ],
)
def test_wrong_input_gives_one_sentence_a_hint_the_right_code_and_nothing_written(here, cli, words, code, kind):
    got, out, err = cli(*words)

    assert got == code
    assert out == ""
    assert len(err.strip().splitlines()) == 2
    assert not here.memory.exists()

    got, out, err = cli(*words, "--json")
    error = json.loads(out)["error"]
    assert (got, error["type"]) == (code, kind)
    assert error["message"].endswith(".")
    assert error["hint"]


def test_a_mistyped_setting_is_one_sentence(here, cli):
    here.memory.mkdir()
    (here.memory / "config.toml").write_text("[context]\nmax_token = 9\n", encoding="utf-8")

    code, _, err = cli("status")

    assert code == 1
    assert "Did you mean context.max_tokens?" in err


def test_garbage_where_the_state_or_the_mirror_should_be_costs_nothing(taken, cli):
    before = {m.key for m in taken.memories()}
    for name in ("state.sqlite3", "mirror.sqlite3"):
        (taken.memory / ".vault" / name).write_bytes(b"garbage " * 1000)

    assert cli("process")[0] == 0
    assert answer(cli("search", "order store", "--json"))["results"]
    assert {m.key for m in taken.memories()} == before


def test_a_file_where_an_agents_folder_should_be_is_one_sentence(taken, cli):
    (taken.memory / "other").write_text("a file")

    code, _, err = cli("vault", "add", "other", "decisions", "--content", "x y")

    assert (code, len(err.strip().splitlines())) == (1, 2)


def test_the_flags_that_go_anywhere_go_to_the_front():
    assert hoist(["vault", "list", "--json", "a", "--dir", "x"]) == ["--json", "--dir", "x", "vault", "list", "a"]
    assert hoist(["search", "--dir=x", "--", "--json"]) == ["--dir=x", "search", "--", "--json"]


def test_every_line_of_help_is_its_commands_own():
    for name, module, summary in COMMANDS:
        found = importlib.import_module(f"agent_memory.interfaces.cli.{module}").commands()[name]
        own = found.info.help if isinstance(found, typer.Typer) else (found.__doc__ or "").splitlines()[0]
        assert own == summary


def test_every_error_has_an_exit_code():
    def tree(cls):
        return [cls, *(child for sub in cls.__subclasses__() for child in tree(sub))]

    codes = {cls: failures.exit_code(cls("x")) for cls in tree(AgentMemoryError)}

    assert set(codes.values()) == {1, 2}
    assert all(code == (2 if issubclass(cls, UsageError) else 1) for cls, code in codes.items())


@pytest.mark.parametrize(("words", "stream", "code"), [("config show", 1, 0), ("foo --json", 1, 2), ("foo", 2, 2)])
def test_a_reader_that_goes_away_is_no_error(taken, words, stream, code):
    import os
    import subprocess

    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        out, err = (closed if stream == number else subprocess.PIPE for number in (1, 2))
        command = [sys.executable, "-m", "agent_memory", *words.split()]
        done = subprocess.run(command, stdout=out, stderr=err, text=True, check=False)

    assert (done.returncode, done.stdout or "", done.stderr or "") == (code, "", "")


def test_looking_into_a_vault_that_does_not_exist_makes_none(here, cli):
    assert answer(cli("search", "anything", "--json"))["results"] == []
    assert "agent-memory:briefing" in cli("inject", "preview", "default")[1]
    for words in (["agents"], ["project", "show"], ["changes"], ["vault", "list", "default", "tasks"], ["compact"]):
        assert cli(*words)[0] == 0

    assert not here.memory.exists()


def test_status_names_what_it_had_to_pass_over(taken, cli, tmp_path):
    (tmp_path / "secret.md").write_text("## 2026-03-19\n\nNot ours.\n", encoding="utf-8")
    (taken.memory / "default" / "stray.md").symlink_to(tmp_path / "secret.md")
    with (taken.memory / "taken.jsonl").open("a", encoding="utf-8") as ledger:
        ledger.write("<<<<<<< HEAD\n")

    warnings = answer(cli("status", "--json"))["warnings"]

    assert len(warnings) == 2
    assert answer(cli("search", "ours", "--json"))["results"] == []


def add(cli, words):
    return answer(cli("vault", "add", "default", "decisions", "--content", words, "--json"))["id"]


def standing(cli):
    return [row["snippet"] for row in answer(cli("vault", "list", "default", "decisions", "--json"))["entries"]]


def test_undo_passes_over_what_it_cannot_take_back_and_reaches_the_rest(here, cli):
    add(cli, "first one")
    add(cli, "second one")
    page = here.memory / "default" / "decisions.md"
    page.write_text(page.read_text(encoding="utf-8").replace("second one", "second, edited"), encoding="utf-8")

    assert cli("undo")[0] == 0

    assert standing(cli) == ["second, edited"]
    assert cli("undo")[0] == 2


def test_undo_passes_over_an_intent_whose_page_was_never_written(here, cli):
    add(cli, "first one")
    journal = here.memory / ".vault" / "journal.jsonl"
    last = journal.read_text(encoding="utf-8").splitlines()[-1]
    void = json.loads(last) | {"run": "void"}
    void["changes"][0] |= {"id": "42", "after": void["changes"][0]["after"].replace("first", "void")}
    journal.write_text(f"{last}\n{json.dumps(void)}\n", encoding="utf-8")

    cli("undo")

    assert standing(cli) == []


def test_undo_after_a_redo_takes_the_redone_run_back(cli):
    add(cli, "first one")
    add(cli, "second one")
    cli("undo")
    undoing = answer(cli("changes", "--json"))["runs"][0]["run"]
    cli("undo", undoing)
    assert standing(cli) == ["second one", "first one"]
    assert [run["undone"] for run in answer(cli("changes", "--json"))["runs"]][2] is False

    cli("undo")

    assert standing(cli) == ["first one"]


def test_editing_back_and_forth_is_undone_step_by_step(cli):
    entry = add(cli, "one")
    for words in ("two", "one"):
        cli("vault", "edit", "default", "decisions", entry, "--content", words)
    seen = []
    while cli("undo")[0] == 0:
        seen.append(standing(cli))

    assert seen == [["two"], ["one"], []]


def test_undoing_one_entry_leaves_the_rest_of_its_run_to_undo(here, cli):
    here.chat().user(
        "Still to do: rotate the webhook secret before the launch. Still to do: measure the ovens of shop 3 again."
    ).assistant(
        "Noted.\n\n- [ ] rotate the webhook secret before the launch\n- [ ] measure the ovens of shop 3 again"
    ).ended().user("ok").save(written=here.long_ago())
    cli("process")
    runs = answer(cli("changes", "--json"))["runs"]
    run = next(run for run in runs if len({c["id"] for c in run["changes"] if c["page"].endswith("tasks.md")}) > 1)

    cli("undo", run["changes"][0]["id"])

    again = next(each for each in answer(cli("changes", "--json"))["runs"] if each["run"] == run["run"])
    assert not again["undone"]


def test_secrets_in_tags_titles_and_deleted_words_are_not_copied(here, cli):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3"
    (here.root / "README.md").write_text(f"# My app {secret}\n", encoding="utf-8")
    cli("vault", "add", "default", "decisions", "--content", "x y z", "--tags", f"fine,{secret}")
    page = here.memory / "default" / "decisions.md"
    page.write_text(page.read_text(encoding="utf-8") + f"\n## 2026-03-01\n\nIt is {secret}\n", encoding="utf-8")
    typed = answer(cli("vault", "list", "default", "decisions", "--json"))["entries"][-1]["id"]

    cli("vault", "delete", "default", "decisions", typed, "--force")

    assert not [name for name, data in here.files().items() if secret.encode() in data]


@pytest.mark.parametrize("name", ["config.toml", "taken.jsonl", "README.md", "_project.md"])
def test_an_agent_cannot_be_called_like_a_file_of_the_vault(here, cli, name):
    assert cli("vault", "add", name, "decisions", "--content", "x")[0] == 2
    assert not here.memory.exists()


def test_the_version_is_printed_without_a_command(cli):
    code, out, _ = cli("--version")

    assert (code, out.count(".")) == (0, 2)


@pytest.mark.parametrize(
    "words",
    [
        ["process", "--threshold", "inf"],
        ["process", "--threshold", "1e300"],
        ["--dir", "~nosuchuser/x", "agents"],
        ["process", "--transcripts-dir", "~nosuchuser/x"],
        ["--dir", "x" * 300, "agents"],
    ],
)
def test_hostile_values_are_one_sentence(here, cli, words):
    code, _, err = cli(*words)

    assert (code, len(err.strip().splitlines())) == (1, 2)
    assert not here.memory.exists()


def test_closed_streams_are_no_error(taken):
    import os
    import subprocess

    def close_all():
        for number in (0, 2):
            os.close(number)

    done = subprocess.run(
        [sys.executable, "-m", "agent_memory", "process"], preexec_fn=close_all, stdout=subprocess.PIPE, check=False
    )

    assert (done.returncode, b"up to date" in done.stdout) == (0, True)


def test_a_full_device_behind_stdout_is_one_sentence(taken):
    import subprocess

    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "agent_memory", "config", "show"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip

    assert (done.returncode, "Traceback" in done.stderr) == (1, False)


def propose_everything(here):
    here.memory.mkdir(exist_ok=True)
    (here.memory / "config.toml").write_text('[extraction]\nmode = "propose"\nmin_confidence = 1.1\n', encoding="utf-8")
    here.chat().user(DECISION).assistant("Done, it is SQLite now.").ended().save(written=here.long_ago())


def proposals(cli):
    return answer(cli("vault", "list", "default", "decisions", "--proposed", "--json"))["entries"]


def test_what_is_uncertain_is_proposed_and_counts_once_it_is_accepted(here, cli):
    propose_everything(here)
    assert answer(cli("process", "--json"))["decisions"] == 0
    (row,) = proposals(cli)
    assert row["status"] == "proposed"
    assert standing(cli) == []
    assert "### Relevant decisions" not in cli("inject", "preview", "default")[1]
    assert answer(cli("search", "backups", "--category", "decisions", "--json"))["results"] == []

    assert cli("vault", "accept", "default", "decisions", row["id"])[0] == 0

    assert len(standing(cli)) == 1
    assert proposals(cli) == []
    assert cli("vault", "accept", "default", "decisions", row["id"])[0] == 2


def test_a_rejected_proposal_does_not_come_back(here, cli):
    propose_everything(here)
    cli("process")
    (row,) = proposals(cli)

    assert cli("vault", "reject", "default", "decisions", row["id"])[0] == 0
    cli("process", "--full")

    assert proposals(cli) == standing(cli) == []


def test_capture_can_be_switched_off(here, cli):
    propose_everything(here)
    (here.memory / "config.toml").write_text('[extraction]\nmode = "off"\n', encoding="utf-8")

    assert cli("process")[0] == 0

    assert not (here.memory / "default").exists()


def test_a_turns_briefing_is_asked_for_by_name(taken, cli):
    add(cli, "The ovens are booked by the hour.")

    told = answer(cli("inject", "preview", "default", "ovens", "--kind", "turn", "--json"))

    assert told["kind"] == "turn"
    assert "### recalled\n" in told["text"]
    assert cli("inject", "preview", "default", "--kind", "weekly")[0] == 2


def test_each_item_of_a_briefing_is_explained(taken, cli):
    entry = add(cli, "The ovens are booked by the hour.")

    told = answer(cli("inject", "preview", "default", "ovens", "--explain", "--json"))

    (item,) = [item for item in told["items"] if item["id"] == entry]
    assert (item["section"], item["fate"]) == ("decisions", "shown")
    assert sum(item["parts"].values()) == pytest.approx(item["score"], abs=0.001)
    assert item["text"] in told["text"]
    assert f"{entry}: {item['tokens']}, score " in cli("inject", "preview", "default", "ovens", "--explain")[1]


def test_why_says_where_a_memory_came_from_and_what_a_query_makes_of_it(taken, cli):
    (memory,) = [memory for memory in taken.memories() if memory.page.category == "decisions"]

    told = answer(cli("why", memory.id, "--query", memory.body, "--json"))

    assert (told["id"], told["finding"], told["rank"]) == (memory.id, "verified", 1)
    assert told["origin"].startswith("cursor/")
    shown = [(each["kind"], each["section"]) for each in told["briefings"] if each["fate"] == "shown"]
    assert shown == [("session", "decisions"), ("turn", "recalled")]
    assert [each["reason"] for each in told["briefings"] if each["fate"] == "cut"] == ["already in recalled"]
    assert "verified" in cli("why", memory.id)[1]
    assert "not found" in cli("why", memory.id, "--query", "zebra")[1]


def test_why_names_what_keeps_a_memory_out(here, cli):
    propose_everything(here)
    cli("process")
    (row,) = proposals(cli)

    told = answer(cli("why", row["id"], "--json"))

    assert {each["reason"] for each in told["briefings"]} == {"it is proposed"}
    assert cli("why", "42")[0] == 2


def test_a_host_saves_recovers_and_ends_a_session_with_json(here, cli):
    said = [{"role": "user", "text": DECISION}, {"role": "agent", "text": "Done, it is SQLite now."}]
    session = json.dumps({"agentId": "dev", "chatId": "c1", "modelId": "m", "messages": said})

    assert cli("session", "recover", "--agent", "dev")[1] == "null\n"
    assert answer(cli("session", "checkpoint", stdin=session))["messages"] == 2
    found = json.loads(cli("session", "recover", "--agent", "dev")[1])
    ended = answer(cli("session", "sleep", stdin=session))

    assert {**found, "savedAt": 0} == {**json.loads(session), "savedAt": 0}
    assert (ended["agent"], ended["decisions"], ended["handoffs"], ended["errors"]) == ("dev", 1, 1, [])
    assert answer(cli("session", "sleep", stdin=session))["handoffs"] == 0
    assert cli("session", "checkpoint", stdin=json.dumps(said))[0] == 0
    assert json.loads(cli("session", "recover")[1])["agentId"] == "default"


@pytest.mark.parametrize("stdin", ["", "{", "7", "{}", '{"messages": 1}', '[{"role": "user"}]', "[" * 100_000])
def test_what_is_no_session_is_wrong_usage(here, cli, stdin):
    for verb in ("checkpoint", "sleep"):
        code, _, err = cli("session", verb, stdin=stdin)
        assert (code, bool(err)) == (2, True)
    assert not here.memory.exists()


def test_checkpoints_are_synced_and_what_cannot_be_is_named(here, cli):
    folder = here.memory / "conversations"
    folder.mkdir(parents=True)
    assert cli("sync-checkpoints")[1] == "There are no conversations.\n"
    (folder / "dev.json").write_text(json.dumps({"messages": [{"role": "user", "text": "hi"}]}))
    (folder / "ops.json").write_text("null")

    code, out, err = cli("sync-checkpoints")
    assert (code, out) == (1, "Saved: dev\n")
    assert err.startswith("ops: ")
    code, out, _ = cli("sync-checkpoints", "--json")
    assert (code, json.loads(out)["skipped"], json.loads(out)["errors"][0]["agent"]) == (1, ["dev"], "ops")


def test_compact_says_what_it_did(here, cli):
    folder = here.memory / "conversations"
    folder.mkdir(parents=True)
    messages = [{"role": "user", "text": f"Please look at file {n}."} for n in range(30)]
    (folder / "dev.json").write_text(json.dumps({"messages": messages}))
    os.utime(folder / "dev.json", (1, 1))

    assert cli("compact", "--dry-run")[1].startswith(
        "Would be: 1 conversations trimmed.\n    conversations/dev.json: 10 "
    )
    assert cli("compact")[1].startswith("1 conversations trimmed.\n")
    assert len(json.loads((folder / "dev.json").read_text())["messages"]) == 20


def test_a_preview_looks_for_what_a_message_refers_to(cli, workspace):
    cli("vault", "add", "default", "decisions", "--content", "The Redis queue retries orders three times.")
    history = workspace.root / "said.json"
    history.write_text('[{"role": "user", "text": "How does the Redis queue retry?"}]', encoding="utf-8")
    asked = ("inject", "preview", "default", "and on Windows?", "--kind", "turn", "--json")

    assert "### recalled" not in json.loads(cli(*asked)[1])["text"]
    told = json.loads(cli(*asked, "--history", str(history))[1])
    assert "### recalled" in told["text"]
    assert told["query"] == "and on Windows? Redis queue retry"
    assert "looked for: and on Windows? Redis" in cli(*asked[:-1], "--history", str(history), "--explain")[1]
    history.write_text("[", encoding="utf-8")
    assert cli(*asked, "--history", str(history))[0] == 2
