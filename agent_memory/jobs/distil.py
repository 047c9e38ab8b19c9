"""A lesson out of a cluster's own sentences, without a model: the central ones, or none if they disagree. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final

from agent_memory.extraction.sentences import sentences
from agent_memory.fabric.lessons import Distilled
from agent_memory.fabric.merge import gist
from agent_memory.fabric.relate import Likeness
from agent_memory.fabric.telling import spelt, tags_of, words_of
from agent_memory.jobs.cluster import Cluster
from agent_memory.model.memory import Memory
from agent_memory.model.text import language_of, one_line, shorten, words

MAX_SENTENCES: Final = 3
MIN_WORDS: Final = 4
MAX_CHARS: Final = 280
MAX_TAGS: Final = 6
MAX_SIGNALS: Final = 8
BORNE_OUT: Final = 0.6
"""What part of the telling words of a model's text the entries must have."""
REPEATS: Final = 0.6
"""Of two sentences this much alike the later one is enough."""
OPPOSED: Final = 0.5
"""Two entries this much alike that differ in numbers or negations say the contrary of each other."""


def extracted(cluster: Cluster, likeness: Likeness, clean: Callable[[str], str]) -> Distilled | None:
    """Return the lesson that the members' central sentences make, None where they do not agree on anything.

    Of members that contradict each other only the later one speaks; where that leaves fewer than half, nobody does.
    """
    speaking = [memory for memory in cluster.members if memory not in _contradicted(cluster, likeness)]
    language = Counter(language_of(memory.body) for memory in speaking if language_of(memory.body)).most_common(1)
    said = [
        (memory, sentence)
        for memory in speaking
        for sentence in _sentences_of(memory, clean)
        if not language or language_of(sentence) in (language[0][0], None)
    ]
    if 2 * len(speaking) < len(cluster.members) or not said:
        return None
    counts = Counter(term for memory in speaking for term in likeness.terms[memory.id])
    chosen = _central(said, counts, likeness)
    if not chosen:
        return None
    ordered = sorted(chosen, key=lambda pair: (pair[0].at, pair[0].id))
    signals = _signals(cluster, counts, likeness)
    tags = Counter(tag.lstrip("#") for memory in cluster.members for tag in tags_of(memory))
    shared = [tag for tag, count in tags.most_common(MAX_TAGS) if 2 * count >= len(cluster.members)]
    return Distilled(
        clean(", ".join(signals)),
        "\n".join(sentence for _, sentence in ordered),
        tuple(shared),
        confidence=round(min(0.3 + cluster.likeness, 0.9), 2),
    )


def borne_out(said: Distilled, cluster: Cluster) -> bool:
    """Tell whether the entries bear out what a model has made of them.

    Every number and identifier must stand in one of them, and most of the telling words of each text.
    """
    known = {word for memory in cluster.members for word in words_of(memory.body)}
    spelt = {word for memory in cluster.members for word in words(memory.body)}
    for text in (said.principle, said.activation, *said.steps):
        told = words_of(text)
        exact = [word for word in words(text) if any(char.isdigit() for char in word)]
        if not spelt.issuperset(exact) or len(told & known) < BORNE_OUT * len(told):
            return False
    return True


def _contradicted(cluster: Cluster, likeness: Likeness) -> list[Memory]:
    """Return the earlier one of any two that say nearly the same and differ in numbers or negations."""
    return [
        earlier
        for earlier, later in combinations(cluster.members, 2)
        if likeness.between(earlier.id, later.id) >= OPPOSED and _differ(earlier.body, later.body)
    ]


def _differ(one: str, other: str) -> bool:
    left, right = gist(one), gist(other)
    return set(left.numbers) != set(right.numbers) or bool(left.negations) != bool(right.negations)


def _sentences_of(memory: Memory, clean: Callable[[str], str]) -> Iterator[str]:
    for sentence in sentences(clean(memory.body)):
        line = one_line(sentence.text)
        if len(words_of(line)) >= MIN_WORDS and not line.endswith("?"):
            yield shorten(line, MAX_CHARS)


def _central(said: list[tuple[Memory, str]], counts: Counter[str], likeness: Likeness) -> list[tuple[Memory, str]]:
    """Return the sentences with the most of what several members say, none twice, one of each member."""

    def score(sentence: str) -> float:
        terms = words_of(sentence)
        held = sum(likeness.weights.get(term, 0.0) * (counts[term] - 1) for term in terms)
        return held / math.sqrt(len(terms) + MIN_WORDS)

    chosen: list[tuple[Memory, str]] = []
    for memory, sentence in sorted(said, key=lambda pair: (-score(pair[1]), pair[0].id)):
        fresh = all(memory is not other and not _repeats(sentence, text) for other, text in chosen)
        if fresh and score(sentence) > 0 and len(chosen) < MAX_SENTENCES:
            chosen.append((memory, sentence))
    return chosen


def _repeats(one: str, other: str) -> bool:
    left, right = words_of(one), words_of(other)
    return len(left & right) >= REPEATS * min(len(left), len(right))


def _signals(cluster: Cluster, counts: Counter[str], likeness: Likeness) -> list[str]:
    """Return what at least half of the members speak of, as they spell it, the most telling first."""
    most = [
        term
        for term, count in counts.items()
        if 2 * count >= len(cluster.members) and term in likeness.weights and not term.startswith("#")
    ]
    most.sort(key=lambda term: (-counts[term] * likeness.weights[term], term))
    said = dict[str, str]()
    for memory in reversed(cluster.members):
        said |= spelt(memory.body)
    return [said[term] for term in most if term in said][:MAX_SIGNALS]
