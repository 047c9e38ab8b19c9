"""What VS Code makes of our files, by the parser that it uses itself; `.ci/install` brings it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from agent_memory.editors.splice import add, remove
from agent_memory.editors.table import INTEGRATIONS

CI = Path(__file__).resolve().parents[2] / ".ci"
# As VS Code reads its configuration: comments and trailing commas are fine, a BOM is gone when a file is decoded.
PROGRAM = """
const { parse, printParseErrorCode } = require("jsonc-parser");
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => {
    const errors = [];
    const value = parse(text.replace(/^\\ufeff/, ""), errors, { allowTrailingComma: true });
    return { value, errors: errors.map((one) => printParseErrorCode(one.error)) };
})));
"""
FILES = [
    "{\n}\n",
    "{}",
    '{"tasks": []}',
    '{"version": "2.0.0", "tasks": [{"label": "build"}]}',
    '\ufeff// ours\r\n{\r\n\t"tasks": [\r\n\t\t{"label": "build"}, // fast\r\n\t],\r\n}\r\n',
    '{\n  // "tasks": [],\n  "version": "2.0.0", /* "tasks": [ */\n "tasks": [ // 1\n  {"label": "a,b"} // z\n ],\n}',
    '{"inputs": [{"id": "//"}], "tasks": [{"label": "\\"]}"},],}',
]


def as_vscode_reads(texts):
    if shutil.which("node") is None or not (CI / "node_modules" / "jsonc-parser").is_dir():
        pytest.skip("node, or its package jsonc-parser, is not there; .ci/install brings it")
    done = subprocess.run(
        ["node", "-e", PROGRAM], input=json.dumps(texts), cwd=CI, capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("row", [row for row in INTEGRATIONS if row.entries], ids=lambda row: row.path)
def test_it_reads_our_entries_as_they_are_meant_and_what_stood_there_before(row):
    texts = [text for text in FILES if row.path == ".vscode/tasks.json" or "tasks" not in text] + ["{\n\t// mine\n}"]
    added = [add(text, row.entries) for text in texts]
    before, after = as_vscode_reads(texts), as_vscode_reads([one.text for one in added])

    for was, now, text, one in zip(before, after, texts, added, strict=True):
        assert now["errors"] == []
        for entry in row.entries:
            node = now["value"]
            for key in entry.path:
                node = node[key]
            assert node == entry.value if not entry.known_by else node.count(entry.value) == 1
        rest = remove(one.text, row.entries, one.made)
        assert rest == text
        assert was["errors"] == []


def test_of_the_tasks_file_it_takes_the_task_that_starts_with_the_folder_and_every_other_one():
    row = INTEGRATIONS[0]
    before, after = as_vscode_reads(FILES), as_vscode_reads([add(text, row.entries).text for text in FILES])

    for was, now in zip(before, after, strict=True):
        *theirs, ours = now["value"]["tasks"]
        assert theirs == was["value"].get("tasks", [])
        assert (ours["command"], ours["args"]) == ("agent-memory", ["watch", "--wait-for-transcripts"])
        assert ours["runOptions"] == {"runOn": "folderOpen", "instanceLimit": 1}
        assert (ours["isBackground"], ours["problemMatcher"]) == (True, [])
