"""The one door to Python's garbage collector.

It looks for values that only refer to each other, and looks through all that there are whenever a quarter more have
come. Where hundreds of thousands come to stay and none refers back, that is a tenth of the time for nothing.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Let nothing be looked for in the block. What nothing refers to is freed all the same."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
