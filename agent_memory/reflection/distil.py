"""What to ask a model about entries that speak of one thing, and the reply, parsed strictly. Pure.

It judges form alone, and refuses what would be an order to whoever reads it; whether the entries bear a lesson out is
asked by whoever has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from agent_memory.model.asking import Prompt
from agent_memory.model.text import fold, one_line, words
from agent_memory.redaction import redact
from agent_memory.redaction.redact import MARK
from agent_memory.reflection.reflect import SCHEMA
from agent_memory.reflection.reply import lines_of, marks_of
from agent_memory.reflection.table import table

MAX_ENTRY_CHARS: Final = 400
MAX_PRINCIPLE_CHARS: Final = 800
MAX_WHEN_CHARS: Final = 240
MAX_STEP_CHARS: Final = 200
MAX_TAGS: Final = 6
STEPS: Final = range(2, 9)
GRAMMAR: Final = r"""
root ::= "NONE" | "LESSON " text "\nWHEN " text "\nTAGS " text step*
step ::= "\nSTEP " text
text ::= [^\n]+
""".strip()

_FORM: Final = re.compile(r"(LESSON|WHEN|TAGS|STEP) (\S.*)")


@dataclass(frozen=True, slots=True)
class Taught:
    """What a reply says: the principle, its signs, its tags, and steps if there are any."""

    principle: str
    when: str
    tags: tuple[str, ...]
    steps: tuple[str, ...]


def prompt_for(entries: Sequence[str], shared: str, *, max_reply_tokens: int) -> Prompt:
    """Return what to ask about entries, the oldest first; ``shared`` is what all of them have in common."""
    listed = [f"#{number} {one_line(text)[:MAX_ENTRY_CHARS]}" for number, text in enumerate(entries, 1)]
    about = [f"All of them speak of: {shared.lstrip('#')}", ""] if shared else []
    text = "\n".join([*about, "### entries", *listed, "", "### output"])
    return Prompt(_instructions(), text, max_reply_tokens, SCHEMA, GRAMMAR)


def read(reply: str) -> Taught | None:
    """Return what a reply says; None for NONE, and for whatever is not exactly of the form that was asked for."""
    lines = [line.strip() for line in lines_of(reply) if line.strip()]
    found = [match for match in map(_FORM.fullmatch, lines) if match and match[0].isprintable()]
    kinds = [match[1] for match in found]
    count = len(found) - 3
    if len(found) != len(lines) or kinds != ["LESSON", "WHEN", "TAGS"] + ["STEP"] * count:
        return None
    principle, when, tags, *steps = (match[2].strip() for match in found)
    too_long = len(principle) > MAX_PRINCIPLE_CHARS or len(when) > MAX_WHEN_CHARS
    if too_long or len(words(principle)) < 2 or any(map(_is_refused, (principle, when, *steps))):
        return None
    fit = count in STEPS and all(len(step) <= MAX_STEP_CHARS for step in steps)
    return Taught(principle, when, marks_of(tags)[:MAX_TAGS], tuple(steps) if fit else ())


def _is_refused(text: str) -> bool:
    """Tell whether a text is a secret, an order, or of a person or the assistant, which nobody is to be taught."""
    if MARK in text or redact(text).count:
        return True
    return any(table().finds(name, fold(text)) for name in ("order", "private", "persona"))


@cache
def _instructions() -> str:
    return resources.files(__package__).joinpath("prompts", "distil.md").read_text(encoding="utf-8")
