"""Put entries into a JSON file that is somebody else's, and take them out again; every other byte stays.

Pure. What is put in stands behind the last member of its container, after a line break where that one's
closing bracket stands on a line of its own. Taking out removes exactly that: the entry, the blanks before
it, and the comma that made room for it. What was made beside it, lists and such, is returned by name, so that it
goes too once it is empty; in a blank text that is an object around everything, whose name is empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agent_memory.editors.jsonc import BOM, Member, Node, parse, skipped
from agent_memory.errors import FileError

_OBJECT: Final = "{\n}\n"
_BLANKS: Final = " \t\r\n"
_INDENT: Final = re.compile(r"(?:^|[\r\n])([ \t]+)\S")
_COMMENT: Final = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LINE_END: Final = re.compile(r"[ \t]*[\r\n]")
_NEWLINE: Final = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of ours at a path of keys: a list's member, known by the field ``known_by``, or else an object's.

    A ``default`` is only put where there is none, and is of no interest where there is. One with a ``setting`` is
    wanted where that is on.
    """

    path: tuple[str, ...]
    value: Any
    known_by: str = ""
    default: bool = False
    setting: str = ""


@dataclass(frozen=True, slots=True)
class Added:
    """A text with our entries in it, and the paths of what was made for them, in the order of making."""

    text: str
    made: tuple[str, ...]


def add(text: str, entries: Sequence[Entry]) -> Added:
    """Return ``text`` with every entry in it, once; one that stands there with another value is updated.

    Raises:
        FileError: The text is no JSON, or has something else where a list or an object must be.
    """
    made: list[str] = []
    if is_blank(text):
        made.append("")
        start = len(text) - len(text.lstrip(BOM))
        text = text[:start] + _OBJECT.replace("\n", _newline(text)) + text[start:]
    for entry in entries:
        text = _add(text, entry, made)
    return Added(text, tuple(made))


def remove(text: str, entries: Sequence[Entry], made: Sequence[str] | None) -> str:
    """Return ``text`` without the entries, nor what was ``made`` for them if it is empty now.

    Where nobody knows what was made (None), everything that might have been counts as made.

    Raises:
        FileError: The text is no JSON.
    """
    if is_blank(text):
        return text
    for entry in reversed(entries):
        path = _containers(entry)
        while not entry.default and (found := _find(parse(text), entry)) is not None:
            text = _cut(text, *found)
        for depth in range(len(path), 0, -1):
            name = path[:depth]
            if entry.default or not (made is None or _named(name) in made):
                break
            text = _without_empty(text, name)
    text = _without_defaults(text, entries, made)
    return _without_object(text) if made is None or "" in made else text


def standing(text: str, entries: Sequence[Entry]) -> tuple[Any, ...]:
    """Return the values that stand where ours should, None where there is none.

    Raises:
        FileError: The text is no JSON, or says null at such a place, which nobody could tell from nothing.
    """
    wanted = [entry for entry in entries if not entry.default]
    if is_blank(text):
        return (None,) * len(wanted)
    root = parse(text)
    found = [one and one[1].node for one in (_find(root, entry) for entry in wanted)]
    if any(node is not None and node.value is None for node in found):
        raise FileError("It says null where our entry would be.", hint="Take that out, then try again.")
    return tuple(node and node.value for node in found)


def is_blank(text: str) -> bool:
    """Tell whether a file holds nothing at all, which editors take for an empty object."""
    return not text.strip(BOM + _BLANKS)


def _containers(entry: Entry) -> tuple[str, ...]:
    return entry.path if entry.known_by else entry.path[:-1]


def _named(path: Sequence[str]) -> str:
    return "/".join(path)


def _without_defaults(text: str, entries: Sequence[Entry], made: Sequence[str] | None) -> str:
    """Take back a version that we wrote, once nothing that we made beside it is left."""
    root = parse(text)
    others = {entry.path[0] for entry in entries if not entry.default}
    if any(root.get(name) for name in others if made is None or name in made):
        return text
    for entry in entries:
        is_ours = _named(entry.path) in made if made is not None else len(root.members) == 1
        if entry.default and is_ours and (found := _find(parse(text), entry)) and found[1].node.value == entry.value:
            text = _cut(text, *found)
    return text


def _without_empty(text: str, path: tuple[str, ...]) -> str:
    found = _find(parse(text), Entry(path, None))
    if found is None or not _is_bare(text, found[1].node):
        return text
    return _cut(text, *found)


def _without_object(text: str) -> str:
    """Return what stood there before an object was put in front of it, if nothing but blanks did and it is empty."""
    root = parse(text)
    rest = text[root.end :].removeprefix(_newline(text))
    left = text[: root.start] + rest
    return left if is_blank(left) and _is_bare(text, root) else text


def _is_bare(text: str, node: Node) -> bool:
    """Tell whether a list or an object holds nothing, not even a comment."""
    return node.value in ([], {}) and is_blank(text[node.start + 1 : node.end - 1])


def _find(root: Node, entry: Entry) -> tuple[Node, Member] | None:
    """Return the entry's member and what it stands in."""
    node: Node | None = root
    for key in _containers(entry):
        node = node.get(key) if node is not None else None
    if node is None:
        return None
    if entry.known_by:
        wanted = entry.value[entry.known_by]
        members = [one for one in node.members if (has := one.node.get(entry.known_by)) and has.value == wanted]
    else:
        members = [one for one in reversed(node.members) if one.key == entry.path[-1]]
    return (node, members[0]) if members else None


def _add(text: str, entry: Entry, made: list[str]) -> str:
    root = parse(text)
    if not isinstance(root.value, dict):
        raise FileError("It does not hold an object.", hint="Mend it, then try again.")
    if (found := _find(root, entry)) is not None:
        node = found[1].node
        if entry.default or node.value == entry.value:
            return text
        return text[: node.start] + _rendered(entry.value, text, _indent_at(text, found[1].start)) + text[node.end :]
    node, path = root, _containers(entry)
    for depth, key in enumerate(path, 1):
        kind: type = list if entry.known_by and depth == len(path) else dict
        inner = node.get(key)
        if inner is None:
            made.append(_named(path[:depth]))
            text = _put(text, node, key, _empty("[]" if kind is list else "{}", text))
            return _add(text, entry, made)
        if not isinstance(inner.value, kind):
            raise FileError(f"It has something else at {_named(path[:depth])}.", hint="Mend it, then try again.")
        node = inner
    if entry.default:
        made.append(_named(entry.path))
    name = None if entry.known_by else entry.path[-1]
    return _put(text, node, name, lambda indent: _rendered(entry.value, text, indent))


def _empty(brackets: str, text: str) -> Callable[[str], str]:
    return lambda indent: f"{brackets[0]}{_newline(text)}{indent}{brackets[1]}"


def _put(text: str, container: Node, key: str | None, render: Callable[[str], str]) -> str:
    """Return ``text`` with a member behind the last one of ``container``; ``render`` is told its indentation."""
    close = container.end - 1
    here = len(text[:close].rstrip(_BLANKS))
    on_own_line = not {"\n", "\r"}.isdisjoint(text[here:close])
    indent = _indent_at(text, close if on_own_line else container.start)
    if on_own_line:
        line = _line_to(text, container.members[-1].start) if container.members else ""
        indent = line if line and not line.strip(" \t") else indent + _unit(text)
    piece = f"{json.dumps(key)}: {render(indent)}" if key is not None else render(indent)
    before = _newline(text) + indent if on_own_line else " " * bool(container.members)
    text = text[:here] + before + piece + "," * container.trailing_comma + text[here:]
    if container.members and not container.trailing_comma:
        end = container.members[-1].node.end
        text = f"{text[:end]},{text[end:]}"
    return text


def _cut(text: str, container: Node, member: Member) -> str:
    """Return ``text`` without a member, the blanks before it, and one comma."""
    index = container.members.index(member)
    before = container.members[index - 1].node.end if index else container.start + 1
    start, end = len(text[: member.start].rstrip(_BLANKS)), member.node.end
    if index < len(container.members) - 1 or container.trailing_comma:
        comma = skipped(text, end)
        tail = text[end:comma] + text[comma + 1 :]
    else:
        tail = text[end:]
    comments = _COMMENT.findall(text[before:start])
    in_comment = bool(comments) and comments[-1][:2] == "//" and text[:start].endswith(comments[-1])
    if in_comment and not _LINE_END.match(tail):
        start = member.start  # a comment to the line's end would swallow what follows
    if index and index == len(container.members) - 1 and not container.trailing_comma:
        comma = skipped(text, before)
        return text[:comma] + text[comma + 1 : start] + tail
    return text[:start] + tail


def _newline(text: str) -> str:
    """Return the line end that comes first; editors end a line with a lone CR too."""
    found = _NEWLINE.search(text)
    return found[0] if found else "\n"


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _line_to(text: str, at: int) -> str:
    """Return what stands before ``at`` in its line."""
    return text[max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 : at]


def _indent_at(text: str, at: int) -> str:
    """Return the blanks at the beginning of the line that ``at`` stands in."""
    line = _line_to(text, at).lstrip(BOM)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _rendered(value: Any, text: str, indent: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (_newline(text) + indent).join(lines)
