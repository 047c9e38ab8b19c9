"""Commands that bring memories back, and say why: ``search``, ``inject preview``, ``why``; and ``reindex``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_memory.interfaces.cli import complete
from agent_memory.interfaces.cli.output import Command, call_of, patience, snippet, whole
from agent_memory.interfaces.cli.words import told, tr

if TYPE_CHECKING:
    from agent_memory.model.briefing import Briefing
    from agent_memory.model.recall import Hit


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    inject = typer.Typer(help="See what an agent would be told.", rich_markup_mode=None)
    inject.callback()(lambda: None)
    inject.command("preview")(preview)
    return {"search": search, "inject": inject, "why": why, "reindex": reindex}


def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words to look for.")],
    agent: Annotated[
        str | None,
        typer.Option("--agent", "-a", metavar="NAME", autocompletion=complete.agents, help="Only this agent's."),
    ] = None,
    category: Annotated[
        str | None,
        typer.Option("--category", "-c", metavar="NAME", autocompletion=complete.categories, help="Only this kind."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, max=100, help="How many at most.")] = 10,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what no longer counts: superseded, proposed, evicted.")
    ] = False,
) -> None:
    """Find memories.

    QUERY is words, and also "exact words", -word, tag:NAME, agent:NAME, category:NAME, before:2026-03-16,
    after:2026-03. A shell takes quotes away: write '"exact words"'.
    """
    from agent_memory.app import recall
    from agent_memory.model.recall import Query
    from agent_memory.model.syntax import parse

    call = call_of(context)
    text = " ".join(query)
    given = Query("", agent=agent, category=category, limit=limit, inactive=everything)
    with call.app() as app:
        hits = recall.search(app, parse(text, given))
    results = [_hit_json(hit) for hit in hits]
    lines = [
        f"{hit.page.agent}/{hit.page.category} {hit.id}  {hit.at:%Y-%m-%d}  {_score(hit)}\n  {hit.snippet}"
        for hit in hits
    ]
    call.answer({"query": text, "results": results}, "\n".join(lines) or tr("Nothing found."), rows=True)


def preview(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", autocompletion=complete.agents, help="Whose briefing.")],
    command: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND]...", help="What it is asked to do.")] = None,
    kind: Annotated[
        str, typer.Option(metavar="KIND", help="`session`: for the start of a chat; `turn`: for one prompt.")
    ] = "session",
    budget: Annotated[int | None, typer.Option(metavar="TOKENS", help="How long it may be.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say what each item takes, and what was cut.")] = False,
    history: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help='What was said before: JSON, [{"role": "user"|"agent", "text"}, …].'),
    ] = None,
    session: Annotated[str, typer.Option(metavar="ID", help="The conversation that it is from.")] = "",
) -> None:
    """Show the briefing an agent would get."""
    from agent_memory.app import brief, sessions
    from agent_memory.errors import UsageError
    from agent_memory.interfaces.cli.given import words
    from agent_memory.model.briefing import KINDS

    call = call_of(context)
    wanted = next((known for known in KINDS if known == kind), None)
    if wanted is None:
        raise UsageError(f"There is no kind of briefing {kind!r}.", hint=f"Kinds: {', '.join(KINDS)}.")
    with call.app(context__max_tokens=budget) as app:
        said = sessions.history(words(None, history)) if history else ()
        briefing = brief.brief(app, agent, " ".join(command or []), wanted, session=session, history=said)
    told = brief.briefing_fields(briefing)
    if explain:
        told["items"] = [brief.item_fields(item) for item in briefing.items]
    call.answer(told, "\n".join([briefing.text, *(_explained(briefing) if explain else ())]))


def why(
    context: typer.Context,
    entry_id: Annotated[str, typer.Argument(metavar="ID", autocompletion=complete.ids, help="Which entry.")],
    query: Annotated[str, typer.Option("--query", "-q", metavar="TEXT", help="What an agent is asked to do.")] = "",
) -> None:
    """Say where a memory came from, and why it is told or not."""
    from agent_memory.app import why as reasons
    from agent_memory.app.vault import entry_fields

    call = call_of(context)
    with call.app() as app:
        found = reasons.why(app, whole(app, entry_id), query)
    entry = entry_fields(found.memory)
    links = {key: found.memory.meta[key] for key in ("supersedes", "superseded-by") if key in found.memory.meta}
    hit, origin = found.hit, entry["origin"] or tr("no conversation")
    lines = [
        f"{found.memory.page.path} {found.memory.id}  {entry['date']}  {entry['status']}",
        f"  {snippet(found.memory.body)}",
        tr("From {by}: {origin}.", by=entry["by"], origin=", ".join(filter(None, (origin, found.finding)))),
        tr("Reason: {reason}.", reason=told(found.reason)),
        *(f"{key}: {other}" for key, other in links.items()),
    ]
    if query:
        rank, parts = found.rank, _parts(hit) if hit else ""
        found_at = "For {query}: rank {rank}, {parts}." if hit else "For {query}: not found."
        lines.append(tr(found_at, query=repr(query), rank=rank, parts=parts))
    for each in found.standings:
        where = tr("in {section}, ", section=each.section) if each.section else ""
        why_so = f": {each.reason}" if each.reason else ""
        fate = {"kind": each.kind, "fate": where + each.fate, "tokens": each.tokens, "why": why_so}
        lines.append(tr("{kind} briefing: {fate}, {tokens} tokens{why}.", **fate))
    ranked = {"rank": found.rank, "score": round(hit.score, 4), "parts": dict(hit.parts)} if hit else {}
    asked = {"query": query, "finding": found.finding, "reason": found.reason, **links, **ranked}
    call.answer({**entry, **asked, "briefings": [asdict(each) for each in found.standings]}, "\n".join(lines))


def _explained(briefing: Briefing) -> Iterator[str]:
    """Return, for people, what each memory in a briefing takes, and what is missing."""
    yield "\n" + tr("{tokens} of {most} tokens.", tokens=briefing.tokens, most=briefing.max_tokens)
    if briefing.query != briefing.command:
        yield "  " + tr("looked for: {query}", query=briefing.query)
    for name, tokens in briefing.sections.items():
        yield f"  {name}: {tokens}"
        hits = {item.digest: item.hit for item in briefing.items if item.section == name and item.fate != "cut"}
        for digest, hit in hits.items():
            if hit:
                taken = sum(item.tokens for item in briefing.items if (item.section, item.digest) == (name, digest))
                yield f"    {hit.id}: {taken}, {_parts(hit)}"
    for cut in briefing.cuts:
        told = "cut from {section}: {items} ({reason})" if cut.items else "in {section} ({reason})"
        yield "  " + tr(told, section=cut.section, items=cut.items, reason=cut.reason)


def _parts(hit: Hit) -> str:
    """Return a score and what it is made of; what was not searched for has none."""
    if not hit.parts:
        return tr("by its date")
    return f"{_score(hit)} = " + " + ".join(f"{name} {part:.2f}" for name, part in hit.parts.items())


def _score(hit: Hit) -> str:
    return tr("score {score}", score=f"{hit.score:.2f}")


def _hit_json(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.id,
        "agent": hit.page.agent,
        "category": hit.page.category,
        "date": hit.at.strftime("%Y-%m-%dT%H:%M"),
        "score": round(hit.score, 4),
        "snippet": hit.snippet,
        "content": hit.body,
    }


def reindex(
    context: typer.Context,
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Also make the vectors that let search go by meaning.")
    ] = False,
) -> None:
    """Make the search index anew from the pages."""
    from agent_memory.app import maintain

    call = call_of(context)
    with call.app() as app, patience(tr("Indexing")):
        done = maintain.reindex(app, vectors=vectors)
    text = tr("{count} entries indexed.", count=done.entries)
    text += " " + tr("{count} vectors made.", count=done.vectors) if vectors else ""
    call.answer({"entries": done.entries, "vectors": done.vectors}, text)
