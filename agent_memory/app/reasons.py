"""Why the machine wrote what it wrote, in a few words: what in a sentence spoke for it, and how sure that made us.

Worked out from an entry's own text and comment, so that it needs no transcript; where a person wrote, it says so.
"""

from __future__ import annotations

from typing import Final

from agent_memory.extraction import Memo
from agent_memory.extraction.observe import observe
from agent_memory.extraction.score import vetoed
from agent_memory.extraction.table import load, weights
from agent_memory.model.ids import EPOCH
from agent_memory.model.links import links_of
from agent_memory.model.memory import Memory, PageRef
from agent_memory.model.transcript import Record, Role, Turn
from agent_memory.vault.journal import JournalChange
from agent_memory.vault.layout import ref_of
from agent_memory.vault.page import parse

MAX_CUES: Final = 3
ROLES: Final[tuple[Role, ...]] = ("user", "assistant")
_BY: Final = {
    "reflection": "a model's reading of the exchange",
    "compaction": "sums up what moved to the archive",
    "user": "written by hand",
    "agent": "an agent's own words",
    "import": "moved in",
}
_OPS: Final = {
    "forget": "forgotten",
    "edit": "changed by hand in the page",
    "remove": "taken out",
    "restore": "put back",
}


def reason_of(change: JournalChange) -> str:
    """Say why an entry was changed."""
    ref = ref_of(change.page) or PageRef("", "")
    before, after = _memory(change.before, ref), _memory(change.after, ref)
    if change.op == "move":
        return "back from the archive" if ref.archived else "more than the page may have: to the archive"
    if change.op == "amend" and before and after:
        return _amended(before, after)
    if change.op == "add" and after:
        return reason_for(after)
    return _OPS.get(change.op, "")


def conversation_of(change: JournalChange) -> str:
    """Return what an entry came out of, ``source/conversation``; empty if it came out of none."""
    memory = _memory(change.after or change.before, PageRef("", ""))
    origin = memory.origin if memory else None
    return f"{origin.source}/{origin.conversation}" if origin else ""


def reason_for(memory: Memory) -> str:
    """Say why an entry was written."""
    by, confidence = memory.meta.get("by", ""), memory.meta.get("confidence")
    sure = [f"confidence {confidence}"] if confidence else []
    if memory.page.category == "handoffs" and by == "heuristic":
        return "the conversation went quiet"
    if by == "consolidation":
        parents = ", ".join(target for kind, target in links_of(memory) if kind == "parent")
        return f"made of {parents}" if parents else "made of what was said of one thing"
    if by == "heuristic":
        cues = cues_of(memory.body, memory.page.category)
        return "; ".join([*([f"it has {', '.join(cues)}"] if cues else []), *sure]) or "the rules of extraction"
    return "; ".join([_BY.get(by, "written by hand"), *sure])


def cues_of(body: str, category: str) -> tuple[str, ...]:
    """Return the patterns that speak most for a text's being of a category, the strongest first."""
    spoken: dict[str, float] = {}
    for role in ROLES:
        weight = weights().get(f"{category}.{role}", {})
        turn = Turn("", "", 0, role, (Record(role, body),), EPOCH)
        for one in observe(Memo.empty(), turn, load()):
            found = () if vetoed(one.signals) else one.signals - {"answer"}
            spoken |= {name: max(weight.get(name, 0.0), spoken.get(name, 0.0)) for name in found if ":" not in name}
    strongest = sorted((name for name, weight in spoken.items() if weight > 0), key=lambda name: (-spoken[name], name))
    return tuple(strongest[:MAX_CUES])


def _amended(before: Memory, after: Memory) -> str:
    if before.status != after.status:
        other = after.meta.get("superseded-by")
        return {
            None: "said again, so it counts again",
            "superseded": f"{other} took its place" if other else "its turn no longer says it",
        }.get(after.status, f"now {after.status}")
    if before.body != after.body:
        if after.meta.get("edited") == "1":
            return "edited"
        return "reported done" if "[x]" in after.body and "[ ]" in before.body else "brought up to date"
    return "its comment alone: links, votes or where it was said"


def _memory(raw: str | None, ref: PageRef) -> Memory | None:
    return next(iter(parse(raw).memories(ref)), None) if raw else None
