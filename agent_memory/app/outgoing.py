"""The last thing that happens to an answer that goes to a language model: what must not be told is taken out.

A person may have written anything into a page, and a search finds it.
"""

from __future__ import annotations

from typing import Any

from agent_memory.context.render import visible
from agent_memory.model.text import clean
from agent_memory.redaction import redact


def safe(value: Any) -> Any:
    """Return a JSON value without secrets, and without characters that cannot be sent or seen, in any text of it."""
    match value:
        case str():
            return redact(visible(clean(value))).text
        case list():
            return [safe(one) for one in value]
        case dict():
            return {key: safe(one) for key, one in value.items()}
        case _:
            return value
