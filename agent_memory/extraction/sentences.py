"""Blocks of prose to sentences, each knowing its label, what it stands under, and its exact place.

A label is what stands in front of a sentence and names its kind: ``**Cause:** …``, ``TODO: …``, the head
of a table's column. What a sentence stands under is the nearest heading, or the line ending in a colon
that introduces its list. It refuses to interpret either; the tables do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from agent_memory.extraction.prose import Block, Kind, blocks, is_machine_line
from agent_memory.model.text import one_line, without_briefings

# A longer user message is pasted matter in all but its first and last block.
MAX_SPEECH_CHARS: Final = 1500
MAX_SPEECH_SENTENCES: Final = 20
SOFT_WRAP_CHARS: Final = 60
BOLD: Final = ("**", "__")

# One set of characters in front is what makes the search fast.
_END: Final = re.compile(r"[.!?…\n](?:(?<=\n)[^\S\n]*|(?<!\n)[\"”»)\]`*_]{0,3}[^\S\n]+)(?=\S)")
_END_OR_NUMBER: Final = re.compile(_END.pattern + r"|[^\S\n](?=\(?\d{1,2}\)[^\S\n])")
_ABBREVIATIONS: Final = frozenset(
    "e.g. i.e. etc. vs. approx. resp. cf. fig. p. ex. ca. incl. mr. mrs. ms. dr. dra. sr. sra. núm. num. pág. pag. "
    "aprox. obs.".split()
)
_SHORT_ENDS: Final = frozenset((before + word)[-3:] for word in _ABBREVIATIONS for before in " (\n")
_BOLD_LABEL: Final = re.compile(
    r"(?:\*\*|__)([^*_\n]{1,60}?)(?:[:.]?(?:\*\*|__)[:.]?|:(?:\*\*|__))(?:[^\S\n]*[–—-])?(?:\s+|$)"
)
_LABEL: Final = re.compile(r"([^\s.:;,!?|`*(][^.:;,!?|`*(\n]{1,38}):\s+(?=\S)")
_NUMBER: Final = re.compile(r"\(?(\d{1,2})[).][^\S\n]+")
_LINK: Final = re.compile(r"!?\[([^\]\n]{0,200})\]\([^)\s]{0,400}\)")
_EMPHASIS: Final = re.compile(r"\*\*|__|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
_LEAD: Final = re.compile(r"^[^\w\s`\"'“«(\[@#$.<~/+-]+\s*")
_LETTER: Final = re.compile(r"[\W_]{0,4}\w[\W_]{1,4}")
_QUOTATION: Final = re.compile(r"\"[^\"\n]{0,900}\"|“[^”\n]{0,900}”|«[^»\n]{0,900}»")
_SEVERAL: Final = re.compile(r"\w{2}[.!?…]\s+\w")
MAX_LETTER_CHARS: Final = 10
MAX_LABEL_WORDS: Final = 5
MAX_LABEL_CHARS: Final = 40


class Sentence(NamedTuple):
    """Something said: ``text`` as it reads, without Markdown, and the span of the exact words.

    ``body_start`` is where in the turn the words after its label begin. ``block`` counts blocks, so that
    neighbours can be told.
    """

    text: str
    start: int
    end: int
    kind: Kind = "paragraph"
    label: str = ""
    body_start: int = 0
    under: str = ""
    mark: str = ""
    block: int = 0


def sentences(text: str, *, speech: bool = False) -> list[Sentence]:
    """Return what is said in ``text``, in order.

    Args:
        text: The prose of a turn; comments, elements of machines and a briefing that lost its markers say nothing.
        speech: A person typed it: machine lines and long pasted documents are left out.
    """
    text = without_briefings(text)
    found = blocks(text)
    if speech and len(text) > MAX_SPEECH_CHARS:
        ends = found[:1] + found[1:][-1:]
        return list(islice(_walk(text, ends, speech), MAX_SPEECH_SENTENCES))
    return list(_walk(text, found, speech))


def quotations(text: str) -> list[tuple[int, int]]:
    """Return where somebody else is quoted at some length: more than a sentence, in quotation marks."""
    return (
        [match.span() for match in _QUOTATION.finditer(text) if _SEVERAL.search(match[0])]
        if '"' in text or "“" in text or "«" in text
        else []
    )


@dataclass(slots=True)
class _Above:
    """What the next block stands under: the nearest heading, or a lead, which reaches over one list only."""

    heading: str = ""
    lead: str = ""
    listed: bool = False

    def enter(self, kind: Kind) -> None:
        if kind != "paragraph":
            self.listed = True
        elif self.listed:
            self.lead, self.listed = "", False

    def introduce(self, lead: str) -> None:
        self.lead, self.listed = lead, False


def _walk(text: str, found: list[Block], speech: bool) -> Iterator[Sentence]:
    above = _Above()
    for number, block in enumerate(found):
        if title := _title(text, block):
            above.heading = title
            above.introduce("")
            continue
        above.enter(block.kind)
        for start, end in _spans(text, block, speech):
            if text.startswith(BOLD, start) and (bold := _bold_line(text, start, end)):
                above.introduce(bold)
            elif not is_machine_line(text, start, end):
                sentence = _sentence(text, start, end, block, number, above.lead or above.heading)
                yield sentence
                if sentence.text.endswith(":") and block.kind != "cell":
                    above.introduce(sentence.text.rstrip(": "))


def _title(text: str, block: Block) -> str:
    """Return a heading's words; a paragraph that is nothing but bold is one too."""
    if block.kind == "heading":
        return plain(text[block.start : block.end]).rstrip(": ")
    bold = block.kind == "paragraph" and text.startswith(BOLD, block.start)
    return _bold_line(text, block.start, block.end) if bold else ""


def _bold_line(text: str, start: int, end: int) -> str:
    bold = _BOLD_LABEL.match(text, start, end)
    return plain(bold[1]).rstrip(": ") if bold and bold.end() == end else ""


def _spans(text: str, block: Block, speech: bool) -> Iterator[tuple[int, int]]:
    start = block.start
    ends = _END_OR_NUMBER if text.find(")", start, block.end) >= 0 else _END
    for match in ends.finditer(text, start, block.end):
        stop, mark = match.start(), match[0]
        if mark[0] in ".!?…":
            stop += len(mark.rstrip())
            if _is_short(text, start, stop):
                continue
        elif mark[0] == "\n" and _wraps(text, start, match, speech):
            continue
        if stop > start:
            yield start, stop
        start = match.end()
    if start < block.end:
        yield start, block.end


def _is_short(text: str, start: int, stop: int) -> bool:
    """Tell whether a full stop belongs to an abbreviation or a lone letter rather than to a sentence."""
    if text[stop - 3 : stop].lower() in _SHORT_ENDS:  # few sentences end so
        word = text[max(start, stop - 8) : stop].replace("(", " ").split()[-1]
        if word.lower() in _ABBREVIATIONS:
            return True
    return stop - start < MAX_LETTER_CHARS and _LETTER.fullmatch(text, start, stop) is not None


def _wraps(text: str, start: int, match: re.Match[str], speech: bool) -> bool:
    """A line whose successor goes on in lower case was wrapped, unless a person typed it and it is short."""
    line = max(text.rfind("\n", start, match.start()) + 1, start)
    return text[match.end()].islower() and (not speech or match.start() - line >= SOFT_WRAP_CHARS)


def _sentence(text: str, start: int, end: int, block: Block, number: int, under: str) -> Sentence:
    kind, mark, label, body = block.kind, block.mark, block.column, start
    if (text[start] == "(" or text[start].isdigit()) and (number_mark := _NUMBER.match(text, start, end)):
        kind, mark, start = "numbered", number_mark[1], number_mark.end()
        body = start
    if block.kind != "cell" and (found := _label(text, start, end)):
        label, body = found
    return Sentence(plain(text[start:end]), start, end, kind, label, body, under, mark, number)


def _label(text: str, start: int, end: int) -> tuple[str, int] | None:
    """Return the label in front of a sentence and where the words after it begin."""
    bold = text.startswith(BOLD, start) and _BOLD_LABEL.match(text, start, end)
    match = bold or (_LABEL.match(text, start, end) if text.find(":", start, start + MAX_LABEL_CHARS) >= 0 else None)
    if match is None or match.end() >= end or len(match[1].split()) > MAX_LABEL_WORDS:
        return None
    return match[1].strip(), match.end()


def plain(text: str) -> str:
    """Return Markdown as it reads, on one line; code spans keep their backticks."""
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text or "__" in text:
        spans = text.split("`")
        text = "`".join(span if number % 2 else _EMPHASIS.sub("", span) for number, span in enumerate(spans))
    line = one_line(text)
    return line if line[:1].isalnum() else _LEAD.sub("", line)
