"""What of the profile and the notes a briefing tells."""

from agent_memory.app import notes, profile
from agent_memory.app.brief import brief
from agent_memory.model.memory import Fact


def turn(app, command="como está a implantação?"):
    text = brief(app, "default", command, "turn").text
    return {part.split("\n")[0]: part.split("\n")[1:] for part in text.split("### ")[1:]}


def test_a_turn_is_told_what_is_pinned_and_what_comes_up(workspace):
    with workspace.app() as app:
        profile.set_fact(app, Fact("deploy", "nunca às sextas", pinned=False, keywords=("implantação",)))
        profile.set_fact(app, Fact("editor", "vim"))
        profile.set_fact(app, Fact("name", "Ana Lima"))
        profile.set_fact(app, Fact("nickname", "Zed"), by="reflection")

        assert turn(app)["profile"][:3] == ["- editor: vim", "- name: Ana Lima", "- deploy: nunca às sextas"]
        assert "deploy" not in str(turn(app, "bom dia")["profile"])
        assert "Zed" not in str(turn(app))


def test_the_users_facts_and_notes_are_told_where_there_is_no_memory_yet(workspace):
    with workspace.app() as app:
        profile.set_fact(app, Fact("editor", "vim"), for_user=True)
        notes.store(app, "A implantação leva dez minutos.", scope="all")
        told = turn(app)

    assert told["profile"][0] == "- editor: vim"
    assert "dez minutos" in told["recalled"][0]
    assert not workspace.memory.exists()


def test_notes_for_all_projects_stand_behind_the_best_of_this_one_and_in_the_index(workspace):
    with workspace.app() as app:
        for number in range(4):
            notes.store(app, f"implantação {number} desta loja")
            notes.store(app, f"implantação {number} de todas", scope="all")
        told = turn(app)
        latest = turn(app, "bom dia")

    shared = [place for place, line in enumerate(told["recalled"]) if "de todas" in line]
    assert shared == [1, 2]
    assert sum("de todas" in line for line in latest["memory-index"]) == 4


def test_a_long_profile_keeps_what_is_pinned_and_says_how_much_is_missing(workspace):
    with workspace.app() as app:
        for number in range(40):
            profile.set_fact(
                app, Fact(f"a{number:02}", "x " * 40 + str(number), pinned=False, keywords=("implantação",))
            )
        profile.set_fact(app, Fact("z_consent", "ask before anything is deleted"))
        lines = turn(app)["profile"]

    assert lines[0] == "- z_consent: ask before anything is deleted"
    assert lines[-2].startswith("… mais ")
    assert all(line.startswith("- ") for line in lines[:-2])


def test_a_channel_that_is_switched_off_takes_its_part_away(workspace):
    with workspace.app() as app:
        profile.set_fact(app, Fact("editor", "vim"))
        notes.store(app, "A implantação leva dez minutos.")
        assert {"profile", "recalled"} <= turn(app).keys()
        assert "dez minutos" in str(turn(app, "bom dia"))
    for off in ({"profile__enabled": False}, {"profile__max_tokens": 0}):
        with workspace.app(**off) as app:
            assert "profile" not in turn(app)
    with workspace.app(notes__enabled=False) as app:
        assert "dez minutos" not in str((turn(app), turn(app, "bom dia")))
    for off in (
        {"recall_injection__max_tokens": 0, "index__max_tokens": 0},
        {"recall_injection__enabled": False, "index__enabled": False},
        {"recall_injection__k": 0, "index__limit": 0},
    ):
        with workspace.app(**off) as app:
            assert turn(app).keys() == {"profile"}


def test_the_settings_say_how_many_are_recalled_and_listed_and_how_much_of_each(workspace):
    with workspace.app() as app:
        for number in range(6):
            notes.store(app, f"Implantação {number * 111}: " + "muito longa " * 30)
    sizes = {"recall_injection__k": 2, "recall_injection__preview_chars": 60}
    with workspace.app(**sizes, index__limit=3, index__preview_chars=30) as app:
        told = turn(app)

    recalled, listed = ([line for line in told[name] if line.startswith("- ")] for name in ("recalled", "memory-index"))
    label = len("- (2026-03-20 1774008000000) ")
    assert (len(recalled), len(listed)) == (2, 3)
    assert 40 < max(len(line) for line in recalled) - label <= 60
    assert 15 < max(len(line) for line in listed) - label <= 30


def test_an_index_without_room_keeps_the_newest(workspace):
    with workspace.app(index__max_tokens=100) as app:
        for number in range(12):
            notes.store(app, f"Bancada {number * 17}: {'farinha ' * 10}")
            workspace.clock.advance(minutes=1)
        listed = turn(app, "bom dia")["memory-index"]

    assert ["Bancada 187:" in listed[0], "Bancada 170:" in listed[1], listed[-2].startswith("… ")] == [True] * 3


def test_a_hand_edit_is_told_at_once(workspace):
    with workspace.app() as app:
        profile.set_fact(app, Fact("editor", "vim"))
        page = workspace.memory / "default" / "profile.md"
        page.write_text(page.read_text(encoding="utf-8").replace("editor: vim", "editor: emacs"), encoding="utf-8")

        assert turn(app)["profile"][0] == "- editor: emacs"
