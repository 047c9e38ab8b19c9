"""What a bare answer settles: "2", "B is enough", "a primeira", "sim".

Options are what an assistant's turn numbered, lettered or called options; an answer that names one is
stored as the words of that option, with the span where the assistant wrote them. It refuses to read a
plain yes as a decision where nothing was recommended.
"""

from __future__ import annotations

import re
from typing import Final

from agent_memory.extraction.memo import Memo, Option, Proposal
from agent_memory.extraction.observe import Observation
from agent_memory.extraction.table import fold_sentence
from agent_memory.model.transcript import Turn

MAX_OPTIONS: Final = 8
OFFERED: Final = frozenset({"veto:option", "veto:offer", "generic"})

_NAMED: Final = re.compile(r"^(?:option|opcao|approach|alternativa|plan|plano)\s?(\d{1,2}|[a-h])\b")
_LETTER: Final = re.compile(r"^([A-Ha-h]|\d{1,2})[.)]?$")
_MARK: Final = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|sim|then|entao|let'?s|vamos|bora|quero|prefiro|pode ser|go|de|do|with|for|"
    r"i(?:'d)? (?:take|prefer|say))[ ,]+){0,3}(?:the |a |o )?(?:option |opcao |number |numero |letra )?"
    r"(\d{1,2}|[a-h])(?:$|[.,;!]| (?:then|entao|please|is |e |ja |mesmo|com|junto|por favor))"
)
_ORDINAL: Final = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|sim|let'?s|go|with|take)[ ,]+){0,3}(?:the |a |o )"
    r"(first|second|third|fourth|primeir|segund|terceir|quart)(?:a|o)?\b"
)
_PLACES: Final = "first second third fourth primeir segund terceir quart".split()
_YES: Final = re.compile(
    r"^\W*(?:yes|yep|yeah|sure|ok(?:ay)?|go ahead|do it|agreed|sounds good|sim|pode|pode ser|isso|bora|segue|"
    r"siga|perfeito|combinado|fechado|claro|aprovado|de acordo|avanca|gostei)"
    r"(?: (?:please|then|isso|sim|segue|with that|com isso|por favor))?\W*$"
)
_RECOMMENDED: Final = re.compile(r"\b(?:recommended|recommend|suggest|recomendad[ao]|recomendo|sugiro)\b")


def proposal_of(turn: Turn, observed: list[Observation]) -> Proposal:
    """Return the options that an assistant's turn put before the user."""
    options = []
    for one in observed:
        sentence = one.sentence
        if sentence.kind == "cell" or not (sentence.mark or sentence.label or not OFFERED.isdisjoint(one.signals)):
            continue
        named = _NAMED.match(fold_sentence(sentence.label or sentence.text))
        letter = _LETTER.match(sentence.label.strip("*. "))
        mark = named[1] if named else letter[1].lower() if letter else sentence.mark.strip(" x")
        if not mark and not _RECOMMENDED.search(fold_sentence(sentence.text)):
            continue
        start = sentence.body_start if sentence.label else sentence.start
        options.append(Option(mark, turn.text[start : sentence.end], start, sentence.end))
    redacted = any(record.redacted for record in turn.records)
    return Proposal(turn.ordinal, turn.digest, redacted, tuple(options[:MAX_OPTIONS]))


def settled(memo: Memo, answer: str) -> Option | None:
    """Return the option that a user's answer names, None if it names none."""
    folded = fold_sentence(answer.strip())
    marked = [option for option in memo.proposal.options if option.mark]
    if match := _MARK.match(folded):
        return next((option for option in marked if option.mark == match[1]), None)
    if match := _ORDINAL.match(folded):
        number = _PLACES.index(match[1]) % 4
        return marked[number] if number < len(marked) else None
    if _YES.match(folded):
        recommended = [o for o in memo.proposal.options if _RECOMMENDED.search(fold_sentence(o.text))]
        return recommended[0] if len(recommended) == 1 else None
    return None
