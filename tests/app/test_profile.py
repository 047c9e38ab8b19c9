"""The profile in a workspace: two vaults, two times, hands that edit, journals that get lost."""

import json
import threading
from datetime import UTC, datetime

import pytest

from agent_memory.app import changes, profile, vault
from agent_memory.app.forget import forget, words_of
from agent_memory.errors import InvalidValue, UnknownEntry, UsageError
from agent_memory.model.memory import Fact
from tests.fakes import FrozenClock


def put(app, key, value, **known):
    return profile.set_fact(app, Fact(key, value), **known)


def values(app, **when):
    return {known.version.fact.key: known.version.fact.value for known in profile.listed(app, **when).facts}


def page(workspace):
    return workspace.memory / "default" / "profile.md"


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def user_page(app):
    return app.user.folder.root / "user" / "profile.md"


def test_facts_about_the_person_go_to_their_own_vault_and_the_rest_stays_here(workspace):
    with workspace.app() as app:
        places = {
            key: put(app, key, value, for_user=for_user).known.place
            for key, value, for_user in (
                ("name", "Ana Lima", False),
                ("language", "pt", False),
                ("timezone", "Europe/Lisbon", False),
                ("editor", "vim", False),
                ("shell", "fish", True),
            )
        }
        other = workspace.root.parent / "other"
        other.mkdir()
        written = sorted(path.name for path in app.user.folder.root.iterdir())

    assert [key for key, place in places.items() if place == "workspace"] == ["editor"]
    assert written == [".gitattributes", ".gitignore", ".vault", "user"]
    with type(workspace)(other, workspace.home, workspace.clock).app() as app:
        assert set(values(app)) == {"name", "language", "timezone", "shell"}
    assert not (other / ".memory").exists()


def test_reading_makes_nothing(workspace):
    with workspace.app() as app:
        assert profile.listed(app).facts == ()
        assert profile.told(app, "default", "hello") == []
        assert not app.user.folder.root.exists()
    assert not workspace.memory.exists()


def test_a_workspace_may_have_its_own_value_for_what_the_user_has_everywhere(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim", for_user=True)
        workspace.clock.advance(minutes=1)
        put(app, "editor", "emacs")
        assert values(app) == {"editor": "emacs"}

        assert profile.remove(app, "editor").place == "workspace"
        assert values(app) == {"editor": "vim"}
        assert [known.place for known in profile.history(app, "editor")] == ["user", "workspace"]


def test_a_name_that_a_workspace_has_of_its_own_is_set_there(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim")
        edit(page(workspace), "editor: vim", "name: Ana")

        assert put(app, "name", "Bia").known.place == "workspace"
        assert values(app) == {"name": "Bia"}


def test_the_same_under_another_key_is_refused_across_both_vaults(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim", for_user=True)
        with pytest.raises(InvalidValue) as refused:
            put(app, "preferred_editor", "vim")
    assert refused.value.facts["existing"] == "editor"


def test_a_value_changed_by_hand_is_a_new_version_from_the_read_that_saw_it(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim")
        written = page(workspace).read_bytes()
        workspace.clock.advance(hours=1)
        edit(page(workspace), "editor: vim", "editor: emacs")
        by_hand = page(workspace).read_bytes()
        assert by_hand != written
        workspace.clock.advance(hours=1)
        seen = workspace.clock.now()

        assert values(app) == {"editor": "emacs"}
        assert page(workspace).read_bytes() == by_hand

        workspace.clock.advance(hours=1)
        put(app, "shell", "fish")
        old, new = profile.history(app, "editor")

    assert (old.version.fact.value, old.version.valid_to) == ("vim", seen)
    assert (new.version.fact.value, new.version.valid_from, new.version.recorded_at) == ("emacs", seen, seen)
    text = page(workspace).read_text(encoding="utf-8")
    assert "editor: vim" in text
    assert "editor: emacs" in text
    assert old.version.memory.status == "superseded"


def test_a_search_or_a_briefing_sees_a_hand_edit_too(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim")
        _ = app.mirror
        edit(page(workspace), "editor: vim", "editor: emacs")
        workspace.clock.advance(hours=1)
        seen = workspace.clock.now()
        _ = app.mirror
        workspace.clock.advance(hours=1)

        assert profile.history(app, "editor")[-1].version.valid_from == seen
        assert [run.verb for run in changes.changes(app, since=None, limit=2)] == ["by hand", "profile set"]


def test_what_was_known_then_is_what_was_answered_then(workspace):
    answers = []
    with workspace.app() as app:

        def note():
            answers.append((workspace.clock.now(), values(app)))
            workspace.clock.advance(hours=1)

        put(app, "editor", "vim")
        note()
        put(app, "editor", "emacs", since=workspace.clock.now())
        note()
        edit(page(workspace), "editor: emacs", "editor: nano")
        note()
        put(app, "shell", "fish")
        note()
        profile.remove(app, "editor")
        note()
        changes.undo(app, None)
        note()

        assert [values(app, known_at=when) for when, _ in answers] == [known for _, known in answers]
        assert answers[-1][1] == {"editor": "nano", "shell": "fish"}


def test_then_and_what_was_believed_of_then_are_two_questions(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim", since=datetime(2026, 3, 1, tzinfo=UTC))
        first = workspace.clock.now()
        workspace.clock.advance(days=3)
        put(app, "editor", "emacs", since=datetime(2026, 3, 10, tzinfo=UTC))
        between = datetime(2026, 3, 12, tzinfo=UTC)

        assert values(app, as_of=between) == {"editor": "emacs"}
        assert values(app, as_of=between, known_at=first) == {"editor": "vim"}


def test_after_loss_of_the_journal_the_answer_says_that_it_is_not_whole(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim")
        before = workspace.clock.now()
        assert profile.listed(app, known_at=before).whole_from is None
        workspace.clock.advance(hours=1)
        (workspace.memory / ".vault" / "journal.jsonl").unlink()

        lost = profile.listed(app, known_at=before)

        assert (lost.facts, lost.whole_from) == ((), workspace.clock.now())
        assert values(app) == {"editor": "vim"}
        assert profile.listed(app, known_at=workspace.clock.now()).whole_from is None


def test_a_lost_mirror_or_state_changes_nothing(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim")
        put(app, "editor", "emacs")
        _ = app.mirror
        before = profile.history(app, "editor"), profile.listed(app)
    for name in ("mirror.sqlite3", "state.sqlite3"):
        (workspace.memory / ".vault" / name).unlink(missing_ok=True)

    with workspace.app() as app:
        assert (profile.history(app, "editor"), profile.listed(app)) == before


def test_undo_takes_back_a_set_and_a_removal_but_not_what_was_put_back_for_a_person(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim")
        edit(page(workspace), "editor: vim", "editor: emacs")
        put(app, "editor", "nano")
        changes.undo(app, None)
        assert values(app) == {"editor": "emacs"}
        assert [known.version.fact.value for known in profile.history(app, "editor")] == ["vim", "emacs"]

        profile.remove(app, "editor")
        assert values(app) == {}
        changes.undo(app, None)
        assert values(app) == {"editor": "emacs"}


def test_editing_an_entry_with_a_command_keeps_the_value_before_it(workspace):
    with workspace.app() as app:
        kept = put(app, "editor", "vim")
        vault.edit(app, "default", "profile", kept.known.version.memory.id, "editor: emacs")

        assert [known.version.fact.value for known in profile.history(app, "editor")] == ["vim", "emacs"]


def test_what_was_deleted_by_hand_is_gone_and_the_journal_says_when(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim")
        before = workspace.clock.now()
        workspace.clock.advance(hours=1)
        page(workspace).write_text("", encoding="utf-8")

        assert values(app) == {}
        with pytest.raises(UnknownEntry):
            profile.history(app, "editor")
        assert values(app, known_at=before) == {"editor": "vim"}


def test_forgotten_words_are_in_no_version(workspace):
    with workspace.app() as app:
        put(app, "codename", "Bluefinch Under The Bridge")
        put(app, "codename", "Another Name Altogether")
        forget(app, words_of(app, None, "Bluefinch Under The Bridge"))
        old = profile.history(app, "codename")[0].version

        # The user's own words are theirs; what the machine wrote of them would be gone.
        assert old.fact.value == "Bluefinch Under The Bridge"
        forget(app, words_of(app, old.memory.id, None))
        assert [known.version.fact.value for known in profile.history(app, "codename")] == ["Another Name Altogether"]
        assert values(app, known_at=workspace.clock.now()) == {"codename": "Another Name Altogether"}
    assert "Bluefinch" not in (workspace.memory / ".vault" / "journal.jsonl").read_text(encoding="utf-8")


def test_secrets_are_taken_out_of_a_value_and_refused_as_a_key(workspace):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with workspace.app() as app:
        kept = put(app, "forge", f"uses {token}")
        assert (kept.redactions, token in kept.known.version.fact.value) == (1, False)
        with pytest.raises(InvalidValue, match="secret"):
            put(app, token, "x")
        edit(page(workspace), "forge: uses", f"forge: mine is {token}, not")
        assert values(app)["forge"].startswith("mine is")
        told = profile.told(app, "default", "")
    assert token not in "".join(hit.body for hit in told)
    assert token not in (workspace.memory / ".vault" / "journal.jsonl").read_text(encoding="utf-8")


def test_the_host_that_sets_a_name_needs_the_users_own_words(workspace):
    with workspace.app() as app:
        put(app, "name", "Zed", by="agent", said=["open the editor"])
        assert profile.told(app, "default", "hi") == []
        assert values(app) == {"name": "Zed"}

        assert put(app, "name", "Zed", by="agent", said=["I am Zed, hello"]).outcome == "amended"
        assert [hit.body for hit in profile.told(app, "default", "hi")] == ["name: Zed"]


def test_a_briefing_without_the_channel_has_nothing_of_it(workspace):
    with workspace.app(profile__enabled=False) as app:
        put(app, "editor", "vim")
        assert profile.told(app, "default", "") == []


def test_contextual_facts_come_up_by_keyword_unless_the_gate_is_open(workspace):
    fact = Fact("deploy", "never on Fridays", pinned=False, keywords=("implantação",))
    with workspace.app() as app:
        profile.set_fact(app, fact)
        assert profile.told(app, "default", "como está a implantacao?")
        assert not profile.told(app, "default", "como está?")
    with workspace.app(profile__contextual_keyword_gate=False) as app:
        assert profile.told(app, "default", "como está?")


def test_the_cap_is_the_settings(workspace):
    with workspace.app(profile__max_entries=2) as app:
        for number in range(4):
            profile.set_fact(app, Fact(f"k{number}", f"v{number}", pinned=False, keywords=("w",)))
            workspace.clock.advance(minutes=1)
        assert set(values(app)) == {"k2", "k3"}
        assert profile.history(app, "k0")[0].version.status == "evicted"


def test_a_vault_that_cannot_be_written_can_be_read(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim")
        edit(page(workspace), "editor: vim", "editor: emacs")
        journal = workspace.memory / ".vault" / "journal.jsonl"
        kept = journal.read_bytes()
        journal.unlink()
        journal.mkdir()
        try:
            assert [hit.body for hit in profile.told(app, "default", "")] == ["editor: emacs"]
        finally:
            journal.rmdir()
            journal.write_bytes(kept)


def test_a_date_is_the_end_of_its_day_and_a_time_is_itself(workspace):
    assert profile.moment("2026-03-16") == datetime(2026, 3, 16, 23, 59, 59, 999999, tzinfo=UTC)
    assert profile.moment("2026-03-16T10:00") == datetime(2026, 3, 16, 10, tzinfo=UTC)
    assert profile.moment(None) is None
    with pytest.raises(UsageError):
        profile.moment("yesterday")


def test_the_users_own_vault_can_be_opened_by_itself(workspace):
    with workspace.app() as app:
        put(app, "name", "Ana Lima")
        root = app.user.folder.root
    from agent_memory.app.container import open_app

    with open_app(directory=str(root), workspace=str(workspace.root), clock=workspace.clock) as app:
        assert values(app) == {"name": "Ana Lima"}
        assert put(app, "editor", "vim").known.place == "user"


def test_every_line_of_the_journal_is_json(workspace):
    with workspace.app() as app:
        put(app, "editor", "vim")
        edit(page(workspace), "editor: vim", "editor: ação 🙂")
        values(app)
    lines = (workspace.memory / ".vault" / "journal.jsonl").read_text(encoding="ascii").splitlines()
    assert [json.loads(line)["verb"] for line in lines] == ["profile set", "by hand"]


def test_who_waits_for_another_writer_says_it_after_them(workspace):
    class Ticking(FrozenClock):
        def now(self):
            with ticking:
                self.advance(milliseconds=1)
                return self.moment

    ticking, here = threading.Lock(), type(workspace)(workspace.root, workspace.home, Ticking())

    def write(who):
        with here.app() as app:
            for turn in range(6):
                put(app, "editor", f"{who} {turn}")

    writers = [threading.Thread(target=write, args=[who]) for who in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    with here.app() as app:
        chain = [known.version for known in profile.history(app, "editor")]
    assert len(chain) == 18
    assert [version.valid_to for version in chain] == [*(version.valid_from for version in chain[1:]), None]
    assert [version.recorded_at for version in chain] == sorted(version.recorded_at for version in chain)
