"""List what a pattern row may have learnt by heart: names of labelled conversations that stand in it.

    evalset_names.py EVALSET

A name is a word with a capital inside a sentence that is nowhere written small, an identifier, or the
name of a file. Names of months and days belong to the language. The lexicon of technologies, which makes
hashtags and decides nothing, is not looked at. Prints one line for each find and exits 1 if there are any.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from agent_memory.extraction.table import FILES, Cue, fold_sentence, parse, text_of
from agent_memory.model.transcript import Record
from agent_memory.sources import cursor, jsonl

MIN_CHARS = 3
CAPITALISED = re.compile(r"(?<=[\wà-ÿ,;] )[A-ZÀ-Ý][\wÀ-ÿ-]+(?!')\b")
SMALL = re.compile(r"(?<![\wÀ-ÿ])[a-zà-ÿ][\wà-ÿ'-]*")
IDENTIFIER = re.compile(
    r"\b(?:[a-z0-9]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[A-Z]+(?:_[A-Z]+)+)\b"
)
FILE = re.compile(r"[\w-]+\.[a-z]{1,5}\b")
CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro "
    "dezembro segunda terca quarta quinta sexta sabado domingo natal".split()
)


def names_of(evalset: Path) -> frozenset[str]:
    """Return the names in the conversations below ``evalset``, folded as the tables are written."""
    text = "\n".join(_said(evalset))
    small = {fold_sentence(word) for word in SMALL.findall(text)}
    capitalised = {fold_sentence(word) for word in CAPITALISED.findall(text)} - small
    shaped = {fold_sentence(word) for form in (IDENTIFIER, FILE) for word in form.findall(text)}
    return frozenset(name for name in (capitalised | shaped) - CALENDAR if len(name) >= MIN_CHARS)


def _said(evalset: Path) -> Iterator[str]:
    for path in sorted(evalset.glob("*/*.jsonl")):
        for line in jsonl.split([path.read_bytes()]):
            yield from (event.text for event in cursor.events(line) if isinstance(event, Record))


def learnt(cue: Cue, names: frozenset[str]) -> list[str]:
    """Return the names that stand in a row's words or expression."""
    expression = re.sub(r"\\[a-zA-Z]|\[[^\]]*\]", " ", cue.expression).replace("\\", "")
    tokens = {*cue.words, *re.findall(r"[a-z0-9_'-]+(?:\.[a-z]+)?", expression)}
    return sorted(names & tokens)


def finds(evalset: Path) -> list[str]:
    """Return one line for each name in a row: its file, its row, the name."""
    names = names_of(evalset)
    rows = ((name, cue) for name in FILES for cue in parse(text_of(name), name))
    return [f"{file}  {cue.id}  {name}" for file, cue in rows for name in learnt(cue, names)]


def main() -> int:
    """List the names and say whether there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evalset", type=Path)
    found = finds(parser.parse_args().evalset)
    print("\n".join(found) or "No pattern row has a name of these conversations.")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
