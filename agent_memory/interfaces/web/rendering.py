"""Markdown as HTML that can do nothing: no script, no style, no picture, no request.

Whoever wrote it may have been a chat, a model or a web page. HTML in it is shown as the text that it is, and what
comes out is cleaned once more by another library's rules.
"""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Final

import nh3
from markdown_it import MarkdownIt

TAGS: Final = frozenset(
    "p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s del a table thead tbody tr th td".split()
)
ATTRIBUTES: Final = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}}
HIDING: Final = ("image", "reference")
"""What Markdown has that shows something else than its words, or nothing."""
MAX_CHARS: Final = 50_000
SCHEMES: Final = frozenset({"http", "https", "mailto"})


def html_of(text: str) -> str:
    """Return Markdown as safe HTML, every word of it to be seen; what is very long ends as plain text."""
    rest = f"<pre>{escape(text[MAX_CHARS:])}</pre>" if len(text) > MAX_CHARS else ""
    return nh3.clean(
        _markdown().render(text[:MAX_CHARS]) + rest,
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer",
    )


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(HIDING)
