"""Every error that agent-memory raises on purpose.

The tree::

    AgentMemoryError
    ├── UsageError              what was asked for is wrong: exit code 2
    │   ├── InvalidName         an agent or category id that cannot be a folder or file name
    │   ├── InvalidValue        one field of what was given cannot be; facts: field, reason
    │   ├── UnknownAgent
    │   ├── UnknownCategory
    │   └── UnknownEntry        no entry, run or record has this id
    ├── SettingsError           a settings file or variable holds something that is no setting
    ├── FileError               a file or folder cannot be read, written or made
    ├── LockTimeout             somebody else holds the vault's lock
    ├── PageConflict            a page changed under us again and again
    ├── Outdated                what was to be changed is no longer as the caller has read it
    ├── DatabaseError           SQLite refused
    │   ├── DatabaseBroken      the file is no database, or a damaged one
    │   └── DatabaseTooNew      a newer program wrote it
    ├── ModelError              a model is absent, cannot be asked, or answers something else
    │   ├── ModelRefused        it said no, with a status
    │   ├── ModelTimeout        it did not answer in time
    │   └── ModelAborted        we gave the call up
    ├── ExtraMissing            a part of the program that is installed on request is not there
    └── TableError              a pattern table that ships with the package is malformed

Each carries a sentence for people, a hint that says what to do, and what a program may want to know as facts, so that
no program looks into a message.
"""

from __future__ import annotations

from typing import Any


class AgentMemoryError(Exception):
    """Say what happened in one sentence, with a hint and the facts.

    Args:
        message: One sentence for a person, without the hint.
        hint: What to do about it; empty where nothing can be done.
        facts: Values that a program may want, kept as ``error.facts``.
    """

    def __init__(self, message: str, *, hint: str = "", **facts: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.facts = facts


class UsageError(AgentMemoryError):
    """The caller asked for something that cannot be."""


class InvalidName(UsageError):
    """An agent or category id cannot serve as the name of a folder or file."""


class InvalidValue(UsageError):
    """One field of what was given cannot be."""

    @classmethod
    def of(cls, field: str, reason: str, *, hint: str = "", **facts: Any) -> InvalidValue:
        """Say what is wrong with ``field``, without its name; both are facts of the error too."""
        return cls(f"{field}: {reason}", hint=hint, field=field, reason=reason, **facts)


class UnknownAgent(UsageError):
    """The vault has no such agent."""


class UnknownCategory(UsageError):
    """There is no such category."""


class UnknownEntry(UsageError):
    """No entry or run has this id."""


class SettingsError(AgentMemoryError):
    """A settings file, variable or flag holds an unknown key or a value of the wrong kind."""


class FileError(AgentMemoryError):
    """A file or folder cannot be read, written or made."""


class LockTimeout(AgentMemoryError):
    """Somebody else holds the vault's lock, and the deadline has passed."""


class PageConflict(AgentMemoryError):
    """A page kept changing between being read and being replaced."""


class Outdated(AgentMemoryError):
    """What was to be changed is not as it was when the caller read it; nothing was changed."""


class DatabaseError(AgentMemoryError):
    """SQLite refused to do what was asked."""


class DatabaseBroken(DatabaseError):
    """The file is no database, or a damaged one."""


class DatabaseTooNew(DatabaseError):
    """The database was written by a newer program."""


class ModelError(AgentMemoryError):
    """A model is not installed, cannot be asked, or answers with something that is no answer."""


class ModelRefused(ModelError):
    """The server said no; ``facts["status"]`` is the HTTP status."""


class ModelUnreachable(ModelError):
    """Nothing was sent: nobody listens there."""


class ModelTimeout(ModelError):
    """There was no answer in time."""


class ModelAborted(ModelError):
    """The call was given up: something newer was said, or we are ending."""


class ExtraMissing(AgentMemoryError):
    """A command needs what only an extra installs."""

    @classmethod
    def of(cls, what: str, extra: str) -> ExtraMissing:
        """Say that ``what`` needs ``extra``, and how to get it."""
        return cls(
            f"{what} needs the extra `{extra}`, which is not installed.",
            hint=f'pip install "agent-memory[{extra}]"',
            extra=extra,
        )


class TableError(AgentMemoryError):
    """A table that ships with the package is malformed; the message names the file and the row."""
