"""The command line's words in the user's language: one catalogue, ``pt.toml``, keyed by the English sentence.

The language is the process's own: whoever reads the screen is one person. What programs read stays English. What lower
layers say, errors, findings and reasons, is English too, and translated here.
"""

from __future__ import annotations

import os
import re
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from agent_memory.model.language import spoken

SETTING: Final = "ui.language"
AUTO: Final = "auto"

_spoken: ContextVar[str] = ContextVar("spoken", default="en")
_catalogue: dict[str, Any] = {}


def speak(setting: str = "") -> None:
    """Speak the language of the setting ``ui.language``; without one, or with ``auto``, that of the locale."""
    known = setting or os.environ.get("AGENT_MEMORY_UI_LANGUAGE", AUTO)  # noqa: TID251  the door to it costs 20 ms
    _spoken.set(known if known in ("en", "pt") else spoken(os.environ))  # noqa: TID251


def tr(sentence: str, /, **facts: object) -> str:
    """Return a sentence in the user's language, with its facts filled in."""
    said = str(_said("messages").get(sentence, sentence))
    return said.format(**facts) if facts else said


def told(sentence: str) -> str:
    """Return what a lower layer says, in the user's language where the catalogue has it, with the facts in it."""
    known = {**_said("messages"), **_said("said")}
    if sentence in known:
        return str(known[sentence])
    for template, translation in _said("said").items():
        pattern = "(.*)".join(map(re.escape, template.split("{}")))
        if found := re.fullmatch(pattern, sentence, re.DOTALL):
            # A name that a command takes is one word, and stays as it is.
            return str(translation).format(*(known.get(part, part) if " " in part else part for part in found.groups()))
    return sentence


def _said(table: str) -> dict[str, Any]:
    """Return a table of the catalogue; of English, which is what the program is written in, there is none."""
    if _spoken.get() == "en":
        return {}
    if not _catalogue:
        import tomllib

        _catalogue.update(tomllib.loads(Path(__file__).with_name("pt.toml").read_text(encoding="utf-8")))
    found: dict[str, Any] = _catalogue[table]
    return found
