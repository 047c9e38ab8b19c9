"""What each event of Cursor's is answered: one table, a row for each. Whoever adds an event adds a row.

Cursor documents no context for a prompt, and lets nobody know but the user at ``preCompact``; what grants a permission
is not here. Whatever an answer leaves to be done is done behind it, when nobody waits any more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from agent_memory.interfaces.hook.payload import Event, Memory, read_own


class Answer(NamedTuple):
    """The text to tell, if any, and what is to be done once it is told."""

    text: str = ""
    then: Callable[[], None] = lambda: None


def answer(event: Event, memories: list[Memory]) -> Answer:
    """Return what an event is answered; nothing for one that is not in the table, or where there is no memory."""
    found = _EVENTS.get(event.name)
    return found(event, memories) if found and memories else Answer()


def _start(event: Event, memories: list[Memory]) -> Answer:
    """Tell what the managed rule says; the first memory that has something speaks."""
    for memory in memories:
        if text := _briefing(memory):
            return _told_once(event, memory, text, memory.texts("shown"), then=lambda: _wake(event, memories))
    return _woken(event, memories)


def _tool(event: Event, memories: list[Memory]) -> Answer:
    """Tell the decisions and lessons that name a file that was just read or edited, once in a session each."""
    paths = event.files()
    if not paths or not memories[0].agent:
        return Answer()
    from agent_memory.interfaces.hook import glance

    text, digests = glance.about_files(memories[0], paths, event.session)
    return _told_once(event, memories[0], text, digests)


def _prompt(event: Event, memories: list[Memory]) -> Answer:
    """Tell the turn's briefing, if that is wished for."""
    memory, prompt = memories[0], event.text("prompt")
    if memory.left.get("prompts") is not True or not memory.agent or not prompt.strip():
        return Answer()
    from agent_memory.interfaces.hook import glance

    text, digests = glance.about_words(memory, prompt, event.session)
    return _told_once(event, memory, text, digests)


def _woken(event: Event, memories: list[Memory]) -> Answer:
    return Answer(then=lambda: _wake(event, memories))


def _compacted(event: Event, memories: list[Memory]) -> Answer:
    """Let the session be told everything anew."""

    def forget() -> None:
        from agent_memory.interfaces.hook import glance

        for memory in memories:
            glance.clear_shown(memory, event.session)

    return Answer(then=forget) if event.session else Answer()


def _told_once(
    event: Event,
    memory: Memory,
    text: str,
    digests: list[str],
    then: Callable[[], None] = lambda: None,
) -> Answer:
    """Tell a text, unless another hook for the same event does, and note it as shown."""
    from agent_memory.interfaces.hook import traces

    if not text or (event.session and not traces.is_first(memory.folder, event)):
        return Answer(then=then)

    def after() -> None:
        then()
        if event.session and digests:
            from agent_memory.interfaces.hook import glance

            glance.note_shown(memory, event.session, digests)

    return Answer(text, after)


def _wake(event: Event, memories: list[Memory]) -> None:
    from agent_memory.interfaces.hook import traces

    for memory in memories:
        traces.wake(memory.folder, event.name)


def _briefing(memory: Memory) -> str:
    """Return the briefing as it was last written, if it is in the memory's own folder; empty where there is none."""
    from agent_memory.model.text import BRIEFING_END, BRIEFING_START

    text = read_own(memory.folder, memory.folder.briefings / f"{memory.agent}.md").decode("utf-8", "replace")
    start, end = text.find(BRIEFING_START), text.rfind(BRIEFING_END)
    return text[start : end + len(BRIEFING_END)] if memory.agent and 0 <= start < end else ""


_EVENTS: Final[Mapping[str, Callable[[Event, list[Memory]], Answer]]] = MappingProxyType(
    {
        "workspaceOpen": _woken,
        "sessionStart": _start,
        "beforeSubmitPrompt": _prompt,
        "postToolUse": _tool,
        "preCompact": _compacted,
        "stop": _woken,
        "sessionEnd": _woken,
    }
)
EVENTS: Final = tuple(_EVENTS)
