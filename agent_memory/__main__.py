"""The entry point: runs the command line, and for it the faces that are packages of their own."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    from agent_memory.interfaces.cli.main import run

    return run(sys.argv[1:], {"mcp": _mcp})


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
