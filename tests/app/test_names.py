"""Names that are nearly right, and ids that are given by their end."""

import pytest

from agent_memory.app import changes, vault
from agent_memory.app.names import check_agent, check_category, whole_id
from agent_memory.errors import UnknownAgent, UnknownCategory, UnknownEntry

PAGE = """---
agent: default
category: {category}
format: 1
---

<!-- id:1773679871839 by:user -->
## 2026-03-16T16:51

Prices are in cents.

---

<!-- id:1773679{middle}839 by:user -->
## 2026-03-15T16:51

Deploy on Mondays.
"""


@pytest.fixture
def app(workspace):
    folder = workspace.memory / "default"
    folder.mkdir(parents=True)
    for category, middle in (("decisions", "222"), ("lessons", "333")):
        (folder / f"{category}.md").write_text(PAGE.format(category=category, middle=middle), encoding="utf-8")
    with workspace.app() as app:
        yield app


def test_an_id_is_known_by_its_end(app):
    assert whole_id(app, "222839") == "1773679222839"
    assert whole_id(app, "1773679222839") == "1773679222839"


def test_an_end_that_several_have_names_them(app):
    with pytest.raises(UnknownEntry) as caught:
        whole_id(app, "839")

    assert "1773679222839" in caught.value.hint
    assert whole_id(app, "2839", "default", "decisions") == "1773679222839"
    assert whole_id(app, "2839", "default", "lessons") == "2839"


def test_two_characters_and_what_nothing_ends_in_are_taken_as_they_are(app):
    assert whole_id(app, "39") == "39"
    assert whole_id(app, "999999") == "999999"


def test_what_was_deleted_is_known_by_its_end_where_it_can_be_brought_back(app):
    vault.delete(app, "default", "decisions", "1773679222839")

    assert whole_id(app, "222839") == "222839"
    assert whole_id(app, "222839", gone=True) == "1773679222839"
    run = changes.changes(app, since=None, limit=1)[0].run
    assert whole_id(app, run[-6:], gone=True) == run


def test_a_slip_of_the_finger_in_an_agent_or_a_category_is_answered_with_what_is_near(app):
    with pytest.raises(UnknownAgent, match="defualt") as agent:
        check_agent(app, "defualt")
    with pytest.raises(UnknownCategory) as category:
        check_category(app.vault.view(), "desicions")

    assert agent.value.hint == "Did you mean default? Agents with pages: default."
    assert category.value.hint.startswith("Did you mean decisions? Categories: decisions, ")
    with pytest.raises(UnknownAgent) as far:
        check_agent(app, "zz")
    assert far.value.hint == "Agents with pages: default."
