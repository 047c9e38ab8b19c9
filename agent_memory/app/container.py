"""The one place where things are joined: settings, clock, vault, state and mirror become an App."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent_memory.errors import FileError, LockTimeout, SettingsError
from agent_memory.mirror.search import Mirror
from agent_memory.model.ids import check_name
from agent_memory.recall.standby import Failure, Standby
from agent_memory.system import logs, paths, settings
from agent_memory.system.clock import Clock, SystemClock
from agent_memory.system.paths import MemoryFolder, Places
from agent_memory.system.settings import Settings
from agent_memory.system.settings_table import Value
from agent_memory.vault.shelf import Shelf

if TYPE_CHECKING:
    from agent_memory.model.memory import PageRef
    from agent_memory.recall.engine import Index
    from agent_memory.state.store import StateStore
    from agent_memory.system.encoders import Encoder
    from agent_memory.system.llm import Client
    from agent_memory.vault.store import Vault
    from agent_memory.vault.view import PageState

PROFILE: Final = "profile"

_log = logs.get("app")


@dataclass
class App:
    """Everything a verb needs. State and mirror are opened when first asked for."""

    places: Places
    environment: Mapping[str, str]
    folder: MemoryFolder
    settings: Settings
    clock: Clock
    shelf: Shelf
    _open: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _state: StateStore | None = None
    _mirror: Mirror | None = None
    _user: App | None = None
    _models: Client | None = None
    _warned: set[str] = field(default_factory=set)
    _has_seen: bool = False

    @property
    def user(self) -> App:
        """The same product on the user's own vault; nothing of it is made before something is written there."""
        if self._user is None:
            folder = self.places.user_memory
            self._user = App(self.places, self.environment, folder, self.settings, self.clock, Shelf(folder))
            self._open.callback(self._user.close)
        return self._user

    @property
    def agent(self) -> str:
        """The agent that is meant where none is named."""
        return self.agent_named(self.settings.text("workspace.agent"))

    def agent_named(self, name: str) -> str:
        """Return the agent of this name, as the vault spells it; ``InvalidName`` where there can be none."""
        return self.shelf.spelling(check_name(name, "an agent"))

    @property
    def workspace(self) -> Path:
        """The folder whose conversations are ours: the repository's root, or where we are."""
        return paths.repository_root(self.places.cwd) or self.places.cwd

    @cached_property
    def vault(self) -> Vault:
        """The vault to write to; whoever only reads takes the ``shelf``, and needs nothing of what writes."""
        from agent_memory.vault.store import Vault

        is_user = self.folder.root == self.places.user_memory.root  # which belongs to no project
        return Vault(
            self.folder,
            self.clock,
            lock_timeout_s=self.settings.number("vault.lock_timeout_s"),
            language="" if is_user else self.settings.text("vault.language"),
            shelf=self.shelf,
        )

    @property
    def has_changed(self) -> bool:
        """Whether the vault was written, or pages found changed, since this was composed or ``settle`` was called."""
        return self._has_seen or ("vault" in self.__dict__ and self.vault.has_written)

    def settle(self) -> None:
        """Take note that whoever tells of the vault has been told of every change."""
        self._has_seen = False
        if "vault" in self.__dict__:
            self.vault.has_written = False

    @property
    def state(self) -> StateStore:
        """The bookmarks; opening them makes ``.vault`` if need be."""
        if self._state is None:
            from agent_memory.state.store import StateStore

            self._prepare()
            self._state = StateStore.open(self.folder.state)
            self._open.callback(self._state.close)
            if self._state.moved_aside is not None:
                _log.warning("the state was damaged and is now %s; everything is read again", self._state.moved_aside)
        return self._state

    @property
    def mirror(self) -> Mirror:
        """The index, brought up to date with the pages as they are now."""
        if self._mirror is None:
            self._prepare()
            self._mirror = Mirror.open(self.folder.mirror, redact=_redacted, encoder=lambda: self.encoder)
            self._open.callback(self._mirror.close)
        pages = self.pages()
        if self._mirror.sync(pages):
            self._has_seen = True
            if any(one.page.category == PROFILE for one in pages):
                self.witness()
        return self._mirror

    @property
    def index(self) -> Index:
        """What memories are looked for in: the mirror or, where that cannot be had or fails, the pages themselves."""
        return Standby(lambda: self.mirror, self._pages_instead)

    def _pages_instead(self, failure: Failure) -> Index:
        from agent_memory.recall.pages import Pages

        self.warn(f"Searching in the pages themselves, which is slower: {failure.message}")
        return Pages(self.pages(), _redacted)

    def pages(self) -> list[PageState]:
        """Return the pages as they are now; one that cannot be read is named in a warning, once, and left out."""
        return self.shelf.page_states(self.leave_out)

    @cached_property
    def encoder(self) -> Encoder | None:
        """What makes vectors; None where there is nothing, or it is switched off.

        Raises:
            SettingsError: The address or the key cannot be one, or the key's variable is not set.
        """
        if self.settings.text("semantic.mode") == "off":
            return None
        from agent_memory.system import encoders

        timeout_s = self.settings.number("semantic.timeout_s")
        client = _client(self.settings, self.environment, "semantic")
        if client is None:
            return encoders.local(timeout_s)
        self._open.callback(client.close)
        return encoders.Remote(client, timeout_s)

    @property
    def models(self) -> Client | None:
        """The model's server that the user has named; None where there is none, or it is switched off.

        Raises:
            SettingsError: The address or the key cannot be one, or the key's variable is not set.
        """
        if self._models is None and self.settings.flag("reflection.enabled"):
            self._models = _client(self.settings, self.environment, "reflection")
            if self._models is not None:
                self._open.callback(self._models.close)
        return self._models

    def leave_out(self, page: PageRef | None, error: FileError) -> None:
        """Warn of a page, or of a folder of them, that cannot be read."""
        self.warn(f"{error.message} It is left out.")

    def warn(self, message: str) -> None:
        """Tell whoever runs this something that is wrong and stops nothing; the same thing once."""
        if message not in self._warned:
            self._warned.add(message)
            _log.warning("%s", message)

    def _prepare(self) -> None:
        if not self.shelf.is_prepared():
            self.vault.prepare()

    def witness(self) -> None:
        """Journal what people changed in profile pages themselves, as of now."""
        from agent_memory.fabric import byhand  # only where such a page has changed

        try:
            self.vault.witness(
                lambda: byhand.hand_edits(self.vault.view(), self.vault.journal_runs(byhand.PAGE)),
                verb=byhand.BY_HAND,
            )
        except (FileError, LockTimeout) as error:  # whoever only reads must not fail; it is seen the next time
            _log.info("what was changed by hand could not be noted: %s", error.message)

    def close(self) -> None:
        """Close what was opened; whoever goes on opens it anew."""
        self._open.close()
        self._state = self._mirror = self._user = self._models = None


@contextlib.contextmanager
def open_app(
    *,
    directory: str | None = None,
    workspace: str | None = None,
    flags: Mapping[str, Value] | None = None,
    clock: Clock | None = None,
) -> Iterator[App]:
    """Compose the product for one command.

    Args:
        directory: The memory folder, if one was named.
        workspace: The folder to work for, if it is not the one we are in.
        flags: Settings given on the command line.
        clock: The time to live in; the computer's by default.

    Raises:
        SettingsError: A settings file or variable is wrong.
        FileError: The memory folder is a file.
    """
    environment = settings.environment()
    places = Places.discover(environment)
    if workspace is not None:
        places = places.moved_to(Path(workspace))
    folder, loaded = _settle(places, directory, environment, flags or {})
    app = App(places, environment, folder, loaded, clock or SystemClock(), Shelf(folder))
    try:
        yield app
    finally:
        app.close()


def _client(loaded: Settings, environment: Mapping[str, str], group: str) -> Client | None:
    base_url, variable = loaded.text(f"{group}.base_url"), loaded.text(f"{group}.key_env")
    if not base_url:
        return None
    from agent_memory.system.llm import Client, Endpoint  # 40 ms, only for who has a model

    key = environment.get(variable, "") if variable else ""
    if variable and not key:
        raise SettingsError(f"{group}.key_env names {variable}, which is not set.", hint="Set it, or unset the name.")
    endpoint = Endpoint(base_url, loaded.text(f"{group}.model"), key=key.strip())
    if group == "reflection":
        server, slot_id = loaded.text("reflection.server"), loaded.count("reflection.slot_id")
        endpoint = replace(endpoint, server=server, slot_id=slot_id)
    return Client(endpoint)


def _settle(
    places: Places, directory: str | None, environment: Mapping[str, str], flags: Mapping[str, Value]
) -> tuple[MemoryFolder, Settings]:
    """Find the memory folder and its settings; those of the main worktree's may send us to another."""
    separate = False
    while True:
        folder = paths.find_memory(places, flag=directory, environment=environment, separate=separate)
        loaded = settings.load(
            user_file=places.user_config, workspace_file=folder.config, environment=environment, flags=flags
        )
        if separate or not loaded.flag("workspace.separate_worktrees"):
            return folder, loaded
        separate = True


def _redacted(text: str) -> str:
    from agent_memory.redaction import redact  # its expressions take longer to make than most commands take

    return redact(text).text
