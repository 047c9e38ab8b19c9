"""The entry point: runs the command line, and for it the faces that are packages of their own."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line, or at once the hook that an editor waits for, and return the exit code."""
    words = sys.argv[2:]
    if sys.argv[1:2] == ["hook"] and not (words and words[0].startswith("-")):
        return _hook(*words)
    from agent_memory.interfaces.cli.main import run

    return run(sys.argv[1:], {"mcp": _mcp, "hook": _hook})


def _hook(*words: str) -> int:
    from agent_memory.interfaces.hook.answer import serve

    serve(words)


def _mcp(directory: str | None, workspace: str | None, agent: str | None) -> int:
    try:
        from agent_memory.interfaces.mcp_server.serve import serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("mcp", "mcp_types", "anyio", "pydantic"):
            raise
        from agent_memory.errors import ExtraMissing

        raise ExtraMissing.of("The MCP server", "mcp") from error
    return serve(directory, workspace, agent)


if __name__ == "__main__":
    sys.exit(main())
