"""Markdown to blocks of prose, with their place in the text.

A line scanner of ours, because a turn is scanned once for every reading and a full parser costs twenty
times as much; the tests hold it against one. It finds what somebody *said*: paragraphs, list lines,
headings and table cells. Fences, indented code, quotations and HTML are somebody else's words and are
left out, and so is what lies between a briefing's markers. It changes no text: spans count its characters.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

Kind = Literal["paragraph", "bullet", "numbered", "checkbox", "heading", "cell"]

_FENCE: Final = re.compile(r" {0,3}(?:[-*+] +|\d{1,3}[.)] +)?(`{3,}(?=[^`]*$)|~{3,}|\"{3}|'{3})")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]+|$)")
_BULLET: Final = re.compile(r"([ \t]*)([-*+•]|\d{1,3}[.)])(?:[ \t]+(?=\S)|$)")
_CHECKBOX: Final = re.compile(r"\[([ xX])\][ \t]+")
_HTML: Final = re.compile(
    r" {0,3}<(?:!--|/?[a-zA-Z][\w-]*(?:\s[^<>]*)?/?>\s*$|/?(?:details|summary|div|table|p|ul|ol)\b)"
)
_RULE: Final = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_DIVIDER: Final = re.compile(r"[ \t]*(?:\|[ \t]*)?(?::?-+:?[ \t]*\|[ \t]*)+(?::?-+:?[ \t]*)?$")
# Lines that a program wrote: log lines, stack frames, compiler output, diffs, shell prompts, rows of numbers.
_MACHINE: Final = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\]|"
    r"\[?\d{1,2}/\d{1,2}/\d{2,4},? \d{1,2}:\d\d|\[\d{5,}\]|\d\d:\d\d:\d\d[ ,.]|\$ \S|>>> |at [\w$.<>]+\("
    r"|File \"|Traceback \(|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|FAILURE|FAIL|PASS)\b[: ]|npm (?:ERR!|WARN)"
    r"|(?:fatal|error|warning)(?:\[\w+\])?:|[❌●✖×] +\S|(?:\+\+\+|---) [ab]/|@@ -\d|[\w.]*(?:Error|Exception)\b ?[:(]"
    r"|(?:GET|POST|PUT|DELETE) \S+:?/\S+ |\* What went wrong:|> \w+:|\w{2,5}:0x[0-9a-f]"
    r"|[\d.,]+[;\t][\d.:,;\t]+$|(?:\w+;){2,}|\w+;\w+$|\S+:\d+:\d+:? )"
)


class Block(NamedTuple):
    """One stretch of prose: ``text[start:end]``, without the list mark in front of it.

    ``mark`` is a numbered line's number, or ``x`` or a blank for a checkbox. ``column`` is the heading of
    a table cell's column; elsewhere it says nothing.
    """

    kind: Kind
    start: int
    end: int
    mark: str = ""
    column: str = ""


def is_machine_line(text: str, start: int = 0, end: int = sys.maxsize) -> bool:
    """Tell whether a program wrote this line of a text: a log, a trace, a diff, a row of figures."""
    return _MACHINE.match(text, start, end) is not None


def blocks(text: str) -> list[Block]:
    """Return the blocks of prose in ``text``, in order."""
    return _Scanner(text).scan()


class _Scanner:
    """One pass over the lines; ``open`` is the block that the next line may continue."""

    def __init__(self, text: str) -> None:
        self.lines = list(_lines(text))
        self.text = text
        self.found: list[Block] = []
        self.open = False
        self.quoted = False
        self.in_list = False

    def scan(self) -> list[Block]:
        number = 0
        while number < len(self.lines):
            number = self._take(number)
        return self.found

    def _take(self, number: int) -> int:
        """Deal with the line ``number`` and return the number of the next one to look at."""
        start, end = self.lines[number]
        line = self.text[start:end]
        if not line.strip():
            self.open = self.quoted = False
            return number + 1
        if not self.open and line[0] not in " \t" and not _BULLET.match(line):
            self.in_list = False
        if fence := _FENCE.match(line):
            return self._skip_fence(number, fence[1])
        if line.lstrip().startswith(">") or self.quoted:
            self.quoted, self.open = not self._interrupts(line) or line.lstrip().startswith(">"), False
            return number + 1 if self.quoted else number
        if not self.open and _HTML.match(line):
            return self._skip_html(number)
        if self._is_table(number):
            return self._take_table(number)
        self._take_line(line, start, end)
        return number + 1

    def _interrupts(self, line: str) -> bool:
        return bool(_BULLET.match(line) or _HEADING.match(line) or _RULE.match(line))

    def _take_line(self, line: str, start: int, end: int) -> None:
        if self.open and _UNDERLINE.match(line) and self.found[-1].kind == "paragraph":
            last = self.found.pop()
            self.found.append(Block("heading", last.start, last.end))
            self.open = False
        elif _RULE.match(line):
            self.open = False
        elif heading := _HEADING.match(line):
            self._add("heading", start + heading.end(), end)
            self.open = self.in_list = False
        elif bullet := _BULLET.match(line):
            self._take_bullet(line, start, end, bullet)
        elif self.open:
            last = self.found.pop()
            self.found.append(Block(last.kind, last.start, _trimmed(self.text, end), last.mark))
        elif not self.in_list and line.startswith(("    ", "\t")):
            return
        else:
            self._add("paragraph", start + len(line) - len(line.lstrip()), end)
            self.open = True

    def _take_bullet(self, line: str, start: int, end: int, bullet: re.Match[str]) -> None:
        if not self.in_list and not self.open and len(bullet[1].expandtabs(4)) >= 4:
            return
        at, mark = bullet.end(), bullet[2]
        kind: Kind = "numbered" if mark[0].isdigit() else "bullet"
        if box := _CHECKBOX.match(line, at):
            kind, at, mark = "checkbox", box.end(), box[1].lower()
        self.in_list = self.open = True
        self._add(kind, start + at, end, mark="" if kind == "bullet" else mark.rstrip(".)"))

    def _add(self, kind: Kind, start: int, end: int, *, mark: str = "") -> None:
        self.found.append(Block(kind, start, max(start, _trimmed(self.text, end)), mark))

    def _skip_fence(self, number: int, fence: str) -> int:
        self.open = False
        for after in range(number + 1, len(self.lines)):
            line = self.text[slice(*self.lines[after])].strip()
            if line.startswith(fence) and not line.strip(fence[0]):
                return after + 1
        return len(self.lines)

    def _skip_html(self, number: int) -> int:
        comment = "<!--" in self.text[slice(*self.lines[number])]
        while number < len(self.lines):
            line = self.text[slice(*self.lines[number])]
            if (comment and "-->" in line) or (not comment and not line.strip()):
                return number + 1
            number += 1
        return number

    def _is_table(self, number: int) -> bool:
        if number + 1 >= len(self.lines) or "|" not in self.text[slice(*self.lines[number])]:
            return False
        return _DIVIDER.match(self.text[slice(*self.lines[number + 1])]) is not None

    def _take_table(self, number: int) -> int:
        columns = [self.text[slice(*span)] for span in _cells(self.text, *self.lines[number])]
        self.open, number = False, number + 2
        while number < len(self.lines) and "|" in self.text[slice(*self.lines[number])]:
            for column, (start, end) in zip(columns, _cells(self.text, *self.lines[number]), strict=False):
                if end > start:
                    self.found.append(Block("cell", start, end, column=column))
            number += 1
        return number


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the span of every cell of a table's line, blanks around it left out."""
    spans = []
    at = start
    for piece in text[start:end].split("|"):
        left = at + len(piece) - len(piece.lstrip())
        spans.append((left, max(left, at + len(piece.rstrip()))))
        at += len(piece) + 1
    if text[start:end].lstrip().startswith("|"):
        spans = spans[1:]
    return spans


def _trimmed(text: str, end: int) -> int:
    while end and text[end - 1] in " \t\r":
        end -= 1
    return end
