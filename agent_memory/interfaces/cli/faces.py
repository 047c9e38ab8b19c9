"""Commands that are another face of the product, which the entry point knows how to run."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory.interfaces.cli.output import Command, call_of


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    return {"mcp": mcp, "hook": hook}


def mcp(
    context: typer.Context,
    workspace: Annotated[
        str | None, typer.Option("--workspace", "-w", metavar="PATH", help="The project's folder; default: this one.")
    ] = None,
    agent: Annotated[str | None, typer.Option("--agent", "-a", metavar="NAME", help="Whose memory.")] = None,
) -> None:
    """Serve the memory to an MCP client over standard input and output."""
    call = call_of(context)
    call.faces["mcp"](call.directory, workspace, agent)


def hook(
    context: typer.Context,
    editor: Annotated[str, typer.Argument(metavar="EDITOR")],
    event: Annotated[str, typer.Argument(metavar="EVENT")],
) -> None:
    """Answer an editor's event: JSON in, JSON out, always with 0 and at once."""
    call_of(context).faces["hook"](editor, event)
