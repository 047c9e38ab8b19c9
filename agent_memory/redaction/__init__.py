"""Secrets out of any text, before anything else sees it.

Pure: text in, text out. What counts as a secret is data (``secrets.toml``). It refuses to guess at
personal data, and it never keeps, hashes or logs what it took out.
"""

from agent_memory.redaction.redact import Redacted, redact, signs

__all__ = ["Redacted", "redact", "signs"]
