"""What commands print: human text or snake_case JSON on stdout, progress and remarks on stderr."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import typer

from agent_memory.interfaces.cli import failures, screen, words
from agent_memory.interfaces.cli.words import tr
from agent_memory.model.terminal import printable

if TYPE_CHECKING:
    from agent_memory.app.container import App
    from agent_memory.model.memory import Memory

Command = Callable[..., None] | typer.Typer

PROGRESS_AFTER_S: Final = 1.0
SNIPPET_CHARS: Final = 120
_YES: Final = frozenset({"y", "yes", "s", "sim"})


@dataclass(frozen=True, slots=True)
class Call:
    """What every command is given: the memory folder, if named, whether JSON is wanted, and the other faces by name."""

    directory: str | None
    as_json: bool
    faces: Mapping[str, Callable[..., int]]

    @contextmanager
    def app(self, *, workspace: str | None = None, **flags: Any) -> Iterator[App]:
        """Compose the product; flags that are None were not given."""
        from agent_memory.app.container import open_app

        given = {key.replace("__", "."): value for key, value in flags.items() if value is not None}
        with open_app(directory=self.directory, workspace=workspace, flags=given) as app:
            words.speak(app.settings.text(words.SETTING))
            yield app
            if app.has_changed:
                from agent_memory.app import rule

                rule.follow(app)

    def answer(self, value: Mapping[str, Any] | None, text: str, *, rows: bool = False) -> None:
        """Print ``value`` as JSON if that is wanted, else ``text``, which a terminal gets as ``rows`` if it is such."""
        shown = json.dumps(value, ensure_ascii=False) if self.as_json else printable(text)
        if rows and not self.as_json:
            shown = screen.fitted(shown, screen.columns(sys.stdout))
            shown = screen.coloured(shown) if screen.has_colours(sys.stdout) else shown
        failures.say(shown, sys.stdout)


def call_of(context: typer.Context) -> Call:
    """Return what the top of the command line has understood."""
    call = context.obj
    if not isinstance(call, Call):
        raise TypeError("the top-level callback has not run")
    return call


def whole(app: App, entry_id: str, agent: str | None = None, category: str | None = None, *, gone: bool = False) -> str:
    """Return the id that is meant, which may be given by its end; every command that takes an id asks here."""
    from agent_memory.app.names import whole_id

    return whole_id(app, entry_id, agent, category, gone=gone)


def remark(text: str) -> None:
    """Say something on stderr that is no result."""
    failures.say(printable(text), sys.stderr)


def warn_of(redactions: int) -> None:
    """Say that secrets were taken out, if any were."""
    if redactions:
        one, more = "{count} secret taken out before writing.", "{count} secrets taken out before writing."
        remark(tr(one if redactions == 1 else more, count=redactions))


def confirmed(question: str, flag: str = "--force") -> bool:
    """Ask on the terminal.

    Raises:
        UsageError: There is none.
    """
    from agent_memory.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError("Nobody is there to confirm.", hint=f"Give {flag} to go on without asking.")
    answer: str = typer.prompt(f"{question} {tr('[y/N]')}", default="", show_default=False, err=True)
    return answer.strip().lower() in _YES


def stamp(memory: Memory) -> str:
    """Return an entry's date as its heading has it."""
    return memory.at.strftime("%Y-%m-%dT%H:%M")


def snippet(text: str) -> str:
    """Return the beginning of a body on one line."""
    from agent_memory.model.text import one_line, shorten

    return shorten(one_line(text), SNIPPET_CHARS)


@contextmanager
def patience(title: str, after_s: float = PROGRESS_AFTER_S) -> Iterator[None]:
    """Say on stderr, to a person who has waited for some time, what is being done; the line goes when it is done."""
    if not sys.stderr.isatty():
        yield
        return
    said = threading.Event()

    def say() -> None:
        said.set()
        print(f"{title}…", end="", file=sys.stderr, flush=True)

    timer = threading.Timer(after_s, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if said.is_set():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Progress:
    """A bar on stderr, shown only to a person and only once the work has taken longer than a second."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def advance(self, done: int, total: int) -> None:
        """Say how far the work is."""
        if self._bar is None:
            if not sys.stderr.isatty() or time.monotonic() - self._started < PROGRESS_AFTER_S:
                return
            self._show(total)
        self._bar.update(self._task, completed=done, total=total)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def _show(self, total: int) -> None:
        from rich.console import Console  # 80 ms and more: only for who has waited a second
        from rich.progress import Progress as Bar

        self._bar = Bar(console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._title, total=total)
        self._bar.start()
