"""Exchanges to candidates through a language model: what to ask, and what of the reply to believe.

Pure: it opens no connection. Whoever holds a model asks the ``Prompt`` and brings the reply back. It
refuses whatever the exchange does not bear out; a reply is somebody else's text until that is shown.
"""

from agent_memory.reflection.exchange import Exchange, Pairing
from agent_memory.reflection.reflect import Limits, Reflection, is_trivial, prompt_for, read

__all__ = ["Exchange", "Limits", "Pairing", "Reflection", "is_trivial", "prompt_for", "read"]
