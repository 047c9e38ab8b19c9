"""What the screen says, in English and in Portuguese: one table, a row for each thing said. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from agent_memory.model.text import Language

WORDS: Final[dict[str, tuple[str, str]]] = {
    "profile": ("Profile", "Perfil"),
    "notes": ("Notes", "Notas"),
    "lessons": ("Lessons", "Lições"),
    "procedures": ("Procedures", "Procedimentos"),
    "links": ("Links", "Ligações"),
    "votes": ("Votes", "Votos"),
    "decisions": ("Decisions", "Decisões"),
    "tasks": ("Tasks", "Tarefas"),
    "handoffs": ("Handoffs", "Passagens"),
    "proposals": ("Proposals", "Propostas"),
    "duplicates": ("Duplicates", "Repetidas"),
    "other": ("Other", "Outras"),
    "search": ("Search", "Busca"),
    "near": ("What it leads to", "Vizinhança"),
    "help": ("Keys", "Teclas"),
    "detail": ("Entry", "Entrada"),
    "active": ("active", "ativas"),
    "archived": ("archived", "arquivadas"),
    "all": ("all", "todas"),
    "auto": ("every 5 s", "a cada 5 s"),
    "reading": ("Reading …", "Lendo …"),
    "nothing": ("Nothing here.", "Nada aqui."),
    "off": ("Switched off: set {setting} to true.", "Desligado: ponha {setting} em true."),
    "pinned": ("pinned", "fixo"),
    "contextual": ("contextual", "contextual"),
    "yours": ("everywhere", "em toda parte"),
    "gone": ("gone", "sumiu"),
    "truncated": ("[truncated]", "[cortado]"),
    "from": ("From", "De"),
    "turn": ("turn", "turno"),
    "unquoted": ("The conversation is not to be found any more.", "A conversa não se encontra mais."),
    "by": ("by", "por"),
    "edited": ("edited by you", "editada por você"),
    "history": ("History", "Histórico"),
    "no_links": ("Leads nowhere, and nothing leads to it.", "Não leva a nada, e nada leva a ela."),
    "deleted": ("Deleted; u brings it back.", "Apagada; u traz de volta."),
    "ticked": ("Done; u takes it back.", "Feita; u desfaz."),
    "accepted": ("Accepted; u takes it back.", "Aceita; u desfaz."),
    "rejected": ("Rejected; u brings it back.", "Rejeitada; u traz de volta."),
    "saved": ("Saved; u takes it back.", "Salva; u desfaz."),
    "unchanged": ("Left as it was.", "Ficou como estava."),
    "undone": ("Taken back.", "Desfeito."),
    "kept": ("Changed again since, and left: {ids}.", "Mudou depois disso, e ficou: {ids}."),
    "no_undo": (
        "Nothing was done here; `agent-memory undo` takes back the rest.",
        "Nada foi feito aqui; `agent-memory undo` desfaz o resto.",
    ),
    "no_proposal": ("This is no proposal.", "Isto não é uma proposta."),
    "no_task": ("There is no open task here.", "Não há tarefa aberta aqui."),
    "no_suspend": ("This terminal cannot be lent to an editor.", "Este terminal não se empresta a um editor."),
    "forget": ("Forget for good?", "Esquecer de vez?"),
    "forget_keys": (
        "y forgets, everywhere and without undo; n leaves it.",
        "y esquece, em todo lugar e sem volta; n deixa como está.",
    ),
    "goes": ("Goes:", "Some:"),
    "loses": ("Loses lines:", "Perde linhas:"),
    "stays": ("A person's words, which stay:", "Palavras de uma pessoa, que ficam:"),
    "forgotten": ("Forgotten.", "Esquecida."),
    "look_for": ("Look for: ", "Buscar: "),
    "key_move": ("down, up; arrows, Page Up and Home too", "desce, sobe; setas, Page Up e Home também"),
    "key_open": ("open what is chosen", "abre o que está escolhido"),
    "key_back": ("back; closes what is open", "volta; fecha o que está aberto"),
    "key_sides": ("the channel before, the next", "o canal anterior, o próximo"),
    "key_channel": ("a channel by its number", "um canal por seu número"),
    "key_filter": ("active, archived, all", "ativas, arquivadas, todas"),
    "key_near": ("what it leads to, and what leads to it", "a que leva, e o que leva a ela"),
    "key_search": ("search all; Esc ends it", "busca em tudo; Esc termina"),
    "key_edit": ("edit in $EDITOR", "edita no $EDITOR"),
    "key_tick": ("tick a task", "marca uma tarefa como feita"),
    "key_delete": ("delete; a link or a fact too", "apaga; uma ligação ou um fato também"),
    "key_forget": ("forget for good, once confirmed", "esquece de vez, depois de confirmar"),
    "key_yes": ("accept a proposal; yes", "aceita uma proposta; sim"),
    "key_no": ("reject a proposal; no", "rejeita uma proposta; não"),
    "key_undo": ("take back what was last done here", "desfaz o que se fez aqui por último"),
    "key_refresh": ("read again now", "lê de novo agora"),
    "key_auto": ("read again every 5 s, or only what changes", "lê de novo a cada 5 s, ou só o que muda"),
    "key_help": ("this list", "esta lista"),
    "key_quit": ("leave", "sai"),
    "hints": (
        "Enter open  / search  e edit  space done  x delete  u undo  ? help  q quit",
        "Enter abre  / busca  e edita  espaço feita  x apaga  u desfaz  ? teclas  q sai",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words:
    """What is said, in one language."""

    language: Language = "en"

    def __call__(self, name: str, **given: str) -> str:
        """Return the words of that name, with what is ``given`` put in."""
        return WORDS[name][0 if self.language == "en" else 1].format(**given)
