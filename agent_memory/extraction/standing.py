"""Which earlier choice a later one takes the place of, and which one it takes up again; what is a mere repeat.

By words alone, so it is precise rather than complete: a choice falls when a later one rejects it by name
("instead of X", "no X", "nada de X") or gives the same subject another number or technology. Its reason is not part
of a choice. It refuses to judge one that is long without it, which says more than one thing, and lets an agent's words
bring nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from agent_memory.extraction.body import tags_of, technologies
from agent_memory.extraction.likeness import near, words
from agent_memory.extraction.memo import Said
from agent_memory.extraction.table import fold_sentence
from agent_memory.model.memory import Candidate
from agent_memory.model.transcript import Origin, Role

# What a caller may be expected to store, and a later turn to refer to.
SURE: Final = 0.5
MAX_SAID: Final = 16
MAX_WORDS: Final = 8
REPEATED_PART: Final = 0.5
# An agent restates a decision in other words.
RESTATED_PART: Final = 0.4
# "no" begins a clause, for inside one it is Portuguese for "in the".
_REJECTED: Final = re.compile(
    r"(?:(?:^|[,.;:] |\b(?:and|but) )no|\b(?:instead of|rather than|no longer|not|never|without|drop|scrap|forget|"
    r"replaced?|switched from|moved from|em vez d[eoa]|ao inves d[eoa]|no lugar d[eoa]|nao|nunca|nada d[eoa]|sem|"
    r"esquece|tira|troquei|substitui)) "
    r"(?:the |an? |to |o |a |os |as )?([^,.;:!?()]{2,60}?)"
    r"(?= (?:and|but|with|by|because|so|any ?more|e|mas|por|porque|pois|mais|we|i|lets?|uses?|is|are|will|vamos|vou|"
    r"a gente|usamos|usa|fica|ficam)\b|[,.;:!?()]|$)"
)
_CORRECTS: Final = re.compile(
    r"^(?:no|nao|actually|wait|sorry|hm+|na verdade|melhor|pensando bem|afinal)\b|"
    r"\b(?:instead|on second thought|changed my mind|mudei de ideia|em vez d[eoa]|afinal)\b"
)
_BACK: Final = re.compile(
    r"\b(?:back to|volt(?:a|amos|ar|ei) (?:pr[ao]s?|para [oa]s?|para|aos?|as?)) (?:the |an? |o |a )?([^,.;:!?()]{2,60})"
)
_REASON: Final = re.compile(
    r"\b(?:because|so that|given that|porque|pois|ja que|uma vez que|visto que|dado que|para que)\b.*|, since .*"
)
_SMALL: Final = frozenset(
    "a agora all always an and ao aos aqui are as at back be by com como d da das de decide decided decidimos "
    "decidiu deixa do dos e ela ele em "
    "entao essa esse esta este fica ficam foi for from go goes going have here i in instead is it its keep let "
    "lets ll mais make mantem manter more muda mudar must na nao nas never no nos not now nunca o of ok on one "
    "only or os ou our para pela pelo please por pra pro que re s sao se sem sempre ser seu should so stay stays "
    "stick still sua t tem that the then this to todo todos um uma us usa usamos usar use used uses using vai "
    "vamos ve volta we will with without you your".split()
)


def settle(said: tuple[Said, ...], role: Role, found: Iterable[Candidate]) -> tuple[list[Candidate], tuple[Said, ...]]:
    """Return what of ``found`` is new or holds again, each with the keys it replaces; and what has now been said."""
    standing = {one.key: one for one in said}
    kept: dict[str, Candidate] = {}
    for candidate in found:
        decided = candidate.category == "decisions" and candidate.confidence >= SURE
        one = _resolved(candidate, role, standing) if decided else candidate
        if _repeats(one, role, standing):
            continue
        kept[one.key] = one
        for key in one.replaces:
            standing[key] = replace(standing[key], replaced_by=one.key)
        if one.confidence >= SURE:
            standing[one.key] = Said(one.key, one.category, one.body, str(one.origin))
    return list(kept.values()), tuple(standing.values())[-MAX_SAID:]


def _resolved(candidate: Candidate, role: Role, standing: dict[str, Said]) -> Candidate:
    """Return a decision with what it replaces, under the key of the one it takes up again if there is one."""
    decisions = [one for one in standing.values() if one.category == "decisions"]
    again = next((one for one in reversed(decisions) if one.replaced_by and _takes_up(candidate, role, one)), None)
    if again and again.key != candidate.key and (origin := Origin.parse(again.origin)):
        candidate = replace(
            candidate, key=again.key, body=again.body, origin=origin, words=None, tags=tags_of(again.body)
        )
    fallen = {again.replaced_by} if again else set()
    active = [one for one in decisions if not one.replaced_by and one.key != candidate.key]
    gone = [one.key for one in active if one.key in fallen or contradicts(candidate.body, one.body)]
    return replace(candidate, replaces=tuple(gone))


def _takes_up(candidate: Candidate, role: Role, old: Said) -> bool:
    if candidate.key == old.key:
        return True
    if role != "user":
        return False
    back = _BACK.search(fold_sentence(candidate.body))
    named = _meaning(back[1]) if back else frozenset()
    return bool(named) and named <= _affirmed(old.body)


def _repeats(candidate: Candidate, role: Role, standing: dict[str, Said]) -> bool:
    """Tell whether something of its kind that still holds says the same; the very same words are no repeat."""
    part = RESTATED_PART if role == "assistant" and candidate.category == "decisions" else REPEATED_PART
    return any(
        near(candidate.body, one.body, part=part)
        for one in standing.values()
        if one.category == candidate.category
        and one.key != candidate.key
        and not one.replaced_by
        and one.key not in candidate.replaces
    )


def contradicts(later: str, earlier: str) -> bool:
    """Tell whether a choice cannot hold any more once ``later`` has been chosen."""
    affirmed = _affirmed(earlier)
    if not affirmed or len(affirmed) > MAX_WORDS:
        return False
    if any(rejected and rejected <= affirmed for rejected in _rejected(later)):
        return True
    new, old = _values(later), _values(earlier)
    if any(left.isdisjoint(right) and left and right for left, right in zip(new, old, strict=True)):
        about, before = _affirmed(later) - new[0] - new[1], affirmed - old[0] - old[1]
        related = about <= before or before <= about
        return bool(about & before) and (about == before or (related and _corrects(later)))
    return False


def _corrects(text: str) -> bool:
    return _CORRECTS.search(fold_sentence(text)) is not None


def _values(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the numbers and the technologies that ``text`` is for."""
    affirmed = _affirmed(text)
    return frozenset(word for word in affirmed if word[0].isdigit()), affirmed & technologies().keys()


@lru_cache(maxsize=256)
def _rejected(text: str) -> tuple[frozenset[str], ...]:
    return tuple(_meaning(match[1]) for match in _REJECTED.finditer(fold_sentence(text)))


@lru_cache(maxsize=256)
def _affirmed(text: str) -> frozenset[str]:
    """Return the words that carry the meaning of what ``text`` is for, without what it rejects and why."""
    return _meaning(_REASON.sub("", _REJECTED.sub(" ", fold_sentence(text))))


def _meaning(text: str) -> frozenset[str]:
    return frozenset(words(text)) - _SMALL
