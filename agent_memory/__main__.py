"""The entry point: runs the command line, and for it the faces that are packages of their own."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> int:
    """Run the command line, or at once the hook that an editor waits for, and return the exit code."""
    words = sys.argv[2:]
    if sys.argv[1:2] == ["hook"] and not (words and words[0].startswith("-")):
        return _hook(*words)
    from agent_memory.interfaces.cli.main import run

    return run(sys.argv[1:], {"mcp": _mcp, "tui": _tui, "hook": _hook})


def _hook(*words: str) -> int:
    from agent_memory.interfaces.hook.answer import serve

    serve(words)


def _mcp(directory: str | None, workspace: str | None, agent: str | None) -> int:
    try:
        from agent_memory.interfaces.mcp_server.serve import serve
    except ModuleNotFoundError as error:
        _missing(error, ("mcp", "mcp_types", "anyio", "pydantic"), "The MCP server", "mcp")
    return serve(directory, workspace, agent)


def _tui(directory: str | None, agent: str | None) -> int:
    try:
        from agent_memory.interfaces.tui.serve import serve
    except ModuleNotFoundError as error:
        _missing(error, ("textual",), "The terminal screen", "tui")
    return serve(directory, agent)


def _missing(error: ModuleNotFoundError, toolkit: tuple[str, ...], what: str, extra: str) -> NoReturn:
    """Say how to install what is missing of a toolkit; anything else that is missing is our fault."""
    if (error.name or "").split(".")[0] not in toolkit:
        raise error
    from agent_memory.errors import ExtraMissing

    raise ExtraMissing.of(what, extra) from error


if __name__ == "__main__":
    sys.exit(main())
