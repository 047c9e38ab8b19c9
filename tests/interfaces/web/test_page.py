"""The page in a real browser, by keyboard: memories, search, conflicts, tasks, proposals, briefings, chats."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.web.browsing import CHROMIUM, Viewer, remember, told, words_of

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here; .ci/install installs it"),
]

PROPOSED = """
<!-- id:1773679871839 by:reflection status:proposed confidence:0.62 -->
## 2026-03-16T16:51

{}

---
"""


def test_a_memory_is_written_edited_deleted_and_brought_back_by_keyboard(server: Viewer, visit: Any) -> None:
    remember(server, "life", "decisions", "An older one.")
    page = visit("#/vault/life/decisions")
    page.wait_for_selector(".card")

    page.keyboard.press("c")
    page.keyboard.type("We deploy on Tuesdays")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("never on Fridays.")
    page.keyboard.press("Tab")
    page.keyboard.type("deploy, release train")
    page.keyboard.press("Enter")
    card = page.locator(".card", has_text="Tuesdays")
    card.wait_for()
    assert card.locator(".tags").inner_text() == "#deploy#release-train".replace("#release", "\n#release")

    page.locator(".card:focus", has_text="Tuesdays").wait_for()
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("We deploy on Wednesdays.")
    page.keyboard.press("Enter")
    page.locator(".card", has_text="Wednesdays").wait_for()
    assert "We deploy on Wednesdays." in words_of(server, "life/decisions.md")

    page.keyboard.press("e")
    page.keyboard.type(" No!")
    page.keyboard.press("Escape")
    assert page.locator(".card textarea").count() == 0
    assert "No!" not in words_of(server, "life/decisions.md")

    page.keyboard.press("x")
    page.locator(".card", has_text="Wednesdays").wait_for(state="detached")
    assert "Wednesdays" not in words_of(server, "life/decisions.md")
    page.keyboard.press("u")
    page.locator(".card", has_text="Wednesdays").wait_for()
    assert "We deploy on Wednesdays." in words_of(server, "life/decisions.md")
    page.get_by_role("button", name="#release-train").press("Enter")
    page.locator(".card", has_text="An older one.").wait_for(state="detached")
    page.locator("option:checked", has_text="#release-train").wait_for(state="attached")


def test_a_memory_opens_with_where_it_came_from_and_its_links(server: Viewer, visit: Any) -> None:
    (first,) = remember(server, "linked", "lessons", "Folders are synced too.", conversation="chat-7")
    remember(server, "linked", "decisions", f"We sync folders, see [[{first}]].")
    page = visit("#/vault/linked/decisions")
    page.locator(".card").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    window = page.locator("dialog")
    window.get_by_role("button", name="Folders are synced too.").click()
    page.locator("dialog", has_text="chat-7").wait_for()
    address = page.locator("dialog a", has_text=first).get_attribute("href")
    page.keyboard.press("Escape")
    window.wait_for(state="detached")
    page.goto(f"{server.url}{address}")
    page.locator("dialog", has_text="Folders are synced too.").wait_for()
    page.keyboard.press("Escape")
    window.wait_for(state="detached")


def test_search_finds_while_one_types_accents_aside_and_marks_what_it_found(server: Viewer, visit: Any) -> None:
    remember(server, "finder", "decisions", "Decidimos autenticar com certificados.", "The queue is Kafka.")
    page = visit()
    page.keyboard.press("/")
    page.keyboard.type("autenticação")
    found = page.locator(".result", has_text="certificados")
    found.wait_for()
    assert found.locator("mark").inner_text() == "autenticar"
    page.get_by_label("Categories").first.select_option("lessons")
    page.get_by_text("Nothing found.").first.wait_for()
    page.get_by_label("Search").first.focus()
    page.keyboard.press("Escape")
    page.locator(".view .tabs").wait_for()


def test_two_edits_of_one_memory_are_both_shown_and_neither_is_lost(server: Viewer, visit: Any) -> None:
    (known,) = remember(server, "clash", "decisions", "Retries are three.")
    page = visit("#/vault/clash/decisions")
    page.locator(".card").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("Retries are five.")
    theirs = {"agentId": "clash", "category": "decisions", "id": known, "content": "Retries are four."}
    told(server, "PUT", "/api/memory/vault", theirs)
    page.get_by_text("This was changed elsewhere").wait_for()
    assert page.locator(".card textarea").input_value() == "Retries are five."

    page.keyboard.press("Enter")
    both = page.get_by_role("group", name="Somebody else changed this")
    both.get_by_text("Retries are four.").wait_for()
    assert both.locator("textarea").input_value() == "Retries are five."
    assert "Retries are four." in words_of(server, "clash/decisions.md")
    page.keyboard.press("Enter")
    page.locator(".card:not(:has(textarea))", has_text="Retries are five.").wait_for()
    assert "Retries are five." in words_of(server, "clash/decisions.md")


def test_what_changes_on_disk_appears_beside_what_is_being_written(server: Viewer, visit: Any) -> None:
    remember(server, "disk", "notes", "The first note.")
    page = visit("#/vault/disk/notes")
    page.locator(".card").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.keyboard.type(" More of it")
    path = server.memory / "disk" / "notes.md"
    path.write_text(
        path.read_text(encoding="utf-8") + "\n## 2020-01-01 · #byhand\n\nEscrita à mão.\n", encoding="utf-8"
    )
    page.locator(".card", has_text="Escrita à mão.").wait_for()
    assert page.locator(".card textarea").input_value() == "The first note. More of it"


def test_tasks_are_ticked_by_space_and_by_their_box(server: Viewer, visit: Any) -> None:
    remember(server, "doer", "tasks", "- [ ] write the migration\n- [ ] remover o código antigo")
    page = visit("#/vault/doer/tasks")
    page.get_by_label("remover o código antigo").check()
    page.locator(".card:focus input:checked").first.wait_for()
    page.keyboard.press("Space")
    page.locator(".card input:checked").nth(1).wait_for()
    assert "- [x] write the migration\n- [x] remover o código antigo" in words_of(server, "doer/tasks.md")


def test_proposals_are_accepted_and_rejected_by_a_key(server: Viewer, visit: Any) -> None:
    remember(server, "guesser", "lessons", "A known one.")
    remember(server, "guesser", "decisions", "A known one.")
    for category, body in (("lessons", "Caches lie."), ("decisions", "We drop IE.")):
        path = server.memory / "guesser" / f"{category}.md"
        number = str(1773679871839 + len(category))
        path.write_text(
            path.read_text(encoding="utf-8") + PROPOSED.format(body).replace("1773679871839", number), encoding="utf-8"
        )
    page = visit("#/vault/guesser/lessons")
    page.get_by_label("Show").select_option("proposed")
    page.locator(".card", has_text="Caches lie.").focus()
    page.keyboard.press("y")
    page.get_by_text("Nothing here yet.").wait_for()
    assert "status:proposed" not in words_of(server, "guesser/lessons.md")
    assert "Caches lie." in words_of(server, "guesser/lessons.md")

    page.goto(f"{server.url}#/vault/guesser/decisions")
    page.get_by_role("tab", name="Decisions", selected=True).wait_for()
    page.get_by_label("Show").select_option("proposed")
    page.locator(".card", has_text="We drop IE.").focus()
    page.keyboard.press("n")
    page.get_by_text("Nothing here yet.").wait_for()
    assert "We drop IE." not in words_of(server, "guesser/decisions.md")


def test_a_fact_keeps_its_history(server: Viewer, visit: Any) -> None:
    remember(server, "facts", "notes", "Something.")
    page = visit("#/vault/facts/profile")
    page.get_by_text("Nothing here yet.").wait_for()
    page.keyboard.press("c")
    page.keyboard.type("editor")
    page.keyboard.press("Tab")
    page.keyboard.type("Vim")
    page.keyboard.press("Enter")
    page.locator(".fact", has_text="Vim").focus()
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("Cursor")
    page.keyboard.press("Enter")
    page.locator(".fact", has_text="Cursor").focus()
    page.keyboard.press("Enter")
    page.locator("dialog li").nth(1).wait_for()
    assert page.locator("dialog li strong").all_inner_texts() == ["Vim", "Cursor"]


def test_the_budget_bar_shows_what_each_section_costs_and_what_was_cut(server: Viewer, visit: Any) -> None:
    remember(
        server,
        "brief",
        "decisions",
        *[f"Decision {number} about the cache, {'with reasons ' * 12}" for number in range(6)],
    )
    page = visit("#/vault/brief/decisions")
    page.locator(".card").first.wait_for()
    page.keyboard.press("g")
    page.locator(".spent", has_text="of 2000 tokens").wait_for()
    page.get_by_label("Budget").fill("180")
    page.locator(".spent", has_text="of 180 tokens").wait_for()
    spent = int(re.findall(r"\d+", page.locator(".spent").inner_text())[0])
    pieces = [int(one) for one in page.locator(".legend b").all_inner_texts()]
    assert spent <= 180
    assert sum(pieces) == 180
    assert page.locator(".cuts li").count() > 0
    assert "MEMORY CONTEXT" in page.locator("pre.block").inner_text()


def test_the_project_page_counts_words_and_shows_both_versions_of_a_conflict(server: Viewer, visit: Any) -> None:
    page = visit("#/project")
    page.get_by_role("button", name="Edit").wait_for()
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("# Loja\n\nUma loja de livros.")
    page.get_by_text("6 words").wait_for()
    page.keyboard.press("Control+Enter")
    page.locator(".sheet h1, .sheet h2", has_text="Loja").wait_for()
    assert words_of(server, "_project.md").strip() == "# Loja\n\nUma loja de livros."

    page.keyboard.press("e")
    page.keyboard.type(" Mine.")
    told(server, "PUT", "/api/memory/project", {"content": "# Loja\n\nTheirs."})
    page.get_by_text("This was changed elsewhere").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Save mine").wait_for()
    assert "Theirs." in page.locator(".version").first.inner_text()
    page.get_by_role("button", name="Save mine").press("Enter")
    page.locator(".sheet", has_text="Mine.").wait_for()
    assert "Mine." in words_of(server, "_project.md")


def test_a_chat_is_briefed_answered_and_ended_with_a_handoff(server: Viewer, visit: Any) -> None:
    remember(server, "talker", "decisions", "We use Postgres.")
    page = visit("#/vault/talker/decisions")
    page.locator(".card").wait_for()
    page.keyboard.press("m")
    page.locator("#chat textarea").wait_for()
    page.keyboard.type("Where should the sessions live?")
    page.keyboard.press("Enter")
    page.locator("#chat .said.agent", has_text="keep the sessions in Redis").wait_for()
    assert "briefed with" in page.locator("#chat .hint").all_inner_texts()[-1]
    page.keyboard.type("Good, thanks.")
    page.keyboard.press("Enter")
    page.locator("#chat .said.agent").nth(1).locator("text=Redis").wait_for()
    page.get_by_role("button", name="End the session").press("Enter")
    page.locator("#toasts", has_text="handoff written").wait_for()
    assert page.locator("#chat").is_hidden()
    handoff = words_of(server, "talker/handoffs.md")
    assert "#auto-handoff" in handoff
    assert "#session-close" in handoff
    assert "Redis" in words_of(server, "talker/decisions.md")


def test_closing_the_tab_saves_the_chat_and_makes_no_handoff(server: Viewer, visit: Any) -> None:
    remember(server, "leaver", "decisions", "We use Postgres.")
    page = visit("#/vault/leaver/decisions")
    page.locator(".card").wait_for()
    page.keyboard.press("m")
    page.locator("#chat textarea").wait_for()
    page.keyboard.type("Remind me of the port.")
    page.keyboard.press("Enter")
    page.locator("#chat .said.agent", has_text="Redis").wait_for()
    page.close(run_before_unload=True)
    again = visit("#/vault/leaver/decisions")
    again.evaluate(
        "async () => { let told; do told = await (await fetch('/api/memory?agentId=leaver')).json();"
        " while (told.messages.length < 2); }"
    )
    again.keyboard.press("m")
    again.get_by_role("button", name="Take it up again").press("Enter")
    again.locator("#chat .said.user", has_text="Remind me of the port.").wait_for()
    assert not (server.memory / "leaver" / "handoffs.md").exists()


def test_stored_words_never_run(server: Viewer, visit: Any) -> None:
    attack = '<img src=x onerror="document.title=1"><script>document.title=1</script> [a](javascript:document.title=1)'
    remember(server, "x' onmouseover='document.title=1", "decisions", attack, tags=('"><img/src=x>',))
    told(server, "PUT", "/api/memory/project", {"content": attack})
    page = visit()
    for place in ("#/vault/x'%20onmouseover='document.title=1/decisions", "#/project"):
        page.goto(f"{server.url}{place}")
        page.locator(".prose", has_text="onerror").wait_for()
        assert page.locator("main img, main script, main a[href^=javascript]").count() == 0
        assert page.title() != "1"


def test_a_long_page_is_read_in_parts_as_one_goes_down(server: Viewer, visit: Any) -> None:
    remember(server, "hoarder", "notes", *[f"Note number {number}." for number in range(180)])
    page = visit("#/vault/hoarder/notes")
    page.get_by_text("180 memories").first.wait_for()
    page.locator("article.card").nth(49).wait_for(state="attached")
    assert page.locator("article.card").count() == 50
    page.keyboard.press("j")
    for _ in range(49):
        page.keyboard.press("j")
    page.locator("article.card").nth(99).wait_for(state="attached")
    assert page.locator("article.card").first.text_content().count("Note number 179.") == 1


def test_the_page_speaks_portuguese_to_who_reads_it_and_has_every_word_in_both(server: Viewer, visit: Any) -> None:
    page = visit(locale="pt-BR")
    page.get_by_role("tab", name="Decisões").wait_for()
    assert page.locator("html").get_attribute("lang") == "pt"
    english, portuguese = page.evaluate(
        "import('/strings.js').then(({LANGUAGES}) => [LANGUAGES.en, LANGUAGES.pt].map((one) => Object.keys(one).map("
        "(key) => [key, typeof one[key], one[key].length ?? Object.keys(one[key]).length * (key !== 'keys')])))"
    )
    shape = lambda rows: {(key, kind, size if kind != "string" else 0) for key, kind, size in rows}  # noqa: E731
    assert shape(english) == shape(portuguese)


def test_compaction_shows_its_plan_and_its_result(server: Viewer, visit: Any) -> None:
    page = visit("#/upkeep")
    page.get_by_text("What it would do now").wait_for()
    page.get_by_role("button", name="Compact now").press("Enter")
    page.locator("#toasts", has_text="Compacted.").wait_for()
    page.get_by_text("checkpoints removed").wait_for()


def test_the_statistics_count_what_is_there(server: Viewer, visit: Any) -> None:
    remember(server, "counted", "notes", "One.", "Two.", "Three.")
    page = visit("#/stats")
    row = page.locator("tr", has_text="counted")
    assert "3" in row.inner_text().split()


def test_nothing_of_the_page_comes_from_elsewhere(server: Viewer) -> None:
    folder = Path(__file__).resolve().parents[3] / "agent_memory" / "interfaces" / "web" / "page"
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//cdn|@import|\bstyle=|innerHTML(?! = html)", text), path.name
