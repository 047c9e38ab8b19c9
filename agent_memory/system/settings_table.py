"""Every setting: one table, a row for each. Whoever adds a setting adds a row.

``settings`` resolves them; units stand in their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PREFIX: Final = "AGENT_MEMORY_"

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
    maximum: float = MAXIMUM
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
    Setting(
        "ui.language",
        "auto",
        "The language that commands speak to you: `en`, `pt`, or `auto`, which is the locale's.",
        choices=("auto", "en", "pt"),
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
    Setting("reflection.max_facts_per_call", 3, "How many facts of one reply count.", minimum=0),
    Setting(
        "reflection.max_notes_per_call",
        2,
        "How many notes, decisions, lessons and tasks, each, of one reply count.",
        minimum=0,
    ),
    Setting("reflection.auto_store_notes", True, "Whether notes of a reply are stored; the rest of it is in any case."),
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
    Setting(
        "recall.rewrite.gate_mode",
        "heuristic",
        "Which messages that is done about: `heuristic`, those that refer back by their words; `always`, all of them.",
        choices=("heuristic", "always"),
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
    Setting("hooks.prompts", False, "Whether the editor's hook for a prompt tells a turn's briefing."),
    Setting("profile.enabled", True, "Whether facts are told, have tools for MCP clients, and are reflected on."),
    Setting("profile.max_tokens", 512, "The most that facts take of a turn's briefing; 0 leaves them out.", minimum=0),
    Setting("recall_injection.enabled", True, "Whether a turn's briefing has what was recalled for the message."),
    Setting("recall_injection.k", 8, "How many memories that is at most.", minimum=0, maximum=50),
    Setting("recall_injection.preview_chars", 160, "How much of each is shown.", minimum=10),
    Setting("recall_injection.max_tokens", 400, "The most that all of it takes; 0 leaves it out.", minimum=0),
    Setting("index.enabled", True, "Whether a turn's briefing has an index of what was said latest."),
    Setting("index.limit", 20, "How many lines it has at most.", minimum=0, maximum=200),
    Setting("index.preview_chars", 90, "How much of each memory is shown there.", minimum=10),
    Setting("index.max_tokens", 300, "The most that it takes; 0 leaves it out.", minimum=0),
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
    Setting("notes.enabled", True, "Whether notes are told, have tools for MCP clients, and are reflected on."),
    Setting("notes.max_entries", 1000, "How many notes may be active; the least wanted go to the archive.", minimum=1),
    Setting("notes.max_content_chars", 4000, "How many characters a note may have.", minimum=1),
    Setting(
        "notes.recall_default_k", 5, "How many notes a recall finds where no number is given.", minimum=1, maximum=50
    ),
    Setting("dedup.enabled", True, "Whether a note that says what another says is linked to it or left out."),
    Setting(
        "dedup.threshold",
        0.85,
        "What part of two notes' words must be the same for one to repeat the other.",
        minimum=0,
        maximum=1,
    ),
    Setting(
        "eviction.utility_weighted",
        True,
        "Whether the least voted for and least recalled notes go first; if not, the oldest.",
    ),
    Setting("lessons.enabled", True, "Whether lessons are told, have tools for MCP clients, and are distilled."),
    Setting("lessons.recall_k", 2, "How many lessons a turn's briefing or a recall has.", minimum=0, maximum=10),
    Setting(
        "lessons.max_tokens", 300, "The most that lessons take of a turn's briefing; 0 leaves them out.", minimum=0
    ),
    Setting("lessons.max_entries", 500, "How many distilled lessons may be active; the rest is deprecated.", minimum=1),
    Setting(
        "lessons.deprecation_days",
        180,
        "After so many days a distilled lesson that nobody ever looked up or voted for is deprecated.",
        minimum=1,
    ),
    Setting("procedures.enabled", True, "Whether procedures are told, have tools for MCP clients, and are distilled."),
    Setting("procedures.recall_k", 2, "How many procedures a turn's briefing or a recall has.", minimum=0, maximum=10),
    Setting(
        "procedures.max_tokens", 400, "The most that they take of a turn's briefing; 0 leaves them out.", minimum=0
    ),
    Setting("procedures.max_entries", 500, "How many distilled ones may be active; the rest is deprecated.", minimum=1),
    Setting("procedures.deprecation_days", 180, "As for lessons.", minimum=1),
    Setting("links.enabled", True, "Whether links are followed at recall, and have a tool for MCP clients."),
    Setting(
        "links.auto_generate",
        True,
        "Whether rules draw links and let decisions replace others, and reflection draws what a model finds.",
    ),
    Setting("links.expansion_depth", 1, "How many links away recall looks.", minimum=1, maximum=3),
    Setting("links.max_expanded", 12, "How many linked memories a turn is told beside the recalled.", minimum=0),
    Setting("links.max_links_per_call", 4, "How many links one entry may get at a time.", minimum=1),
    Setting("links.min_candidates", 2, "Reflection links nothing where it has fewer memories to speak of.", minimum=1),
    Setting("evolution.enabled", True, "Whether reflection adds tags to memories that its conversation was told."),
    Setting("evolution.max_per_write", 2, "How many memories get tags by one reflection.", minimum=1),
    Setting("consolidation.enabled", True, "Whether `watch` distils lessons out of what was remembered."),
    Setting("consolidation.interval_h", 6.0, "How often, in hours.", minimum=0.1),
    Setting("consolidation.cooldown_h", 24.0, "How old what is distilled must be, in hours.", minimum=0),
    Setting("consolidation.min_cluster_size", 3, "How many entries a lesson needs.", minimum=2),
    Setting("consolidation.max_clusters_per_run", 5, "How many lessons one run makes.", minimum=1),
    Setting("consolidation.require_shared_tag", True, "Whether they must share a tag, or a telling word."),
    Setting("consolidation.timeout_s", 45.0, "Seconds after which a call to a model is given up.", minimum=0.1),
    Setting("voting.enabled", True, "Whether MCP clients have a tool to vote, and reflection votes."),
    Setting("voting.max_vote_per_item", 50, "How far votes count for or against a memory.", minimum=1, maximum=50),
    Setting("voting.signal_decay", 0.95, "What part of a vote is left after each six hours.", minimum=0.01, maximum=1),
    Setting("voting.profile_filter_threshold", 3, "So many votes against a fact hide it; 0: none do.", minimum=0),
    Setting(
        "mcp.tools",
        "default",
        "Which tools `agent-memory mcp` has: `default`, or `all`, with those that write pages and tick tasks.",
        choices=("default", "all"),
    ),
    Setting(
        "agents.command",
        "",
        "What `agent-memory viewer` runs for a session, as words of a command line that no shell reads, `claude -p`"
        " say; it gets the prompt on its standard input. Empty: nothing is run, and the prompt is returned.",
        personal=True,
    ),
    Setting("agents.timeout_s", 1800.0, "Seconds after which it is ended.", minimum=1),
    Setting("compact.max_entries", 30, "A page with more entries than this is compacted.", minimum=1),
    Setting("compact.keep_entries", 20, "How many of the newest stay in a compacted page.", minimum=1),
    Setting("compact.summary_chars", 2000, "How long the summary of what was compacted may be.", minimum=200),
    Setting("compact.max_messages", 20, "How many messages of a dashboard's conversation stay once taken.", minimum=2),
    Setting("compact.still_s", 60.0, "Seconds without a write after which a conversation may be trimmed.", minimum=0),
    Setting("compact.checkpoint_days", 7, "Checkpoints older than this are expired.", minimum=1),
)
