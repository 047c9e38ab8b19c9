"""What a new vault starts with: the files of ``vault_templates/``, and what git should do with it."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Final

from agent_memory.errors import FileError
from agent_memory.model.text import clean, one_line, shorten
from agent_memory.redaction import redact
from agent_memory.system import files
from agent_memory.system.paths import PROJECT_FILE, templates_dir

OWNER_FILE: Final = "README.md"
GIT_IGNORE: Final = ".vault/\nconversations/\n*.am-tmp\n"
GIT_ATTRIBUTES: Final = "taken.jsonl merge=union\n*/*.md merge=agent-memory\n*/archive/*.md merge=agent-memory\n"
MAX_TITLE_CHARS: Final = 100

_TITLE: Final = re.compile(r"^#[ \t]+(.+)$", re.MULTILINE)
_PICTURE: Final = re.compile(r"\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?|<[^>]*>")
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def seeds(workspace: Path, language: str, *, new: bool) -> dict[str, str]:
    """Return the text of each file that a vault starts with, by its name.

    A vault without ``language`` has no words of ours; only a ``new`` folder gets a word to its owner.
    """
    kept = {".gitignore": GIT_IGNORE, ".gitattributes": GIT_ATTRIBUTES}
    if not language:
        return kept
    project = template(PROJECT_FILE, language).replace("{title}", title_of(workspace))
    owner = {OWNER_FILE: template(OWNER_FILE, language)} if new else {}
    return {**kept, **owner, PROJECT_FILE: project}


def template(name: str, language: str) -> str:
    """Return a template in ``language``; ``FileError`` if the installation lacks it."""
    path = templates_dir() / language / name
    text = files.read_text(path)
    if text is None:
        raise FileError(f"The template {path} is missing.", hint="Install agent-memory again.", path=str(path))
    return text


def title_of(workspace: Path) -> str:
    """Return the title in the workspace's README, or else the folder's name."""
    found = None
    with contextlib.suppress(FileError):  # a title is not worth a failure
        found = _TITLE.search(files.read_text(workspace / "README.md") or "")
    bare = _LINK.sub(r"\1", _PICTURE.sub(" ", found[1])) if found else ""
    return shorten(redact(one_line(clean(bare))).text, MAX_TITLE_CHARS) or workspace.name or "Project"
