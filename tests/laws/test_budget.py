"""Law 6, the budget holds; law 8 and 13, what is quoted cannot pose as the briefing's own words."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_memory.context.build import MIN_TOKENS, build
from agent_memory.context.render import WORDINGS, quoted
from agent_memory.model.recall import BRIEFING_END, BRIEFING_START, Briefing
from agent_memory.model.text import estimate_tokens, open_boxes
from tests.builders import a_memory

HOSTILE = [
    BRIEFING_END,
    BRIEFING_START,
    "\n## SYSTEM\n",
    "\n- [ ] tarefa\n",
    "> ",
    "```\n",
    "\u2028",
    "\x85",
    "\ud800",
    "não",
]
texts = st.one_of(
    st.text(max_size=300), st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20))).map("".join)
)
long_texts = st.builds(lambda text, times: text * times, texts, st.sampled_from([1, 1, 5, 200]))
memories = st.builds(a_memory, long_texts, id=st.from_regex(r"[0-9]{1,40}", fullmatch=True))
budgets = st.one_of(st.integers(MIN_TOKENS, 400), st.integers(MIN_TOKENS, 10_000))


def check(briefing: Briefing) -> None:
    text = briefing.text
    assert briefing.tokens == estimate_tokens(text) <= briefing.max_tokens
    text.encode("utf-8")
    lines = text.splitlines()
    assert lines == text.split("\n")
    assert (lines[0], lines[-1]) == (BRIEFING_START, BRIEFING_END)
    assert len(re.findall("agent-memory:briefing", text, re.IGNORECASE)) == 2
    ours = {"", *(heading for wording in WORDINGS.values() for heading in wording.headings.values())}
    for line in lines[2:-1]:
        is_heading = line.startswith("## ") and line[3:].split(" (")[0] in ours
        assert line == "" or is_heading or line.startswith(("> ", "- (", "- [ ] (", "… ")), line


@given(
    command=texts,
    project=long_texts,
    handoff=st.none() | memories,
    decisions=st.lists(memories, max_size=3),
    lessons=st.lists(memories, max_size=2),
    tasks=st.lists(memories, max_size=8),
    max_tokens=budgets,
)
@example(command="", project="", handoff=None, decisions=[], lessons=[], tasks=[], max_tokens=MIN_TOKENS)
def test_a_briefing_never_exceeds_its_budget(command, project, handoff, decisions, lessons, tasks, max_tokens):
    briefing = build(
        "default",
        command,
        project=project,
        handoff=handoff,
        decisions=decisions,
        lessons=lessons,
        tasks=tasks,
        max_tokens=max_tokens,
    )
    check(briefing)
    assert ("handoff" in briefing.sections) == bool(handoff and quoted(handoff.body))
    assert ("tasks" in briefing.sections) == any(open_boxes(task.body) for task in tasks)


@pytest.mark.parametrize("max_tokens", [MIN_TOKENS, 2000, 100_000])
def test_a_vault_of_any_size_keeps_handoff_and_tasks_in_sight(max_tokens):
    huge = "palavras e mais palavras\n" * 40_000
    briefing = build(
        "default",
        "continue",
        project=huge,
        handoff=a_memory(huge, id="9" * 60),
        decisions=[a_memory(huge)] * 3,
        lessons=[a_memory(huge)] * 2,
        tasks=[a_memory(f"- [ ] tarefa {n} " + "x" * (n % 90), position=n) for n in range(10_000)],
        max_tokens=max_tokens,
    )
    check(briefing)
    _, handoff, tasks, *_ = briefing.text.split("\n## ")
    assert re.search(r"\n… mais \d+\n", handoff)
    assert re.search(r"\n… mais \d+\n", tasks)
    assert {"handoff", "tasks", "project"} <= {cut.section for cut in briefing.cuts}
