"""Which of our two languages somebody speaks, as far as their computer says. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Language = Literal["en", "pt"]

_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def spoken(environment: Mapping[str, str]) -> Language:
    """Return the language of the first locale variable that is set."""
    found = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    return "pt" if found.lower().startswith("pt") else "en"
