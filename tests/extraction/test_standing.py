"""The last choice on the same object holds: which earlier one falls, which one comes back, what is a repeat."""

from __future__ import annotations

import pytest

from agent_memory.extraction.memo import Said
from agent_memory.extraction.standing import MAX_SAID, contradicts, settle
from agent_memory.model.ids import key_of
from agent_memory.model.memory import Candidate
from agent_memory.model.transcript import Origin, Role
from tests.builders import A_CONVERSATION, A_DAY


def a_choice(body: str, *, confidence: float = 0.9, category: str = "decisions") -> Candidate:
    origin = Origin("cursor", A_CONVERSATION, 2, (0, len(body)), "d")
    return Candidate(category, body, key_of(A_CONVERSATION, "user", body), origin, A_DAY, confidence=confidence)


def told(*bodies: str, role: Role = "user") -> tuple[list[Candidate], tuple[Said, ...]]:
    """Say one choice a turn; return the last turn's candidates and what has been said."""
    kept, said = list[Candidate](), tuple[Said, ...]()
    for body in bodies:
        kept, said = settle(said, role, [a_choice(body)])
    return kept, said


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("Use SQLite instead of Postgres for the reports.", "Let's use Postgres for the reports."),
        ("No Redis here.", "Keep the cache in Redis."),
        ("No, not a cron job. a queue.", "The sync runs as a cron job."),
        ("Instead of yarn we use pnpm for the packages.", "Let's use yarn for the packages."),
        ("Instead of Redis the queue is a table.", "The queue runs on Redis."),
        ("Em vez de Bootstrap vamos usar Tailwind no painel.", "Vamos usar Bootstrap no painel."),
        ("Em vez de Bootstrap o painel usa Tailwind.", "Vamos usar Bootstrap no painel."),
        ("Session timeout 15 minutes.", "Session timeout 30 minutes."),
        ("No, 15 minutes.", "Session timeout 30 minutes."),
        ("Use MySQL for the order store.", "Use Postgres for the order store."),
        ("Replaced the tree with a flat list sorted by date.", "The sidebar shows a tree."),
        ("Usa SQLite em vez de Postgres nos relatórios.", "Vamos usar Postgres nos relatórios."),
        ("Nada de Redis aqui.", "O cache fica no Redis."),
        ("Não, cron não, uma fila, sem cron.", "A sincronização roda no cron."),
        ("Sessão de 15 minutos.", "Sessão de 30 minutos."),
        ("Na verdade são 15 minutos de sessão.", "Sessão de 30 minutos."),
        ("Barra horizontal, esquece pizza.", "Vamos usar gráfico de pizza pros vendedores."),
        (
            "Let's go with Kafka for the order store, because three services replay every order of the last month.",
            "Let's go with SQLite for the order store, because a backup is a plain copy and nobody runs a server.",
        ),
        (
            "Vamos de Kafka nos pedidos, porque três serviços precisam reler todos os pedidos do último mês.",
            "Vamos de SQLite nos pedidos, já que a cópia de segurança é um arquivo e ninguém roda um servidor.",
        ),
    ],
)
def test_a_choice_falls_with_what_cannot_stand_beside_it(later: str, earlier: str) -> None:
    assert contradicts(later, earlier)


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("Uploads expire after 5 minutes.", "Sessions expire after 30 minutes."),
        ("We decided to use Kafka instead of SQLite for the queue.", "We decided to use SQLite for the cache."),
        ("Use Redis for the sessions.", "Use Postgres for the order store."),
        ("No tests for the demo pages.", "Every endpoint needs integration tests."),
        ("Never call the billing API from the web process.", "The billing API is version 2."),
        ("Keep the cache in memory, no Redis.", "No Redis in this product."),
        ("Tests of the page run with playwright.", "Tests run with pytest."),
        ("Envios expiram em 5 minutos.", "Sessões expiram em 30 minutos."),
        ("Usa Redis nas sessões.", "Usa Postgres nos pedidos."),
        ("Sem teste nas páginas de demonstração.", "Todo endpoint precisa de teste de integração."),
        ("Nunca chama a API de cobrança no processo web.", "A API de cobrança é a versão 2."),
        ("Mantém o cache em memória, nada de Redis.", "Nada de Redis neste produto."),
        ("Não usa mock nos testes.", "Os testes usam o banco de verdade."),
        (
            "Let's go with Kafka for the mails, because three services replay every order of the last month.",
            "Let's go with SQLite for the order store, because a backup is a plain copy and nobody runs a server.",
        ),
        (
            "Keep the sessions in Redis, because Postgres was too slow for the order store.",
            "Keep the order store in Postgres, because the accountants read it with a tool of their own every night.",
        ),
        (
            "Nothing may write to Kafka, because SQLite holds the orders.",
            "The orders stay in SQLite because it is enough.",
        ),
    ],
)
def test_choices_that_can_stand_together_stay(later: str, earlier: str) -> None:
    assert not contradicts(later, earlier)


def test_a_long_statement_is_not_felled_by_a_part_of_it() -> None:
    long = "Keep the cache in Redis, mails in a queue, avatars on disk, logs in one file and metrics in the gateway."

    assert not contradicts("No Redis.", long)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Use a queue for the mails.", "Send mails at once, no queue for the mails."),
        ("Usa fila nos e-mails.", "Manda na hora, sem fila nos e-mails."),
    ],
)
def test_a_choice_said_again_has_its_key_and_replaces_what_had_replaced_it(first: str, second: str) -> None:
    (replacing,), _ = told(first, second)
    (again,), _ = told(first, second, first)

    assert replacing.replaces == (a_choice(first).key,)
    assert (again.key, again.replaces) == (a_choice(first).key, (a_choice(second).key,))


@pytest.mark.parametrize(
    ("first", "second", "back"),
    [
        ("The sidebar shows a plain list.", "A tree, not a plain list.", "Ok, back to the plain list."),
        ("A barra mostra uma lista simples.", "Uma árvore, nada de lista simples.", "Volta pra lista simples."),
    ],
)
def test_going_back_takes_up_the_old_choice(first: str, second: str, back: str) -> None:
    (again,), _ = told(first, second, back)

    assert (again.key, again.body) == (a_choice(first).key, first)
    assert again.replaces == (a_choice(second).key,)


def test_an_agent_that_names_what_fell_does_not_bring_it_back() -> None:
    _, said = told("The sidebar shows a plain list.", "A tree, not a plain list.")

    kept, _ = settle(said, "assistant", [a_choice("I went back to the plain list in the archive view only.")])

    assert [one.key for one in kept] != [a_choice("The sidebar shows a plain list.").key]


def test_what_is_not_sure_replaces_nothing() -> None:
    _, said = told("Keep the cache in Redis.")

    (kept,), _ = settle(said, "user", [a_choice("No Redis.", confidence=0.4)])

    assert kept.replaces == ()


def test_a_lesson_replaces_no_decision() -> None:
    _, said = told("Keep the cache in Redis.")

    (kept,), _ = settle(said, "assistant", [a_choice("No Redis.", category="lessons")])

    assert kept.replaces == ()


def test_other_words_for_the_same_are_dropped_and_the_same_words_are_not() -> None:
    first = "All writes always go through one writer process."

    assert told(first, "Writes always go through one writer process, all of them.")[0] == []
    assert [one.body for one in told(first, first)[0]] == [first]


def test_only_the_latest_are_remembered() -> None:
    _, said = told(*(f"Rule number {n} holds." for n in range(MAX_SAID + 5)))

    assert len(said) == MAX_SAID
