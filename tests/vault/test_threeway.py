"""Two people change a page at the same time: what becomes of each entry."""

from __future__ import annotations

from datetime import timedelta

from agent_memory.model.memory import Add, Amend, Batch, Change, Remove
from agent_memory.vault.entry import Entry
from agent_memory.vault.page import parse
from agent_memory.vault.threeway import Known, merged
from tests.builders import A_DAY
from tests.vault.worlds import REF, World, a_draft

NOTHING = Known()


def changed(text: str, *changes: Change) -> str:
    world = World(*([(REF, text)] if text else []))
    world.apply(Batch(changes))
    return world.text()


def add(body: str, entry: str, key: str | None = None, *, later_min: int = 0) -> Change:
    return Add(REF, a_draft(body, at=A_DAY + timedelta(minutes=later_min), key=key, entry=entry))


def entries(text: str | None) -> list[Entry]:
    assert text is not None
    return list(parse(text).entries)


def bodies(text: str | None) -> list[str]:
    return [entry.body for entry in entries(text)]


def ids(text: str) -> dict[str, str]:
    return {entry.body: entry.comment.id for entry in entries(text) if entry.comment}


def meta(text: str, body: str) -> dict[str, str]:
    return next(entry.meta for entry in entries(text) if entry.body == body)


def both_ways(base: str, ours: str, theirs: str, known: Known = NOTHING) -> str:
    """Merge, and hold that the other side would get the same entries."""
    here, there = merged(base, ours, theirs, known), merged(base, theirs, ours, known)
    assert sorted(entry.raw for entry in entries(here)) == sorted(entry.raw for entry in entries(there))
    assert here is not None
    return here


BASE = changed("", add("First.", "1", "a"), add("Second.", "2", "b", later_min=1))


def edit(text: str, entry: str, body: str) -> str:
    return changed(text, Amend(REF, entry, body=body, by_person=True))


def mark(text: str, entry: str, **said: str | None) -> str:
    return changed(text, Amend(REF, entry, meta=said))


def remove(text: str, entry: str) -> str:
    return changed(text, Remove(REF, entry))


def test_what_both_sides_added_stands_newest_first() -> None:
    ours, theirs = changed(BASE, add("Ours.", "3", "c", later_min=5)), changed(BASE, add("Theirs.", "4", later_min=9))

    assert bodies(both_ways(BASE, ours, theirs)) == ["Theirs.", "Ours.", "Second.", "First."]


def test_what_one_side_removed_and_the_other_left_alone_is_gone() -> None:
    assert bodies(both_ways(BASE, remove(BASE, "1"), changed(BASE, add("New.", "3")))) == ["Second.", "New."]


def test_what_one_side_removed_and_the_other_edited_stays_as_it_was_edited() -> None:
    assert bodies(both_ways(BASE, remove(BASE, "1"), edit(BASE, "1", "First, and better."))) == [
        "Second.", "First, and better.",
    ]  # fmt: skip


def test_what_was_forgotten_is_gone_however_it_was_edited() -> None:
    forgotten = Known(is_forgotten=lambda entry: entry.meta.get("key") == "a")

    assert bodies(both_ways(BASE, remove(BASE, "1"), edit(BASE, "1", "First, again."), forgotten)) == ["Second."]


def test_a_vote_does_not_bring_back_what_was_removed_but_a_status_does() -> None:
    voted = mark(BASE, "1", votes="1", voted="2026-03-17T00:00:00Z")
    kept = mark(BASE, "1", keep="1")

    assert bodies(both_ways(BASE, remove(BASE, "1"), voted)) == ["Second."]
    assert bodies(both_ways(BASE, remove(BASE, "1"), kept)) == ["Second.", "First."]


def test_words_of_one_side_and_marks_of_the_other_come_together() -> None:
    done = both_ways(BASE, edit(BASE, "1", "First, edited."), mark(BASE, "1", status="superseded", votes="2"))

    here = meta(done, "First, edited.")
    assert (here["status"], here["votes"], here["edited"], here["key"]) == ("superseded", "2", "1", "a")
    assert [entry.edited for entry in entries(done)] == [False, True]


def test_marks_of_both_sides_come_together() -> None:
    ours = mark(BASE, "1", links="relates-to>2", votes="1", voted="2026-03-17T00:00:00Z")
    theirs = mark(BASE, "1", links="caused-by>2", votes="-1", voted="2026-03-18T00:00:00Z", keep="1")

    here = meta(both_ways(BASE, ours, theirs), "First.")
    assert here["links"] == "caused-by>2,relates-to>2"
    assert (here["votes"], here["voted"], here["keep"]) == ("-1", "2026-03-18T00:00:00Z", "1")


def test_a_link_that_one_side_took_away_stays_away() -> None:
    base = mark(BASE, "1", links="relates-to>2")
    ours, theirs = mark(base, "1", links=None), mark(base, "1", links="relates-to>2,caused-by>2")

    assert meta(both_ways(base, ours, theirs), "First.")["links"] == "caused-by>2"


def test_both_versions_of_words_that_both_sides_changed_stand_and_say_so() -> None:
    done = both_ways(BASE, edit(BASE, "1", "First, ours."), edit(BASE, "1", "First, theirs."))

    assert sorted(bodies(done)) == ["First, ours.", "First, theirs.", "Second."]
    kept, beside = sorted((ids(done)["First, ours."], ids(done)["First, theirs."]))
    assert (kept, beside) == ("1", "3")
    links = {entry.comment.id: entry.meta.get("links") for entry in entries(done) if entry.comment}
    assert (links["1"], links["3"]) == ("contradicts>3", "contradicts>1")
    assert [entry.meta["key"] for entry in entries(done) if "key" in entry.meta] == ["b", "a"]


def test_the_same_edit_on_both_sides_is_one() -> None:
    same = edit(BASE, "1", "First, the same.")

    assert bodies(both_ways(BASE, same, same.replace(" ours", ""))) == ["Second.", "First, the same."]


def test_of_two_things_under_one_id_the_later_takes_the_next() -> None:
    ours, theirs = changed(BASE, add("Ours.", "7", "k1")), changed(BASE, add("Theirs.", "7", "k2", later_min=3))
    done = both_ways(BASE, ours, theirs, Known(in_use=lambda entry: entry == "8"))

    assert (ids(done)["Ours."], ids(done)["Theirs."]) == ("7", "9")
    assert not any(entry.edited for entry in entries(done))


def test_what_its_own_side_says_of_an_entry_that_takes_another_id_goes_with_it() -> None:
    old = mark(BASE, "1", links="relates-to>7,relates-to>70")
    ours = changed(old, add("Ours.", "7", "k1"), add("To ours.", "5", "k3"))
    ours = mark(ours, "5", links="relates-to>7")
    theirs = changed(old, add("Theirs.", "7", "k2", later_min=3), add("To theirs.", "6", "k4"))
    theirs = mark(
        mark(mark(theirs, "6", links="contradicts>7,relates-to>1"), "7", supersedes="2"), "2", status="superseded"
    )
    done = both_ways(old, ours, mark(theirs, "2", **{"superseded-by": "7"}))

    moved = ids(done)["Theirs."]
    assert (ids(done)["Ours."], moved) == ("7", "8")
    assert meta(done, "Second.")["superseded-by"] == moved
    assert meta(done, "To theirs.")["links"] == f"contradicts>{moved},relates-to>1"
    assert meta(done, "To ours.")["links"] == "relates-to>7"
    assert meta(done, "First.")["links"] == "relates-to>7,relates-to>70"


def test_one_thing_that_both_sides_took_is_one_whatever_its_ids() -> None:
    ours, theirs = changed(BASE, add("New.", "7", "k")), changed(BASE, add("New.", "9", "k"))

    assert ids(both_ways(BASE, ours, theirs))["New."] == "7"


def test_what_a_person_typed_without_an_id_is_known_by_its_words() -> None:
    typed = "## 2026-03-10\n\nTyped.\n\n## 2026-03-09\n\nOlder.\n"
    ours = mark(typed, next(m.id for m in World((REF, typed)).view().memories if m.body == "Typed."), votes="1")
    theirs = typed.replace("Typed.", "Typed, and edited.")

    assert bodies(both_ways(typed, ours, typed)) == ["Typed.", "Older."]
    assert bodies(both_ways(typed, ours, theirs)) == ["Typed, and edited.", "Older."]


def test_front_matter_and_text_that_no_rule_knows_come_from_both_sides() -> None:
    ours = BASE.replace("format: 1\n---\n", "format: 1\nours: yes\n---\n\nOur remark.\n")
    theirs = BASE.replace("format: 1\n---\n", "format: 1\ntheirs: yes\n---\n\nTheir remark.\n")
    done = both_ways(BASE, ours, theirs)

    assert done.split("\n")[3:9] == ["format: 1", "ours: yes", "theirs: yes", "---", "", "Our remark."]
    assert done.split("\n")[9:11] == ["Their remark.", ""]
    assert bodies(done) == ["Second.", "First."]


def test_a_page_that_both_sides_began_is_one_page() -> None:
    ours, theirs = changed("", add("Ours.", "1", "a")), changed("", add("Theirs.", "2", "b"))
    done = both_ways("", ours, theirs)

    assert done.count("format: 1") == 1
    assert sorted(bodies(done)) == ["Ours.", "Theirs."]


def test_line_ends_stay_those_of_our_page() -> None:
    theirs = changed(BASE, add("Theirs.", "7"))
    done = merged(BASE.replace("\n", "\r\n"), BASE.replace("\n", "\r\n"), theirs, NOTHING)

    assert done is not None
    assert done.count("\n") == done.count("\r\n")
    assert sorted(bodies(done)) == ["First.", "Second.", "Theirs."]


def test_a_page_of_a_format_to_come_is_not_merged() -> None:
    assert merged(BASE, BASE, BASE.replace("format: 1", "format: 2"), NOTHING) is None
