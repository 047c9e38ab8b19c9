"""Two clones change one page, merged into either: the same entries, nothing lost, undone or doubled."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.memory import Add, Amend, Batch, Change, Draft, Remove
from agent_memory.vault.page import parse
from agent_memory.vault.threeway import Known, merged
from tests.vault.pages import drafts, page_texts
from tests.vault.worlds import REF, World, a_draft

BASE_IDS = ("11", "12", "13", "14")


@dataclass(frozen=True)
class Side:
    """What one clone did: to each entry of the base, and what it added, by key, or without one under an id."""

    done: tuple[str, ...]
    keys: frozenset[str]
    by_hand: int
    name: str

    def text(self, base: str) -> str:
        world = World((REF, base))
        changes = [change for entry, done in zip(BASE_IDS, self.done, strict=True) if (change := self._to(entry, done))]
        changes += [Add(REF, a_draft(f"Of {key}.", key=key, entry=f"3{key}")) for key in sorted(self.keys)]
        # The id is the same on either side: two things that were added in the same moment.
        changes += [Add(REF, a_draft(f"{self.name} {n}.", entry=f"5{n}")) for n in range(self.by_hand)]
        world.apply(Batch(tuple(changes)))
        return world.text()

    def _to(self, entry: str, done: str) -> Change | None:
        match done:
            case "removed":
                return Remove(REF, entry)
            case "edited":
                return Amend(REF, entry, body=f"{entry} as {self.name} has it.", by_person=True)
            case "marked":
                return Amend(REF, entry, meta={"status": "superseded"})
            case "voted":
                return Amend(REF, entry, meta={"votes": "1"})
            case _:
                return None


def sides(name: str) -> st.SearchStrategy[Side]:
    done = st.sampled_from(["left", "removed", "edited", "marked", "voted"])
    return st.builds(
        Side,
        st.tuples(*[done] * len(BASE_IDS)),
        st.frozensets(st.sampled_from("123"), max_size=3),
        st.integers(0, 2),
        st.just(name),
    )


def expected(ours: Side, theirs: Side) -> list[str]:
    """What must be there in the end, worked out from what was done alone."""
    bodies = [f"Of {key}." for key in ours.keys | theirs.keys]
    bodies += [f"{side.name} {n}." for side in (ours, theirs) for n in range(side.by_hand)]
    for entry, one, two in zip(BASE_IDS, ours.done, theirs.done, strict=True):
        edits = [f"{entry} as {side.name} has it." for side, done in ((ours, one), (theirs, two)) if done == "edited"]
        if not {"removed"} & {one, two} or "marked" in (one, two):
            edits = edits or [f"Base {entry}."]
        bodies += edits
    return sorted(bodies)


BASE = World()
BASE.apply(Batch(tuple(Add(REF, a_draft(f"Base {entry}.", key=f"k{entry}", entry=entry)) for entry in BASE_IDS)))


@given(sides("ours"), sides("theirs"))
def test_every_addition_and_edit_of_both_sides_is_there_once_and_no_removal_is_undone(ours: Side, theirs: Side) -> None:
    base = BASE.text()
    here, there = ours.text(base), theirs.text(base)
    one, two = merged(base, here, there, Known()), merged(base, there, here, Known())
    assert one is not None
    assert two is not None

    found = parse(one).entries
    assert sorted(entry.raw for entry in found) == sorted(entry.raw for entry in parse(two).entries)
    assert sorted(entry.body for entry in found) == expected(ours, theirs)
    names = [entry.comment.id for entry in found if entry.comment]
    assert len(set(names)) == len(names) == len(found)
    marked = {
        entry for entry, done in zip(BASE_IDS * 2, ours.done + theirs.done, strict=True) if done == "marked"
    } & set(names)
    assert marked == {entry.comment.id for entry in found if entry.comment and "status" in entry.meta} & set(BASE_IDS)
    assert merged(base, one, two, Known()) == one


@given(page_texts(), st.lists(drafts, max_size=3), st.lists(drafts, max_size=3))
def test_whatever_stands_in_a_page_what_both_sides_add_is_added_to_it(
    base: str, mine: list[Draft], theirs: list[Draft]
) -> None:
    one, other = World((REF, base)), World((REF, base))
    one.apply(Batch(tuple(Add(REF, draft) for draft in mine)))
    other.apply(Batch(tuple(Add(REF, draft) for draft in theirs)))

    done = merged(base, one.text(), other.text(), Known())

    assert done is None or {entry.raw for entry in parse(done).entries} >= {entry.raw for entry in parse(base).entries}
    assert merged(base, one.text(), base, Known()) in (one.text(), None)


@given(page_texts(), page_texts(), page_texts())
def test_any_three_texts_are_merged_or_refused_the_same_from_either_side(base: str, one: str, two: str) -> None:
    here, there = merged(base, one, two, Known()), merged(base, two, one, Known())

    assert here is None or there is None or _words(here) == _words(there)


def _words(text: str) -> list[str]:
    return sorted(entry.body for entry in parse(text).entries)
