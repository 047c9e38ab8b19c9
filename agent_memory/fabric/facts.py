"""What a profile fact is: how it is checked, read from an entry, compared, and when it is shown.

Pure. An entry's body is ``key: value``; what else is known of it stands in its comment. A hand-written
entry needs no comment: it is pinned, and its writer's own words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from agent_memory.errors import InvalidValue
from agent_memory.model.memory import Fact, Memory
from agent_memory.model.text import clean, fold, normalise, words

MAX_KEY_CHARS: Final = 120
MAX_VALUE_CHARS: Final = 2000
MAX_KEYWORDS: Final = 8
MAX_KEYWORD_CHARS: Final = 40

FACT: Final = "fact"
PINNED: Final = "pinned"
KEYWORDS: Final = "keywords"

_KEY: Final = re.compile(r"[^\W_][\w.-]*")
_BODY: Final = re.compile(r"(?:[-*][ \t]+)?(?P<key>[^\W_][\w.-]*):(?:[ \t]+|(?=\n)|\Z)(?P<value>.*)", re.DOTALL)
_UNSAID: Final = frozenset({"0", "false", "no"})
_NAME: Final = re.compile(
    r"(?:user_|my_|meu_)?(?:full|first|last|given|family|preferred|display|real|nick)?_?name"
    r"|nickname|username|alias|handle|user_handle|user_identity|identity"
    r"|(?:meu_)?(?:nome(?:_completo|_social|_do_usuario|_de_usuario)?|sobrenome|apelido)"
)
_ABOUT_A_PERSON: Final = frozenset("language timezone time_zone tz idioma lingua fuso_horario".split())

# Words of a key or value that do not tell it from another.
_FILLER: Final = frozenset(
    "a an the of for to is my user users preferred prefers prefer preference preferences style setting settings level"
    " length yes true default o os as um uma de do da dos das para e meu minha usuario preferido preferida prefere"
    " preferencia preferencias estilo configuracao ajuste nivel tamanho sim verdadeiro padrao".split()
)
_SAME: Final = {
    word: group.split()[0]
    for group in (
        "response responses answer answers reply replies resposta respostas",
        "short brief concise terse curto curta curtas curtos breve breves conciso concisa concisas",
        "long detailed verbose longo longa longas longos detalhado detalhada detalhadas",
        "language lang idioma lingua",
        "timezone tz",
    )
    for word in group.split()
}
_TWO_WORDS: Final = {"time zone": "timezone", "fuso horario": "timezone"}
_OPPOSITES: Final = frozenset(
    "no not never none off false without disabled cannot t nao nunca nem sem nenhum nenhuma falso desligado".split()
)
STEM_CHARS: Final = 5

# In these scripts words stand without blanks between them, so that any occurrence is one.
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def checked(fact: Fact) -> Fact:
    """Return ``fact`` as it is stored: key in lower case, no blanks around anything; or raise ``InvalidValue``."""
    value = clean(fact.value).replace("\r\n", "\n").strip()
    if not value:
        raise InvalidValue.of("value", "must not be empty.")
    if len(value) > MAX_VALUE_CHARS:
        raise InvalidValue.of("value", f"has {len(value)} characters; {MAX_VALUE_CHARS} is the most.")
    return Fact(checked_key(fact.key), value, fact.pinned, tuple(dict.fromkeys(_keywords(fact))))


def checked_key(key: str) -> str:
    """Return ``key`` in the form in which keys are compared, or raise ``InvalidValue``."""
    spelt = unicodedata.normalize("NFC", clean(key)).strip().lower()
    if not spelt or len(spelt) > MAX_KEY_CHARS:
        raise InvalidValue.of("key", f"must have 1 to {MAX_KEY_CHARS} characters.")
    if not _KEY.fullmatch(spelt):
        reason = "must begin with a letter or digit and go on with letters, digits, '_', '.' or '-'."
        raise InvalidValue.of("key", reason)
    return spelt


def _keywords(fact: Fact) -> Iterator[str]:
    if fact.pinned and fact.keywords:
        raise InvalidValue.of("keywords", "a pinned fact is always shown and takes none.")
    if not fact.pinned and not fact.keywords:
        raise InvalidValue.of("keywords", "a fact that is not pinned needs one at least, or it is never shown.")
    if len(fact.keywords) > MAX_KEYWORDS:
        raise InvalidValue.of("keywords", f"are {len(fact.keywords)}; {MAX_KEYWORDS} is the most.")
    for place, keyword in enumerate(fact.keywords, 1):
        word = " ".join(clean(keyword).lower().split())
        if not any(char.isalnum() for char in word) or "," in word or len(word) > MAX_KEYWORD_CHARS:
            reason = f"number {place} must have 1 to {MAX_KEYWORD_CHARS} characters, a letter and no comma."
            raise InvalidValue.of("keywords", reason)
        yield word


def body_of(fact: Fact) -> str:
    """Return the words of the fact's entry."""
    return f"{fact.key}: {fact.value}"


def meta_of(fact: Fact) -> dict[str, str | None]:
    """Return what the entry's comment says of a fact; None where a key has to be absent."""
    return {FACT: fact.key, PINNED: None if fact.pinned else "0", KEYWORDS: ",".join(fact.keywords) or None}


def fact_of(memory: Memory) -> Fact | None:
    """Return the fact that an entry states; None if it states none.

    Where a person has rewritten a body so that it names no key, the comment still does.
    """
    found = _BODY.match(memory.body)
    key, value = (found["key"], found["value"]) if found else (memory.meta.get(FACT, ""), memory.body)
    key, value = unicodedata.normalize("NFC", key).lower(), value.strip()
    if not value or len(key) > MAX_KEY_CHARS or not _KEY.fullmatch(key):
        return None
    pinned = memory.meta.get(PINNED, "1").lower() not in _UNSAID
    return Fact(key, value, pinned, tuple(filter(None, memory.meta.get(KEYWORDS, "").split(","))))


def is_name(key: str) -> bool:
    """Tell whether a fact under ``key`` says what somebody is called."""
    return _NAME.fullmatch(_spelt(key)) is not None


def is_about_the_person(key: str) -> bool:
    """Tell whether a fact under ``key`` holds wherever the person works: name, language, time zone."""
    return is_name(key) or _spelt(key) in _ABOUT_A_PERSON


def _spelt(key: str) -> str:
    return re.sub(r"[-.]", "_", fold(key))


def same_value(one: str, other: str) -> bool:
    """Tell whether two values differ in case, blanks and closing punctuation at most."""
    return _bare(one) == _bare(other)


def twin(fact: Fact, others: Mapping[str, Fact]) -> str | None:
    """Return the other key under which the same is said already, None if there is none."""
    return next((key for key, other in others.items() if key != fact.key and _say_the_same(fact, other)), None)


def _say_the_same(fact: Fact, other: Fact) -> bool:
    if is_name(fact.key) and is_name(other.key):
        return same_value(fact.value, other.value)
    mine, theirs = _concepts(fact), _concepts(other)
    return mine == theirs and len(mine) > 1 and _opposes(fact) == _opposes(other)


def _bare(value: str) -> str:
    return " ".join(value.lower().split()).rstrip(".!?;,")


def _concepts(fact: Fact) -> frozenset[str]:
    text = normalise(f"{fact.key} {fact.value}".replace("_", " "))
    for two, one in _TWO_WORDS.items():
        text = text.replace(two, one)
    telling = (_SAME.get(word, word) for word in text.split() if word not in _FILLER)
    return frozenset(word if any(map(str.isdigit, word)) else word[:STEM_CHARS] for word in telling)


def _opposes(fact: Fact) -> bool:
    return not _OPPOSITES.isdisjoint(words(f"{fact.key} {fact.value}"))


def comes_up(fact: Fact, message: str) -> bool:
    """Tell whether a keyword of ``fact`` stands in ``message`` as a whole word, whatever case and accents."""
    text = " ".join(fold(message).split())
    return any(_stands_in(fold(keyword), text) for keyword in fact.keywords)


def _stands_in(word: str, text: str) -> bool:
    start = text.find(word)
    while word and start >= 0:
        end = start + len(word)
        if _UNSPACED.search(word) or not (_is_word(text[start - 1 : start]) or _is_word(text[end : end + 1])):
            return True
        start = text.find(word, start + 1)
    return False


def _is_word(char: str) -> bool:
    return char == "_" or (char != "" and unicodedata.category(char)[0] in "LMN")


_LEADS: Final = re.compile(
    r"\b(?:my name is|call me|i am|i'm|this is|me chamo|chamo-me|meu nome e|me chame de|eu sou|sou [oa]|aqui e [oa])"
    r"\s+$"
)
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:;\n…])[\s\"'“”«»(>*-]*$")
_NEAR: Final = 40


def vouched_for(name: str, said: Iterable[str]) -> bool:
    """Tell whether what the user said has ``name`` as a name: every capitalised part of it, whole and spelt so.

    A part counts where it follows a lead such as "my name is" or "me chamo", or is capitalised inside a
    sentence; at the beginning of one any word is. Scripts without capitals have to do without.
    """
    texts = [unicodedata.normalize("NFC", text) for text in said]
    parts = re.findall(r"[^\W_][\w'’-]*", unicodedata.normalize("NFC", name))
    telling = [part for part in parts if not part[0].islower()] or parts
    return bool(telling) and all(any(_names(part, text) for text in texts) for part in telling)


def _names(part: str, text: str) -> bool:
    if part.lower() == part.upper():
        return _stands_in(fold(part), fold(text))
    for found in re.finditer(rf"(?<![\w@]){re.escape(part)}(?!\w)", text, re.IGNORECASE):
        before = text[max(found.start() - _NEAR, 0) : found.start()]
        is_inside = found[0][0].isupper() and not _SENTENCE_START.search(before)
        if is_inside or _LEADS.search(fold(before)):
            return True
    return False
