"""``forget``, ``verify`` and ``doctor`` as a user has them."""

import json

from tests.interfaces.test_cli import answer, cli, here, taken

__all__ = ["cli", "here", "taken"]


def test_forget_asks_unless_told_not_to_and_says_what_it_did(taken, cli):
    code, _, err = cli("forget", "--match", "SQLite")
    assert (code, "Would remove" in err, "confirm" in err) == (2, True, True)
    assert any(b"one file per shop" in data for data in taken.files().values())

    told = answer(cli("forget", "--match", "SQLite", "--force", "--json"))

    assert set(told) == {"removed", "trimmed", "kept"}
    assert len(told["removed"]) >= 1
    assert not any(b"one file per shop" in data for data in taken.files().values())


def test_what_goes_with_an_excluded_chat_is_told_before_and_afterwards(here, cli):
    for number, store in enumerate(("PostgreSQL", "Kafka"), 1):
        said = f"About {store}\nWe decided to use {store} for the ledger because it is well known."
        here.chat(number).user(said).assistant("Done.").ended().save(written=here.long_ago())
    here.process()
    mine, other = ([m.id for m in here.memories() if store in m.body] for store in ("PostgreSQL", "Kafka"))

    before = cli("exclude", "*postgresql*")
    assert len(here.memories()) == len([*mine, *other])
    after = cli("exclude", "*postgresql*", "--forget")
    assert here.memories() == ()
    for told in (before[2], after[1]):
        lines = [line for line in told.splitlines() if ".md " in line]
        assert sorted(line.split()[1] for line in lines) == sorted([*mine, *other])
        assert {line.split()[1] for line in lines if "(shares words)" in line} == set(other)


def test_verify_counts(taken, cli):
    told = answer(cli("verify", "--json"))
    assert (told["verified"], told["changed"], told["gone"]) == (len(told["entries"]), 0, 0)

    for path in taken.transcripts.rglob("*.jsonl"):
        path.unlink()
    assert "0 verified" in cli("verify")[1]


def test_doctor_ends_with_1_only_where_something_is_wrong(taken, cli):
    assert cli("doctor") == (0, "All is well.\n", "")
    (taken.memory / "default" / "notes.md").write_text("<<<<<<< ours\nWords.\n", encoding="utf-8")

    code, out, _ = cli("doctor", "--json")
    assert (code, json.loads(out)["healthy"]) == (1, False)
    assert "default/notes.md:1" in cli("doctor")[1]


def test_doctor_restores_what_was_overwritten(taken, cli):
    page = taken.memory / "default" / "decisions.md"
    before = page.read_bytes()
    added = answer(cli("vault", "add", "default", "decisions", "--content", "We sell bread.", "--json"))
    page.write_bytes(before)

    code, out, _ = cli("doctor")
    assert (code, f"agent-memory doctor --restore {added['id']}" in out) == (0, True)
    assert answer(cli("doctor", "--restore", added["id"], "--json"))["restored"] == added["id"]
    assert cli("doctor", "--restore", added["id"])[0] == 2


def test_a_compaction_that_could_not_read_something_ends_with_1_and_does_the_rest(taken, cli):
    checkpoints = taken.memory / ".vault" / "checkpoints"
    (checkpoints / "a.json").mkdir(parents=True)
    (checkpoints / "b.json").write_text("{")
    code, out, err = cli("compact")

    assert (code, "1 expired checkpoints" in out, "a.json" in err) == (1, True, True)
    assert not (checkpoints / "b.json").exists()
