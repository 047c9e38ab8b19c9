"""Links, votes and lessons by hand, and what they change in what is told."""

import pytest

from agent_memory.app import changes, lessons, notes, profile, tending
from agent_memory.app import vault as vaults
from agent_memory.app.brief import brief
from agent_memory.app.checks import examine
from agent_memory.errors import InvalidValue, UnknownEntry
from agent_memory.model.memory import Fact


@pytest.fixture
def app(workspace):
    with workspace.app() as opened:
        yield opened


def ends(links):
    return [(link.kind, link.id, link.outgoing) for link in links]


def test_a_link_is_shown_from_both_ends_and_taken_away(app):
    one, other = notes.store(app, "The oven is hot.").id, notes.store(app, "Bread burns at noon.").id
    tending.link(app, one, "caused-by", other)
    tending.link(app, one, "caused-by", other)

    assert ends(tending.links(app, one)) == [("caused-by", other, True)]
    assert ends(tending.links(app, other)) == [("caused-by", one, False)]
    assert tending.unlink(app, one, other) == 1
    assert tending.links(app, other) == []
    with pytest.raises(UnknownEntry):
        tending.unlink(app, one, other)


def test_what_a_person_writes_in_a_body_is_a_link(app):
    one = notes.store(app, "The oven is hot.").id
    other = notes.store(app, f"See [[{one}]] before you bake.").id

    assert ends(tending.links(app, one)) == [("relates-to", other, False)]


def test_what_is_superseded_by_a_link_counts_no_more_until_it_is_taken_away(app):
    old, new = notes.store(app, "The oven needs ten minutes.").id, notes.store(app, "Bake for twelve.").id
    tending.link(app, new, "supersedes", old)
    assert notes.recall(app, "oven minutes") == []
    tending.unlink(app, new, old)
    assert [hit.id for hit in notes.recall(app, "oven minutes")] == [old]


@pytest.mark.parametrize(
    ("kind", "other", "field"), [("because", "7", "kind"), ("parent", "7", "kind"), ("relates-to", "h-12345678", "to")]
)
def test_what_cannot_be_a_link_is_refused_by_name(app, kind, other, field):
    one = notes.store(app, "The oven is hot.").id
    with pytest.raises(InvalidValue) as refused:
        tending.link(app, one, kind, other)
    assert refused.value.facts["field"] == field
    with pytest.raises(InvalidValue):
        tending.link(app, one, "relates-to", one)


def test_a_turn_is_told_what_is_linked_too_with_contradictions_marked(app):
    one = notes.store(app, "The oven needs ten minutes.").id
    other = notes.store(app, "Bread burns after eight.").id
    tending.link(app, one, "contradicts", other)
    text = brief(app, "default", "how long for the oven?", "turn").text

    assert f"[contradicts {other}] The oven needs ten minutes." in text
    assert f"[contradicts {one}] Bread burns after eight." in text


def test_links_switched_off_lead_nowhere(workspace):
    with workspace.app(links__enabled=False) as app:
        one = notes.store(app, "The oven needs ten minutes.").id
        tending.link(app, one, "contradicts", notes.store(app, "Bread burns after eight.").id)
        assert "contradicts" not in brief(app, "default", "how long for the oven?", "turn").text


def test_votes_order_what_is_as_relevant_and_can_be_undone(app):
    ids = [notes.store(app, f"The oven number {name} is hot.").id for name in ("one", "two")]
    tending.vote(app, ids[0], "up")
    assert [hit.id for hit in notes.recall(app, "oven")] == ids
    tending.vote(app, ids[0], "down")
    assert tending.vote(app, ids[0], "down")[1] == -1
    assert [hit.id for hit in notes.recall(app, "oven")] == ids[::-1]
    assert changes.changes(app, since=None, limit=1)[0].verb == "vote down"
    changes.undo(app, None)
    assert tending.vote(app, ids[0], "up")[1] == 1


def test_votes_have_a_limit_and_fade(workspace):
    with workspace.app(voting__max_vote_per_item=2) as app:
        one = notes.store(app, "The oven is hot.").id
        assert [tending.vote(app, one, "up")[1] for _ in range(3)] == [1, 2, 2]
        workspace.clock.advance(days=30)
        assert tending.vote(app, one, "down")[1] == -1


def test_an_entry_that_a_person_wrote_gets_its_vote_in_a_comment_and_keeps_its_words(app, workspace):
    page = workspace.memory / "default" / "decisions.md"
    page.parent.mkdir(parents=True)
    words = "## 2026-03-16T10:00\n\nUse tabs.\n"
    page.write_text(words, encoding="utf-8")
    (memory,) = vaults.entries(app, "default", "decisions")

    voted, score = tending.vote(app, memory.id, "up")

    assert (voted.body, score) == ("Use tabs.", 1)
    assert page.read_text(encoding="utf-8").endswith(words)


def test_a_fact_with_three_votes_against_it_is_not_told_until_they_fade(app, workspace):
    known = profile.set_fact(app, Fact("editor", "vim")).known
    assert known is not None
    for _ in range(3):
        assert "vim" in brief(app, "default", "hello", "turn").text
        tending.vote(app, known.version.memory.id, "down")
    assert "vim" not in brief(app, "default", "hello", "turn").text
    workspace.clock.advance(days=7)
    assert "vim" in brief(app, "default", "hello", "turn").text


def test_the_users_own_vault_has_votes_and_links_too(app):
    one = notes.store(app, "Answers are short.", scope="all").id
    assert tending.vote(app, one, "up")[1] == 1
    assert tending.links(app, one) == []
    with pytest.raises(UnknownEntry):
        tending.vote(app, "7", "up")


LESSON = (
    "<!-- id:{} by:consolidation links:parent>5 confidence:0.60 activation:broken%20oven,%20smoke{} -->\n"
    "## 2026-03-16T10:00 · #bakery\n\n{}\n\n---\n\n"
)


def test_a_lesson_comes_to_mind_by_its_signs_and_deprecated_ones_only_by_id(app, workspace):
    page = workspace.memory / "default" / "lessons.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        LESSON.format(1, "", "Turn the valve first.") + LESSON.format(2, " status:deprecated", "Call Rui."), "utf-8"
    )

    found = lessons.recall(app, "lessons", "there is smoke")

    assert [(one.id, one.body) for one in found] == [("1", "Turn the valve first.")]
    assert lessons.fields(app, found[0])["parents"] == ["5"]
    assert lessons.by_id(app, "lessons", "2").body == "Call Rui."
    assert app.state.uses.all().keys() == {"2"}, "to be recalled is no use, to be looked up is"
    assert "### lessons" in brief(app, "default", "smoke in the bakery", "turn").text
    with pytest.raises(UnknownEntry):
        lessons.by_id(app, "procedures", "1")


def test_switched_off_lessons_are_not_told(workspace):
    page = workspace.memory / "default" / "lessons.md"
    page.parent.mkdir(parents=True)
    page.write_text(LESSON.format(1, "", "Turn the valve first."), "utf-8")
    with workspace.app(lessons__enabled=False) as app:
        assert "valve" not in brief(app, "default", "smoke in the bakery", "turn").text
        assert "valve" not in brief(app, "default", "smoke in the bakery", "session").text


@pytest.mark.parametrize(("text", "k", "field"), [("", None, "query"), ("x", 0, "k"), ("x", 11, "k")])
def test_a_recall_that_cannot_be_is_refused_with_its_field(app, text, k, field):
    with pytest.raises(InvalidValue) as refused:
        lessons.recall(app, "procedures", text, k=k)
    assert refused.value.facts["field"] == field


def test_two_may_not_replace_each_other_over_any_number_of_steps(app):
    one, two, three = (notes.store(app, f"The {what} is hot.").id for what in ("oven", "forno", "stove"))
    tending.link(app, two, "supersedes", one)
    tending.link(app, three, "supersedes", two)

    for newest in (two, three):
        with pytest.raises(InvalidValue):
            tending.link(app, one, "supersedes", newest)

    assert [memory.id for memory in vaults.entries(app, "default", "notes")] == [three]
    assert ends(tending.links(app, two)) == [("superseded-by", three, True), ("supersedes", one, True)]


def test_a_circle_that_somebody_has_written_is_named_by_the_doctor_with_the_command_that_opens_it(app):
    one, other = notes.store(app, "The oven is hot.").id, notes.store(app, "The stove is hot.").id
    tending.link(app, other, "supersedes", one)
    path = app.folder.root / "default" / "notes.md"
    comment = f"<!-- id:{one} "
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(comment, f"{comment}links:supersedes%3E{other} "), encoding="utf-8")

    (found,) = [one for one in examine(app).findings if "circle" in one.what]
    assert one in found.what
    assert other in found.what
    *command, heir, replaced = found.mend.split()
    assert command == ["agent-memory", "links", "remove"]
    tending.unlink(app, heir, replaced)
    assert [one for one in examine(app).findings if "circle" in one.what] == []
