"""An entry in full, as lines: its words, where they were said, what it held before, what it leads to, votes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agent_memory.interfaces.tui.channels import Item
from agent_memory.interfaces.tui.views import BLANK, Line
from agent_memory.interfaces.tui.words import Words
from agent_memory.model.memory import Memory
from agent_memory.model.text import one_line, shorten

if TYPE_CHECKING:
    from agent_memory.app.forget import Forgetting
    from agent_memory.app.quote import Quote

MAX_BODY_CHARS: Final = 12_000
AROUND_CHARS: Final = 240
SNIPPET_CHARS: Final = 160


@dataclass(frozen=True, slots=True)
class About:
    """What is known of an entry besides itself; None is not yet known. Links and versions are as commands tell them."""

    quoted: Quote | None
    links: Sequence[Mapping[str, Any]]
    history: Sequence[Mapping[str, Any]]
    votes: float


def lines_of(item: Item, words: Words, about: About | None = None) -> list[Line]:
    """Return the lines of an entry; those that say where it is from and where it leads need to be looked up."""
    memory = item.memory
    lines: list[Line] = [("bold", _title(memory)), ("dim", _state(memory, words)), BLANK]
    lines.append(("", memory.body[:MAX_BODY_CHARS]))
    if len(memory.body) > MAX_BODY_CHARS:
        lines.append(("dim", words("truncated")))
    parts = (_origin(memory, words, about.quoted), _history(words, about), _links(words, about)) if about else ()
    for part in map(list, parts):
        lines += [BLANK, *part] if part else []
    if about and about.votes:
        lines += [BLANK, ("bold", f"{words('votes')}: {about.votes:+.1f}")]
    return lines


def forget_lines(item: Item, words: Words, found: Forgetting) -> list[Line]:
    """Return the question whether to forget, with all that it would do."""
    groups = {
        "goes": [_named(one) for one in found.removed],
        "loses": [_named(one) for one, _ in found.trimmed],
        "stays": list(found.kept),
    }
    lines: list[Line] = [("bold", words("forget")), ("", one_line(item.memory.body[:SNIPPET_CHARS]))]
    lines += [("reverse", words("forget_keys")), BLANK]  # before what may be long
    for name, rows in groups.items():
        lines += [("bold", words(name)), *(("", f"  {one}") for one in rows), BLANK] if rows else []
    return lines


def _named(memory: Memory) -> str:
    return f"{memory.page.path} {memory.id}  {shorten(one_line(memory.body[:SNIPPET_CHARS]), 60)}"


def _title(memory: Memory) -> str:
    tags = " ".join(f"#{tag}" for tag in memory.tags)
    return " · ".join(filter(None, [memory.page.path, f"{memory.at:%Y-%m-%d %H:%M} UTC", tags]))


def _state(memory: Memory, words: Words) -> str:
    sure = memory.meta.get("confidence")
    marks = [memory.id, f"{words('by')} {memory.meta.get('by', 'user')}", memory.status, sure]
    return " · ".join(filter(None, [*marks, words("edited") if memory.edited else None]))


def _origin(memory: Memory, words: Words, quoted: Quote | None) -> Iterator[Line]:
    origin = memory.origin
    if origin is None:
        return
    yield "bold", f"{words('from')} {origin.source}/{origin.conversation}, {words('turn')} {origin.turn}"
    if quoted is None:
        yield "dim", words("unquoted")
        return
    whole_before, quoted_words, whole_after = quoted.parts
    before, after = whole_before[-AROUND_CHARS:], whole_after[:AROUND_CHARS]
    said = f"«{quoted_words}»" if quoted_words else ""
    cut = ("…" if before != whole_before else "", "…" if after != whole_after else "")
    for line in f"{cut[0]}{before}{said}{after}{cut[1]}".strip().split("\n"):
        yield "", f"│ {line}"


def _history(words: Words, about: About) -> Iterator[Line]:
    if about.history:
        yield "bold", words("history")
    for fact in about.history:
        until = (fact["valid_to"] or "")[:16].replace("T", " ")
        keywords = " ".join(fact["keywords"])
        facts = [f"{fact['valid_from'][:16].replace('T', ' ')} – {until}", fact["value"], fact["status"], keywords]
        yield "", "  " + " · ".join(filter(None, facts))


def _links(words: Words, about: About) -> Iterator[Line]:
    yield ("bold", words("links")) if about.links else ("dim", words("no_links"))
    for link in about.links:
        arrow = "→" if link["direction"] == "to" else "←"
        status = (
            "" if link["status"] == "active" else f" ({words('gone') if link['status'] == 'gone' else link['status']})"
        )
        yield "", f"  {arrow} {link['kind']} {link['category'] or ''} {link['id']}{status}  {link['snippet']}"
