import pytest

from agent_memory.app.kept import Kept
from agent_memory.app.recall import search
from agent_memory.app.vault import add
from agent_memory.model.recall import Query


@pytest.fixture
def kept(workspace):
    with workspace.app() as app:
        add(app, "default", "notes", "The ovens are booked by the hour.", [])
    one = Kept(workspace.app, stays=True)
    with one.use() as app:
        found(app)
    yield one
    one.close()


def found(app):
    return [hit.body for hit in search(app, Query("ovens"))]


def test_the_same_one_serves_one_request_after_the_other(kept):
    with kept.use() as first:
        pass
    with kept.use() as second:
        assert second is first


def test_what_is_not_to_stay_keeps_only_what_it_has_read_of_the_pages(workspace):
    one = Kept(workspace.app, stays=False)
    with one.use() as first:
        pass
    with one.use() as second:
        assert (second is first, second.shelf is first.shelf) == (False, True)


def test_a_hand_edit_is_seen(kept, workspace):
    page = workspace.memory / "default" / "notes.md"
    page.write_text(page.read_text().replace("by the hour", "by the minute"))
    with kept.use() as app:
        assert found(app) == ["The ovens are booked by the minute."]


def test_a_setting_is_seen(kept, workspace):
    (workspace.memory / "config.toml").write_text("[workspace]\nagent = 'other'\n")
    with kept.use() as app:
        assert app.agent == "other"


def test_an_index_that_was_deleted_is_made_anew(kept, workspace):
    for path in (workspace.memory / ".vault").glob("mirror.sqlite3*"):
        path.unlink()
    with kept.use() as app:
        assert found(app) == ["The ovens are booked by the hour."]
    assert (workspace.memory / ".vault" / "mirror.sqlite3").exists()


def test_whatever_goes_wrong_the_next_request_has_another(kept):
    with pytest.raises(ZeroDivisionError), kept.use() as first:
        1 / 0  # noqa: B018
    with kept.use() as second:
        assert second is not first
        assert found(second) == ["The ovens are booked by the hour."]
