"""Turns to candidates: what a conversation decided, learnt and left to do, in Portuguese and English.

Pure: tables are package data, read once. ``step`` is a fold over closed turns; ``Memo`` is its state and
travels beside the bookmark; ``handoff`` renders what the memo covers.
"""

from agent_memory.extraction.engine import step
from agent_memory.extraction.handoff import handoff, pick_up, restart_handoff
from agent_memory.extraction.memo import Memo

__all__ = ["Memo", "handoff", "pick_up", "restart_handoff", "step"]
