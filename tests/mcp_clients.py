"""The SDK's own client: over a real child process, and over a server in this one."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from agent_memory.interfaces.mcp_server.server import build
from tests.workspace import Workspace

T = TypeVar("T")
DEADLINE_S = 60

COMMAND = [sys.executable, "-m", "agent_memory", "mcp"]


def settings_as_variables(**settings: Any) -> dict[str, str]:
    """The environment of a child: nothing of ours but these settings."""
    return {**os.environ, **{f"AGENT_MEMORY_{name.upper()}": str(value) for name, value in settings.items()}}


@asynccontextmanager
async def child(root: Path, *words: str, mode: str = "auto", **settings: Any) -> AsyncIterator[Client]:
    command = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], *words], env=settings_as_variables(**settings), cwd=root
    )
    async with Client(stdio_client(command), mode=mode) as client:
        yield client


def talk(work: Callable[[], Awaitable[T]]) -> T:
    """Run a conversation, which must not hang."""

    async def within() -> T:
        with anyio.fail_after(DEADLINE_S):
            return await work()

    return anyio.run(within)


class Told:
    """A tool's result."""

    def __init__(self, result: Any) -> None:
        self.failed: bool = result.is_error
        self.text: str = result.content[0].text
        self.value: Any = result.structured_content

    @property
    def error(self) -> tuple[str, str]:
        assert self.failed, self.text
        return self.value["error"]["type"], self.value["error"]["field"]


class Here:
    """A server in this process, spoken to call by call."""

    def __init__(self, workspace: Workspace, **settings: Any) -> None:
        self._server = build(lambda: workspace.app(**settings))

    def ask(self, work: Callable[[Client], Awaitable[T]]) -> T:
        refused: list[MCPError] = []

        async def conversation() -> T | None:
            async with Client(self._server) as client:
                try:
                    return await work(client)
                except MCPError as error:  # which would come out in groups of groups
                    refused.append(error)
                    return None

        answer = talk(conversation)
        if refused:
            raise refused[0]
        return cast("T", answer)

    def call(self, name: str, /, **arguments: Any) -> Told:
        return Told(self.ask(lambda client: client.call_tool(name, arguments)))

    def tools(self) -> dict[str, Any]:
        return {tool.name: tool for tool in self.ask(lambda client: client.list_tools()).tools}

    def read(self, uri: str) -> str:
        return self.ask(lambda client: client.read_resource(uri)).contents[0].text  # type: ignore[union-attr]


async def call(client: Client, name: str, /, **arguments: Any) -> Told:
    return Told(await client.call_tool(name, arguments))
