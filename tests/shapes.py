"""The shape of what commands answer with ``--json``, from real answers; ``python -m tests.shapes`` writes the page.

An object whose keys are names, not words of ours, has one key in capitals.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer.main

from agent_memory.interfaces.cli.main import build
from tests.prepared import LASTING, commands, examples, execute, prepare
from tests.workspace import Workspace

PAGE = Path(__file__).resolve().parent.parent / "docs" / "json.md"
NAMED = {"settings": "KEY", "entries": "AGENT", "purposes": "PURPOSE", "sections": "SECTION", "parts": "PART",
         "outcomes": "OUTCOME", "editor_files": "PATH", "last": "WHAT", "meta": "KEY", "AGENT": "CATEGORY",
         "hooks": "EVENT"}  # fmt: skip
# What the examples have none of; where one of them has some after all, it must be of this shape.
TROUBLE = [{"path": "text", "line": "number or null", "message": "text"}]
FILLED: dict[str, Any] = {
    "tags": ["text"],
    "keywords": ["text"],
    "parents": ["text"],
    "kept": ["text"],
    "trimmed": ["text"],
    "plan": ["text"],
    "lines": ["text"],
    "warnings": ["text"],
    "pruned": ["text"],
    "synced": ["text"],
    "origin": "text or null",
    "confidence": "number or null",
    "valid_to": "text or null",
    "whole_from": "text or null",
    "undoes": "text or null",
    "why finding": "text or null",
    "watcher": "text or null",
    "process errors": TROUBLE,
    "import conversations errors": TROUBLE,
    "session sleep errors": ["text"],
    "sync-checkpoints errors": [{"agent": "text", "error": "text"}],
    "findings": [{"what": "text", "where": "text", "mend": "text", "serious": "true or false"}],
    "hooks": {"EVENT": "text"},
    "alarms": [{"source": "text", "kind": "text", "count": "number"}],
    "troubles": TROUBLE,
    "taken": [{"what": "text", "why": "text"}],
    "skipped": [{"what": "text", "why": "text"}],
    "sync-checkpoints skipped": ["text"],
    "let_go": [["text"]],
    "made": [
        {
            "id": "text",
            "agent": "text",
            "principle": "text",
            "activation": "text",
            "parents": ["text"],
            "confidence": "number",
            "steps": ["text"],
        }
    ],
    "last_run": "text or null",
    "last": {"WHAT": "number"},
    "purposes": {
        "PURPOSE": {
            "outcomes": {"OUTCOME": "number"},
            "answers": "number",
            "prompt_tokens": "number",
            "reply_tokens": "number",
            "cost": "number",
            "median_s": "number",
            "p95_s": "number",
            "failures_in_a_row": "number",
        }
    },
    "notes store links": [{"kind": "text", "id": "text"}],
}
LASTING_ANSWERS = {
    "watch": "One line for each time something was taken, as `process` answers.",
    "mcp": "Speaks the protocol on standard output, whatever is asked.",
    "hook": "Answers as the editor has it, whatever is asked.",
}
TOP = """# What commands answer with `--json`

<!-- Written by `python -m tests.shapes`, from what the commands answer; do not edit. -->

Every command takes `--json`, before or after its name, and prints one object, or `null`, on one line of standard
output. Remarks and progress go to standard error. Keys are snake_case and stay English in every language; a key may be
added, none changes its meaning. `text or null` is either; `…` stands for more of the same; a key in capitals stands for
whatever has a name there, and one with `?` may be missing. Times are ISO 8601 in UTC; an entry's
date is its heading's, to the minute.

What goes wrong is `{"error": {"type": text, "message": text, "hint": text}}`, with exit code 1, or 2 where
what was asked for cannot be. A command that found something wrong itself (`doctor`, `process`) ends with 1 and
its answer.
"""


def shape_of(value: Any, name: str = "") -> Any:
    """Return what kind of value this is, for lists and objects of what kinds."""
    if isinstance(value, dict):
        if name in NAMED:
            inner = NAMED[name] if name == "entries" else ""
            return {NAMED[name]: merged(shape_of(one, inner) for one in value.values())} if value else {}
        return {key: shape_of(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [merged(shape_of(one) for one in value)] if value else []
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "true or false"
    return "text" if isinstance(value, str) else "number"


def merged(shapes: Iterable[Any]) -> Any:
    """Return what covers all of these shapes."""
    found: Any = None
    for shape in shapes:
        found = shape if found is None else _both(found, shape)
    return found


def _both(one: Any, two: Any) -> Any:
    if isinstance(one, dict) and isinstance(two, dict):
        both = {key: _both(one[key], two[key]) for key in one if key in two}
        only = {key: shape for key, shape in {**one, **two}.items() if key not in both}
        return {
            **both,
            **{key if key.endswith("?") or key.isupper() else f"{key}?": shape for key, shape in only.items()},
        }
    if isinstance(one, list) and isinstance(two, list):
        return [merged([*one, *two])] if one or two else []
    if one == two:
        return one
    if isinstance(one, dict | list) or isinstance(two, dict | list):
        return one if isinstance(one, dict | list) else two  # the other is null
    kinds = sorted({*one.split(" or "), *two.split(" or ")} - {"true", "false"}, key=lambda kind: kind == "null")
    return " or ".join([*(["true or false"] if "true" in f"{one} {two}" else []), *kinds])


def filled(shape: Any, path: str) -> Any:
    """Return a shape with what is known of keys that had nothing; what had something must be as it is known."""
    if isinstance(shape, list):
        return [filled(one, path) for one in shape]
    if not isinstance(shape, dict):
        return shape
    whole = {}
    for key, one in shape.items():
        known = FILLED.get(f"{path} {key}", FILLED.get(key))
        if known is not None and one not in ([], {}, "null"):
            assert _both(known, one) == known, (path, key, one)
        whole[key] = filled(one, path) if known is None else known
    return whole


def rendered(shape: Any, indent: int = 4) -> str:
    """Return a shape as the page shows it."""
    flat = _flat(shape)
    if len(flat) + indent <= 110:
        return flat
    pad = " " * (indent + 2)
    if isinstance(shape, list):
        return f"[\n{pad}{rendered(shape[0], indent + 2)}, …\n{' ' * indent}]"
    rows = [f'{pad}"{key}": {rendered(one, indent + 2)}' for key, one in shape.items()]
    return "{\n" + ",\n".join(rows) + f"\n{' ' * indent}}}"


def _flat(shape: Any) -> str:
    if isinstance(shape, dict):
        return "{" + ", ".join(f'"{key}": {_flat(one)}' for key, one in shape.items()) + "}"
    if isinstance(shape, list):
        return f"[{_flat(shape[0])}, …]" if shape else "[]"
    return str(shape)


def section(path: str, workspace: Workspace) -> str:
    """Return what the page says of a command, having run its examples."""
    lines = [f"## `{path}`", ""]
    if path in LASTING:
        return "\n".join([*lines, LASTING_ANSWERS[path], ""])
    shapes = []
    for line in examples(path):
        done = execute(line, workspace, "--json")
        assert done.code == 0, (line, done)
        shapes.append(shape_of(json.loads(done.out)))
    return "\n".join([*lines, f"    {rendered(filled(merged(shapes), path))}", ""])


def sections(page: str) -> dict[str, str]:
    """Return the page's sections by command."""
    parts = re.split(r"^(?=## `)", page, flags=re.MULTILINE)[1:]
    return {part.partition("`")[2].partition("`")[0]: part.rstrip() + "\n" for part in parts}


def write() -> None:
    """Write the page anew."""
    paths, parts = commands(typer.main.get_command(build(None))), [TOP]
    for path in paths:
        with tempfile.TemporaryDirectory() as place:
            root, home = Path(place).resolve() / "shop", Path(place).resolve() / "home"
            (root / ".git").mkdir(parents=True)
            home.mkdir()
            os.environ.update(HOME=str(home), AGENT_MEMORY_SEMANTIC_MODE="off")
            parts.append(section(path, prepare(Workspace(root, home))))
            shutil.rmtree(root)
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    write()
