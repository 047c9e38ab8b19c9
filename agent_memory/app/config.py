"""Settings by hand: what each is and where that comes from, and writing one into a file without touching the rest."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from agent_memory.app.container import App
from agent_memory.app.names import nearest
from agent_memory.errors import FileError, SettingsError, UsageError
from agent_memory.system import files
from agent_memory.system.settings import Resolved, setting_of
from agent_memory.system.settings_table import Value

_HEADER: Final = re.compile(r"\s*\[\s*([\w.-]+)\s*\]\s*(?:#.*)?")
_LINE: Final = re.compile(r"(\s*([\w.-]+)\s*=\s*)(\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s#\"'\[{]+)(\s*(?:#.*)?)")


def get(app: App, key: str) -> Resolved:
    """Return a setting's value and where it comes from.

    Raises:
        UsageError: There is no such setting.
    """
    if key not in app.settings:
        near = nearest(key, app.settings)
        hint = f"Did you mean {near}?" if near else "`agent-memory config show` lists every setting."
        raise UsageError(f"There is no setting {key!r}.", hint=hint)
    return app.settings[key]


def put(app: App, key: str, text: str, *, for_user: bool = False) -> tuple[Path, Value]:
    """Write a setting into the workspace's file, or the user's own; personal ones always go there.

    Raises:
        UsageError: There is no such setting, or it cannot be that.
        FileError: The file does not let itself be changed by a line.
    """
    get(app, key)
    try:
        setting, value = setting_of(key, text)
    except SettingsError as error:
        raise UsageError(error.message, hint=error.hint, setting=key) from error
    path = app.places.user_config if for_user or setting.personal else app.folder.config
    if path == app.folder.config:
        app.vault.prepare()
    files.make_folder(path.parent)
    snapshot = files.read(path)
    before = snapshot.data.decode("utf-8") if snapshot else ""
    after = with_value(before, key, value)
    if after is None:
        raise FileError(f"{path} sets {key} in a way that only you can change.", hint="Edit it.", path=str(path))
    files.replace(path, after.encode(), expected=snapshot.identity if snapshot else None)
    return path, value


def with_value(text: str, key: str, value: Value) -> str | None:
    """Return TOML in which ``key`` is ``value`` and all else is as it was; None where one line cannot do that."""
    import tomllib

    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    if text and not text.endswith("\n"):
        lines[-1] += "\n"
    written, section, headers = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f"), "", {"": 0}
    for number, line in enumerate(lines):
        if found := _HEADER.fullmatch(line.rstrip("\r\n")):
            section = f"{found[1]}."
            headers[section] = number + 1
        elif (found := _LINE.fullmatch(line.rstrip("\r\n"))) and section + found[2] == key:
            lines[number] = f"{found[1]}{written}{found[4]}\n"
            break
    else:
        section = max((name for name in headers if key.startswith(name)), key=len)
        lines.insert(headers[section], f"{key.removeprefix(section)} = {written}\n")
    after = "".join(lines)
    try:
        return after if _flat(tomllib.loads(after)) == {**_flat(tomllib.loads(text)), key: value} else None
    except tomllib.TOMLDecodeError:
        return None


def _flat(tree: object, prefix: str = "") -> dict[str, object]:
    if not isinstance(tree, dict):
        return {prefix.removesuffix("."): tree}
    return {key: held for name, value in tree.items() for key, held in _flat(value, f"{prefix}{name}.").items()}
