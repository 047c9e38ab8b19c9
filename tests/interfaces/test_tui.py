"""The terminal screen in this process, by Textual's pilot: every screen, every key, and what happens beside it."""

import logging
import re
import shutil
import threading
from pathlib import Path

import pytest

from agent_memory.app import forget, vault
from agent_memory.errors import FileError
from agent_memory.system import locks
from tests import bakery
from tests.fakes import FrozenClock
from tests.tui import DEADLINE_S, SCREENS, Resized, Sitting, Until
from tests.workspace import Workspace

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tui.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    home = tmp_path_factory.mktemp("filled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        return bakery.opened(home)


@pytest.fixture
def shop(home, filled):
    shutil.copytree(filled.home, home, dirs_exist_ok=True)
    return Workspace(home / "bakery", home, FrozenClock(filled.clock.now()))


def bodies(workspace, category, agent="default", *, proposed=False):
    with workspace.app() as app:
        return [memory.body for memory in vault.entries(app, agent, category, "proposed" if proposed else "active")]


def rows(screen):
    """The lines between the channels' names and the first empty one."""
    return screen.split("\n\n")[0].split("\n")[3:]


def test_every_screen_is_as_the_page_shows_it(home):
    shown = dict(re.findall(r"^### ([^\n]+)\n\n```text\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL))

    seen = Sitting(bakery.opened(home)).tour(SCREENS)
    assert seen == shown, "scripts/tui_captures.py writes the page anew"
    for text in seen.values():
        assert text.replace("\n", "").isprintable()


def test_the_screen_speaks_portuguese(shop):
    seen = Sitting(shop, vault__language="pt").tour({"tasks": ("8",), "forgetting": ("X",), "keys": ("question_mark",)})

    assert "[8 Tarefas]" in seen["tasks"]
    assert "y esquece, em todo lugar e sem volta" in seen["forgetting"]
    assert "marca uma tarefa como feita" in seen["keys"]


def test_a_folder_without_a_memory_shows_nothing_and_stays_as_it_is(workspace):
    seen = Sitting(workspace).tour({key: (key,) for key in "1234567890"})

    assert all("Nothing here." in text for text in seen.values())
    assert not workspace.memory.exists()


def test_x_deletes_and_u_brings_back_to_the_byte(shop):
    before = (shop.memory / "default" / "decisions.md").read_bytes()
    seen = Sitting(shop).tour({"deleted": ("7", "x"), "back": ("u",), "nothing": ("u",)})

    assert len(rows(seen["deleted"])) == 2
    assert "u brings it back" in seen["deleted"]
    assert len(rows(seen["back"])) == 3
    assert "Nothing was done here" in seen["nothing"]
    assert (shop.memory / "default" / "decisions.md").read_bytes() == before


def test_keys_that_come_faster_than_the_vault_is_written_are_about_the_next_rows(shop):
    Sitting(shop).sees("0", Until("spelt"), "y", "n", "y")

    assert bodies(shop, "decisions", proposed=True) == []
    accepted = [body for body in bodies(shop, "decisions") if "spelt" in body]
    assert accepted == ["Maybe spelt for the rolls.", "Maybe spelt for the brioche."]


def test_u_waits_for_what_it_takes_back(shop):
    before = bodies(shop, "decisions")
    Sitting(shop).sees("7", Until("Ferm"), "x", "x", "u", "u")

    assert bodies(shop, "decisions") == before


def test_space_ticks_the_box_of_the_row_and_no_other(shop):
    seen = Sitting(shop).tour({"ticked": ("8", "j", "space"), "undone": ("u",), "no task": ("7", "space")})

    assert "limpar" not in seen["ticked"]
    assert "limpar" in seen["undone"]
    assert "no open task" in seen["no task"]
    assert "- [ ] clean the oven\n- [ ] limpar a bancada\n- [x] weigh the salt" in bodies(shop, "tasks")


def test_y_and_n_are_about_proposals_alone(shop):
    assert "no proposal" in Sitting(shop).sees("7", "y")
    assert "no proposal" in Sitting(shop).sees("7", "n")


def test_forgetting_asks_first_and_n_leaves_it(shop):
    seen = Sitting(shop).tour({"asked": ("2", "X"), "left": ("n",), "gone": ("X", "y"), "no way back": ("u",)})

    assert "default/notes.md" in seen["asked"]
    assert len(rows(seen["left"])) == 2
    assert len(rows(seen["gone"])) == 1
    assert "Nothing was done here" in seen["no way back"]
    everything = b"".join(shop.files().values())
    assert b"quarenta" not in everything
    assert "黒パン".encode() not in everything


def test_y_before_the_question_can_be_read_neither_forgets_nor_accepts(shop):
    before, free, sitting = bodies(shop, "decisions", proposed=True), threading.Event(), Sitting(shop)

    def busy():
        sitting.desk.ask(lambda app: free.wait(DEADLINE_S))

    seen = sitting.sees("0", Until("spelt"), busy, "X", "y", free.set, Until("Goes:"), "n")

    assert "Proposals · 1/3" in seen
    assert bodies(shop, "decisions", proposed=True) == before


def test_an_undo_that_fails_may_be_asked_for_again(shop):
    page, aside = shop.memory / "default" / "decisions.md", shop.memory / "aside"
    before = page.read_bytes()

    def broken():
        page.rename(aside)
        page.mkdir()

    def mended():
        page.rmdir()
        aside.rename(page)

    seen = Sitting(shop).tour(
        {"failed": ("7", Until("Ferm"), "x", Until("Deleted"), broken, "u"), "back": (mended, "u")}
    )

    assert "Taken back" not in seen["failed"]
    assert "Taken back" in seen["back"]
    assert page.read_bytes() == before


def test_what_an_editor_leaves_is_stored_and_u_takes_it_back(shop):
    sitting = Sitting(shop, edits=lambda path: path.write_text(path.read_text() + "Com casca.\n"))
    seen = sitting.tour({"saved": ("7", "enter", "e"), "undone": ("u",)})

    assert "Saved" in seen["saved"]
    assert bodies(shop, "decisions")[0] == "fermentação longa, 18 horas a 4 °C"
    assert not list(shop.memory.glob(".vault/drafts/*"))


def test_a_fact_is_edited_as_its_value_and_keeps_its_history(shop):
    sitting = Sitting(shop, edits=lambda path: path.write_text(path.read_text().replace("electric", "stone")))
    seen = sitting.tour({"saved": ("1", "j", "e"), "read": ("enter",)})

    assert "stone, since" in rows(seen["saved"])[1]
    assert "gas · superseded" in seen["read"]
    assert "electric, since the spring · superseded" in seen["read"]


@pytest.mark.parametrize("left", [lambda path: None, lambda path: path.write_text(" \n"), Path.unlink])
def test_an_editor_that_changes_nothing_or_leaves_nothing_writes_nothing(shop, left):
    before = shop.files()

    assert "Left as it was" in Sitting(shop, edits=left).sees("7", "e")
    assert {name for name, data in shop.files().items() if before.get(name) != data and name.endswith(".md")} == set()


def test_words_that_cannot_be_stored_are_kept_and_named(shop):
    def meanwhile(path):
        with shop.app() as app:
            first = vault.entries(app, "default", "decisions")[0]
            vault.edit(app, "default", "decisions", first.id, "Said by somebody else.")
        path.write_text("Mine.\n")

    said = Sitting(shop, edits=meanwhile).sees("7", "e")

    [kept] = shop.memory.glob(".vault/drafts/*.md")
    assert "changed while you were at it" in said
    assert kept.name.removesuffix(".md") in said.replace("\n", "")
    assert kept.read_text() == "Mine.\n"
    assert bodies(shop, "decisions")[0] == "Said by somebody else."


@pytest.mark.parametrize(("left", "files"), [("", 0), ("half a word", 1)])
def test_an_editor_that_fails_gives_the_screen_back(shop, left, files):
    def failing(path):
        path.write_text(left or path.read_text())
        raise FileError("The editor ended with 3.")

    said = Sitting(shop, edits=failing).sees("7", "e")

    assert "The editor ended with 3." in said
    assert len(list(shop.memory.glob(".vault/drafts/*"))) == files
    assert "half a word" not in bodies(shop, "decisions")


def test_a_terminal_that_cannot_be_lent_says_so(shop):
    assert "cannot be lent" in Sitting(shop).sees("7", "e")


def test_a_fact_of_the_users_own_vault_is_deleted_there(shop):
    seen = Sitting(shop).tour({"gone": ("1", "end", "x"), "past": ("f",), "back": ("f", "f", "u")})

    assert "timezone" not in seen["gone"]
    assert "timezone" in seen["past"]
    assert "timezone" in seen["back"]


def test_x_on_a_link_takes_the_link_away_and_not_the_entry(shop):
    seen = Sitting(shop).tour({"gone": ("5", "j", "x"), "back": ("u",)})

    assert "references" not in seen["gone"]
    assert "references" in seen["back"]
    assert len(bodies(shop, "notes")) == 2


def test_neighbours_are_followed_and_left_again(shop):
    seen = Sitting(shop).tour({"there": ("2", "enter", "g", "enter"), "here": ("escape",) * 3})

    assert "owned" in seen["there"]
    assert "Notes · 1/2" in seen["here"]


def test_the_keys_move_as_they_say(shop):
    with shop.app() as app:
        for number in range(50):
            vault.add(app, "default", "lessons", f"Lesson {number}.", [])
    moves = {"j": "2", "down": "3", "k": "2", "pagedown": "21", "pageup": "2", "end": "51", "home": "1", "up": "1"}
    seen = Sitting(shop).tour({"": ("3",)} | {key: (key,) for key in moves})

    assert {key: seen[key].partition("Lessons · ")[2].partition("/51")[0] for key in moves} == moves


def test_brackets_go_round_the_channels(shop):
    seen = Sitting(shop).tour({"last": ("left_square_bracket",), "first": ("right_square_bracket",)})

    assert "[Other]" in seen["last"]
    assert "[1 Profile]" in seen["first"]


def test_a_search_is_left_before_and_after_it_is_made(shop):
    seen = Sitting(shop).tour(
        {"asked": ("7", "slash", *"jqx"), "left": ("escape",), "found": ("slash", *"rye", "enter"), "back": ("escape",)}
    )

    assert "jqx" in seen["asked"]
    assert "Decisions · 1/3" in seen["left"]
    assert "Search: rye · 1/" in seen["found"]
    assert "Decisions · 1/3" in seen["back"]
    assert len(bodies(shop, "decisions")) == 3


def test_what_another_program_writes_shows_by_itself(shop):
    def elsewhere():
        with shop.app() as app:
            vault.add(app, "default", "decisions", "Nozes no pão de sábado.", [])

    assert "Nozes" in Sitting(shop).sees("7", Until("Ferm"), elsewhere, Until("Nozes"))


def test_a_vault_that_somebody_else_is_writing_to_is_said_and_the_row_comes_back(shop):
    with locks.locked(shop.memory / ".vault" / "vault.lock", timeout_s=1):
        said = Sitting(shop, vault__lock_timeout_s=0.0).sees("7", "x")

    assert len(rows(said)) == 3
    assert "vault.lock is held" in said


def test_a_channel_that_is_switched_off_says_how_to_have_it(shop):
    assert "set notes.enabled to true" in Sitting(shop, notes__enabled=False).sees("2")


def test_one_agents_entries_may_be_all_that_is_shown(shop):
    seen = Sitting(shop, agent="cook").tour({"Handoffs": ("9",), "Decisions": ("7",), "Profile": ("1",)})

    assert len(rows(seen["Handoffs"])) == 1
    assert "Nothing here." in seen["Decisions"]
    assert "timezone" in seen["Profile"]


def test_a_small_terminal_has_room_for_rows(shop):
    seen = Sitting(shop, size=(30, 6)).sees("7")

    assert "Ferm" in seen
    assert len(seen.split("\n")) == 6


def test_a_is_read_by_the_clock_until_it_is_pressed_again(shop):
    seen = Sitting(shop).tour({"on": ("a",), "off": ("a", "r")})

    assert "every 5 s" in seen["on"]
    assert "every 5 s" not in seen["off"]


def test_what_the_product_warns_of_stands_at_the_foot(shop):
    def warned():
        logging.getLogger("agent_memory.app").warning("notes.md cannot be read. It is left out.")

    assert Sitting(shop).sees("2", warned, Until("It is left out.")).endswith("It is left out.")


def test_a_memory_that_is_taken_away_leaves_an_empty_screen(shop):
    seen = Sitting(shop).tour(
        {"gone": ("7", Until("Ferm"), lambda: shutil.rmtree(shop.memory), Until("Nothing here."))}
    )

    assert "Decisions · 0" in seen["gone"]


def test_a_detail_follows_its_entry_and_an_editor_gets_it_as_it_is_now(shop):
    def meanwhile():
        with shop.app() as app:
            first = vault.entries(app, "default", "decisions")[0]
            vault.edit(app, "default", "decisions", first.id, "Eighteen hours.")

    sitting = Sitting(shop, edits=lambda path: path.write_text(path.read_text() + "At four degrees."))
    sitting.sees("7", "enter", Until("longa"), meanwhile, Until("Eighteen"), "e")

    assert bodies(shop, "decisions")[0] == "Eighteen hours.\nAt four degrees."


def test_forgetting_names_the_words_that_an_editor_has_left_behind(shop):
    def failing(path):
        path.write_text("Weigh the rye twice over, always, before the water comes.")
        raise FileError("The editor ended with 3.")

    Sitting(shop, edits=failing).sees("7", "e")
    with shop.app() as app:
        found = forget.preview(app, forget.words_of(app, None, "weigh the rye twice"))

    [kept] = found.kept
    assert kept.startswith(".vault/drafts/")


def test_a_terminal_that_is_resized_is_filled_anew(shop):
    sizes = {"narrow": Resized(50, 14), "wide": Resized(120, 30), "as before": Resized(80, 24)}
    seen = Sitting(shop).tour({"first": ("7",)} | {name: (size,) for name, size in sizes.items()})

    assert "\n 9 Handoffs  0 Proposals  Duplicates  Other\n>" in seen["narrow"]
    assert "\n Duplicates  Other\n>" in seen["wide"]
    assert seen["as before"] == seen["first"]
