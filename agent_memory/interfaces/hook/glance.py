"""What hooks read of the mirror and of what was shown, as it stands: read-only, without waiting for anybody.

The one place outside the pipelines that looks into the databases: whoever is answered within a tenth of a second
cannot load them. What is found is rendered as everything remembered is, as quoted data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import datetime
from typing import Final, NamedTuple
from unicodedata import normalize

from agent_memory.context.counting import COUNTERS
from agent_memory.context.render import frame, label_of, levelled, plain
from agent_memory.errors import DatabaseError
from agent_memory.interfaces.hook.payload import Memory, parts_of
from agent_memory.model.ids import digest
from agent_memory.model.text import BRIEFING_END, fold, shorten
from agent_memory.state.shown import Shown
from agent_memory.system.clock import SystemClock
from agent_memory.system.database import Database

MAX_TOLD: Final = 5
"""Of one file, at one time: what is left over is told when it is read or edited again."""
MAX_CHARS: Final = 400
MAX_NAMED: Final = 200
MAX_FOUND: Final = 40
MOST_ROWS: Final = 1_000
"""As many entries as a prompt may make SQLite score; its most frequent words are left out beyond."""
SECTIONS: Final = (("lessons", 2), ("procedures", 2), ("recalled", 8))
"""Of a turn, behind its facts: how many each has at most. What has no section of its own is recalled."""

MAX_PATH: Final = 300

_WORD: Final = re.compile(r"[^\W_]+")
_GOES_ON: Final = re.compile(r"[\w/\\-]|\.\w")
_BODY: Final = "(select group_concat(c0, '') from passages_content where id between s.id * 1024 and s.id * 1024 + 1023)"
_NAMING: Final = f"""
    select distinct s.entry, s.category, s.at, {_BODY} as body from passages f
    cross join standing s on s.id = f.rowid / 1024
    where f.passages match ? and s.agent = ? and s.active and s.category in ('decisions', 'lessons')
    order by s.at desc, s.archived, s.position limit ?
"""  # noqa: S608  its own text
_SPEAKING: Final = f"""
    select s.entry, s.category, s.at, {_BODY} as body from passages f
    cross join standing s on s.id = f.rowid / 1024
    where f.passages match ? and s.agent = ? and s.active and s.category not in ('profile', 'tasks')
    order by f.rank limit ?
"""  # noqa: S608  its own text


class Row(NamedTuple):
    """One line of an answer, the section that it stands in, and what is noted once it was shown."""

    section: str
    line: str
    noted: tuple[str, ...]


class Found(NamedTuple):
    """An active memory, as the mirror has it."""

    entry: str
    category: str
    at: str
    body: str

    @property
    def digest(self) -> str:
        """The one by which a briefing's item is known as shown."""
        return digest(self.category, self.entry, self.body)

    @property
    def known_as(self) -> tuple[str, str]:
        """What a session was shown is kept as: the digest, and the id for a reflection on what it was told."""
        return self.digest, f"#{self.entry}"

    def line(self, mark: str = "") -> str:
        """Return it as one line of a list."""
        words = shorten(levelled(plain(shorten(self.body, 4 * MAX_CHARS))), MAX_CHARS)
        return f"- {label_of(self.entry, datetime.fromisoformat(self.at).date())} {mark}{words}"


def about_files(memory: Memory, paths: Sequence[str], session: str) -> tuple[str, list[str]]:
    """Return what to tell about files, and what to note: what names them and ``session`` has not been shown."""
    shown, rows = set(_shown(memory, session)), list[Row]()
    with closing(Database.glance(memory.folder.mirror)) as mirror:
        for path in dict.fromkeys(paths):
            new = [one for one in _naming(mirror, memory.agent, path) if one.digest not in shown][:MAX_TOLD]
            rows += [Row(plain(parts_of(path)[-1]), one.line(f"[{one.category}] "), one.known_as) for one in new]
            shown |= {one.digest for one in new}
    return _packed(memory, rows)


def about_words(memory: Memory, prompt: str, session: str) -> tuple[str, list[str]]:
    """Return what to tell with a prompt, and what to note: the pinned facts and what it speaks of, as far as new."""
    shown = _shown(memory, session)
    facts = [fact.partition(" ") for fact in memory.texts("facts")]
    rows = [Row("profile", line, (known,)) for known, _, line in facts if known not in shown]
    with closing(Database.glance(memory.folder.mirror)) as mirror:
        found = [one for one in _speaking(mirror, memory.agent, prompt) if one.digest not in shown]
    for name, most in SECTIONS:
        mine = [one for one in found if name == (one.category if one.category in dict(SECTIONS) else "recalled")][:most]
        rows += [Row(name, one.line(), one.known_as) for one in mine]
    return _packed(memory, rows)


def note_shown(memory: Memory, session: str, digests: Iterable[str]) -> None:
    """Remember what a session was shown; if somebody is writing just now, it may be shown once more."""
    with suppress(DatabaseError), closing(Database.glance(memory.folder.state, writing=True)) as state:
        Shown(state).add(session, digests, SystemClock().now())


def clear_shown(memory: Memory, session: str) -> None:
    """Forget what a session was shown: its context is about to go."""
    with closing(Database.glance(memory.folder.state, writing=True)) as state:
        Shown(state).clear(session)


def _shown(memory: Memory, session: str) -> frozenset[str]:
    try:
        with closing(Database.glance(memory.folder.state)) as state:
            return Shown(state).of(session) if session else frozenset()
    except DatabaseError:  # rather twice than never
        return frozenset()


def _naming(mirror: Database, agent: str, path: str) -> Iterator[Found]:
    names = parts_of(path)
    if names and (match := phrase_of(names[-1])):
        rows = mirror.rows(_NAMING, [match, agent, MAX_NAMED])
        yield from (found for row in rows if names_file((found := Found(*row)).body, names))


def phrase_of(name: str) -> str:
    """Return what ``mirror.fts.phrase`` does, without loading it."""
    words = _WORD.findall(fold(name))
    return f'body : "{" ".join(words)}"' if words else ""


def names_file(body: str, names: Sequence[str]) -> bool:
    """Tell whether a text names the file with this path; one of the same name in another folder does not count."""
    body, *names = (normalize("NFC", one) for one in (body, *names))  # macOS hands out accents on their own
    name, at = names[-1], body.find(names[-1])
    while at >= 0:
        before = _path_before(body, at)
        is_whole = before[-1:] in ("", "/", "\\") and not _GOES_ON.match(body, at + len(name))
        if is_whole and _ends_like(names[:-1], parts_of(before)):
            return True
        at = body.find(name, at + len(name))
    return False


def _path_before(body: str, at: int) -> str:
    """Return what stands before ``at`` as part of the same path; by hand, since an expression would be quadratic."""
    start = at
    while start > max(at - MAX_PATH, 0) and (body[start - 1].isalnum() or body[start - 1] in "_./\\@~+-"):
        start -= 1
    return body[start:at]


def _ends_like(folders: Sequence[str], given: Sequence[str]) -> bool:
    """Tell whether the folders before a name may be those meant by ``given``, which may be some of the last."""
    wanted = [part for part in given if part not in ("..", "~")]
    return list(folders[len(folders) - len(wanted) :]) == wanted if wanted else True


def _speaking(mirror: Database, agent: str, prompt: str) -> list[Found]:
    from agent_memory.mirror import fts

    asked = fts.words(prompt)
    tokens = sorted({token for word in asked for token in fts.tokens(word)})
    if not tokens:
        return []
    places = ", ".join("?" * len(tokens))
    rows = mirror.rows(f"select term, doc from vocabulary where term in ({places})", tokens)  # noqa: S608
    told = fts.telling(asked, dict(map(tuple, rows)), most_rows=MOST_ROWS)
    match = fts.match(told)
    rows = mirror.rows(_SPEAKING, [match, agent, MAX_FOUND]) if match else []
    found = [Found(*row) for row in rows]
    return list({(one.category, one.entry): one for one in reversed(found)}.values())[::-1]


def _packed(memory: Memory, rows: Iterable[Row]) -> tuple[str, list[str]]:
    """Return the first rows that the budget of a briefing holds, as its text, and what to note of them."""
    counter = COUNTERS.get(str(memory.left.get("counter")), COUNTERS["estimate"])
    top, lines, noted, section = frame("turn", with_rule=True), list[str](), list[str](), ""
    room = memory.max_tokens * counter.units_per_token - counter.size((*top, BRIEFING_END))
    for row in rows:
        new = (row.line,) if row.section == section else ("", f"### {row.section}", row.line)
        if (size := counter.size(new)) > room:
            continue
        room -= size
        lines += new
        noted += row.noted
        section = row.section
    return ("\n".join((*top, *lines, BRIEFING_END)), noted) if lines else ("", [])
