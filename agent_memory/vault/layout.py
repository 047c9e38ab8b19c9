"""Which files of a vault are pages. Names decide; a file whose folder or name is not safe anywhere is none."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from agent_memory.errors import InvalidName
from agent_memory.model.ids import check_name
from agent_memory.model.memory import PageRef

PAGE_SUFFIX: Final = ".md"


def ref_of(path: str) -> PageRef | None:
    """Return which page ``path`` is: ``<agent>/<category>.md`` or ``<agent>/archive/<category>.md``; else None."""
    agent, _, rest = path.partition("/")
    ref = PageRef(agent, rest.rpartition("/")[2].removesuffix(PAGE_SUFFIX), archived="/" in rest)
    return ref if ref.path == path and is_name(agent) and is_name(ref.category) else None


@lru_cache(maxsize=4096)
def is_name(name: str) -> bool:
    """Whether ``name`` can be an agent or a category."""
    try:
        check_name(name, "a page")
    except InvalidName:
        return False
    return True
