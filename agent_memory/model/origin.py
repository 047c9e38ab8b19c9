"""What ties a memory and a page to where they came from: an origin in a conversation, a file as it was."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a memory came from: source, conversation, turn, span of the quoted words, digest of the turn.

    Written ``source/conversation/turn/start-end/digest``. The span counts characters of ``Turn.text``.
    """

    source: str
    conversation: str
    turn: int
    span: tuple[int, int]
    digest: str

    def __str__(self) -> str:
        start, end = self.span
        name = quote(self.conversation, safe="")
        return f"{self.source}/{name}/{self.turn}/{start}-{end}/{self.digest}"

    def overlaps(self, other: Origin) -> bool:
        """Tell whether the two quote some words of one turn in common."""
        return self.digest == other.digest and self.span[0] < other.span[1] and other.span[0] < self.span[1]

    @classmethod
    @lru_cache(maxsize=2_048)  # a backlog asks for the same entries' origins once for every batch
    def parse(cls, text: str) -> Origin | None:
        """Read what ``str`` wrote; None for anything else."""
        try:
            source, name, turn, span, turn_digest = text.split("/")
            start, end = span.split("-")
            return cls(source, unquote(name), int(turn), (int(start), int(end)), turn_digest)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """What ``stat`` says of a file: enough to tell that nobody has written to it since."""

    device: int
    inode: int
    size: int
    mtime_ns: int
