"""Flat notes come apart at their headings, and no word gets lost on the way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.text import words
from agent_memory.vault.flat import Section, sections


@pytest.mark.parametrize(
    ("title", "category"),
    [
        ("Decisões", "decisions"), ("DECISÕES TÉCNICAS", "decisions"), ("Decisions of 2025", "decisions"),
        ("Notas de sessão", "lessons"), ("Preferências do utilizador", "lessons"), ("Lessons learned", "lessons"),
        ("Contexto de projeto", "projects"), ("Project", "projects"), ("Tarefas", "tasks"), ("To-do", "tasks"),
        ("Handoffs", "handoffs"), ("Oven", "lessons"), ("", "lessons"), ("Taskforce", "lessons"),
        ("Notas sobre decisões", "decisions"), ("Decisões sobre tarefas", "decisions"),
    ],
)  # fmt: skip
def test_a_heading_names_the_category_in_either_language(title, category):
    assert Section(title, "x").category == category


def test_a_title_that_says_more_than_the_category_stays_with_its_words():
    assert Section("Decisões", "\n  - a\n\n").body == "  - a"
    assert Section("Oven", "Hot.").body == "**Oven**\n\nHot."
    assert Section("Oven", " \n").body == ""


def test_a_heading_inside_a_fence_is_text():
    text = (
        "## Decisions\n\n````md\n```\n## no\n````\n\n~~~\n```\n## no\n~~~\n\n## Tasks\n- [ ] x\n\n```\n## never closed"
    )

    assert [section.title for section in sections(text)] == ["", "Decisions", "Tasks"]


def test_what_comes_before_the_first_heading_counts_unless_it_is_a_mere_title():
    assert [section.body for section in sections("# Rita\n\nSince May.\n")] == ["# Rita\n\nSince May."]
    assert [section.body for section in sections("\n# Rita\n\n## Tasks\nx")] == ["", "x"]


@given(
    st.lists(st.sampled_from(["## Tasks", "## Oven #1", "# T", "```", "~~~~", "---", "- [ ] a", "", "é", "##x", "\r"]))
)
def test_no_word_is_lost_and_none_comes_twice(lines):
    found = list(sections("\n".join(lines)))

    assert words(" ".join(f"{section.title} {section.text}" for section in found)) == words(" ".join(lines))
