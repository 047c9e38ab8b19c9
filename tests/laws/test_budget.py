"""Law 6, the budget holds; law 8 and 13, what is quoted cannot pose as the briefing's own words."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent_memory.context.budget import MORE
from agent_memory.context.build import MIN_TOKENS, NOTHING, build
from agent_memory.context.counting import COUNTERS
from agent_memory.context.render import HEADING, RULE, quoted
from agent_memory.context.sections import SECTIONS
from agent_memory.model.briefing import BRIEFING_END, BRIEFING_START, KINDS, Briefing
from agent_memory.model.text import open_boxes, without_briefings
from tests.builders import A_DAY
from tests.context.told import CATEGORIES, a_hit, a_source

HOSTILE = [
    BRIEFING_END,
    BRIEFING_START,
    HEADING,
    "\n## SYSTEM\n",
    "\n- # - # SYSTEM\n",
    "\n> x\n> ===\n",
    "\n1) ># x\n",
    "\n- [ ] tarefa\n",
    "[a](http://x) ",
    "![a](http://x)",
    "[[17]]",
    "[a]: http://x\n",
    "<http://x>",
    "<img src=x>",
    "> ",
    "```\n",
    "\n===\n",
    "\u2028",
    "\x85",
    "\ud800",
    "não",
    "記憶",
    "🧠",
]
texts = st.one_of(
    st.text(max_size=300), st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20))).map("".join)
)
long_texts = st.builds(lambda text, times: text * times, texts, st.sampled_from([1, 1, 5, 200]))
hits = st.builds(
    a_hit,
    long_texts,
    id=st.from_regex(r"[0-9]{1,40}", fullmatch=True),
    category=st.sampled_from(CATEGORIES),
    at=st.integers(0, 10_000).map(lambda minutes: A_DAY + timedelta(minutes=minutes)),
)
vaults = st.lists(hits, max_size=14, unique_by=lambda hit: (hit.page.category, hit.id))
messages = st.lists(st.tuples(texts, texts), max_size=4)
budgets = st.one_of(st.just(MIN_TOKENS), st.integers(MIN_TOKENS, 400), st.integers(MIN_TOKENS, 8_000))
markdown = MarkdownIt("commonmark")


def check(briefing: Briefing, counter: str) -> None:
    text = briefing.text
    assert briefing.tokens == COUNTERS[counter].tokens(text) <= briefing.max_tokens
    assert briefing.prefix + briefing.tail == text
    text.encode("utf-8")
    lines = text.splitlines()
    assert lines == text.split("\n")
    assert (lines[0], lines[-1]) == (BRIEFING_START, BRIEFING_END)
    assert len(re.findall("agent-memory:briefing", text, re.IGNORECASE)) == 2
    assert without_briefings(f"a {text} b").split() == ["a", "b"]
    headings = [heading for section in SECTIONS for heading in section.heading.values()]
    for line in lines[1:-1]:
        ours = line in ("", HEADING, RULE, *NOTHING.values()) or any(line.startswith(f"### {h}") for h in headings)
        assert ours or line.startswith(("> ", ">…", "- ", "… ")), line


@given(
    command=texts,
    project=long_texts,
    vault=vaults,
    recovering=messages,
    kind=st.sampled_from(KINDS),
    counter=st.sampled_from(sorted(COUNTERS)),
    max_tokens=budgets,
)
@example(command="", project="", vault=[], recovering=[], kind="session", counter="estimate", max_tokens=MIN_TOKENS)
def test_a_briefing_never_exceeds_its_budget(command, project, vault, recovering, kind, counter, max_tokens):
    source = a_source(*vault, command=command, project=project, recovering=recovering)

    briefing = build("default", source, kind, max_tokens=max_tokens, counter=COUNTERS[counter])

    check(briefing, counter)
    told = [(item.hit, item.section) for item in briefing.items if item.hit and item.fate != "cut"]
    assert len({(hit.page.category, hit.id) for hit, _ in told}) == len(
        {(hit.page.category, hit.id, section) for hit, section in told}
    )
    caps = {section.heading["en"]: section.max_tokens for section in SECTIONS if section.kind == "turn"}
    for block in briefing.text.split("\n### ")[1:] if kind == "turn" else ():
        shown = "### " + block.removesuffix(f"\n{BRIEFING_END}").rstrip("\n")
        assert COUNTERS[counter].tokens(shown) <= (caps[block.split("\n")[0]] or max_tokens)
    if kind == "session":
        newest = next(iter(source.latest("handoffs", 1)), None)
        handoff = quoted(newest.body) if newest else ()
        assert not handoff or any(line.startswith(handoff[0][:3]) for line in briefing.text.splitlines())
        has_tasks = any(open_boxes(task.body) for task in source.latest("tasks", None))
        assert counter != "estimate" or max_tokens < 100 or ("### " in briefing.text) >= has_tasks


@given(texts)
@example("\x1b\r#")
def test_nothing_that_is_quoted_is_live_markdown(text):
    source = a_source(*(a_hit(text, category=category) for category in CATEGORIES), project=text)

    for kind in KINDS:
        tokens = markdown.parse(build("default", source, kind, max_tokens=8_000).text)
        headings = [tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "heading_open"]
        inline = [child for token in tokens for child in token.children or ()]
        assert not [child.type for child in inline if child.type in ("link_open", "image", "html_inline")]
        assert "[[" not in "".join(token.content for token in tokens)
        ours = {"MEMORY CONTEXT", *(heading for section in SECTIONS for heading in section.heading.values())}
        assert {heading.split(" (2026-")[0] for heading in headings} <= ours


@pytest.mark.parametrize("max_tokens", [100, 2000, 100_000])
def test_a_vault_of_any_size_keeps_handoff_and_tasks_in_sight(max_tokens):
    huge = "palavras e mais palavras\n" * 10_000
    tasks = [a_hit(f"- [ ] tarefa {n} " + "x" * (n % 90), category="tasks", id=str(n)) for n in range(10_000)]
    kinds = ("handoffs", "decisions", "lessons")
    source = a_source(*(a_hit(huge, category=name) for name in kinds), *tasks, command="continue", project=huge)

    briefing = build("default", source, max_tokens=max_tokens)

    check(briefing, "estimate")
    assert briefing.text.count("\n> palavras e mais palavras\n") + briefing.text.count("\n> palavras e mais…\n") >= 1
    handoff, tasks_shown = (briefing.text.split("\n### ")[n] for n in (1, -1))
    assert re.search(MORE["pt"].format(r"\d+"), handoff)
    assert re.search(MORE["pt"].format(r"\d+"), tasks_shown)
    assert {"handoff", "tasks", "project"} <= {cut.section for cut in briefing.cuts}


def test_the_upper_bound_counts_every_byte_that_is_not_ascii():
    count = COUNTERS["conservative"].tokens

    assert [count(text) for text in ("", "ab", "2026", "ã", "記", "🧠")] == [0, 1, 4, 2, 3, 4]
