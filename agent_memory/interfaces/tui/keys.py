"""The keys: one table, of which the bindings and the help are made. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agent_memory.interfaces.tui.words import Words


@dataclass(frozen=True, slots=True)
class Key:
    """What some keys do. ``does`` are the actions, each with the names that the toolkit has for its keys."""

    shown: str
    words: str
    does: tuple[tuple[str, str], ...]


NUMBERS: Final = "1234567890"

KEYS: Final = (
    Key(
        "j k",
        "key_move",
        (
            ("j,down", "move(1)"),
            ("k,up", "move(-1)"),
            ("pagedown,ctrl+f", "page(1)"),
            ("pageup,ctrl+b", "page(-1)"),
            ("home", "page(-1000000)"),
            ("end", "page(1000000)"),
        ),
    ),
    Key("Enter", "key_open", (("enter", "open"),)),
    Key("Esc", "key_back", (("escape,backspace", "close"),)),
    Key("[ ]", "key_sides", (("left_square_bracket", "side(-1)"), ("right_square_bracket", "side(1)"))),
    Key("1 … 9 0", "key_channel", tuple((key, f"channel({place})") for place, key in enumerate(NUMBERS))),
    Key("f", "key_filter", (("f", "filter"),)),
    Key("g", "key_near", (("g", "near"),)),
    Key("/", "key_search", (("slash", "search"),)),
    Key("e", "key_edit", (("e", "edit"),)),
    Key("space", "key_tick", (("space", "tick"),)),
    Key("x", "key_delete", (("x", "delete"),)),
    Key("X", "key_forget", (("X", "forget"),)),
    Key("y", "key_yes", (("y", "yes"),)),
    Key("n", "key_no", (("n", "no"),)),
    Key("u", "key_undo", (("u", "undo"),)),
    Key("r", "key_refresh", (("r", "refresh"),)),
    Key("a", "key_auto", (("a", "auto"),)),
    Key("?", "key_help", (("question_mark", "help"),)),
    Key("q", "key_quit", (("q,ctrl+c", "quit"),)),
)


def help_lines(words: Words) -> Iterator[str]:
    """Yield what each key does."""
    for key in KEYS:
        yield f"{key.shown:<9} {words(key.words)}"
