"""An entry whose own words end as a separator does comes back from a deletion and from an edit, byte for byte."""

import pytest

from agent_memory.app import changes, vault
from tests.workspace import Workspace

ENDINGS = ["---", "x\n\n---", "# Título\n\ntexto\n\n---\n", "x\n---", "a\n\n---\n\nb", "***", "x\n\n---\n\n---"]


@pytest.mark.parametrize("body", ENDINGS)
@pytest.mark.parametrize("alone", [True, False])
def test_it_comes_back(workspace: Workspace, body: str, alone: bool) -> None:
    with workspace.app() as app:
        written = vault.add(app, "default", "notes", body, ()).memory.id
        if not alone:
            vault.add(app, "default", "notes", "Another note.", ())
        before = workspace.files()["default/notes.md"]
        vault.delete(app, "default", "notes", written)
        changes.undo(app, written)
        assert workspace.files()["default/notes.md"] == before

        vault.edit(app, "default", "notes", written, "oops")
        changes.undo(app, written)
        assert workspace.files()["default/notes.md"] == before
