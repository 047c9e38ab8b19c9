"""Which distilled lessons are let go: by votes, by nobody using them, by number."""

from datetime import timedelta

from agent_memory.fabric.lessons import Keeping, let_go
from agent_memory.fabric.notes import Use
from agent_memory.model.memory import PageRef
from agent_memory.model.votes import Fading
from tests.builders import A_DAY, a_memory

LESSONS = PageRef("default", "lessons")
NOW = A_DAY + timedelta(days=100)


def a_lesson(number, *, days=0, **meta):
    made = int((A_DAY + timedelta(days=days)).timestamp() * 1000) + number
    return a_memory(id=str(made), page=LESSONS, meta={"by": "consolidation", **meta}, position=number)


def reasons(*lessons, used=(), most=100, days=90):
    uses = {lessons[n].id: Use(1) for n in used}
    gone = let_go(lessons, uses, Fading(NOW), Keeping(most, timedelta(days=days)))
    return {lessons.index(memory): why for memory, why in gone}


def test_what_nobody_uses_goes_after_a_while_and_what_was_looked_up_stays():
    assert reasons(a_lesson(1), a_lesson(2), a_lesson(3, days=50), used=[1]) == {0: "never used"}


def test_votes_against_outweigh_only_what_nobody_used_and_fade():
    against = {"votes": "-1", "voted": NOW.isoformat()}
    faded = {"votes": "-1", "voted": (NOW - timedelta(days=20)).isoformat()}
    lessons = [a_lesson(n, days=99, **votes) for n, votes in enumerate((against, against, faded), 1)]

    assert reasons(*lessons, used=[1]) == {0: "voted down"}


def test_of_too_many_the_least_voted_for_and_oldest_go():
    liked = {"votes": "2", "voted": NOW.isoformat()}
    assert reasons(a_lesson(1, days=99, **liked), a_lesson(2, days=99), a_lesson(3, days=99), most=2) == {1: "too many"}


def test_a_persons_lessons_and_kept_ones_are_never_let_go():
    by_hand = a_memory(page=LESSONS, meta={"by": "user"}, id="5")
    assert reasons(by_hand, a_lesson(1, keep="1")) == {}
