"""A program on a terminal of its own: what it writes there, keys for it, and how it ends."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

DEADLINE_S = 90


def run_on_terminal(words: list[str], where: Path, *steps: tuple[str, str | int]) -> tuple[int, str]:
    """Start our program, press each step's keys, or send its signal, once its words were written.

    Returns:
        The exit code and all that it wrote.
    """
    import fcntl
    import pty
    import struct
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [sys.executable, "-m", "agent_memory", *words]
    with subprocess.Popen(
        command, cwd=where, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    ) as process:
        os.close(slave)
        written, waiting, limit = b"", list(steps), time.monotonic() + DEADLINE_S
        while time.monotonic() < limit and select.select([master], [], [], DEADLINE_S)[0]:
            try:
                more = os.read(master, 1 << 16)
            except OSError:  # that is how the end of a terminal shows on Linux
                more = b""
            if not more:
                break
            written += more
            if waiting and waiting[0][0].encode() in written:
                _, told = waiting.pop(0)
                process.send_signal(told) if isinstance(told, int) else os.write(master, told.encode())
        if time.monotonic() >= limit:
            process.kill()
        code = process.wait(DEADLINE_S)
    os.close(master)
    return code, written.decode(errors="replace")


def closed_upon(words: list[str], where: Path, *steps: tuple[str, str], then: Callable[[int], object]) -> int:
    """Start our program, press each step's keys once its words were written, close the terminal: the exit code.

    What comes ``then``, with the number of its process, is done once it is closed.
    """
    import fcntl
    import pty
    import struct
    import termios

    child, master = pty.fork()
    if child == 0:
        os.chdir(where)
        os.execv(sys.executable, [sys.executable, "-m", "agent_memory", *words])
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    written, limit = b"", time.monotonic() + DEADLINE_S
    for awaited, keys in steps:
        while awaited.encode() not in written and time.monotonic() < limit:
            written += os.read(master, 1 << 16)
        os.write(master, keys.encode())
    os.close(master)
    then(child)
    while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < limit:
        time.sleep(0.02)
    if not ended[0]:
        os.kill(child, signal.SIGKILL)
        ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended[1])
