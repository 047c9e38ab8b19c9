"""The one door to memory that nobody needs: Python's garbage collector, and what the C library keeps.

The collector looks for values that only refer to each other, and looks through all that there are whenever a quarter
more have come. Where hundreds of thousands come to stay and none refers back, that is a tenth of the time for nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
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


def give_back() -> None:
    """Give the system what memory is free by now, where the C library can; it keeps what it once had otherwise."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
