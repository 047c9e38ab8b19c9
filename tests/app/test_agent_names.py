"""One agent, however its name is spelt: other computers' files may have its accents apart, or its capitals."""

from unicodedata import normalize

import pytest

from agent_memory.app import brief, doctor, names, recall, sessions, sleep, vault
from agent_memory.errors import InvalidName
from agent_memory.model.ids import check_name
from agent_memory.model.recall import Query

NAME = "João"
APART = normalize("NFD", NAME)
SPELLINGS = [NAME, APART, "JOÃO", normalize("NFD", "joão")]
SAID = [
    {"role": "user", "text": "Let's go with a queue for the ovens, because two bakers booked the same hour."},
    {"role": "agent", "text": "Done, bookings go through the queue now."},
]


def folder(workspace, name, words):
    """An agent's folder as another computer has written it."""
    page = workspace.memory / name / "notes.md"
    page.parent.mkdir(parents=True)
    page.write_text(f"## 2026-03-16T10:00\n\n{words}\n", encoding="utf-8")


@pytest.mark.parametrize("first", [NAME, APART])
@pytest.mark.parametrize("spelt", SPELLINGS)
def test_every_spelling_of_a_name_is_the_agent_that_there_is(workspace, first, spelt):
    folder(workspace, first, "The oven is booked by the hour.")
    with workspace.app() as app:
        written = vault.add(app, spelt, "decisions", "The oven has a queue.", ()).memory
        edited = vault.edit(app, spelt, "decisions", written.id, "The oven has two queues.").memory
        found = recall.search(app, Query("oven", agent=spelt))

        assert (written.page.agent, edited.page.agent, names.agents(app)) == (first, first, [first])
        assert len(vault.entries(app, spelt, "notes")) == 1
        assert len(found) == 2
        assert "two queues" in brief.brief(app, spelt, "oven", "session").text
        assert vault.delete(app, spelt, "decisions", written.id).id == written.id


def test_a_new_agent_has_its_accents_together(workspace):
    with workspace.app() as app:
        assert vault.add(app, APART, "notes", "First.", ()).memory.page.agent == NAME


def test_two_folders_that_differ_in_form_stay_two_agents_and_are_named(workspace):
    for name in (NAME, APART):
        folder(workspace, name, f"Of {len(name)} characters.")
    with workspace.app() as app:
        for name in (NAME, APART):
            assert [one.body for one in vault.entries(app, name, "notes")] == [f"Of {len(name)} characters."]
        [finding] = doctor.pages(app.vault.view())
    assert (ascii(NAME) in finding.where, ascii(APART) in finding.where) == (True, True)


def test_a_chat_is_one_chat_however_its_agent_is_spelt(workspace):
    with workspace.app() as app:
        for spelt in SPELLINGS:
            sessions.converse(app, sessions.chat(spelt, SAID))
            sleep.sleep(app, sessions.chat(spelt, SAID))

        assert names.agents(app) == [NAME]
        assert len(vault.entries(app, NAME, "decisions")) == 1
        saved = sessions.conversation(app, APART)
        assert saved is not None
        assert saved.messages == tuple(SAID)
    workspace.clock.advance(hours=1)
    assert workspace.process().decisions == 0


@pytest.mark.parametrize("letter", ["é", "語", "😀"])
def test_a_name_fits_into_the_name_of_a_file(workspace, letter):
    name = letter * min(80, 220 // len(letter.encode()))
    with workspace.app() as app:
        vault.add(app, name, "notes", "x", ())
        sessions.converse(app, sessions.chat(name, SAID))
    with pytest.raises(InvalidName):
        check_name(letter * 81, "an agent")
    with pytest.raises(InvalidName):
        check_name("語" * 74, "an agent")
