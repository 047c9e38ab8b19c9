"""The command line's words in the user's language: one catalogue, ``pt.toml``, keyed by the English sentence.

The language is the process's own: whoever reads the screen is one person. What programs read stays English. Errors are
translated by their class and their facts, or where their sentence is a constant, by that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from agent_memory.errors import AgentMemoryError
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


def error_text(error: AgentMemoryError) -> tuple[str, str]:
    """Return an error's sentence and hint in the user's language, each in English where the catalogue has none."""
    sentences, rows = _said("messages"), list(_rows_of(type(error)))
    facts = {name: sentences.get(str(value), value) for name, value in error.facts.items()}
    found = []
    for field, text in (("message", error.message), ("hint", error.hint)):
        templates = (row[field] for row in rows if field in row and all(map(error.facts.get, row["facts"])))
        template = next(templates, None)
        found.append(str(sentences[text]) if text in sentences else template.format(**facts) if template else text)
    return found[0], found[1]


def usage_text(message: str) -> str:
    """Return what the parser of arguments says, in the user's language where the catalogue has it."""
    import re

    for template, translation in _said("usage").items():
        pattern = "(.*)".join(map(re.escape, template.split("{}")))
        if found := re.fullmatch(pattern, message):
            return str(translation).format(*found.groups())
    return message


def _rows_of(kind: type) -> Iterator[dict[str, Any]]:
    table = _said("errors")
    return (row for one in kind.__mro__ for row in table.get(one.__name__, ()))


def _said(table: str) -> dict[str, Any]:
    """Return a table of the catalogue; of English, which is what the program is written in, there is none."""
    if _spoken.get() == "en":
        return {}
    if not _catalogue:
        import tomllib

        _catalogue.update(tomllib.loads(Path(__file__).with_name("pt.toml").read_text(encoding="utf-8")))
    found: dict[str, Any] = _catalogue[table]
    return found
