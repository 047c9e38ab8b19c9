"""The entry point: runs the command line, and for it the faces that are packages of their own."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line, or at once the hook that an editor waits for, and return the exit code."""
    words = sys.argv[2:]
    if sys.argv[1:2] == ["hook"] and not (words and words[0].startswith("-")):
        return _hook(*words)
    from agent_memory.interfaces.cli.main import run

    return run(sys.argv[1:], {"mcp": _mcp, "hook": _hook, "viewer": _viewer, "tui": _tui})


def _hook(*words: str) -> int:
    from agent_memory.interfaces.hook.answer import serve

    serve(words)


def _viewer(directory: str | None, host: str, port: int, *, opens: bool, remote: bool, token: str) -> int:
    try:
        from agent_memory.interfaces.web.serve import serve
    except ModuleNotFoundError as error:
        raise _missing(error, "The viewer", "web", ("starlette", "uvicorn", "markdown_it", "nh3", "anyio")) from error
    return serve(directory, host, port, opens=opens, remote=remote, token=token)


def _mcp(directory: str | None, workspace: str | None, agent: str | None) -> int:
    try:
        from agent_memory.interfaces.mcp_server.serve import serve
    except ModuleNotFoundError as error:
        raise _missing(error, "The MCP server", "mcp", ("mcp", "mcp_types", "anyio", "pydantic")) from error
    return serve(directory, workspace, agent)


def _tui(directory: str | None, agent: str | None) -> int:
    try:
        from agent_memory.interfaces.tui.serve import serve
    except ModuleNotFoundError as error:
        raise _missing(error, "The terminal screen", "tui", ("textual",)) from error
    return serve(directory, agent)


def _missing(error: ModuleNotFoundError, what: str, extra: str, modules: tuple[str, ...]) -> Exception:
    """Return what to raise for a module that is not there: the sentence, if the extra would bring it."""
    from agent_memory.errors import ExtraMissing

    return ExtraMissing.of(what, extra) if (error.name or "").split(".")[0] in modules else error


if __name__ == "__main__":
    sys.exit(main())
