"""Amending one entry: its words, unless they are a person's, its comment, or both, and no more of its text."""

from __future__ import annotations

from collections.abc import Callable

from agent_memory.model.memory import Amend
from agent_memory.vault import entry as entries_of
from agent_memory.vault import heading as headings
from agent_memory.vault.comment import Comment
from agent_memory.vault.entry import Entry
from agent_memory.vault.heading import Heading


def amended(entry: Entry, change: Amend, newline: str, *, new_id: Callable[[], str]) -> str:
    """Return what ``change`` makes of ``entry``'s text, which gets a ``new_id`` if it has none and must be written."""
    heading, body, meta = entry.heading, entry.written_body, dict(change.meta)
    if change.by_person or not entry.edited:
        heading, body = _new_heading(entry, change), _new_body(entry, change, newline)
    rewritten = heading != entry.heading or body != entry.written_body
    if rewritten and change.by_person:
        meta["edited"] = "1"
    if rewritten and (change.body is not None or "sum" in entry.meta):
        meta["sum"] = entries_of.sum_of(heading, body)
    if not rewritten and all(entry.meta.get(key) == value for key, value in meta.items()):
        return entry.raw
    comment = (entry.comment or Comment(new_id())).changed(meta)
    if rewritten:
        return entries_of.compose(comment, heading, body, newline)
    return with_comment(entry, comment, newline)


def with_comment(entry: Entry, comment: Comment, newline: str) -> str:
    """Change or add the comment line; what stands below stays byte for byte."""
    if entry.comment is None:
        return comment.render() + newline + entry.raw
    line = entries_of.line_at(entry.raw, 0).rstrip(entries_of.BLANKS)
    return comment.render() + entry.raw[len(line) :]


def _new_heading(entry: Entry, change: Amend) -> Heading | None:
    if change.at is None and change.tags is None:
        return entry.heading
    old = entry.heading or headings.heading_for(entry.at, ())
    new = old if change.at is None else headings.heading_for(change.at, ())
    dated = old if new.at == old.at else new
    tag_text = old.tag_text if change.tags is None else headings.tag_text(change.tags)
    return Heading(dated.date, dated.at, tag_text)


def _new_body(entry: Entry, change: Amend, newline: str) -> str:
    """Return the body to write; the very text that stands there if it says the same already."""
    if change.body is None:
        return entry.written_body
    new = entries_of.write_body(change.body, newline)
    standing = entries_of.trim(entry.written_body.replace("\r\n", "\n"))
    return entry.written_body if new.replace("\r\n", "\n") == standing else new
