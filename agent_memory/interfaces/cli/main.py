"""The top of the command line: the tree of commands, the two flags that go anywhere, and the exit codes."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Final, cast

import typer
import typer.core

from agent_memory import __version__
from agent_memory.errors import AgentMemoryError
from agent_memory.interfaces.cli import failures, words
from agent_memory.interfaces.cli.output import Call
from agent_memory.interfaces.cli.words import tr

INTERRUPTED: Final = 130
_UNWANTED: Final = re.compile(r'-(?!l?\d+$)(?:\w\w|")')
ABOUT: Final = "A memory for coding agents: decisions, lessons and tasks from your chats, as Markdown on your disk."
ANYWHERE: Final = "Every command also takes --dir PATH and --json, before or after its name."

# click is vendored inside typer and not to be imported; its root of usage errors is BadParameter's base.
_WrongUsage: Final = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])

# Building a command's options costs some 2 ms each, so only the one that was asked for is built; the
# others are a line of help. A test holds each line against the command's own docstring.
COMMANDS: Final = (
    ("init", "setup", "Set this workspace up: its memory, your editor, and what past chats hold."),
    ("uninstall", "setup", "Take out of the editor's files what init has put there; the memory stays."),
    ("process", "capture", "Take the backlog of conversations, once."),
    ("watch", "capture", "Take conversations as they are written, until stopped."),
    ("import", "moving", "Take in what other programs have."),
    ("export", "moving", "Give the memory to other programs."),
    ("migrate", "moving", "Turn flat notes, one <Agent>.md for everything, into pages; the notes are kept as .bak."),
    ("search", "find", "Find memories."),
    ("inject", "find", "See what an agent would be told."),
    ("why", "find", "Say where a memory came from, and why it is told or not."),
    ("reindex", "find", "Make the search index anew from the pages."),
    ("profile", "fabric", "Facts about you and your work."),
    ("notes", "fabric", "Notes that are looked up on demand."),
    ("lessons", "tending", "Lessons, those that were distilled and others."),
    ("procedures", "tending", "Procedures: steps that have worked, never run by themselves."),
    ("links", "tending", "What memories have to do with each other."),
    ("vote", "tending", "Say whether a memory helped; votes fade with time."),
    (
        "consolidate",
        "tending",
        "Make lessons of what was said of one thing, draw links, let go of lessons that nobody needs.",
    ),
    ("agents", "vault", "List the agents that have pages."),
    ("project", "vault", "The page that every agent shares."),
    ("vault", "vault", "Entries by hand."),
    ("session", "session", "Sessions of a host: JSON on standard input, JSON out."),
    ("sync-checkpoints", "session", "Save the chats in conversations/ as checkpoints, where these are older."),
    ("changes", "care", "List what was done to the vault and why, by conversation, newest first."),
    ("undo", "care", "Take changes back; what was changed again since stays, and is named."),
    ("forget", "care", "Remove words everywhere and for good; what a person wrote is named and left."),
    ("pause", "trust", "Take nothing of what is said from now on, until resume."),
    ("resume", "trust", "Go on taking what is said; what was said in the pause is passed over for good."),
    ("exclude", "trust", "Never take the conversations that fit a pattern, or list the patterns."),
    (
        "purge-secret",
        "trust",
        "Take a secret, given on standard input or typed unseen, out of everything, and prove that it is gone.",
    ),
    ("verify", "health", "Check where each memory came from against its conversation, while that exists."),
    ("doctor", "health", "Say what is wrong, where, and what mends it."),
    (
        "check",
        "health",
        "Look at what is in git, for CI: health of the pages, secrets in them, size; end with 1 on findings.",
    ),
    (
        "compact",
        "care",
        "Shorten conversations and pages, remove what is expired or twice, check the mirror; no word is lost.",
    ),
    ("status", "health", "Show what is set up and how things stand."),
    ("stats", "health", "Show what the memory holds, what is told of it, what models cost, and how it hangs together."),
    ("config", "config", "Settings."),
    ("tui", "faces", "Show the memory on this terminal, to read, search and care for."),
    ("mcp", "faces", "Serve the memory to an MCP client over standard input and output."),
    ("viewer", "faces", "Show the memory in the browser, and serve it to programs over HTTP."),
    ("hook", "faces", "Answer an editor's event: JSON in, JSON out, always with 0 and at once."),
    ("merge-driver", "faces", "Merge a page for git, entry by entry: 1 where a conflict is left."),
)


class Tasks(typer.core.TyperGroup):
    """The top of the help: commands by what somebody wants to do."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each task."""
        from agent_memory.interfaces.cli.examples import grouped

        width = max(map(len, self.commands))
        for title, names in grouped(list(self.commands)).items():
            rows = [(name.ljust(width), (self.commands[name].help or "").partition("\n")[0]) for name in names]
            if rows:
                with formatter.section(tr(title)):
                    formatter.write_dl(rows)


def build(wanted: str | None) -> typer.Typer:
    """Return the tree of commands: in full if ``wanted`` is None, else with only that command built."""
    cli = typer.Typer(
        name="agent-memory",
        cls=Tasks,
        help=tr(ABOUT),
        epilog=tr(ANYWHERE),
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )
    cli.callback()(top)
    for name, module, summary in COMMANDS:
        if wanted not in (None, name):
            cli.command(name, help=tr(summary))(_not_built)
            continue
        found = importlib.import_module(f"agent_memory.interfaces.cli.{module}").commands()[name]
        if isinstance(found, typer.Typer):
            cli.add_typer(found, name=name)
        else:
            cli.command(name)(found)
    return cli


def _not_built() -> None:
    raise AssertionError("the command that was asked for is always built")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


def top(
    context: typer.Context,
    directory: Annotated[
        str | None, typer.Option("--dir", metavar="PATH", help="The memory folder; default: the nearest .memory.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Remember what was decided, learnt and left open in conversations with coding agents."""
    context.obj = Call(directory, as_json, context.obj or {})


def run(arguments: Sequence[str], faces: Mapping[str, Callable[..., int]] = MappingProxyType({})) -> int:
    """Run one command line and return its exit code; errors become a sentence, a hint and a code.

    ``faces`` are the commands that are interfaces of their own, by name: this one does not know them.
    """
    arguments = hoist(arguments)
    if _first_word(arguments) == "search":
        arguments = unwanted_last(arguments)
    as_json = "--json" in arguments[: arguments.index("--")] if "--" in arguments else "--json" in arguments
    _mend_streams()
    words.speak()
    try:
        command = typer.main.get_command(build(_first_word(arguments)))
        if not {"--help", "-h"}.isdisjoint(arguments):
            examples = importlib.import_module("agent_memory.interfaces.cli.examples")
            examples.dress(command)
        code = command(arguments or ["--help"], standalone_mode=False, obj=faces)
        return code if isinstance(code, int) else 0
    except AgentMemoryError as error:
        said = [error.message, error.hint]
        failures.report(type(error).__name__, *(said if as_json else map(words.told, said)), as_json=as_json)
        return failures.exit_code(error)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except OSError as error:
        # What no door has translated: a folder deleted under our feet, a full disk behind stdout.
        what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
        hint = "Check that it exists and that you may use it."
        failures.report("FileError", f"{what}.", hint if as_json else tr(hint), as_json=as_json)
        return failures.FAILED
    except _WrongUsage as error:
        message, meant, near = " ".join(error.format_message().split()).partition(" Did you mean ")
        hints = [f"Did you mean {near}"] * bool(meant) + ["`agent-memory --help` lists what there is."]
        said = [message.rstrip(".") + ".", *hints]
        message, *hints = said if as_json else map(words.told, said)
        failures.report("UsageError", message, " ".join(hints), as_json=as_json)
        return failures.WRONG_USAGE


def _mend_streams() -> None:
    """Give a closed stream a place to go, and let a narrow console show what it cannot as ``?``."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def hoist(arguments: Sequence[str]) -> list[str]:
    """Move ``--dir PATH`` and ``--json`` to the front, from wherever they stand before a ``--``."""
    front: list[str] = []
    rest: list[str] = []
    queue = list(arguments)
    while queue:
        word = queue.pop(0)
        if word == "--":
            return [*front, *rest, word, *queue]
        if word == "--json" or word.startswith("--dir="):
            front.append(word)
        elif word == "--dir" and queue:
            front += [word, queue.pop(0)]
        else:
            rest.append(word)
    return [*front, *rest]


def unwanted_last(arguments: Sequence[str]) -> list[str]:
    """Put ``-word``, of two letters or more, behind a ``--``: in a search it is what must not be found, no option."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    unwanted = [word for word in arguments[:end] if _UNWANTED.match(word)]
    kept = [word for word in arguments[:end] if not _UNWANTED.match(word)]
    return [*kept, "--", *unwanted, *arguments[end + 1 :]] if unwanted else list(arguments)


def _first_word(arguments: Sequence[str]) -> str | None:
    """Return the command's name; empty where there is none, None where a shell asks for completions."""
    if "_AGENT_MEMORY_COMPLETE" in os.environ:  # noqa: TID251  the door to it costs 20 ms
        return None
    words = iter(arguments)
    for word in words:
        if word == "--dir":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""
