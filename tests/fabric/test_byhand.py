"""What the journal says of a profile, and what people did to it beyond that."""

from datetime import UTC, datetime, timedelta

from agent_memory.fabric import byhand, versions
from agent_memory.model.memory import Add, Batch, Draft, PageRef, Remove
from agent_memory.vault.journal import JournalChange, JournalRun
from tests.builders import A_DAY
from tests.vault.worlds import World

PAGE = PageRef("default", "profile")


class Told:
    """A world with a journal: what batches do and what was seen by hand, an hour apart."""

    def __init__(self):
        self.world = World()
        self.runs = []

    def _add(self, verb, changes):
        at = A_DAY + timedelta(hours=len(self.runs))
        self.runs.append(JournalRun(str(len(self.runs)), at, verb, tuple(changes)))
        return at

    def do(self, batch, verb="test"):
        return self._add(verb, self.world.apply(batch).journal)

    def edit(self, old, new):
        text = self.world.text(PAGE)
        assert old in text
        self.world.texts[PAGE] = text.replace(old, new).encode()

    def see(self):
        view = self.world.view()
        seen = byhand.hand_edits(view, self.runs)
        self._add("by hand", seen)
        assert byhand.hand_edits(view, self.runs) == []
        return seen

    def put_back(self):
        return self.do(byhand.put_back(self.world.view(), PAGE, byhand.replay(self.runs)))

    def chain(self):
        return byhand.replay(self.runs).chain(PAGE, self.world.view().of("default", "profile"))


def said(told, body="editor: vim"):
    told.do(Batch((Add(PAGE, Draft(body, A_DAY, "user", id="7", meta={"fact": "editor"})),)))


def spans(told):
    return [(version.fact.value, version.valid_from, version.valid_to) for version in told.chain()]


def times(told):
    return [(one.fact.value, one.valid_from, one.recorded_at, one.valid_to) for one in told.chain()]


def at(hour):
    return A_DAY + timedelta(hours=hour)


def test_values_changed_in_place_are_versions_before_and_after_they_are_put_back():
    told = Told()
    said(told)
    told.edit("editor: vim", "editor: emacs")
    told.see()
    told.edit("editor: emacs", "editor: nano")
    told.see()
    before = spans(told)

    told.put_back()

    assert before == [("vim", at(0), at(1)), ("emacs", at(1), at(2)), ("nano", at(2), None)]
    assert spans(told) == before
    assert versions.versions(told.world.view().of("default", "profile")) == told.chain()
    assert not byhand.put_back(told.world.view(), PAGE, byhand.replay(told.runs))


def test_a_change_of_the_comment_or_of_blanks_is_no_new_version():
    told = Told()
    said(told)
    told.edit("fact:editor", "fact:editor pinned:0 keywords:ci")
    told.see()
    told.edit("editor: vim", "editor:   vim")
    told.see()

    assert spans(told) == [("vim", at(0), None)]


def test_an_entry_without_an_id_keeps_its_past_when_it_gets_one():
    told = Told()
    told.world = World((PAGE, "## 2026-01-01T10:30\n\neditor: vim\n"))
    told.see()
    told.see()
    told.edit("editor: vim", "editor: emacs")
    (seen,) = told.see()
    assert seen.before is not None
    written = datetime(2026, 1, 1, 10, 30, tzinfo=UTC)
    expected = [("vim", written, at(0), at(2)), ("emacs", at(2), at(2), None)]
    assert times(told) == expected

    told.put_back()

    assert times(told) == expected
    assert "editor: emacs" in told.world.text(PAGE)


def test_what_a_person_takes_out_is_not_put_back():
    told = Told()
    said(told)
    told.edit("editor: vim", "editor: emacs")
    told.see()
    told.put_back()
    past = next(memory for memory in told.world.view().memories if memory.body == "editor: vim")
    told.world.apply(Batch((Remove(PAGE, past.id),)))
    told.see()

    assert spans(told) == [("emacs", at(1), None)]
    assert not byhand.put_back(told.world.view(), PAGE, byhand.replay(told.runs))


def test_words_that_state_no_fact_any_more_keep_their_key():
    told = Told()
    said(told)
    told.edit("editor: vim", "I use nano these days")
    told.see()

    assert [(version.fact.key, version.fact.value) for version in told.chain()] == [
        ("editor", "vim"),
        ("editor", "I use nano these days"),
    ]


def test_a_changed_key_ends_the_old_one():
    told = Told()
    said(told)
    told.edit("editor: vim", "shell: fish")
    told.see()

    assert set(versions.current(told.chain())) == {"shell"}
    assert ("vim", at(0), at(1)) in spans(told)


def test_a_journal_that_began_after_the_facts_says_so():
    told = Told()
    said(told)
    told.runs.clear()
    told.see()

    assert byhand.replay(told.runs).whole_from == told.runs[0].at
    whole = Told()
    said(whole)
    assert byhand.replay(whole.runs).whole_from is None
    by_hand = Told()
    by_hand.world = World((PAGE, "## 2026-03-16\n\neditor: vim\n"))
    by_hand.see()
    assert byhand.replay(by_hand.runs).whole_from is None


def test_a_replay_ends_where_it_is_told_to_and_follows_moves_and_forgetting():
    told = Told()
    said(told)
    told.runs.append(JournalRun("m", at(1), "x", (JournalChange("move", PAGE.path, "7", None, told.world.text(PAGE)),)))
    told.runs.append(
        JournalRun("f", at(2), "forget", (JournalChange("forget", PAGE.counterpart.path, "7", None, None),))
    )

    places = [
        [place.archived for place, _ in byhand.replay(told.runs, until=at(hour)).memories] for hour in (-1, 0, 1, 2)
    ]

    assert places == [[], [False], [True], []]


def test_what_is_no_profile_page_is_passed_over():
    change = JournalChange("add", "default/notes.md", "7", None, "## 2026-03-16\n\nname: x")
    strange = JournalChange("add", "../profile.md", "7", None, "## 2026-03-16\n\nname: x")

    assert byhand.replay([JournalRun("1", datetime(2026, 1, 1, tzinfo=UTC), "x", (change, strange))]).memories == {}
