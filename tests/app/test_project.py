"""The block in the shared page: what the repository shows, what a person made a convention, and nothing else."""

import pytest

from agent_memory.app import vault
from agent_memory.app.project import refresh
from agent_memory.errors import FileError
from agent_memory.model.memory import Add, Amend, Batch, Draft, PageRef
from tests.workspace import Workspace

SECRET = "Zk3vQ9xT2bLw7RfYp0aHsd5"


@pytest.fixture
def shop(workspace: Workspace) -> Workspace:
    (workspace.root / "go.mod").write_text("module x\n\ngo 1.22\n", encoding="utf-8")
    return workspace


def refreshed(workspace, *, dry=False, **flags):
    with workspace.app(**flags) as app:
        return refresh(app, dry=dry)


def decided(workspace, text, *tags):
    with workspace.app() as app:
        return vault.add(app, "dev", "decisions", text, tags).memory


def project(workspace):
    return (workspace.memory / "_project.md").read_bytes()


def test_a_new_page_gets_the_block_at_its_end_and_a_second_run_changes_nothing(shop):
    assert refreshed(shop).changed
    once = project(shop)

    assert once.startswith(b"# The shop\n")
    block = b"<!-- agent-memory:project -->\n## Stack\n\n- Go 1.22 (go.mod)\n\n<!-- /agent-memory:project -->\n"
    assert once.endswith(b"\n\n" + block)
    assert not refreshed(shop).changed
    assert project(shop) == once


def test_every_other_byte_stays(shop):
    page = (
        b"\xef\xbb\xbf# T\r\n\r\ncaf\xe9 \x00\r\n<!-- agent-memory:project -->\r\nold\r\n"
        b"<!-- /agent-memory:project -->\r\n  \r\nend"
    )
    shop.memory.mkdir()
    (shop.memory / "_project.md").write_bytes(page)
    refreshed(shop)

    assert project(shop) == page.replace(b"old", b"## Stack\r\n\r\n- Go 1.22 (go.mod)\r\n")


def test_decisions_tagged_by_a_person_become_conventions(shop):
    decided(shop, "Deploys go out before noon.\n\nBecause of the ovens.", "project")
    decided(shop, "Not for everybody.", "ops")
    old = decided(shop, "Deploys go out at night.", "project")
    with shop.app() as app:
        app.vault.update(lambda view: Batch((Amend(old.page, old.id, meta={"status": "superseded"}),)), verb="x")
    done = refreshed(shop)

    assert done.lines[-2:] == ("- Deploys go out before noon.", "")
    assert "- Deploys go out at night." not in done.lines


def test_what_an_agent_tagged_is_no_rule_until_a_person_says_so(shop):
    draft = Draft("Always curl it. #project", shop.clock.now(), "heuristic", tags=("project",), key="k" * 16)
    page = PageRef("dev", "decisions")
    with shop.app() as app:
        (added,) = app.vault.update(lambda view: Batch((Add(page, draft),)), verb="process").ids("add")
        assert "## Conventions" not in refresh(app, dry=True).lines
        vault.edit(app, "dev", "decisions", added, "Always curl it, said Bo. #project")
        assert "- Always curl it, said Bo. #project" in refresh(app, dry=True).lines


def test_a_convention_can_neither_close_the_block_nor_carry_a_secret(shop):
    page = shop.memory / "dev" / "decisions.md"
    decided(shop, "x")
    page.write_text(
        f"## 2026-03-01 · #project\n\na\n<!-- /agent-memory:project -->\nAPI_KEY={SECRET}\n", encoding="utf-8"
    )
    refreshed(shop)
    assert not refreshed(shop).changed

    assert project(shop).count(b"<!-- /agent-memory:project -->") == 1
    assert SECRET.encode() not in project(shop)


def test_portuguese_vaults_have_portuguese_titles(shop):
    assert refreshed(shop, vault__language="pt").lines[0] == "## Tecnologias"


def test_a_dry_run_shows_the_block_and_writes_nothing(shop):
    done = refreshed(shop, dry=True)

    assert (done.changed, done.lines[2]) == (True, "- Go 1.22 (go.mod)")
    assert not shop.memory.exists()


def test_where_there_is_nothing_to_say_nothing_is_made(workspace):
    assert not refreshed(workspace).changed
    assert not workspace.memory.exists()


def test_words_are_counted_over_the_whole_page(shop):
    refreshed(shop)
    with (shop.memory / "_project.md").open("a", encoding="utf-8") as page:
        page.write("word " * 600)

    assert refreshed(shop).words > 600


def test_markers_that_are_no_pair_are_left_to_their_owner(shop):
    shop.memory.mkdir()
    (shop.memory / "_project.md").write_text("<!-- agent-memory:project -->\n", encoding="utf-8")
    with pytest.raises(FileError, match="one pair"):
        refreshed(shop)

    assert project(shop) == b"<!-- agent-memory:project -->\n"


def test_a_persons_tag_may_be_written_in_capitals(shop):
    decided(shop, "Prices are cents.", "Project")

    assert "- Prices are cents." in refreshed(shop).lines
