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

PREFIX: Final = "AGENT_MEMORY_"
# Variables of ours that are no settings, and those of the npm package, which a host may still set.
NO_SETTINGS: Final = frozenset(
    PREFIX + name for name in ("DIR", "SKIP_CURSOR_RULE", "SKIP_VSCODE_AUTOMATION", "SKIP_PROJECT_SEED", "VERBOSE")
)

Value = str | int | float | bool

# Thirty years in seconds: whatever is counted here, more of it is a mistake, and infinity no number.
MAXIMUM: Final = 1e9


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key, its default, what it does, and what is allowed.

    A ``personal`` one says where a person's words go, as whom, or at what cost: a project that somebody
    else wrote has no say in it, so it may not stand in a workspace's file.
    """

    key: str
    default: Value
    doc: str
    minimum: float | None = None
    choices: tuple[str, ...] = ()
    personal: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return PREFIX + self.key.replace(".", "_").upper()


SETTINGS: Final = (
    Setting("workspace.agent", "default", "The agent whose pages are meant where no agent is named."),
    Setting(
        "workspace.separate_worktrees",
        False,
        "Whether a linked git worktree has a memory of its own, not the main worktree's.",
    ),
    Setting(
        "vault.language",
        "en",
        "The language of what a new vault starts with: `en` or `pt`.",
        choices=("en", "pt"),
    ),
    Setting("vault.lock_timeout_s", 10.0, "How long a writer waits for the vault's lock.", minimum=0),
    Setting(
        "extraction.mode",
        "on",
        "`on` stores what is certain enough, `propose` also keeps the rest for you to accept, `off` takes no chats.",
        choices=("on", "propose", "off"),
    ),
    Setting(
        "extraction.min_confidence",
        0.5,
        "What is less certain than this, from 0 to 1, is not stored.",
        minimum=0,
    ),
    Setting("reflection.enabled", True, "Whether a model reflects on exchanges, once an endpoint is set."),
    Setting(
        "reflection.base_url",
        "",
        "The address of a model's server; empty: nothing is sent, ever.",
        personal=True,
    ),
    Setting(
        "reflection.server",
        "openai",
        "How it is spoken to: `openai` for any chat completions, `ollama`, `llamacpp`.",
        choices=("openai", "ollama", "llamacpp"),
    ),
    Setting("reflection.model", "", "The model's name, as the server has it.", personal=True),
    Setting(
        "reflection.key_env",
        "",
        "The environment variable that holds the key; empty: none is sent.",
        personal=True,
    ),
    Setting("reflection.slot_id", -1, "A slot of llama.cpp's kept for these calls; -1: any.", minimum=-1),
    Setting("reflection.timeout_s", 60.0, "Seconds after which a call is given up.", minimum=0.1),
    Setting("reflection.max_facts", 3, "How many facts of one reply count.", minimum=0),
    Setting(
        "reflection.max_notes", 2, "How many notes, decisions, lessons and tasks, each, of one reply count.", minimum=0
    ),
    Setting("reflection.max_reply_tokens", 800, "How many tokens a reply may have.", minimum=16),
    Setting(
        "reflection.daily_token_cap",
        200_000,
        "Tokens that all calls of a day (UTC) may use; what would go beyond is not sent.",
        minimum=0,
        personal=True,
    ),
    Setting("reflection.price_in", 0.0, "What a million tokens sent cost, in your currency.", minimum=0),
    Setting("reflection.price_out", 0.0, "What a million tokens of replies cost, in your currency.", minimum=0),
    Setting(
        "recall.rewrite.mode",
        "model",
        "What is done about a message that refers to earlier ones: `off`; `terms` adds words of the last turns;"
        " `model` has it rewritten where an endpoint is set, and else is `terms`.",
        choices=("off", "terms", "model"),
    ),
    Setting("recall.rewrite.timeout_s", 10.0, "Seconds after which the message is taken as it is.", minimum=0.1),
    Setting("recall.rewrite.history_turns", 3, "How many of the last exchanges count.", minimum=0),
    Setting(
        "semantic.mode",
        "auto",
        "`auto` lets search go by meaning too, once vectors are made by the extra `semantic` or an endpoint; or `off`.",
        choices=("auto", "off"),
    ),
    Setting(
        "semantic.base_url",
        "",
        "The address of an OpenAI-compatible server that makes the vectors instead; empty: nothing is sent, ever.",
        personal=True,
    ),
    Setting("semantic.model", "", "The model's name, as the server has it.", personal=True),
    Setting(
        "semantic.key_env",
        "",
        "The environment variable that holds the key; empty: none is sent.",
        personal=True,
    ),
    Setting("semantic.timeout_s", 2.0, "Seconds after which search goes on without.", minimum=0.05),
    Setting("process.threshold_min", 5.0, "Minutes without a write after which a chat counts as idle.", minimum=0),
    Setting(
        "watch.idle_timeout_s",
        180.0,
        "Seconds without a write after which a chat counts as idle.",
        minimum=0.1,
    ),
    Setting("watch.debounce_s", 2.0, "Seconds to wait for more after a write.", minimum=0),
    Setting("context.max_tokens", 2000, "The budget of a briefing.", minimum=50),
    Setting(
        "context.counter",
        "estimate",
        "`estimate`: a token is four characters; `conservative`: an upper bound for any script.",
        choices=("estimate", "conservative"),
    ),
    Setting("context.decisions", 3, "How many decisions a briefing has at most.", minimum=0),
    Setting("context.lessons", 2, "How many lessons a briefing has at most.", minimum=0),
    Setting("profile.enabled", True, "Whether a briefing has the facts of the profile."),
    Setting("profile.max_tokens", 512, "The most that facts take of a turn's briefing; 0 leaves them out.", minimum=0),
    Setting(
        "recall_injection.max_tokens",
        400,
        "The most that what was recalled takes of a turn's briefing; 0 leaves it out.",
        minimum=0,
    ),
    Setting(
        "index.max_tokens",
        300,
        "The most that the index of what was said latest takes of a turn's briefing; 0 leaves it out.",
        minimum=0,
    ),
    Setting(
        "profile.max_entries",
        500,
        "How many facts that are not pinned may be active at once; the least wanted go to the archive.",
        minimum=1,
    ),
    Setting(
        "profile.contextual_keyword_gate",
        True,
        "Whether a fact that is not pinned shows only where one of its keywords comes up.",
    ),
    Setting("notes.enabled", True, "Whether a briefing has notes."),
    Setting("notes.max_entries", 1000, "How many notes may be active; the least wanted go to the archive.", minimum=1),
    Setting("notes.max_content_chars", 4000, "How many characters a note may have.", minimum=1),
    Setting("notes.recall_default_k", 5, "How many notes `notes recall` finds where no number is given.", minimum=1),
    Setting("notes.dedup", True, "Whether a note that says what another says is linked to it or left out."),
    Setting(
        "notes.dedup_threshold",
        0.85,
        "What part of two notes' words, from 0 to 1, must be the same for one to repeat the other.",
        minimum=0,
    ),
    Setting(
        "notes.evict_by_use",
        True,
        "Whether the least voted for and least recalled notes go first; if not, the oldest.",
    ),
    Setting("compact.max_entries", 30, "A page with more entries than this is compacted.", minimum=1),
    Setting("compact.keep_entries", 20, "How many of the newest stay in a compacted page.", minimum=1),
    Setting("compact.summary_chars", 2000, "How long the summary of what was compacted may be.", minimum=200),
    Setting("compact.max_messages", 20, "How many messages of a dashboard's conversation stay once taken.", minimum=2),
    Setting("compact.still_s", 60.0, "Seconds without a write after which a conversation may be trimmed.", minimum=0),
    Setting("compact.checkpoint_days", 7, "Checkpoints older than this are expired.", minimum=1),
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
    if setting.minimum is not None and not setting.minimum <= float(value) <= MAXIMUM:
        raise _wrong_kind(setting, value, where)
    return value


def _wrong_kind(setting: Setting, value: object, where: str) -> SettingsError:
    kinds = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
    wanted = " or ".join(setting.choices) or kinds[type(setting.default)]
    at_least = "" if setting.minimum is None else f", at least {setting.minimum:g}"
    return SettingsError(
        f"{setting.key} in {where} must be {wanted}{at_least}, not {value!r}.",
        hint=f"It is: {setting.doc}",
        key=setting.key,
    )


def _unknown(key: str, where: str, known: Mapping[str, Setting]) -> SettingsError:
    import difflib

    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]}?" if near else "`agent-memory config show` lists every setting."
    return SettingsError(f"{key} in {where} is no setting.", hint=hint, key=key)
