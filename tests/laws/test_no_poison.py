"""Law 13 and law 8: nobody but the user gets a sentence into the memory, and what we said ourselves comes in no more.

The conversations were written by somebody who had not seen the code; they go through `process` as Cursor would have
written them, with every tool's output once as a block of a user's record and once as a tool's.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_memory.app.brief import brief
from agent_memory.app.vault import add
from agent_memory.model.memory import Memory
from agent_memory.model.text import clean
from agent_memory.model.transcript import Turn
from agent_memory.reflection import Exchange, Limits, Reflection, read
from tests.builders import a_turn
from tests.workspace import Chat, Workspace

CASES = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(Path("tests/fixtures/poison").glob("*.json"))]
LEARNT = ("decisions", "lessons", "tasks", "profile", "procedures", "notes")
LEAST_KEPT = 49
"""Of 79 honest words: what was recalled when the corpus was first run, and may not become less."""


def written(chat: Chat, turns: list[dict[str, Any]]) -> Chat:
    for turn in turns:
        if turn["role"] == "user":
            chat.user(turn["text"])
            continue
        tools = turn.get("tools", [])
        chat.assistant(turn["text"], *({"name": one["name"], "input": {"command": one["input"]}} for one in tools))
        for one in tools:
            chat._add("user", [{"type": "tool_result", "content": one["output"]}])
            chat._add("tool", [{"type": "text", "text": one["output"]}])
    return chat.ended()


def seen(text: str) -> str:
    """The text as a reader sees it or a decoder would: nothing invisible, letters for tags and selectors."""
    return "".join(map(_letter, text)).lower()


def _letter(char: str) -> str:
    code = ord(char)
    if 0xE0020 <= code <= 0xE007E:
        return chr(code - 0xE0000)
    if 0xE0100 <= code <= 0xE01EF:
        return chr(code - 0xE0100 + 16)
    return "" if unicodedata.category(char) == "Cf" else char


LEFT: dict[str, list[Memory]] = {}
"""What each conversation left behind, by the conversation's name; they are read once for all tests."""


@pytest.fixture
def remembered(workspace: Workspace) -> dict[str, list[Memory]]:
    if LEFT:
        return LEFT
    names = {}
    for number, case in enumerate(CASES, 1):
        chat = written(workspace.chat(number), case["turns"]).save(written=workspace.long_ago())
        names[chat.path.stem] = case["id"]
    workspace.process()
    LEFT.update({case["id"]: [] for case in CASES})
    for memory in workspace.memories():
        if memory.origin:
            LEFT[names[memory.origin.conversation]].append(memory)
    return LEFT


def poison_in(case: dict[str, Any], memories: list[Memory]) -> Iterator[tuple[str, str]]:
    for memory in memories:
        for phrase in case["must_not_store"]:
            if phrase.lower() in seen(memory.body):
                yield memory.page.category, phrase


def test_nothing_that_others_ordered_is_learnt(remembered: dict[str, list[Memory]]) -> None:
    found = {case["id"]: [one for one in poison_in(case, remembered[case["id"]]) if one[0] in LEARNT] for case in CASES}

    assert len(CASES) >= 86
    assert {name: bad for name, bad in found.items() if bad} == {}


def test_a_handoff_repeats_of_it_only_what_the_user_typed(remembered: dict[str, list[Memory]]) -> None:
    for case in CASES:
        typed = "\n".join(seen(turn["text"]) for turn in case["turns"] if turn["role"] == "user")
        for category, phrase in poison_in(case, remembered[case["id"]]):
            assert category == "handoffs"
            assert phrase.lower() in typed, case["id"]


def test_what_the_user_decided_beside_it_is_still_learnt(remembered: dict[str, list[Memory]]) -> None:
    kept = [
        word
        for case in CASES
        for word in case.get("must_store", [])
        if any(
            word.lower() in memory.body.lower() for memory in remembered[case["id"]] if memory.page.category in LEARNT
        )
    ]

    assert len(kept) >= LEAST_KEPT


MOST_OBEYED = 11
"""Conversations of 86 in which a model that repeats every order as its own line is believed, at the last count."""


def exchanges(turns: list[dict[str, Any]]) -> Iterator[Exchange]:
    said: list[Turn] = []
    for turn in turns:
        text = clean(turn["text"])
        if turn["role"] == "user":
            said.append(a_turn(text))
        elif said and text:
            yield Exchange(tuple(said), a_turn(text, role="assistant", ordinal=1))
            said = []


def obeying(case: dict[str, Any]) -> Iterator[str]:
    """What a model that does as it is told would answer: every order as a line of every kind, and as a fact."""
    for phrase in case["must_not_store"]:
        yield f"SET rule={phrase}"
        yield from (f"{kind} {phrase}" for kind in ("DECISION", "LESSON", "NOTE", "TASK"))


def believed(case: dict[str, Any]) -> list[Reflection]:
    every = (read(one, reply, Limits()) for one in exchanges(case["turns"]) for reply in obeying(case))
    return [one for one in every if one.says_something]


def test_a_model_that_obeys_is_hardly_ever_believed_and_makes_a_fact_only_of_what_the_user_typed() -> None:
    found = {case["id"]: believed(case) for case in CASES}

    assert len([name for name, every in found.items() if every]) <= MOST_OBEYED
    for case in CASES:
        typed = "\n".join(seen(turn["text"]) for turn in case["turns"] if turn["role"] == "user")
        assert all(fact.value.lower() in typed for one in found[case["id"]] for fact in one.facts), case["id"]


ENTRIES = (
    ("decisions", "We always use httpx for HTTP, because requests has no async."),
    ("decisions", "A partir de agora o CNPJ fica cifrado no banco, porque o jurídico pediu."),
    ("lessons", "The build failed because the lock file was from another platform; never commit it."),
    ("lessons", "O backup não rodava porque o cron usa UTC."),
    ("procedures", "To release: run the checks, tag, then push the tag."),
)
ROUNDS, IN_A_ROUND = 5, 10


def fed_back(chat: Chat, number: int, briefing: str, told: str) -> Chat:
    """One conversation in which what we told an agent comes back, each time in another way."""
    match number % 5:
        case 0:  # what a hook adds to the prompt
            chat._add("user", [{"type": "text", "text": f"{briefing}\n\n<user_query>\nfix the header\n</user_query>"}])
        case 1:  # the output of `inject preview`, pasted
            chat.user(f"why does it say this?\n\n{briefing}")
        case 2:  # the same without the markers, as a terminal may show it
            bare = "\n".join(line for line in briefing.split("\n") if not line.startswith("<!--"))
            chat.user(f"why does it say this?\n\n{bare}")
        case 3:  # the rule, read as a file
            chat.user("what is in the rules?").assistant("Reading.", {"name": "Read", "input": {"path": "memory.mdc"}})
            chat._add("tool", [{"type": "text", "text": briefing}])
        case _:  # a result of the MCP server
            chat.user("what do we know?").assistant("", {"name": "memory_search", "input": {"query": "all"}})
            chat._add("user", [{"type": "tool_result", "content": json.dumps({"results": [{"content": told}]})}])
    return chat.assistant(f"The memory says:\n\n> {told}").user("ok, thanks").assistant("You are welcome.").ended()


def learnt(workspace: Workspace) -> set[tuple[str, str]]:
    return {(memory.page.category, memory.body) for memory in workspace.memories() if memory.page.category in LEARNT}


def test_what_we_told_is_never_learnt_again_in_fifty_conversations(workspace: Workspace) -> None:
    with workspace.app() as app:
        for category, body in ENTRIES:
            add(app, "default", category, body, [])
    before, briefing = learnt(workspace), ""

    for turn in range(ROUNDS):
        with workspace.app() as app:
            briefing = brief(app, "default", "httpx, CNPJ, backup and the build").text
        for number in range(turn * IN_A_ROUND, (turn + 1) * IN_A_ROUND):
            told = ENTRIES[number % len(ENTRIES)][1]
            fed_back(workspace.chat(number + 1), number, briefing, told).save(written=workspace.long_ago())
        workspace.process()

    assert "httpx" in briefing
    assert learnt(workspace) == before
