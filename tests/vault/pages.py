"""Strategies for pages as people, machines and accidents leave them, and for what is written into them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from agent_memory.model.memory import Draft

TRICKY_LINES = (
    "---",
    "----",
    "",
    "  ",
    "\r",
    "text",
    "a  ",
    "agent: default",
    "## 2026-03-16",
    "## 2026-03-16T16:51 · #tag",
    "## 2026-03-16 · no tag",
    "## 2026-13-99",
    "\\## 2026-03-16",
    "# Title",
    "<!-- id:12 -->",
    "<!-- id:1773679871839 by:user sum:4be1a90c -->",
    "\\<!-- id:12 -->",
    "```",
    "\ufeff",
)

lines = st.one_of(st.sampled_from(TRICKY_LINES), st.text(max_size=8))
line_ends = st.sampled_from(("\n", "\n", "\r\n"))


@st.composite
def page_texts(draw: st.DrawFn) -> str:
    """Any page: tricky lines, mixed line ends, with and without front matter, BOM and a last line end."""
    body = "".join(line + end for line, end in draw(st.lists(st.tuples(lines, line_ends), max_size=10)))
    top = draw(st.sampled_from(("", "", "\ufeff", "---\nagent: default\ncategory: decisions\n---\n")))
    cut = draw(st.integers(0, 2))
    return top + (body[:-cut] if cut else body)


moments = st.integers(0, 3 * 24 * 60).map(
    lambda minutes: datetime(2026, 3, 15, tzinfo=UTC) + timedelta(minutes=minutes)
)
drafts = st.builds(
    Draft,
    body=page_texts(),
    at=moments,
    by=st.just("heuristic"),
    tags=st.lists(st.text(max_size=6), max_size=2).map(tuple),
)
