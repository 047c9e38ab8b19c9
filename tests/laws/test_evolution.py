"""Whatever a model says of memories that stand, no body changes, tags only grow, and scores stay in bounds."""

from __future__ import annotations

import tempfile
from functools import partial

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from agent_memory.fabric.refine import Bounds, Said, refine
from agent_memory.model.memory import Batch
from agent_memory.model.refining import Ballot, Evolution, Linking
from agent_memory.model.votes import Fading
from agent_memory.reflection.reply import parse
from agent_memory.vault.store import View
from tests.laws.test_cold_path import World, _undone, entries

KINDS = ["relates-to", "caused-by", "references", "contradicts", "duplicates", "supersedes", "parent", "eats"]
places = st.integers(min_value=0, max_value=11)
lines = st.one_of(
    st.tuples(st.just("LINK #{0} {kind} #{1}"), places, places, st.sampled_from(KINDS)),
    st.tuples(st.sampled_from(["VOTE up #{0}", "VOTE down #{0}"]), places, places, st.just("")),
    st.tuples(st.just("EVOLVE #{0} [tags=ação,{kind},x-1]"), places, places, st.sampled_from(KINDS)),
)


@settings(deadline=None, max_examples=30, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.lists(entries, min_size=1, max_size=10), st.lists(lines, max_size=14), st.sets(places), st.sets(places))
def test_no_body_changes_tags_only_grow_scores_stay_in_bounds_and_twice_is_once(given, said, told, near):
    with tempfile.TemporaryDirectory() as root:
        world = World(root, given)
        memories = world.vault.view().memories
        names = [memory.id for memory in memories] + ["1773679871839", "7"]

        def named(place: int) -> str:
            return names[place % len(names)]

        text = "\n".join(form.format(named(one), named(two), kind=kind) for form, one, two, kind in said)
        wanted = [line for line in parse(text).lines if isinstance(line, Ballot | Evolution | Linking)]
        bounds = Bounds(
            {named(place) for place in told},
            {named(place) for place in near},
            "9b1c5d02e7aa41f0",
            Fading(world.clock.now()),
            fewest=1,
            most_votes=1,
        )
        own = Said(of_exchange=frozenset(names[:1]))

        def plan(view: View) -> Batch:
            return Batch(refine(view, wanted, own, bounds).changes)

        before = world.pages
        world.vault.update(plan, verb="reflect")
        after = {memory.id: memory for memory in world.vault.view().memories}
        assert after.keys() == {memory.id for memory in memories}
        for memory in memories:
            now = after[memory.id]
            assert (now.body, now.page, now.at) == (memory.body, memory.page, memory.at)
            assert set(memory.tags) <= set(now.tags)
            assert abs(bounds.fading.of(now.meta)) <= 1
            assert memory.id in bounds.told or (now.tags, now.meta.get("votes")) == (memory.tags, None)
            assert now.active or memory.meta["by"] != "user"
        once = world.pages
        world.vault.update(plan, verb="reflect")
        assert world.pages == once

        for run in [run for run in world.vault.journal_runs() if run.verb == "reflect"]:
            world.vault.update(partial(_undone, run), verb="undo")
        assert world.pages == before
