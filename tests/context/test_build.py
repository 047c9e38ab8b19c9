from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from agent_memory.context.build import Limits, brief, build
from agent_memory.errors import UsageError
from agent_memory.mirror.search import Mirror
from agent_memory.model.memory import PageRef
from agent_memory.model.recall import Briefing, Cut
from agent_memory.vault.view import PageState
from tests.builders import A_DAY, a_memory, a_page_state

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


@pytest.fixture
def mirror(tmp_path: Path):
    with closing(Mirror.open(tmp_path / "mirror.sqlite3", redact=lambda text: text)) as opened:
        yield opened


def fill(mirror: Mirror, vault: dict[str, list[str]], agent: str = "default") -> None:
    pages: list[PageState] = []
    for category, bodies in vault.items():
        page = PageRef(agent, category)
        pages.append(
            a_page_state(
                *(
                    a_memory(body, page=page, position=n, id=f"17736{len(pages)}{n}", at=A_DAY - timedelta(days=n))
                    for n, body in enumerate(bodies)
                ),
                page=page,
            )
        )
    mirror.sync(pages)


def a_briefing(mirror: Mirror, command: str, *, project: str = "", **limits: int) -> Briefing:
    return brief(mirror, "default", command, project=project, limits=Limits(**limits))


@pytest.mark.parametrize(
    ("name", "vault", "command", "project"),
    [
        ("english", VAULT_EN, "make the mirror faster", "# Agent memory\n\nPython 3.11, SQLite."),
        ("portuguese", VAULT_PT, "deixe o espelho mais rápido", "# Memória\n\nPython 3.11, SQLite."),
    ],
)
def test_a_briefing_reads_as_the_golden_one(mirror, name, vault, command, project):
    fill(mirror, vault)
    briefing = a_briefing(mirror, command, project=project)
    assert briefing.text + "\n" == (GOLDEN / f"{name}.md").read_text(encoding="utf-8")
    assert briefing.cuts == ()
    assert list(briefing.sections) == ["handoff", "tasks", "decisions", "lessons", "project"]


def test_a_short_briefing_says_what_it_cut_and_why(mirror):
    fill(mirror, VAULT_EN)
    briefing = a_briefing(mirror, "make the mirror faster", project="A project.\n" * 200, max_tokens=230)
    assert briefing.tokens <= 230
    assert "> A project." in briefing.text
    assert [cut.section for cut in briefing.cuts] == ["project"]
    assert f"… {briefing.cuts[0].lines} more" in briefing.text
    assert briefing.cuts[0] == Cut("project", briefing.cuts[0].lines, "no room left within 230 tokens")


def test_what_the_command_speaks_of_comes_in_and_nothing_else_of_its_kind(mirror):
    fill(mirror, VAULT_EN)
    text = a_briefing(mirror, "which HTTP client?").text
    assert "httpx" in text
    assert "ships with Python" not in text


@pytest.mark.parametrize("command", ["", "zebra", "and then?"])
def test_a_command_that_speaks_of_nothing_gets_the_latest(mirror, command):
    fill(mirror, VAULT_EN)
    briefing = a_briefing(mirror, command, decisions=1, lessons=0)
    assert "ships with Python" in briefing.text
    assert "httpx" not in briefing.text
    assert "lessons" not in briefing.sections


def test_another_agents_memories_stay_out(mirror):
    fill(mirror, VAULT_EN, agent="ana")
    assert "nothing is remembered" in a_briefing(mirror, "mirror").text.lower()


def test_an_empty_vault_gives_markers_and_a_sentence(mirror):
    lines = a_briefing(mirror, "não sei o que fazer").text.splitlines()
    assert lines == ["<!-- agent-memory:briefing -->", "Ainda não há nada lembrado.", "<!-- /agent-memory:briefing -->"]


@pytest.mark.parametrize("max_tokens", [99, 0, -1])
def test_a_budget_below_the_frame_is_refused(max_tokens):
    with pytest.raises(UsageError, match="at least 100 tokens"):
        build("a", "", project="", handoff=None, decisions=(), lessons=(), tasks=(), max_tokens=max_tokens)
