"""The page where things go wrong or meet: two keys at once, changes under one's hand, no server, small windows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_memory import errors
from agent_memory.interfaces.web.failures import KINDS
from tests.interfaces.web.browsing import CHROMIUM, Viewer, remember, told, words_of

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here; .ci/install installs it"),
]

AUDIT = Path(__file__).with_name("audit.js").read_text(encoding="utf-8")
SMALL = {"width": 400, "height": 800}


def held(page: Any, path: str) -> tuple[list[str], Callable[[], None]]:
    """Hold back what the page writes to a route until released; return what was asked, and what releases it."""
    asked: list[str] = []
    waiting: list[Any] = []

    def hold(route: Any) -> None:
        if route.request.method == "GET":
            route.fallback()
            return
        asked.append(route.request.post_data)
        waiting.append(route)

    page.route(f"**{path}", hold)

    def release() -> None:
        for route in waiting:
            route.continue_()
        page.unroute(f"**{path}")

    return asked, release


def test_a_form_under_way_takes_no_second_submit(server: Viewer, visit: Any) -> None:
    remember(server, "twice", "notes", "Something.")
    page = visit("#/vault/twice/notes")
    for place, opens, typed, route, done in (
        ("notes", "c", ("Again?",), "/api/memory/vault", ".card:has-text('Again?')"),
        ("notes", "e", (" Changed.",), "/api/memory/vault", ".card:not(:has(textarea)):has-text('Changed.')"),
        ("profile", "c", ("editor", "Vim"), "/api/memory/profile", ".fact:has-text('Vim')"),
    ):
        page.goto(f"{server.url}#/vault/twice/{place}")
        page.locator(".picks button").wait_for()
        asked, release = held(page, route)
        page.keyboard.press("j")
        page.keyboard.press(opens)
        for number, words in enumerate(typed):
            if number:
                page.keyboard.press("Tab")
            page.keyboard.type(words)
        with page.expect_request(lambda sent, route=route: sent.method != "GET" and sent.url.endswith(route)):
            page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.locator(".card .good").last.click()
        release()
        page.locator(done).first.wait_for()
        assert len(asked) == 1, (place, opens)
        assert page.locator(".clash").count() == 0


def test_focus_and_what_is_folded_out_stay_when_pages_change(server: Viewer, visit: Any) -> None:
    remember(server, "still", "decisions", "We use Postgres.")
    page = visit("#/briefing/still")
    page.locator("details summary").click()
    page.get_by_role("link", name="Upkeep").focus()
    remember(server, "still", "decisions", "The cache is Redis.")
    page.locator("details[open] tr", has_text="Redis").wait_for()
    page.locator("#side", has_text="2 memories").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Upkeep"

    page.keyboard.press("Enter")
    undo = page.locator(".runs > li", has_text="The cache is Redis").get_by_role("button")
    undo.focus()
    remember(server, "still", "decisions", "The queue is Kafka.")
    page.locator(".runs > li", has_text="The queue is Kafka").wait_for()
    assert undo.evaluate("(one) => one === document.activeElement")

    page.goto(f"{server.url}#/vault/still/decisions")
    page.get_by_role("tab", name="Decisions").focus()
    page.keyboard.press("ArrowRight")
    page.locator('[role="tab"]:focus', has_text="Lessons").wait_for()


def test_an_address_that_leads_nowhere_says_so_and_shows_nobody_elses_memories(server: Viewer, visit: Any) -> None:
    page = visit(locale="pt-BR")
    for place, said in (
        ("#/vault/nobody/decisions", "Não há agente “nobody” aqui."),
        ("#/vault/default/receitas", "Não há categoria “receitas” aqui."),
        ("#/nowhere", "Não há página “nowhere” aqui."),
    ):
        page.goto(f"{server.url}{place}")
        page.get_by_role("heading", name=said).wait_for()
        assert page.locator(".card").count() == 0
    page.get_by_role("link", name="Ir para Memórias de").click()
    page.locator(".tabs").wait_for()


def test_whatever_the_server_refuses_or_leaves_out_is_said_in_portuguese(server: Viewer, visit: Any) -> None:
    remember(
        server, "pt", "decisions", *[f"Decisão {number} sobre o cache, {'com razões ' * 30}" for number in range(9)]
    )
    page = visit("#/vault/pt/decisions", locale="pt-BR")
    raised = {name for name, one in vars(errors).items() if inspect.isclass(one) and issubclass(one, Exception)}
    known = page.evaluate("import('/served.js').then(({ERRORS}) => Object.keys(ERRORS))")
    assert raised | {*KINDS.values(), "BadRequest", "InternalError"} == set(known)

    told_now = told(server, "GET", "/api/memory/context?agentId=pt&budget=150")
    reasons = [one["reason"] for one in (*told_now["cuts"], *told_now["items"]) if one["reason"]]
    assert reasons
    same = page.evaluate(
        "(all) => import('/strings.js').then(({phrase}) => all.filter((one) => phrase(one) === one))", reasons
    )
    assert same == []


def test_a_chat_that_could_not_be_asked_is_briefed_when_it_can(server: Viewer, visit: Any) -> None:
    remember(server, "patient", "decisions", "We use Postgres.")
    page = visit("#/vault/patient/decisions", allowed=("ERR_FAILED",))
    page.locator(".card").wait_for()
    page.keyboard.press("m")
    page.locator("#chat textarea").wait_for()
    page.route("**/api/agents/command", lambda route: route.abort())
    page.keyboard.type("Anybody there?")
    page.keyboard.press("Enter")
    page.locator("#toasts", has_text="does not answer").wait_for()
    page.unroute("**/api/agents/command")
    page.keyboard.type("And now?")
    page.keyboard.press("Enter")
    page.locator("#chat .said.agent", has_text="Redis").wait_for()
    assert "briefed with" in page.locator("#chat .hint").all_inner_texts()[-1]


def test_an_answer_can_be_stopped_and_what_was_heard_of_it_is_kept(server: Viewer, visit: Any) -> None:
    remember(server, "slow", "notes", "Something.")
    page = visit("#/vault/slow/notes")
    page.locator(".card").wait_for()
    page.keyboard.press("m")
    page.locator("#chat textarea").wait_for()
    page.keyboard.type("Take your time.")
    page.keyboard.press("Enter")
    page.locator("#chat .said.agent", has_text="I was told").wait_for()
    page.keyboard.type("Half a word")
    page.get_by_role("button", name="Stop").press("Enter")
    page.get_by_role("button", name="Stop").wait_for(state="detached")
    assert page.locator("#chat textarea").input_value() == "Half a word"
    page.get_by_role("button", name="End the session").press("Enter")
    page.locator("#chat").wait_for(state="hidden")
    said = told(server, "GET", "/api/memory?agentId=slow")["messages"]
    assert [one["text"].split()[0] for one in said] == ["Take", "I"]


def test_a_chat_is_saved_every_half_minute_and_compaction_asked_for_every_ten(server: Viewer, visit: Any) -> None:
    remember(server, "saver", "notes", "Something.")
    page = visit("#/vault/saver/notes")
    page.clock.install()
    with page.expect_request(lambda sent: sent.url.endswith("/api/memory/compact") and sent.method == "POST"):
        page.reload()
    page.locator(".card").wait_for()
    page.keyboard.press("m")
    page.locator("#chat textarea").wait_for()
    page.keyboard.type("Remember the port.")
    page.keyboard.press("Enter")
    page.locator("#chat .said.agent", has_text="Redis").wait_for()
    page.get_by_role("button", name="Stop").wait_for(state="detached")
    page.clock.run_for(30_000)
    page.locator("#chat .hint", has_text="Saved at").wait_for()
    assert len(told(server, "GET", "/api/memory?agentId=saver")["messages"]) == 2
    with page.expect_request(lambda sent: sent.url.endswith("/api/memory/compact") and sent.method == "POST"):
        page.clock.run_for(570_000)


def test_who_begins_a_new_chat_ends_the_one_that_broke_off(server: Viewer, visit: Any) -> None:
    remember(server, "broken", "notes", "Something.")
    said = [
        {"role": "user", "text": "Where do the sessions go?"},
        {"role": "agent", "text": "We decided to keep the sessions in Memcached because Redis was dear."},
    ]
    told(server, "POST", "/api/memory", {"agentId": "broken", "messages": said, "chatId": "chat-1"})
    page = visit("#/vault/broken/notes")
    page.locator(".card").wait_for()
    page.keyboard.press("m")
    page.locator("#chat .resume").wait_for()
    page.keyboard.type("Something else.")
    page.keyboard.press("Enter")
    page.locator("#chat .said.agent", has_text="Redis").wait_for()
    assert "Memcached" in words_of(server, "broken/decisions.md")
    assert "#session-close" in words_of(server, "broken/handoffs.md")


def test_a_server_that_is_away_is_missed_and_afterwards_all_is_read_again(server: Viewer, visit: Any) -> None:
    remember(server, "away", "notes", "Before.")
    page = visit("#/vault/away/notes", allowed=("ERR_FAILED",))
    page.locator(".card", has_text="Before.").wait_for()
    page.route("**/api/**", lambda route: route.abort())
    page.goto(f"{server.url}#/vault/away/notes")
    page.reload()
    page.get_by_role("alert").wait_for()
    page.unroute("**/api/**")
    remember(server, "away", "notes", "Meanwhile.")
    page.get_by_role("button", name="Try again").press("Enter")
    page.locator(".card", has_text="Meanwhile.").wait_for()


def test_on_a_small_screen_a_chat_is_laid_aside_and_taken_up_again(server: Viewer, visit: Any) -> None:
    remember(server, "small", "notes", "Something.")
    page = visit("#/vault/small/notes", viewport=SMALL)
    page.locator(".card").wait_for()
    agent = page.locator("#side li.here a").bounding_box()
    assert 0 <= agent["x"] < agent["x"] + agent["width"] <= SMALL["width"]
    page.keyboard.press("m")
    page.locator("#chat textarea").wait_for()
    page.keyboard.type("Half a word")
    for _ in range(6):
        page.keyboard.press("Tab")
        assert page.evaluate("!document.activeElement.closest('#main, #side')")
    page.locator("#chat textarea").focus()
    page.keyboard.press("Escape")
    page.locator("#chat").wait_for(state="hidden")
    page.keyboard.press("m")
    assert page.locator("#chat textarea:focus").input_value() == "Half a word"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_found_memory_is_edited_where_it_was_found(server: Viewer, visit: Any) -> None:
    remember(server, "found", "lessons", "Zebras have stripes.")
    page = visit("#/vault/found/notes")
    page.keyboard.press("/")
    page.keyboard.type("zebras")
    page.locator(".result", has_text="stripes").click()
    window = page.locator("dialog")
    window.get_by_role("button", name="Edit").press("Enter")
    page.keyboard.press("Escape")
    assert window.locator("textarea").count() == 0
    window.get_by_role("button", name="Edit").press("Enter")
    page.keyboard.type(" And manes.")
    page.mouse.click(3, 3)  # beside it: what is being written stays
    window.locator("textarea").focus()
    page.keyboard.press("Enter")
    window.locator("#toasts", has_text="Saved.").wait_for()
    assert "Zebras have stripes. And manes." in words_of(server, "found/lessons.md")
    box = window.bounding_box()
    page.mouse.click(box["x"] + 3, box["y"] + box["height"] - 3)
    assert window.is_visible()
    page.mouse.click(3, 3)
    window.wait_for(state="detached")
    page.locator(".result", has_text="manes").wait_for()


def test_everything_has_a_name_and_can_be_told_from_its_ground(server: Viewer, visit: Any) -> None:
    (other,) = remember(server, "clear", "notes", "Something.")
    body = f"- [ ] see [[{other}]]\n- [x] **two** `code` [link](https://example.com)\n\n> quoted"
    remember(server, "clear", "tasks", body, tags=("a",))
    told(server, "POST", "/api/memory/profile", {"agentId": "clear", "key": "editor", "value": "Vim"})
    page = visit("#/vault/clear/tasks", locale="pt-BR")
    faults = {}

    def audit(place: str) -> None:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            faults[f"{place}, {scheme}"] = page.evaluate(AUDIT)

    page.locator(".card").wait_for()
    page.keyboard.press("c")
    audit("tasks")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.locator("dialog").wait_for()
    audit("window")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Teclas").wait_for()
    assert page.locator("dialog kbd").count() > 12
    audit("keys")
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    page.locator("#chat textarea").wait_for()
    for place, shown in (
        ("vault/clear/profile", ".fact"),
        ("briefing/clear", ".bar"),
        ("upkeep", ".runs li"),
        ("stats", "tbody tr"),
        ("project", ".acts button"),
        ("vault/x/y", ".empty"),
    ):
        page.goto(f"{server.url}#/{place}")
        page.locator(f".view {shown}").first.wait_for()
        audit(place)
    assert {place: found for place, found in faults.items() if found} == {}
