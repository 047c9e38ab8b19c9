"""Links that nobody drew, and what says in so many words that it replaces something."""

from datetime import timedelta

import pytest

from agent_memory.fabric.relate import Likeness, key_of_linked, related
from agent_memory.fabric.telling import tags_of, words_of
from tests.builders import A_DAY, a_memory

NOISE = [
    "The footer needs another shade of green.",
    "Ana reviews the translations every Friday.",
    "Screenshots belong into the ticket, not into the chat.",
    "O menu fecha quando alguém toca fora dele.",
    "Product images are cut to four by three.",
    "O carrinho guarda os itens por trinta dias.",
    "Search results open in the same tab.",
    "A newsletter sai na primeira segunda do mês.",
]


def entries(*bodies, tags=()):
    told = [*bodies, *NOISE]
    return [
        a_memory(text, id=str(n), at=A_DAY + timedelta(hours=n), tags=tags if n <= len(bodies) else (), position=n)
        for n, text in enumerate(told, 1)
    ]


def found(*bodies, known=(), most=4, tags=()):
    memories = entries(*bodies, tags=tags)
    return related(memories, Likeness(memories), lambda key: key not in known, most=most)


def test_the_same_file_and_rare_words_link_the_later_to_the_earlier():
    links = found("shop/orders.py opens the ledger twice.", "The ledger in shop/orders.py is closed on errors.").links

    assert links == {"2": (("relates-to", "1"),)}


def test_the_same_in_two_languages_is_linked_by_its_names():
    links = found("O webhook do PayGate falha com timeout no retry.", "The PayGate webhook has a timeout before retry.")

    assert links.links == {"2": (("relates-to", "1"),)}


def test_one_word_in_common_is_no_link():
    assert found("The ledger is closed at night.", "Ana keeps the keys of the ledger room in a safe.").links == {}


def test_bookkeeping_tags_say_nothing_and_others_do():
    memory = a_memory(tags=("auto-extract", "keep", "reflection", "type:event", "SQLite"))
    assert tags_of(memory) == ("#sqlite",)


def test_an_entry_has_its_links_once_and_at_most_so_many():
    bodies = [f"shop/orders.py keeps the ledger open, case {name}." for name in ("alpha", "beta", "gamma", "delta")]

    assert {len(links) for links in found(*bodies, most=2).links.values()} == {1, 2}
    again = dict(found(*bodies).settled())
    assert again.keys() == {key_of_linked(name) for name in found(*bodies).links}
    assert found(*bodies, known=again).links == {}
    assert found(*bodies, most=0).links == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Let's use yarn for the shop's packages.", "Instead of yarn we use pnpm for the shop's packages."),
        ("O painel da loja fica em Bootstrap.", "Em vez de Bootstrap, o painel da loja usa Tailwind."),
        ("We go with Redis as the queue for payments.", "We switch from Redis to Postgres as the queue for payments."),
        ("Vamos usar moment.js nas datas do calendário.", "Não usamos mais moment.js nas datas do calendário."),
        ("We use yarn.", "Instead of yarn we use pnpm from now on, because it is faster."),
        (
            "The client creates an idempotency key per basket and the server keeps it for 48 hours.",
            "Idempotency keys are kept for 7 days instead of 48 hours. The nightly clean-up uses the same setting.",
        ),
        ("We'll deploy on Heroku.", "We're migrating from Heroku to Fly.io."),
        ("The backup runs on the old server.", "Instead of the old server, the backup runs on the new one."),
        ("We keep webhook events for 30 days.", "We no longer keep webhook events for 30 days, it's 13 months now."),
        (
            "O webhook do gateway fica em /hooks/pay.",
            "O webhook do gateway não fica mais em /hooks/pay, agora é em /webhooks/payments.",
        ),
    ],
)
def test_what_names_what_it_replaces_supersedes_it(before, after):
    assert found(before, after).gone == {"1": "2"}
    assert found(after, before).gone == {}, "what was said later is replaced by nothing said before"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We decided to use SQLite for the cache.", "We decided to use Kafka instead of SQLite for the event queue."),
        ("Sessions are kept in Redis.", "Instead of Redis, carts are kept in Postgres."),
        ("Usamos inglês nos commits.", "Na documentação usamos português em vez de inglês."),
        ("We use yarn.", "In the docs folder we use pnpm instead of yarn."),
        ("Keep the zone, the offset is useless.", "We replaced the offset by the zone."),
        ("Never put it on the NFS share.", "We no longer put it on the NFS share."),
        ("The mirror is kept in SQLite.", "Instead of Redis we keep the mirror in SQLite."),
        ("Redis holds the sessions of the login.", "Instead of Redis we use a table as the queue for payments."),
        ("Instead of Redis we use a table as the queue.", "Instead of Redis the queue is a table in Postgres."),
        ("Unknown webhook events are stored and ignored.", "We no longer keep webhook events for 30 days, but for 90."),
        ("The gateway webhook retries thrice.", "No gateway webhook takes longer, no longer than the gateway retries."),
        ("O worker tem 3 tentativas.", "O worker não tem mais do que 3 tentativas."),
    ],
)
def test_what_it_does_not_name_or_is_about_something_else_stays(before, after):
    assert found(before, after).gone == {}


def test_a_persons_words_are_not_superseded_by_a_rule():
    one, other, *noise = entries("Let's use yarn for the packages.", "Instead of yarn we use pnpm for the packages.")
    edited = type(one)(**{name: getattr(one, name) for name in one.__slots__} | {"edited": True})
    memories = [edited, other, *noise]

    assert related(memories, Likeness(memories), lambda key: True, most=4).gone == {}


def test_words_are_compared_by_how_their_stems_begin_and_file_names_whole():
    assert {"shop/orders.py", "lock"} <= words_of("The locks in shop/orders.py")
    assert words_of("the configuration of the calendar") == words_of("a configuração do calendário não é")


def test_words_of_change_are_not_what_two_entries_have_in_common():
    assert words_of("Instead of that, em vez disso, no lugar") == frozenset()
