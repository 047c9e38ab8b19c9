"""Running the screen on this terminal until it is left."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from agent_memory.app.container import App, open_app
from agent_memory.app.names import check_agent
from agent_memory.app.spoken import screen_language
from agent_memory.errors import UsageError
from agent_memory.interfaces.tui import acts
from agent_memory.interfaces.tui.desk import Desk
from agent_memory.interfaces.tui.screen import Memories
from agent_memory.interfaces.tui.words import Words

ENDING: Final = ("SIGTERM", "SIGHUP", "SIGQUIT")


def serve(directory: str | None, agent: str | None) -> int:
    """Show the memory and return the exit code once the person has left.

    Args:
        directory: The memory folder, if one was named.
        agent: Whose entries; everybody's, if None.

    Raises:
        UsageError: This is no terminal.
        AgentMemoryError: Folder or settings are wrong.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("The screen needs a terminal.", hint="Other commands print what it shows, as `vault list`.")
    with open_app(directory=directory) as app:
        if agent is not None:
            agent = check_agent(app, agent)
        start, words, environment = acts.start(app), Words(screen_language(app)), app.environment

    @contextmanager
    def opened() -> Iterator[App]:
        with open_app(directory=directory) as app:
            yield app
            acts.follow(app)

    def editing(path: Path) -> None:
        from agent_memory.app import editor

        editor.run(environment, path)

    desk = Desk(opened)
    screen = Memories(desk, start, words, editing, agent)
    try:
        asyncio.run(_until_left(screen))
    finally:
        desk.close()
    return screen.return_code or 0


async def _until_left(screen: Memories) -> None:
    """Run the screen; a signal leaves it as `q` does, so that the terminal is given back and what was asked is done."""
    loop = asyncio.get_running_loop()
    for name in ENDING if sys.platform != "win32" else ():  # that system's loop hears no signals
        number = getattr(signal, name)
        if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` wants it
            loop.add_signal_handler(number, screen.call_later, screen.action_quit)
            if name == "SIGHUP":
                signal.signal(number, _let_go)  # the loop hears of it all the same, and only when it comes round
    await screen.run_async()


def _let_go(number: int, frame: FrameType | None) -> None:
    """Have what is still drawn go nowhere if the terminal is gone.

    The toolkit's thread that writes would end at the first error, and whoever fills its queue would wait for ever. The
    system wakes with SIGCONT whom it tells of a lost terminal, upon which the toolkit would begin anew.
    """
    if os.isatty(0):
        return
    signal.signal(signal.Signals["SIGCONT"], signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
