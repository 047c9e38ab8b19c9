"""Settings in layers: defaults < user file < workspace file < environment < flags.

Each value knows where it came from. An unknown key, or a value of the wrong kind, is an error that
names the file, the line and the nearest valid key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent_memory.errors import SettingsError
from agent_memory.system import files
from agent_memory.system.settings_table import MAXIMUM, PREFIX, SETTINGS, Setting, Value

# Variables of ours that are no settings, and those of the npm package, which a host may still set.
NO_SETTINGS: Final = frozenset(
    PREFIX + name for name in ("DIR", "SKIP_CURSOR_RULE", "SKIP_VSCODE_AUTOMATION", "SKIP_PROJECT_SEED", "VERBOSE")
)

_BY_KEY: Final = {setting.key: setting for setting in SETTINGS}
_BY_VARIABLE: Final = {setting.variable: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Resolved:
    """A setting's value and where it came from."""

    value: Value
    source: str


class Settings(Mapping[str, Resolved]):
    """Every setting, resolved."""

    def __init__(self, resolved: Mapping[str, Resolved]) -> None:
        self._resolved = dict(resolved)

    def __getitem__(self, key: str) -> Resolved:
        return self._resolved[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._resolved)

    def __len__(self) -> int:
        return len(self._resolved)

    def text(self, key: str) -> str:
        """Return a setting that is text."""
        return str(self._resolved[key].value)

    def flag(self, key: str) -> bool:
        """Return a setting that is true or false."""
        return bool(self._resolved[key].value)

    def number(self, key: str) -> float:
        """Return a setting that is a number."""
        return float(self._resolved[key].value)

    def count(self, key: str) -> int:
        """Return a setting that is a whole number."""
        return int(self._resolved[key].value)


def environment() -> dict[str, str]:
    """Return the process's environment, read once by whoever composes the program."""
    return dict(os.environ)


def load(
    *, user_file: Path, workspace_file: Path, environment: Mapping[str, str], flags: Mapping[str, Value]
) -> Settings:
    """Resolve every setting from its layers.

    Raises:
        SettingsError: A key or value is wrong; the message names file, line and nearest key.
    """
    resolved = {setting.key: Resolved(setting.default, "default") for setting in SETTINGS}
    resolved.update(_from_file(user_file, personal=True))
    resolved.update(_from_file(workspace_file, personal=False))
    resolved.update(_from_environment(environment))
    for key, value in flags.items():
        resolved[key] = Resolved(_check(_BY_KEY[key], value, "a flag"), "flag")
    return Settings(resolved)


def setting_of(key: str, text: str) -> tuple[Setting, Value]:
    """Return the setting that ``key`` names, and what ``text`` sets it to.

    Raises:
        SettingsError: There is no such setting, or it cannot be that.
    """
    setting = _BY_KEY.get(key)
    if setting is None:
        raise _unknown(key, "what was asked", _BY_KEY)
    return setting, _check(setting, _parse(setting, text, "what was given"), "what was given")


def _from_file(path: Path, *, personal: bool) -> Iterator[tuple[str, Resolved]]:
    text = files.read_text(path)
    if text is None:
        return
    import tomllib  # most calls find no file, and need no parser

    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not TOML: {error}.", hint="Mend that line.", path=str(path)) from error
    for key, value in _flatten(tree):
        where = f"{path}, line {_line_of(text, key)}"
        setting = _BY_KEY.get(key)
        if setting is None:
            raise _unknown(key, where, _BY_KEY)
        if setting.personal and not personal:
            raise SettingsError(
                f"{key} in {where} is yours to set, not a project's.",
                hint="Move it to your own settings file, or set it in the environment.",
                key=key,
            )
        yield key, Resolved(_check(setting, value, where), where)


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _line_of(text: str, key: str) -> int:
    section, _, name = key.rpartition(".")
    lines = text.splitlines()
    start = next((n for n, line in enumerate(lines) if line.strip() == f"[{section}]"), 0)
    for number, line in enumerate(lines[start:], start + 1):
        if line.split("=")[0].strip().strip("\"'") in (name, key):
            return number
    return start + 1


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, Resolved]]:
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or variable in NO_SETTINGS or not text:
            continue
        setting = _BY_VARIABLE.get(variable)
        if setting is None:
            raise _unknown(variable, "the environment", _BY_VARIABLE)
        value = _check(setting, _parse(setting, text, variable), variable)
        yield setting.key, Resolved(value, f"environment ({variable})")


def _parse(setting: Setting, text: str, where: str) -> Value:
    try:
        match setting.default:
            case bool():
                return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
            case int():
                return int(text)
            case float():
                return float(text)
            case _:
                return text
    except (ValueError, KeyError) as error:
        raise _wrong_kind(setting, text, where) from error


def _check(setting: Setting, value: object, where: str) -> Value:
    wanted = type(setting.default)
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted or not isinstance(value, (str, int, float)):
        raise _wrong_kind(setting, value, where)
    if setting.choices and value not in setting.choices:
        raise _wrong_kind(setting, value, where)
    if setting.minimum is not None and not setting.minimum <= float(value) <= setting.maximum:
        raise _wrong_kind(setting, value, where)
    return value


def _wrong_kind(setting: Setting, value: object, where: str) -> SettingsError:
    kinds = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
    wanted = " or ".join(setting.choices) or kinds[type(setting.default)]
    limits = "" if setting.minimum is None else f", at least {setting.minimum:g}"
    limits += f" and at most {setting.maximum:g}" if setting.maximum < MAXIMUM else ""
    return SettingsError(
        f"{setting.key} in {where} must be {wanted}{limits}, not {value!r}.",
        hint=f"It is: {setting.doc}",
        key=setting.key,
    )


def _unknown(key: str, where: str, known: Mapping[str, Setting]) -> SettingsError:
    import difflib

    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]}?" if near else "`agent-memory config show` lists every setting."
    return SettingsError(f"{key} in {where} is no setting.", hint=hint, key=key)
