"""Logging: one line per event, with names and counts, never a word of transcript text."""

from __future__ import annotations

import logging
import sys
from typing import Final

LOGGER: Final = "agent_memory"


def configure(*, quiet: bool = False) -> None:
    """Send the package's log to stderr: events, or warnings only if ``quiet``. Calling twice is fine."""
    logger = logging.getLogger(LOGGER)
    logger.setLevel(logging.WARNING if quiet else logging.INFO)
    logger.propagate = False
    logger.handlers.clear()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", datefmt="%H:%M:%S"))
    logger.addHandler(handler)


def get(name: str) -> logging.Logger:
    """Return the logger of one module."""
    return logging.getLogger(f"{LOGGER}.{name}")
