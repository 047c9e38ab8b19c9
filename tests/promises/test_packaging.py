"""What a user installs is what we tested: the wheel has the templates and tables, and nothing else."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from agent_memory import __version__

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.e2e
@pytest.mark.timeout(180)
def test_the_wheel_carries_templates_tables_and_types(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)],
        check=True, capture_output=True,
    )  # fmt: skip
    wheel = next(tmp_path.glob("*.whl"))
    names = set(zipfile.ZipFile(wheel).namelist())

    assert "agent_memory/py.typed" in names
    assert "agent_memory/redaction/secrets.toml" in names
    assert "agent_memory/mirror/schema.sql" in names
    assert {"agent_memory/reflection/prompts/reflect.md", "agent_memory/reflection/table.toml"} <= names
    assert "agent_memory/recall/rewrite.md" in names
    assert "agent_memory/interfaces/web/page/index.html" in names
    assert any(name.startswith("agent_memory/extraction/patterns/") for name in names)
    templates = {
        path.relative_to(ROOT / "vault_templates").as_posix() for path in (ROOT / "vault_templates").rglob("*.md")
    }
    assert {f"agent_memory/_vault_templates/{name}" for name in templates} <= names
    assert not [name for name in names if name.startswith(("tests/", "docs/", "scripts/"))]


def test_the_changelog_has_an_open_section_and_knows_the_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert "## [Unreleased]" in changelog
    assert __version__ == "0.1.0" or f"## [{__version__}]" in changelog


def test_importing_any_module_does_nothing():
    program = (
        "import importlib, pkgutil, sys, os\n"
        "def refuse(event, args):\n"
        "    if event == 'open' and isinstance(args[1], str) and set(args[1]) & set('wax+'):\n"
        "        raise SystemExit(f'wrote {args[0]}')\n"
        "    if event in ('socket.connect', 'subprocess.Popen', 'os.mkdir', 'sqlite3.connect'):\n"
        "        raise SystemExit(f'{event} {args}')\n"
        "sys.dont_write_bytecode = True\n"
        "sys.addaudithook(refuse)\n"
        "import agent_memory\n"
        "for module in pkgutil.walk_packages(agent_memory.__path__, 'agent_memory.'):\n"
        "    importlib.import_module(module.name)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
