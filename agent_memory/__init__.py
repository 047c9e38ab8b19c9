"""A memory for coding agents that forms by itself and stays on the user's disk as Markdown.

``open_memory(directory)`` opens one as a library; ``NewEntry`` is what it takes in. Importing this package
loads nothing; asking it for one of the two does.
"""

TYPE_CHECKING = False  # what type checkers take it for; importing typing for it would load it
if TYPE_CHECKING:
    from agent_memory.app.library import NewEntry as NewEntry
    from agent_memory.app.library import open_memory as open_memory

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name in ("NewEntry", "open_memory"):
        from agent_memory.app import library

        return getattr(library, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
