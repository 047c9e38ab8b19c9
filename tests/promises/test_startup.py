"""What starting up may cost: which modules are loaded, and how much processor time."""

import json
import os
import statistics
import subprocess
import sys

import pytest

from agent_memory.app import rule, vault
from tests.interfaces.hooks import PAYLOADS

HEAVY = {
    "httpx", "watchdog", "yaml", "rank_bm25", "filelock", "frontmatter", "sqlite3", "rich", "numpy", "asyncio", "mcp",
    "pydantic", "anyio", "textual",
}  # fmt: skip
RUNS = 7


def test_help_loads_none_of_the_heavy_libraries():
    program = (
        "import sys\n"
        "from agent_memory.interfaces.cli.main import run\n"
        "code = run(['--help'])\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert HEAVY & set(done.stderr.split()) == set()


def test_a_search_loads_nothing_of_what_writes_parses_or_briefs(tmp_path):
    program = (
        "import sys\n"
        "from agent_memory.interfaces.cli.main import run\n"
        "run(['--dir', sys.argv[1], 'search', 'cents'])\n"
        "print(*sorted(sys.modules), file=sys.stderr)\n"
    )
    ours = [sys.executable, "-m", "agent_memory", "--dir", str(tmp_path / "m")]
    subprocess.run([*ours, "vault", "add", "default", "decisions", "--content", "Prices are in cents."], check=True)
    subprocess.run([*ours, "search", "cents"], check=True)
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "m")], capture_output=True, text=True, check=True
    )

    assert "Prices are in cents." in done.stdout
    unneeded = {f"agent_memory.{name}" for name in ("vault.apply", "vault.page", "state.store", "context.build")}
    assert {*unneeded, "agent_memory.redaction.redact", "tomllib", *(HEAVY - {"sqlite3"})} & set(
        done.stderr.split()
    ) == set()


def test_importing_the_package_loads_nothing_else():
    program = "import sys; before = set(sys.modules); import agent_memory; print(len(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "1"


def test_help_costs_at_most_two_thirds_more_than_importing_typer():
    # Each pair runs back to back and is judged by itself: what slows a shared machine slows both.
    ratios = [cpu_s("-m", "agent_memory", "--help") / cpu_s("-c", "import typer") for _ in range(RUNS)]

    assert statistics.median(ratios) <= 5 / 3, ratios


def cpu_s(*arguments: str) -> float:
    """Return the processor time of one run of Python."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


OF_EVERY_HOOK = {
    "agent_memory", "agent_memory.errors", "agent_memory.interfaces", "agent_memory.interfaces.hook",
    *(f"agent_memory.interfaces.hook.{name}" for name in ("answer", "events", "payload", "traces")),
    "agent_memory.system", "agent_memory.system.paths", "agent_memory.system.clock",
}  # fmt: skip
OF_THE_DATABASES = {
    "agent_memory.interfaces.hook.glance", "agent_memory.context", "agent_memory.context.counting",
    "agent_memory.context.render",
    "agent_memory.model", "agent_memory.model.ids", "agent_memory.model.text", "agent_memory.state",
    "agent_memory.state.shown", "agent_memory.system.database",
}  # fmt: skip
OF_WORDS = {"agent_memory.mirror", "agent_memory.mirror.fts", "agent_memory.mirror.stems"}
LOADED_BY = {
    "stop": OF_EVERY_HOOK,
    "sessionStart": OF_EVERY_HOOK | OF_THE_DATABASES,
    "preCompact": OF_EVERY_HOOK | OF_THE_DATABASES,
    "postToolUse": OF_EVERY_HOOK | OF_THE_DATABASES,
    "beforeSubmitPrompt": OF_EVERY_HOOK | OF_THE_DATABASES | OF_WORDS,
}


@pytest.mark.parametrize("event", LOADED_BY)
def test_a_hook_loads_only_these_and_no_library(event, workspace):
    with workspace.app(hooks__prompts=True) as app:
        vault.add(app, "default", "decisions", "Prices in src/prices.py are in cents.", [])
        app.folder.briefings.mkdir()
        rule.refresh(app)
    payload = json.dumps({**PAYLOADS[event], "workspace_roots": [str(workspace.root)]})
    program = (
        "import io, sys\n"
        "from agent_memory.interfaces.hook.answer import Reply, respond\n"
        "event, payload = sys.argv[1:]\n"
        "trouble = respond(['cursor', event], io.BytesIO(payload.encode()), Reply(event, io.BytesIO()))\n"
        "print(trouble, *sorted(sys.modules), sep='\\n')\n"
    )
    done = subprocess.run([sys.executable, "-c", program, event, payload], capture_output=True, text=True, check=True)
    trouble, *loaded = done.stdout.split("\n")

    assert trouble == ""
    assert {name for name in loaded if name.startswith("agent_memory")} == LOADED_BY[event]
    heavy = {*HEAVY, "typer", "platformdirs", "tomllib", "subprocess", "socket", "dataclasses", "logging"}
    heavy -= set() if LOADED_BY[event] == OF_EVERY_HOOK else {"sqlite3"}
    assert heavy & {name.split(".")[0] for name in loaded} == set()
