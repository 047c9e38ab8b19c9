"""Markdown as HTML that can do nothing, and hides nothing."""

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from agent_memory.interfaces.web.rendering import ATTRIBUTES, MAX_CHARS, TAGS, html_of

PIECES = st.sampled_from(
    ["<script>", "</script>", "<img src=x onerror=alert(1)>", "<a href='javascript:alert(1)'>", "[a](javascript:b)",
     "[a](data:text/html,b)", "![a](http://b/c.png)", "[a]: http://b\n", "<!--", "-->", "```html\n", "`", "\n\n", "* ",
     "> ", "&lt;script&gt;", "<svg/onload=a>", "<style>", "|a|\n|-|\n", "#", "\x00", "ação", "<iframe srcdoc='x'>",
     "[x](//b)", "<https://a.b>", "[a](\tjavascript:b)", "\\<b>"]
)  # fmt: skip


class Seen(HTMLParser):
    """The elements and attributes of a text, and the words between."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.addresses, self.words = set(), [], ""
        self.attributes = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {(tag, name) for name, _ in attributes}
        self.addresses += [value for name, value in attributes if name == "href"]

    def handle_data(self, data):
        self.words += data


@given(st.lists(PIECES | st.text(max_size=10), max_size=12).map("".join))
def test_nothing_comes_out_that_could_do_anything(text):
    seen = Seen(html_of(text))

    assert seen.tags <= TAGS
    assert {name for tag, name in seen.attributes if name not in ATTRIBUTES.get(tag, ())} <= {"rel"}
    assert all(re.match(r"https?:|mailto:|[^:]*$", address) for address in seen.addresses)


@given(st.lists(st.sampled_from(["[a]: http://b.c", "<!-- x -->", "<b>", "![a](http://b)", "word"]), max_size=6))
def test_every_word_is_to_be_seen(lines):
    shown = re.sub(r"\s", "", Seen(html_of("\n\n".join(lines))).words)
    for line in lines:
        for word in re.findall(r"\w+", line.partition("(")[0]):
            assert word in shown


def test_a_huge_text_ends_as_plain_text_and_whole():
    html = html_of("[" * MAX_CHARS + "<b>*end*")
    assert html.endswith("<pre>&lt;b&gt;*end*</pre>")


def test_what_people_write_looks_like_it():
    html = html_of('# Título\n\n- [ ] **ação** `x`\n\n|a|b|\n|-|-|\n|1|~~2~~|\n\n[site](https://a.b "t")')
    for part in ("<h1>Título</h1>", "[ ] <strong>ação</strong> <code>x</code>", "<td>1</td>", "<s>2</s>"):
        assert part in html
    assert '<a href="https://a.b" title="t" rel="noopener noreferrer">site</a>' in html
