"""Commands on settings: what they are, where each comes from, and changing one."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory.interfaces.cli.output import Command, call_of
from agent_memory.interfaces.cli.words import tr

Key = Annotated[str, typer.Argument(metavar="KEY", help="A setting, as `context.max_tokens`.")]


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    config = typer.Typer(help="Settings.", rich_markup_mode=None)
    config.command("show")(show)
    config.command("get")(get)
    config.command("set")(put)
    return {"config": config}


def show(context: typer.Context) -> None:
    """List every setting, its value, and where the value comes from."""
    call = call_of(context)
    with call.app() as app:
        rows = {key: {"value": found.value, "source": found.source} for key, found in app.settings.items()}
    width = max(len(key) for key in rows)
    text = "\n".join(f"{key:{width}}  {row['value']!s:10}  {row['source']}" for key, row in rows.items())
    call.answer({"settings": rows}, text, rows=True)


def get(context: typer.Context, key: Key) -> None:
    """Print the value of a setting."""
    from agent_memory.app import config

    call = call_of(context)
    with call.app() as app:
        found = config.get(app, key)
    call.answer({"key": key, "value": found.value, "source": found.source}, str(found.value))


def put(
    context: typer.Context,
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What it is to be.")],
    user: Annotated[bool, typer.Option("--user", help="In your own file, for every workspace.")] = False,
) -> None:
    """Write a setting into the workspace's config.toml; what is personal goes into your own file."""
    from agent_memory.app import config

    call = call_of(context)
    with call.app() as app:
        path, set_to = config.put(app, key, value, for_user=user)
    call.answer(
        {"key": key, "value": set_to, "path": str(path)},
        tr("{key} is {value} in {path}.", key=key, value=set_to, path=path),
    )
