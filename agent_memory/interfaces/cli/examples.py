"""What the help shows besides options: commands by task, and examples. A test runs every example.

Loaded only when somebody asks for help. In a line, what stands before ``|`` gives its output to the command.
"""

from __future__ import annotations

import inspect
from typing import Any, Final

from agent_memory.interfaces.cli.words import told, tr

# A command that stands in no group is shown in the last.
GROUPS: Final = {
    "Start": "init uninstall status process watch",
    "See": "search inject why changes agents project stats",
    "Write": "vault profile notes lessons procedures vote links session sync-checkpoints",
    "Care": "doctor check verify undo forget purge-secret pause resume exclude compact consolidate reindex config",
    "Move": "import export migrate",
    "Faces": "viewer tui mcp hook merge-driver",
}

EXAMPLES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "init": (
        ("agent-memory init --dry-run", "what would be written, as differences"),
        ("agent-memory init --yes --editor cursor", "without asking, for one editor"),
        ("agent-memory init --yes --merge-driver", "git merges pages entry by entry"),
    ),
    "uninstall": (("agent-memory uninstall --dry-run", "what would be taken out"),),
    "status": (("agent-memory status", "what is set up, and what there is"),),
    "process": (
        ("agent-memory process", "take what was said since the last time"),
        ("agent-memory process --full --dry-run", "what everything would give"),
    ),
    "watch": (("agent-memory watch --wait-for-transcripts", "from now on, until stopped"),),
    "search": (
        ("agent-memory search order store", "words in any form"),
        ("agent-memory search '\"in cents\"' -euros", "exact words, and none of others"),
        ("agent-memory search category:decisions after:2026-01 sqlite", "of one kind, since then"),
    ),
    "inject preview": (
        ("agent-memory inject preview default", "what a new chat is told"),
        ("agent-memory inject preview default --kind turn add a price --explain", "for one prompt, and why"),
    ),
    "why": (
        ("agent-memory why 871839", "an entry, by the end of its id"),
        ("agent-memory why 871839 --query prices", "and how it stands for a prompt"),
    ),
    "changes": (
        ("agent-memory changes --limit 5", "the last five runs, by conversation, and why"),
        ("agent-memory changes --since 2026-01-01", "since a day"),
    ),
    "agents": (("agent-memory agents", "whose pages there are"),),
    "project show": (("agent-memory project show", "the page that all agents share"),),
    "project edit": (("echo '# The shop' | agent-memory project edit", "write it anew"),),
    "project refresh": (("agent-memory project refresh --dry-run", "what our block would say"),),
    "project explain": (("agent-memory project explain", "which chats count here"),),
    "stats": (("agent-memory stats", "what there is over time, what is told, what models cost"),),
    "vault list": (
        ("agent-memory vault list default decisions", "the entries of a page"),
        ("agent-memory vault list default lessons --proposed", "what waits for a yes"),
    ),
    "vault get": (("agent-memory vault get default decisions 871839", "one entry, by the end of its id"),),
    "vault add": (
        ('agent-memory vault add default decisions --content "We deploy on Mondays." --tags ops', "in one line"),
        ("echo 'Tests run twice.' | agent-memory vault add default lessons", "from somewhere else"),
    ),
    "vault edit": (('agent-memory vault edit default decisions 871839 --content "Prices are whole cents."', "anew"),),
    "vault delete": (("agent-memory vault delete default decisions 871839 --force", "undo brings it back"),),
    "vault accept": (("agent-memory vault accept default lessons 871900", "let a proposal count"),),
    "vault reject": (("agent-memory vault reject default lessons 871900", "drop it for good"),),
    "profile set": (
        ("agent-memory profile set editor vim", "a fact of this project"),
        ("agent-memory profile set --user language Portuguese", "one about you, for every project"),
    ),
    "profile list": (
        ("agent-memory profile list", "what holds"),
        ("agent-memory profile list --as-of 2026-01-01", "what held then"),
    ),
    "profile history": (("agent-memory profile history database", "every value it had"),),
    "profile remove": (("agent-memory profile remove database", "it no longer holds"),),
    "notes store": (
        ('agent-memory notes store "The staging host is behind the VPN." --tags ops', "for when it is looked up"),
    ),
    "notes recall": (
        ("agent-memory notes recall backup", "by words"),
        ("agent-memory notes recall --tags ops", "by tags"),
        ("agent-memory notes recall --id 871901", "one, in full"),
    ),
    "notes forget": (("agent-memory notes forget 871901 --force", "for good"),),
    "lessons recall": (("agent-memory lessons recall migrations", "by words"),),
    "procedures recall": (("agent-memory procedures recall release", "by words"),),
    "lessons deprecate": (("agent-memory lessons deprecate 871902", "it is told no more"),),
    "procedures deprecate": (("agent-memory procedures deprecate 871903", "it is told no more"),),
    "vote": (("agent-memory vote up 871839", "it helped"),),
    "links show": (("agent-memory links show 871839", "what it leads to, and what leads to it"),),
    "links add": (("agent-memory links add 871839 relates-to 871840", "draw a link"),),
    "links remove": (("agent-memory links remove 871840 871839", "take it away"),),
    "session checkpoint": (
        (
            'echo \'{"messages": [{"role": "user", "text": "Hello"}]}\' | agent-memory session checkpoint',
            "save a chat",
        ),
    ),
    "session recover": (("agent-memory session recover", "what was saved last"),),
    "session sleep": (
        ('echo \'{"messages": [{"role": "user", "text": "Bye"}]}\' | agent-memory session sleep', "end it"),
    ),
    "sync-checkpoints": (("agent-memory sync-checkpoints", "from conversations/"),),
    "doctor": (
        ("agent-memory doctor", "what is wrong, and what mends it"),
        ("agent-memory doctor --fix --yes", "mend what mends itself; what it touches is copied first"),
    ),
    "check": (("agent-memory check", "in CI: 1 where a page is sick, too big or has a secret"),),
    "pause": (("agent-memory pause", "what is said from now on is not taken"),),
    "resume": (("agent-memory resume", "go on; what was said meanwhile is passed over for good"),),
    "exclude": (
        ("agent-memory exclude '*salary*'", "chats whose title has a word"),
        ("agent-memory exclude", "what is excluded"),
        ("agent-memory exclude '*salary*' --remove", "take them again"),
    ),
    "purge-secret": (
        ("echo 's3cret-of-ours' | agent-memory purge-secret --dry-run", "where it stands"),
        ("echo 's3cret-of-ours' | agent-memory purge-secret", "out of everything, and looked for again"),
    ),
    "verify": (("agent-memory verify", "hold memories against their chats"),),
    "undo": (
        ("agent-memory undo", "the last run"),
        ("agent-memory undo 871840", "what was last done to one entry"),
    ),
    "forget": (
        ("agent-memory forget 871839 --dry-run", "what would go"),
        ("agent-memory forget 871839 --force", "an entry and its words"),
        ('agent-memory forget --match "in cents" --force', "words, wherever they are"),
    ),
    "compact": (("agent-memory compact --dry-run", "what would be shortened"),),
    "consolidate": (("agent-memory consolidate --dry-run", "which lessons would be made"),),
    "reindex": (("agent-memory reindex", "if search seems wrong"),),
    "config show": (("agent-memory config show", "every setting, and where it comes from"),),
    "config get": (("agent-memory config get context.max_tokens", "one setting"),),
    "config set": (("agent-memory config set context.max_tokens 1500", "for this workspace"),),
    "import npm": (("agent-memory import npm --dry-run", "what would be taken over"),),
    "import conversations": (("agent-memory import conversations old-chats --dry-run", "a folder of chats"),),
    "export obsidian": (("agent-memory export obsidian notes", "a note for each memory"),),
    "export json": (
        ("agent-memory export json", "to standard output"),
        ("agent-memory export json memory.json", "to a file"),
    ),
    "migrate": (("agent-memory migrate --dry-run", "what flat notes would become"),),
    "viewer": (("agent-memory viewer --no-open", "at http://127.0.0.1:3737/, or the next port that is free"),),
    "tui": (("agent-memory tui", "leave it with q, see all its keys with ?"),),
    "mcp": (("agent-memory mcp --workspace .", "as an MCP client's settings have it"),),
    "hook": (("echo '{}' | agent-memory hook cursor stop", "as an editor calls it"),),
    "merge-driver": (
        ("agent-memory merge-driver base.md ours.md theirs.md .memory/default/decisions.md", "as git calls it"),
    ),
}


def grouped(names: list[str]) -> dict[str, list[str]]:
    """Return the commands by task, each group's in its order."""
    groups = {title: [name for name in listed.split() if name in names] for title, listed in GROUPS.items()}
    placed = {name for listed in groups.values() for name in listed}
    groups[list(groups)[-1]] += [name for name in names if name not in placed]
    return groups


def dress(command: Any, path: str = "") -> None:
    """Give a command, and all below it, their examples and the user's language; a group has the first of three."""
    for shown in (command, *command.params):
        if getattr(shown, "help", None):
            shown.help = told(inspect.cleandoc(shown.help))
    below = {f"{path} {name}".strip(): child for name, child in getattr(command, "commands", {}).items()}
    for name, child in below.items():
        dress(child, name)
    rows = EXAMPLES.get(path) or tuple(EXAMPLES[name][0] for name in below if name in EXAMPLES and path)[:3]
    if rows:
        command.epilog = "\n".join(["\b", tr("Examples:"), *(f"  {line}\n      {does}" for line, does in rows)])
