from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_memory.context.build import build
from agent_memory.errors import UsageError
from agent_memory.model.briefing import KINDS, Briefing, Cut
from agent_memory.model.recall import Hit
from tests.builders import A_DAY
from tests.context.told import a_hit, a_source

GOLDEN = Path(__file__).parents[1] / "golden" / "briefing"

HANDOFF_EN = "### What was asked\nMove the mirror to SQLite.\n\n### What is next\n- measure it\n  - on 10k notes"
HANDOFF_PT = "### O que foi pedido\nMigrar o espelho para SQLite.\n\n### O que vem agora\n- medir\n  - com 10 mil notas"

VAULT_EN = {
    "handoffs": [HANDOFF_EN, "An older handoff."],
    "tasks": ["- [ ] Write the load tests\n- [x] Add the schema", "- [ ] Update the README"],
    "decisions": [
        "We keep the mirror in SQLite,\nbecause it ships with Python.",
        "Use httpx for HTTP.",
        "The mirror is rebuilt when its version changes.",
    ],
    "lessons": ["Never delete the mirror's WAL while another process has it open.", "Use tabs in Makefiles."],
}
VAULT_PT = {
    "handoffs": [HANDOFF_PT, "Uma passagem mais antiga."],
    "tasks": ["- [ ] Escrever os testes de carga\n- [x] Criar o esquema", "- [ ] Atualizar o README"],
    "decisions": [
        "O espelho fica no SQLite,\nporque vem com o Python.",
        "Usar httpx para HTTP.",
        "O espelho é refeito quando a versão muda.",
    ],
    "lessons": ["Nunca apagar o WAL do espelho com outro processo aberto.", "Usar tabs em Makefiles."],
}


def hits(vault: dict[str, list[str]], tags: tuple[str, ...] = ()) -> list[Hit]:
    return [
        a_hit(body, category=category, id=f"17736{row}{n}", at=A_DAY - timedelta(days=n), tags=tags)
        for row, (category, bodies) in enumerate(vault.items())
        for n, body in enumerate(bodies)
    ]


def a_briefing(vault: dict[str, list[str]], command: str, *, max_tokens: int = 2000, **asked: Any) -> Briefing:
    return build("default", a_source(*hits(vault), command=command, **asked), max_tokens=max_tokens)


@pytest.mark.parametrize(
    ("name", "vault", "command", "project"),
    [
        ("english", VAULT_EN, "make the mirror faster", "# Agent memory\n\nPython 3.11, SQLite."),
        ("portuguese", VAULT_PT, "deixe o espelho mais rápido", "# Memória\n\nPython 3.11, SQLite."),
    ],
)
def test_a_briefing_reads_as_the_golden_one(name, vault, command, project):
    recovering = [("user", "one"), ("user", "two"), ("agent", "x" * 200), ("user", "go on")]
    briefing = a_briefing(vault, command, project=project, recovering=recovering)
    assert briefing.text + "\n" == (GOLDEN / f"{name}.md").read_text(encoding="utf-8")
    assert briefing.cuts == ()
    order = ["project", "handoff", "decisions", "lessons", "tasks", "recovering"]
    assert list(briefing.sections) == order


def test_a_turn_reads_as_the_golden_one():
    vault = VAULT_EN | {"notes": ["The mirror of the hall is in the cellar."], "profile": ["language: Portuguese"]}
    source = a_source(*hits(vault), command="make the mirror faster")
    briefing = build("default", source, "turn")
    assert briefing.text + "\n" == (GOLDEN / "turn.md").read_text(encoding="utf-8")


def test_a_short_briefing_says_what_it_cut_and_why():
    briefing = a_briefing(VAULT_EN, "make the mirror faster", project="A project.\n\n" * 200, max_tokens=240)
    assert briefing.tokens <= 240
    assert "> A project." in briefing.text
    (cut,) = briefing.cuts
    assert cut == Cut("project", cut.items, "no room left within 240 tokens")
    assert f"… {cut.items} more" in briefing.text


def test_what_the_command_speaks_of_comes_in_and_nothing_else_of_its_kind():
    text = a_briefing(VAULT_EN, "which HTTP client?").text
    assert "httpx" in text
    assert "ships with Python" not in text


@pytest.mark.parametrize("command", ["", "zebra", "and then?"])
def test_a_command_that_speaks_of_nothing_gets_the_latest(command):
    briefing = a_briefing(VAULT_EN, command, decisions=1, lessons=0)
    assert "ships with Python" in briefing.text
    assert "httpx" not in briefing.text
    assert "lessons" not in briefing.sections


def test_without_a_command_what_is_kept_comes_before_what_is_new():
    old = [a_hit(f"kept {n}", id=str(n), at=A_DAY - timedelta(days=90 - n), tags=("keep",)) for n in range(2)]
    vault = [*old, *(a_hit(f"new {n}", id=f"9{n}", at=A_DAY + timedelta(days=n)) for n in range(5))]
    lines = build("default", a_source(*vault)).text.splitlines()
    assert [line.split(") ")[1] for line in lines if line.startswith("- ")] == ["kept 1", "kept 0", "new 4"]


def test_older_handoffs_and_projects_come_in_when_the_command_speaks_of_them():
    vault = {"handoffs": ["Newest: the login page.", "Older: the invoices."], "projects": ["Invoices are in PDF."]}
    spoken = a_briefing(vault, "mend the invoices")
    assert [item.hit.body for item in spoken.items if item.section == "related" and item.hit] == [
        "Older: the invoices.",
        "Invoices are in PDF.",
    ]
    assert "related" not in a_briefing(vault, "mend the login page").sections
    assert "related" not in a_briefing(vault, "").sections


def test_a_project_is_told_by_whole_paragraphs():
    briefing = a_briefing({}, "", project="# P\n\none\ntwo\n\n" + "long " * 60, max_tokens=110)
    assert "> one\n> two\n… 1 more\n" in briefing.text


def test_a_heading_with_nothing_under_it_is_not_told():
    briefing = a_briefing({}, "", project="# P\n\n## What\n\n## How\n\nSlowly.\n\n### Where\n\n## Do not\n")
    assert [item.lines for item in briefing.items] == [("> P",), ("> How",), ("> Slowly.",)]


def test_an_empty_vault_gives_markers_and_a_sentence():
    lines = a_briefing({}, "não sei o que fazer").text.splitlines()
    assert lines[0] == "<!-- agent-memory:briefing -->"
    assert lines[-2:] == ["Ainda não há nada lembrado.", "<!-- /agent-memory:briefing -->"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_write_and_no_command_changes_the_prefix(kind):
    vaults = [[], hits(VAULT_EN), hits(VAULT_PT), [a_hit("x" * 100_000)]]
    briefings = [
        build("default", a_source(*vault, command=command, project=command), kind)
        for vault in vaults
        for command in ("", "deixe o espelho mais rápido", "make the mirror faster")
    ]
    assert len({briefing.prefix for briefing in briefings}) == 1
    assert len({briefing.tail for briefing in briefings}) > len(vaults)


def test_what_was_shown_is_known_again_until_it_changes():
    source = a_source(*hits(VAULT_EN), command="make the mirror faster", project="A project.")
    first, turn = build("default", source), build("default", source, "turn")
    changed = hits(VAULT_EN | {"lessons": ["Never delete the mirror's WAL."]})
    again = a_source(*changed, command="make the mirror faster", project="A project.")

    new = [item.section for item in build("default", again).items if item.digest not in first.digests]
    assert new == ["lessons"]
    assert set(first.digests) & set(turn.digests)


@pytest.mark.parametrize("max_tokens", [49, 0, -1])
def test_a_budget_below_the_frame_is_refused(max_tokens):
    with pytest.raises(UsageError, match="at least 50 tokens"):
        build("a", a_source(), max_tokens=max_tokens)
