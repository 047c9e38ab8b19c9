"""What two people, or two computers, did to the comment above one entry, into one; and where that entry leads.

Pure.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from agent_memory.model.links import LINKS
from agent_memory.model.votes import VOTED, VOTES
from agent_memory.vault.amend import with_comment
from agent_memory.vault.comment import Comment
from agent_memory.vault.entry import Entry

OF_THE_WORDS: Final = ("sum", "edited")
"""What a comment says of the words below it; it goes where they go."""
LEADING: Final = (LINKS, "supersedes", "superseded-by")


def merged(old: Entry | None, words: Entry, other: Entry) -> Comment:
    """Return the comment that has what both sides changed in it; of the words it says what their own did."""
    before, here, there = old.meta if old else {}, words.meta, other.meta
    comments = [entry.comment for entry in (words, other) if entry.comment]
    latest = max(here, there, key=lambda meta: (meta.get(VOTED, ""), meta.get(VOTES, "")))
    said: dict[str, str | None] = {}
    for key in sorted(here.keys() | there.keys()):  # in an order that is the same from either side
        was, one, two = before.get(key), here.get(key), there.get(key)
        if key in OF_THE_WORDS or one == two or two == was:
            said[key] = one
        elif one == was:
            said[key] = two
        elif key in (VOTES, VOTED):
            said[key] = latest.get(key)
        else:
            said[key] = _links(was, one, two) if key == LINKS else max(text for text in (one, two) if text is not None)
    comment = replace(comments[0], id=min((comment.id for comment in comments), key=int))
    return comment.changed(dict.fromkeys(said.keys() - before.keys())).changed(said)


def _links(was: str | None, one: str | None, two: str | None) -> str | None:
    before, here, there = ((text or "").split(",") for text in (was, one, two))
    dropped = {link for link in before if link not in here or link not in there}
    return ",".join(sorted({*here, *there} - dropped - {""})) or None


def contradicting(comment: Comment, entry_id: str) -> Comment:
    """Return a comment that says that another entry says something else."""
    return comment.changed({LINKS: _links(None, comment.meta.get(LINKS), f"contradicts>{entry_id}")})


def leads(entry: Entry, entry_id: str) -> bool:
    """Tell whether an entry's comment names another, in a link or as what replaced it or was replaced."""
    return any(entry_id in re.findall(r"\d+", entry.meta.get(key, "")) for key in LEADING)


def relinked(raw: str, was: str, now: str) -> str:
    """Return an entry's text that names one entry where it named another."""
    comment = Entry(raw).comment
    said: dict[str, str | None] = {
        key: re.sub(rf"\b{was}\b", now, comment.meta[key]) for key in LEADING if comment and key in comment.meta
    }
    return under(raw, comment.changed(said)) if comment else raw


def under(raw: str, comment: Comment) -> str:
    """Return an entry's text under another comment."""
    return with_comment(Entry(raw), comment, "\n")
