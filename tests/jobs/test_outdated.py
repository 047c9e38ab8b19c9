"""A lesson stops saying what was replaced after it was made; what else it says stays."""

from agent_memory.fabric.lessons import LESSONS, PROCEDURES, steps_text
from agent_memory.jobs.outdated import without_replaced
from agent_memory.model.links import text_of
from agent_memory.model.memory import PageRef
from agent_memory.vault.view import View
from tests.builders import a_memory

OLD = "Let's keep the SQLite busy timeout at thirty seconds."
OTHER = "A report opens SQLite read-only and never holds the lock at checkout."
NEW = "Instead of thirty seconds, the SQLite busy timeout is five seconds now."


def parent(body, number, **meta):
    return a_memory(body, position=number, meta={"by": "heuristic", **meta})


def distilled(body, *parents, category=LESSONS, number=9, **meta):
    links = text_of(("parent", one.id) for one in parents)
    given = {"by": "consolidation", "links": links, **meta}
    return a_memory(body, page=PageRef("default", category), position=number, meta=given)


class A(View):
    """A view of entries that stand on no page."""

    def __init__(self, *memories):
        super().__init__()
        self.memories = memories
        self._by_id = {memory.id: [memory] for memory in memories}


def outcome(lesson, *parents, gone=()):
    changes, empty = without_replaced(A(lesson, *parents), gone)
    return [change.body for change in changes], [why for _, why in empty]


def test_a_line_of_what_was_replaced_goes_and_the_rest_stays():
    stale, other = parent(OLD, 1, status="superseded"), parent(OTHER, 2)

    assert outcome(distilled(f"{OLD}\n{OTHER}", stale, other), stale, other) == ([OTHER], [])
    assert outcome(distilled(OLD, stale, other), stale, other) == ([], ["replaced"])


def test_what_is_about_to_be_superseded_counts_as_replaced_and_what_stands_does_not():
    old, new = parent(OLD, 1), parent(NEW, 2)

    assert outcome(distilled(f"{OLD}\n{NEW}", old, new), old, new, gone={old.id}) == ([NEW], [])
    assert outcome(distilled(f"{OLD}\n{NEW}", old, new), old, new) == ([], [])


def test_other_words_for_what_was_replaced_go_too_and_what_speaks_of_something_else_does_not():
    stale, other = parent(OLD, 1, status="superseded"), parent(OTHER, 2)
    told = "The SQLite busy timeout is kept at thirty seconds."

    assert outcome(distilled(f"{told}\nReports never hold the SQLite lock.", stale, other), stale, other) == (
        ["Reports never hold the SQLite lock."],
        [],
    )


def test_a_procedure_with_a_step_that_was_replaced_is_let_go():
    stale = parent(OLD, 1, status="superseded")
    steps = steps_text(["Open the store.", "Keep the SQLite busy timeout at thirty seconds."])

    assert outcome(distilled(steps, stale, category=PROCEDURES), stale) == ([], ["replaced"])


def test_a_persons_lesson_and_a_kept_one_say_what_they_say():
    stale = parent(OLD, 1, status="superseded")

    assert outcome(distilled(OLD, stale, by="user"), stale) == ([], [])
    assert outcome(distilled(OLD, stale, keep="1"), stale) == ([], [])
