"""Cursor's side of its hooks: payloads as it sends them, and the program as it starts it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from agent_memory.interfaces.hook.answer import Reply, respond

TRIES: Final = 6
PROGRAM: Final = ("-m", "agent_memory", "hook")
PATIENT: Final = (
    "-c",
    "import sys; from agent_memory.interfaces.hook import answer; answer.DEADLINE_S = 30; answer.serve(sys.argv[1:])",
)
START: Final = {
    "conversation_id": "c", "generation_id": "", "model": "m", "hook_event_name": "sessionStart", "session_id": "c",
    "cursor_version": "3.9.16", "user_email": None, "transcript_path": None, "is_background_agent": False,
}  # fmt: skip
PAYLOADS: Final[dict[str, dict[str, Any]]] = {
    "sessionStart": START,
    "workspaceOpen": {"hook_event_name": "workspaceOpen", "cursor_version": "3.9.16", "user_email": None},
    "beforeSubmitPrompt": {**START, "generation_id": "g", "prompt": "How are prices stored?", "attachments": []},
    "postToolUse": {
        **START, "generation_id": "g", "tool_name": "Read", "tool_input": {"path": "src/prices.py"},
        "tool_use_id": "t", "cwd": "", "tool_output": "{}", "duration": 12,
    },
    "preCompact": {**START, "trigger": "auto", "context_usage_percent": 91, "is_first_compaction": True},
    "stop": {**START, "generation_id": "g", "status": "completed", "loop_count": 0},
    "sessionEnd": {**START, "reason": "completed", "duration_ms": 5, "final_status": "completed"},
}  # fmt: skip


def ask(event: str, data: bytes | dict[str, Any], *words: str) -> Any:
    """Return what an event is answered in this process, once everything behind the answer is done."""
    out = io.BytesIO()
    stdin = io.BytesIO(data if isinstance(data, bytes) else json.dumps(data).encode())
    respond(words or ("cursor", event), stdin, Reply(event, out))
    return json.loads(out.getvalue())


def run(
    *words: str, stdin: bytes = b"", cwd: Path | None = None, program: Sequence[str] = PROGRAM
) -> subprocess.CompletedProcess[bytes]:
    """Run the real program as an editor does, with modules compiled beforehand as those that are installed are."""
    command = [sys.executable, *program, *words]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, check=False, timeout=60, env=compiled())


def answer_in_time(event: str, root: Path, is_it: Callable[[Any], bool]) -> Any:
    """Return the real program's first answer that ``is_it``.

    On a busy machine its deadline comes first again and again; at last it is run with a later one.
    """
    answer = None
    for number, program in enumerate([PROGRAM] * TRIES + [PATIENT]):
        fields = {"conversation_id": f"{event}-{number}", "workspace_roots": [str(root)]}
        payload = json.dumps({**PAYLOADS[event], **fields}).encode()
        done = run("cursor", event, stdin=payload, program=program)
        assert (done.returncode, done.stdout.count(b"\n")) == (0, 1)
        answer = json.loads(done.stdout)
        if is_it(answer):
            break
    return answer


def compiled() -> dict[str, str]:
    """Return an environment in which modules are compiled once, whatever the tests' own says."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(sys.prefix) / "hook-bytecode")}
