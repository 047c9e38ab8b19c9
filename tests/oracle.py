"""A language model that knows the truth about ``tests.life`` and nothing else, and answers in the form asked for.

It is as good as a model can be and no better: it says what was said, in the words in which it was said.
"""

from __future__ import annotations

import re

from tests.life import CONTRADICTED, SUPERSEDED, THEMES, statements

_ROW = re.compile(r"^#(\d+) \w+ (?:\[[^\]]*\] )?(.*)$", re.MULTILINE)
_ENTRY = re.compile(r"^#\d+ (.*)$", re.MULTILINE)
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|$)")
_WORD = re.compile(r"\w{5,}")
_AN_ACCENT = re.compile(r"[à-ü]", re.IGNORECASE)


class Oracle:
    """Reflects and distils for the life with this seed."""

    def __init__(self, seed: int) -> None:
        lasting = {one.text: one.role for one in statements(seed)}
        self._said = lasting | {one.statement: "user" for one in (*SUPERSEDED, *CONTRADICTED)}

    def reply(self, asked: str) -> str:
        """Return the lines for an exchange, or for the entries of a cluster."""
        return self._distilled(asked) if "### entries" in asked else self._reflected(asked)

    def _reflected(self, asked: str) -> str:
        listed, exchange = asked.split("### exchange")
        found = [text for text in self._said if " ".join(text.split()) in exchange][:2]
        lines = [f"{'DECISION' if self._said[text] == 'user' else 'LESSON'} {text}" for text in found]
        rows = _ROW.findall(listed)
        for number, text in enumerate(found, 1):
            gone = [one.statement for one in SUPERSEDED if one.replacement == text]
            lines += [f"LINK #{number} supersedes #{name}" for name, body in rows if body in gone]
        if "### told" in listed:
            lines += [f"VOTE up #{name}" for name, _ in rows[:1] if found]
        return "\n".join(lines) or "NONE"

    def _distilled(self, asked: str) -> str:
        entries = _ENTRY.findall(asked.split("### entries")[1])
        principle = [match[0].strip() for entry in entries[-2:] if (match := _SENTENCE.match(entry))]
        signs = _WORD.findall(" ".join(entries))[:4]
        themes = {tuple(theme.name for theme in THEMES if theme.told_in(entry)) for entry in entries}
        if len(signs) < 4 or len(themes) > 1 or () in themes:
            return "NONE"  # they speak of different things, or of nothing that lasts
        tags = [sign.lower() for sign in signs if not _AN_ACCENT.search(sign)]
        return f"LESSON {' '.join(principle)}\nWHEN {', '.join(signs)}\nTAGS {', '.join(tags[:3]) or 'shop'}"
