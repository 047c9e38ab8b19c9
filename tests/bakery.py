"""A small vault with something in every channel, the same each time: for the terminal screen, and its documentation."""

from __future__ import annotations

from pathlib import Path

from agent_memory.app import notes, profile, tending, vault
from agent_memory.model.memory import Fact
from tests.workspace import Workspace

STEERING = "The oven [bold red]lies[/]: it says 230 \x1b[31m°C\x1b]0;owned\x07, \u202eC° 012 si ti tub"
PROPOSED = """
<!-- id:1773679871840 by:heuristic status:proposed confidence:0.41 -->
## 2026-03-16T16:50 · #spelt

Maybe spelt for the {}.
"""


def opened(home: Path) -> Workspace:
    """Return a workspace in a home, filled."""
    root = home / "bakery"
    (root / ".git").mkdir(parents=True)
    workspace = Workspace(root.resolve(), home)
    fill(workspace)
    return workspace


def fill(workspace: Workspace) -> None:
    """Write the vault as a week of baking would leave it."""
    chat = workspace.chat().user("We decided to use rye flour for the sourdough, because wheat sours too fast.")
    chat.assistant("I will change the recipe.").user("TODO: order twenty kilos of rye flour.").ended()
    chat.save(written=workspace.long_ago())
    workspace.process()
    with workspace.app() as app:
        for fact in (
            Fact("oven", "gas"),
            Fact("oven", "electric, since the spring"),
            Fact("timezone", "America/Sao_Paulo"),
            Fact("delivery", "só às terças", pinned=False, keywords=("entrega",)),
        ):
            workspace.clock.advance(minutes=7)
            profile.set_fact(app, fact)
        oven = notes.store(app, STEERING, ["oven"]).id
        workspace.clock.advance(minutes=1)
        loaf = notes.store(app, "O pão de centeio precisa de 40 minutos; 黒パンは四十分焼く。", ["pão"]).id
        tending.link(app, loaf, "references", oven)
        tending.vote(app, oven, "down")
        tending.vote(app, loaf, "up")
        for category, words, agent in _ENTRIES:
            workspace.clock.advance(minutes=3)
            vault.add(app, agent, category, words.format(oven=oven), ["baking"])
    page = workspace.memory / "default" / "decisions.md"
    proposals = [PROPOSED.replace("840", f"84{place}").format(place_of) for place, place_of in enumerate(_LOAVES)]
    page.write_text(page.read_text(encoding="utf-8") + "".join(proposals), encoding="utf-8")
    workspace.clock.advance(hours=1)


_LOAVES = ("rolls", "baguettes", "brioche")
_ENTRIES = (
    ("decisions", "Fermentação longa: 18 horas a 4 °C.", "default"),
    ("decisions", "fermentação longa, 18 horas a 4 °C", "default"),
    ("tasks", "- [ ] clean the oven\n- [ ] limpar a bancada\n- [x] weigh the salt", "default"),
    ("lessons", "Dough that has not rested tears. See [[{oven}]].", "default"),
    ("procedures", "1. Mix.\n2. Rest for an hour.\n3. Bake.", "default"),
    ("projects", "The bakery on the corner.", "default"),
    ("handoffs", "Asked: a menu. Done: the breads. Next: the cakes.", "cook"),
)
