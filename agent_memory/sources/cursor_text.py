"""What a person or an agent said, out of what Cursor wrapped around it.

Cursor escapes nothing, so a wrapper is recognised by where it stands, never by its name alone: a person may
paste any of these tags. Sentences that Cursor sends in the user's name are recognised by how they begin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

# Cursor had no users before; an earlier date is a broken clock, and no date is better.
EARLIEST: Final = datetime(2023, 1, 1, tzinfo=UTC)

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_TIME_TAG: Final = re.compile(r"\s*<timestamp>([^<]{0,200})</timestamp>")
_TIME: Final = re.compile(
    r"\s*(?:[A-Za-z]{3,9},?\s+)?(?P<month>[A-Za-z]{3})[a-z]{0,6}\.?\s+(?P<day>\d{1,2}),?\s+(?P<year>\d{4}),?\s+"
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2})?\s*(?P<half>[AaPp][Mm])?"
    r"\s*\((?:UTC|GMT)(?:(?P<sign>[+\-−])(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?)?\)\s*"
)

_OPEN: Final = "<user_query>"
_CLOSE: Final = "</user_query>"
_SEAM: Final = re.compile(r"</user_query>\s*<user_query>")
MAX_BLOCKS: Final = 50
_HOST_TAGS: Final = (
    "timestamp attached_files system_reminder system-reminder system_notification task_notification task-notification"
    " open_and_recently_viewed_files user_info rules user_rules always_applied_workspace_rules git_status"
    " agent_transcripts agent_skills manually_attached_skills image_files uploaded_documents external_links"
    " additional_data cursor_commands mcp_meta_tools mcp_instructions environment_context project_layout"
    " summary_content"
).split()
_HOST_TAG: Final = re.compile(rf"\s*<({'|'.join(_HOST_TAGS)})(?:\s[^<>]{{0,200}})?>")
_HOST_END: Final = re.compile(rf"</({'|'.join(_HOST_TAGS)})>\s*\Z")

_PLAN_ORDER: Final = re.compile(
    r"Implement the plan as specified, [^.\n]{0,80}\.(?:\s+Do NOT edit the plan file itself\.)?"
    r"(?:\s+To-do's from the plan [^.\n]{0,80}\.\s+Do not create them again\.\s+Mark them as [^.\n]{0,80}\."
    r"(?:\s+Don't stop until [^.\n]{0,80}\.)?)?"
)
_INJECTED: Final = (
    "Briefly inform the user about the task result",
    "The above subagent result is already visible to the user",
    "The beginning of the above subagent result is already visible to the user",
    "This session is being continued from a previous conversation",
    "[Previous conversation summary]",
    "The conversation was summarized",
    "Conversation was summarized",
)
_HIDDEN: Final = "[REDACTED]"


@dataclass(frozen=True, slots=True)
class Said:
    """A user record's words, when they were said if it tells, and whether a machine said them."""

    text: str
    at: datetime | None
    injected: bool


def of_user(raw: str) -> Said:
    """Unwrap a user record. A record with no words of a person in it counts as injected."""
    time_tag = _TIME_TAG.match(raw)
    text = _PLAN_ORDER.sub("", _unwrap(raw), count=1).strip()
    injected = not text or text.startswith(_INJECTED)
    return Said(text, parse_time(time_tag[1]) if time_tag else None, injected)


def of_assistant(texts: list[str]) -> str:
    """Join an assistant record's texts, without the stand-in for hidden reasoning at the end of each."""
    bare = (_without_hidden(text).strip() for text in texts)
    return "\n\n".join(text for text in bare if text)


def parse_time(text: str) -> datetime | None:
    """Read ``Tuesday, Jul 21, 2026, 6:57 PM (UTC-5:30)``, whatever the locale; None for anything else."""
    match = _TIME.fullmatch(text)
    if match is None or match["month"].lower() not in _MONTHS:
        return None
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].lower() == "pm" else 0)
    offset = timedelta(hours=int(match["hours"] or 0), minutes=int(match["minutes"] or 0))
    try:
        zone = timezone(-offset if match["sign"] in ("-", "−") else offset)
        month = _MONTHS.index(match["month"].lower()) + 1
        at = datetime(int(match["year"]), month, int(match["day"]), hour, int(match["minute"]), tzinfo=zone)
        return _plausible(at.astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def parse_iso(value: object) -> datetime | None:
    """Read a record's own ISO 8601 ``timestamp``, which a few builds write; without a zone it is UTC."""
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
        return _plausible(at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def _plausible(at: datetime) -> datetime | None:
    return at if at >= EARLIEST else None


def _unwrap(raw: str) -> str:
    """Cut from the first opening tag to the LAST closing one, for a prompt may quote the closing tag."""
    opening, closing = raw.find(_OPEN), raw.rfind(_CLOSE)
    if 0 <= opening < closing:
        return _SEAM.sub("\n\n", raw[opening + len(_OPEN) : closing])
    return _strip_host_blocks(raw)


def _strip_host_blocks(text: str) -> str:
    """Remove whole host blocks at either end; one that is not closed is left as it is."""
    for _ in range(MAX_BLOCKS):
        opened = _HOST_TAG.match(text)
        end = text.find(f"</{opened[1]}>", opened.end()) if opened else -1
        if opened is None or end < 0:
            break
        text = text[end + len(opened[1]) + 3 :]
    for _ in range(MAX_BLOCKS):
        closed = _HOST_END.search(text)
        start = text.rfind(f"<{closed[1]}>", 0, closed.start()) if closed else -1
        if start < 0:
            break
        text = text[:start]
    return text


def _without_hidden(text: str) -> str:
    end = len(text)
    while end and (text[end - 1].isspace() or text.endswith(_HIDDEN, 0, end)):
        end -= 1 if text[end - 1].isspace() else len(_HIDDEN)
    return text[:end]
