"""What no reply may have stored, whatever the exchange says.

Pure. These are matters of content; whether the exchange bears a line out is asked in ``grounding``.
"""

from __future__ import annotations

from typing import Literal

from agent_memory.model.text import fold
from agent_memory.redaction import redact
from agent_memory.redaction.redact import MARK
from agent_memory.reflection.table import table

Refusal = Literal["secret", "order", "private", "persona"]


def refusal(text: str, *, user_text: str, key: str = "") -> Refusal | None:
    """Return why ``text``, a body or ``key=value``, may not be stored; None if it may.

    A persona that a person speaks of in ``user_text`` is theirs to speak of.
    """
    folded = fold(text)
    if (key and table().finds("secret-key", key.lower())) or MARK in text or redact(text).count:
        return "secret"
    if table().finds("order", folded):
        return "order"
    if table().finds("private", folded):
        return "private"
    persona = table().expressions["persona"].search(folded)
    return "persona" if persona and persona[0] not in fold(user_text) else None
