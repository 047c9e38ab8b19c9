"""Commands that bring memories back: ``search`` and ``inject preview``."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory.interfaces.cli.output import Command, call_of


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    inject = typer.Typer(help="See what an agent would be told.", rich_markup_mode=None)
    inject.callback()(lambda: None)
    inject.command("preview")(preview)
    return {"search": search, "inject": inject}


def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words to look for.")],
    agent: Annotated[str | None, typer.Option("--agent", "-a", metavar="NAME", help="Only this agent's.")] = None,
    category: Annotated[str | None, typer.Option("--category", "-c", metavar="NAME", help="Only this kind.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, max=100, help="How many at most.")] = 10,
) -> None:
    """Find memories."""
    from agent_memory.app import recall
    from agent_memory.model.recall import Query

    call = call_of(context)
    text = " ".join(query)
    with call.app() as app:
        hits = recall.search(app, Query(text, agent=agent, category=category, limit=limit))
    results = [
        {
            "id": hit.id,
            "agent": hit.page.agent,
            "category": hit.page.category,
            "date": hit.at.strftime("%Y-%m-%dT%H:%M"),
            "score": round(hit.score, 4),
            "snippet": hit.snippet,
            "content": hit.body,
        }
        for hit in hits
    ]
    lines = [
        f"{hit.page.agent}/{hit.page.category} {hit.id}  {hit.at:%Y-%m-%d}  score {hit.score:.2f}\n  {hit.snippet}"
        for hit in hits
    ]
    call.answer({"query": text, "results": results}, "\n".join(lines) or "Nothing found.")


def preview(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Whose briefing.")],
    command: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND]...", help="What it is asked to do.")] = None,
    budget: Annotated[int | None, typer.Option(metavar="TOKENS", help="How long it may be.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say what each part takes, and what was cut.")] = False,
) -> None:
    """Show the briefing an agent would get."""
    from agent_memory.app import recall

    call = call_of(context)
    with call.app(context__max_tokens=budget) as app:
        briefing = recall.brief(app, agent, " ".join(command or []))
    cuts = [{"section": cut.section, "items": cut.items, "reason": cut.reason} for cut in briefing.cuts]
    lines = [briefing.text]
    if explain:
        lines.append(f"\n{briefing.tokens} of {briefing.max_tokens} tokens.")
        lines += [f"  {name}: {tokens}" for name, tokens in briefing.sections.items()]
        lines += [f"  cut from {cut.section}: {cut.items} ({cut.reason})" for cut in briefing.cuts]
    call.answer(
        {
            "agent": briefing.agent,
            "command": briefing.command,
            "text": briefing.text,
            "tokens": briefing.tokens,
            "max_tokens": briefing.max_tokens,
            "sections": dict(briefing.sections),
            "cuts": cuts,
        },
        "\n".join(lines),
    )
