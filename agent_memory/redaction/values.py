"""Whether a value that stands where a secret may stand is one: its letters are judged, never its place.

Pure. It says no to placeholders, references, code and words, because a text without its words is worth as
little as a leaked password is cheap to change; what a provider's shape tells for sure is hardly judged.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final, Literal

Check = Literal["shape", "random", "password", "mixed"]

MIN_ENTROPY_BITS: Final = 2.8
MIN_RANDOM_CHARS: Final = 8
MIN_LETTERS: Final = 10
"""From so many letters on, those of a word can be told from those of a generator."""
LEAST_WORDED: Final = 0.5
PHRASE_PARTS: Final = 3
MAX_BLANKS: Final = 2
"""What has more is a sentence, if it is no phrase of drawn words."""
MAX_PHRASE_WORDS: Final = 26

# Written out as patterns, and made when the first value is judged: most processes meet none.
_SAMPLE: Final = r"EXAMPLE|(?i:x{5,}|\*{4,}|0{10,}|your[-_]|seu[-_]|sua[-_]|placeholder|redacted)|\.{3}|…"
_PLACEHOLDER: Final = (
    r"(?i)^(?:x{3,}|\*{3,}|\.{3,}|-{3,}|<|\$(?:(?-i:[A-Z_][A-Z0-9_]*)$|[a-z_]+\d?$|env:|\{|\()|\{|%(?:\w+%|[({]|[a-z]$)|\[|@[a-z_{(]|:[a-z_]\w*$|!(?:vault|"
    r"secret|ref|sub|getatt|env)|arn:|op://|ssm:|"
    r"ref\+|file:|https?:|//|urn:|env:|enc\[|&[a-z_-]+$|#\{)|x{4,}|\*{4,}|\.{3}|…|\$\{|\{\{|\{[a-z_]\w*(?:\.\w+)*\}|\$\(|%\(|"
    r"(?:^|[^a-z])(?:your|my|some|the|sua|seu|minha|meu)[-_ .]|change.?(?:me|it|this)|example|exemplo|"
    r"placeholder|dummy|redacted|insert|troque|mude|altere|"
    r"process\.env|os\.environ|getenv|secrets?\.\w|vault:|env\.|[-_ ](?:here|aqui)\b|"
    r"^(?:1password|bitwarden|keepass\w*|lastpass|dashlane|vaultwarden|hashicorp|keychain)\b|"
    r"^(?:none|null|undefined|true|false|string|str|bytes|required|todo|tbd|n/a|foo|bar|baz|test|abc123?)\b"
)
_CODE: Final = (
    r"^(?=.*\s).*\w\(|^[!*]?[A-Za-z_][\w.:]*\(|[()]$|\(\)|^[A-Za-z_][\w.]*\[|^[A-Za-z_]\w*(?:\.\w+)+<\w+$|^(?:[a-z_-]+\d{0,2}/)+[a-z_-]+\d{0,2}\.[a-z]{2,4}$|^\^?[\[(]|^(?:~|"
    r"\.{0,2}/)[\w./~-]*$|^[A-Z]:\\|=>|\\[sSwWdDb]|^[a-z]{2,}(?:_[a-z]{2,}){2,}(?:_?\d{1,4})?$"
)
# Names joined as code joins them, and what a part of one looks like; what is joined otherwise came from a generator.
_JOINED: Final = r"[A-Za-z_][\w-]*(?:(?:\.|::|->|\[)[A-Za-z_]\w{0,30}\]?)+"
_TERM: Final = (
    r"_{0,2}(?:[a-z]+|[A-Z]{2,}|[A-Z]?[a-z]{0,3}\d{1,2}(?!\d)|[A-Z][a-z]{2,})(?:[A-Z][a-z]+|[A-Z]{2,}(?![A-Z][^a-z]|[A-Z]$)|"
    r"(?<!\d)\d{1,2}(?!\d)|(?:19|20)\d\d[a-z]+|[_-](?:[a-z]+|\d{1,4}[a-z]?|(?=[A-Z])))*_?"
)
_DENSE: Final = r"^(?=\S*[#@^&*!+=%$]\S*[#@^&*!+=%$]\S*[#@^&*!+=%$])(?=\D*\d)[^\s\"'\[\]]{20,}$"
_NOT_ONE: Final = (
    r"(?i)^v?\d{1,4}(?:[.:/-]\d{1,4}){1,3}(?:[t ]\d{2}:\d{2}\S*)?[.,;:)]?$|^\d{1,6}(?:[-_ ][a-zà-ÿ]{1,14}|"
    r"[a-zà-ÿ]{1,4}|%)[.,;:]?$|"
    r"^(?:sha|aes|hs|rs|es|ps|md|rsa|tls|utf|base|pbkdf|ed|x|bcrypt|oauth|http|s?ha|fido|totp|"
    r"web|rfc|iso|scram-sha|ntlmv)-?\d+(?:[-_/]\w+)?[.,;:]?$|^argon2(?:id|[id])?[.,;:]?$|"
    r"\b(?:encoded|hashed|based|only|sensitive|protected|encrypted)\b|^[\w./-]*[a-z]\d{0,2}\.(?:ya?ml|json|toml|txt|"
    r"env|pem|key|py|[jt]sx?|md|conf|ini|cfg|sh|go|rb|java|xml|html|php|cs|kt|rs|sql|log|crt|cer|gpg|asc|"
    r"zip)\b[.,;:]?$|"
    r"^\w{1,16}=\d+$|^[a-z]+/[a-z]+$|^(?-i:[a-z][a-z_.-]*(?:/[a-z][a-z_.-]*\d{0,2})+)$|^[a-z]{2,6}/[a-z]{1,6}-?\d{2,4}[.,;:]?$|^[a-z][\w.-]*/v?\d+(?:\.\d+)*[.,;:)]*$"
)
_MIXED: Final = r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)"
_STRONG: Final = (
    r"^(?=.*[A-Za-z])(?=.*\d)(?=.*[A-Z]|.*[^\w.,;:-]).{6}|^(?=.*[a-z])(?=.*[A-Z])(?=.*[#$%&@^+=!*?]\w).{6}|"
    r"^[A-Za-z]{3,16}\d{3,6}[.,;:!?]?$"
)
_WORDS: Final = (
    r"^(?:[A-Za-zÀ-ÿ]+|[a-z]+(?:[-_.:/][a-z]+)+|[A-Z]+(?:_[A-Z]+)+|[A-Z][a-z]+(?:-[A-Z]?[a-z]+)+|"
    r"[a-z]+(?:[A-Z][a-z]+)+)[.,;:!?]*$"
)
_PARTS: Final = r"[a-zà-ÿ]{3,12}(?:[- ][a-zà-ÿ]{2,12}){2,25}"
_LETTERS: Final = r"[A-Za-z]{10,}[.,;:!?]*"
_HUMPED: Final = r"(?:[a-z]{2,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,})+"
_UUID: Final = r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

# What stands in names and sentences, and hardly in a phrase of drawn words.
_DULL: Final = frozenset(
    "the a an is are was be must to of in on at for and or not no with by from your my it this that as you we has "
    "have do password passwords pass secret secrets token tokens key keys credentials credential login user users "
    "admin name form page field reset error invalid required missing wrong incorrect min max length config file "
    "path next prev cursor manager store client server app api db data database base service auth test tests prod "
    "staging dev default value string hash policy rotation expired change update enter type confirm forgot new "
    "old current same here public private access root account email number case sensitive o a os as um uma de do "
    "da dos das em no na nos nas e ou que com sem por para pra se ser deve foi senha senhas segredo chave usuario "
    "campo erro invalida obrigatoria nova antiga atual sua seu minha meu aqui digite confirme trocar esqueci "
    "redefinir banco loja acesso caracteres characters letters digits numeros dois tres mais menos entre cada "
    "todos todas nao sao muito".split()
)
# The pairs of letters that make up most of English and Portuguese; of drawn letters they make up a quarter.
_PAIRS: Final = frozenset(
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri "
    "ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut "
    "ss so rs un lo wa ge ie ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci "
    "vi pl ig tu ev ld ry mp fe bl ab gh ty op wo ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm "
    "ep oc fa ef cu rn sc gi da cr cl du ga qu ue um up va ao oa ez ss lh nh".split()
)


def is_secret(value: str, check: Check) -> bool:
    """Judge a value: ``shape`` trusts the expression, the others look at the value.

    ``random`` wants entropy, ``password`` more than words or words that make no sentence, ``mixed`` what nobody would
    write in a sentence otherwise.
    """
    if check == "shape":
        return not _search(_SAMPLE, value)
    if _search(_PLACEHOLDER, value) or (_is_code(value) and not _search(_DENSE, value)):
        return False
    if check == "random":
        return _is_random(value)
    if _search(_NOT_ONE, value):
        return False
    return _is_mixed(value) if check == "mixed" else _is_password(value)


def is_distinct(value: str) -> bool:
    """Tell whether a value is so unlike words and numbers that it is the same secret wherever it stands."""
    return len(value) >= MIN_RANDOM_CHARS - 1 and not value.isdigit() and not _is_worded(value)


def entropy_bits(value: str) -> float:
    """Return the Shannon entropy of ``value`` in bits a character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)


def _is_code(value: str) -> bool:
    names = re.split(r"[.\]]|::|->|\[", value) if _full(_JOINED, value) else ()
    return _search(_CODE, value) or (any(names) and all(_full(_TERM, name) for name in names if name))


def _is_random(value: str) -> bool:
    if " " in value:
        return _is_phrase(value) or (value.count(" ") <= MAX_BLANKS and any(map(_is_mixed, value.split(" "))))
    long = len(value) >= MIN_RANDOM_CHARS and not _full(_UUID, value) and not value.isdigit()
    return long and entropy_bits(value) >= MIN_ENTROPY_BITS and not _is_worded(value)


def _is_password(value: str) -> bool:
    if _is_phrase(value) or _are_drawn(value):
        return True
    bare = value.rstrip(".,;:!?")
    return " " not in value and not _is_worded(value) and not bare.isalpha() and not bare.isdigit()


def _is_mixed(value: str) -> bool:
    if _is_phrase(value) or _are_drawn(value):
        return True
    return " " not in value and not _is_worded(value) and bool(_search(_MIXED, value) or _search(_STRONG, value))


def _is_worded(value: str) -> bool:
    return _search(_WORDS, value) and not _are_drawn(value)


def _are_drawn(value: str) -> bool:
    """Tell whether letters came from a generator: few of their pairs are those of words."""
    if not _full(_LETTERS, value) or _full(_HUMPED, value):
        return False
    letters = value.rstrip(".,;:!?").lower()
    pairs = [letters[at : at + 2] in _PAIRS for at in range(len(letters) - 1)]
    return sum(pairs) < LEAST_WORDED * len(pairs)


def _is_phrase(value: str) -> bool:
    """Tell whether a value is some words that make no sentence and no name, as a passphrase is."""
    bare = value.rstrip(".,;:!?")
    if not _full(_PARTS, bare):
        return False
    parts = re.split(r"[- ]", bare)
    return PHRASE_PARTS <= len(parts) <= MAX_PHRASE_WORDS and _DULL.isdisjoint(parts)


def _search(pattern: str, value: str) -> bool:
    return re.search(pattern, value) is not None


def _full(pattern: str, value: str) -> bool:
    return re.fullmatch(pattern, value) is not None
