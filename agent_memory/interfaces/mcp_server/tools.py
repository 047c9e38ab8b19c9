"""Which tools there are: one table, put together from those of each part. Descriptions say when to use a tool."""

from __future__ import annotations

from typing import Final

from agent_memory.app.container import App
from agent_memory.app.switches import is_on
from agent_memory.interfaces.mcp_server import facts, noting, paging, recalling, tending
from agent_memory.interfaces.mcp_server.shapes import Tool

TOOLS: Final = (*recalling.TOOLS, *facts.TOOLS, *noting.TOOLS, *tending.TOOLS, *paging.TOOLS)


def offered(app: App) -> list[Tool]:
    """Return the tools that the settings leave."""
    everything = app.settings.text("mcp.tools") == "all"
    return [tool for tool in TOOLS if (everything or not tool.extra) and is_on(app, tool.channel)]
