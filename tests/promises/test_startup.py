"""What starting up may cost: which modules are loaded, and how much processor time."""

import os
import statistics
import subprocess
import sys

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


def test_a_hook_loads_nothing_of_ours_but_itself_and_no_library(tmp_path):
    command = [sys.executable, "-X", "importtime", "-m", "agent_memory", "hook", "cursor", "sessionStart"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, stdin=subprocess.DEVNULL)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    own = {name for name in loaded if name.startswith("agent_memory")}

    package = {"agent_memory", "agent_memory.interfaces", "agent_memory.interfaces.hook"}
    assert own == {*package, "agent_memory.interfaces.hook.answer"}
    heavy = {*HEAVY, "typer", "platformdirs", "tomllib", "subprocess", "socket", "dataclasses", "logging"}
    assert heavy & {name.split(".")[0] for name in loaded} == set()
