"""What commands are given in words: by a flag, in a file or on standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from agent_memory.errors import FileError, UsageError


def words(content: str | None, file: Path | None) -> str:
    """Return the words given by flag, by file, or on standard input if that is no terminal.

    Raises:
        UsageError: None of them has any.
        FileError: The file cannot be read as text.
    """
    if content is not None:
        return content
    if file is not None:
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"{file} cannot be read as text.", hint="Name a UTF-8 text file.") from error
    if not sys.stdin.isatty():
        return piped()
    raise UsageError("There are no words to store.", hint="Give them with --content, --file or on standard input.")


def piped() -> str:
    """Return what comes on standard input.

    Raises:
        FileError: It is no text.
    """
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise FileError("Standard input is not UTF-8 text.", hint="Convert it first.") from error
