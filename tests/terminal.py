"""A program on a terminal of its own: what it writes there, keys for it, and how it ends."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
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
