"""The byte sequences by which one known secret may stand in a file, whoever wrote it and however it was encoded.

Pure. It finds what stands there in one piece: as it is, composed or decomposed, in other case, on one line, as a tag,
cut short by an ellipsis, escaped for JSON once or twice, for addresses or HTML, in hex, in base64 at any offset, in
UTF-16. It refuses to look into what is compressed or encrypted; whoever has that unpacked hands it over.
"""

from __future__ import annotations

import base64
import html
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, quote_plus

from agent_memory.errors import UsageError
from agent_memory.model.text import normalise

MARK: Final = "[REDACTED:purged]"
MIN_CHARS: Final = 6
MIN_HEX_CHARS: Final = 12
MAX_CHARS: Final = 20_000
# What is shorter would be found in files that have nothing to do with it.
MIN_ENCODED: Final = 8
MAX_CUT_CHARS: Final = 200

_HEX: Final = re.compile(r"[0-9a-fA-F]+")
# What a page's comment cannot have as it is.
_BREAKS: Final = re.compile(r"[\s%\x00-\x1f\x7f]|(?<=-)>")
_NO_TAG: Final = re.compile(r"[^\w/-]")


class Forms:
    """All forms of one secret, looked for without regard to case; ``of`` refuses what innocent places have."""

    def __init__(self, secret: str) -> None:
        found = {form.lower(): mark for form, mark in _forms(secret) if len(form) >= MIN_CHARS}
        self._marks = dict(sorted(found.items(), key=lambda pair: -len(pair[0])))

    @classmethod
    def of(cls, secret: str) -> Forms:
        """Return the forms of ``secret``.

        Raises:
            UsageError: It is so short that other words, or digests and ids, would have it in them; or it is
                our own mark.
        """
        secret = secret.strip()
        if len(secret) < (MIN_HEX_CHARS if _HEX.fullmatch(secret) else MIN_CHARS):
            hint = f"Give {MIN_CHARS} characters or more, of digits and a to f {MIN_HEX_CHARS}: what is beside it too."
            raise UsageError("That is too short to be told from other text.", hint=hint)
        if len(secret) > MAX_CHARS:
            raise UsageError("That is too long for a secret.", hint=f"Give at most {MAX_CHARS} characters.")
        forms = cls(secret)
        if forms.stand_in(MARK.encode()) or secret.lower().startswith(MARK[:MIN_CHARS].lower()):
            raise UsageError("That is what stands where a secret was.", hint="Give the secret itself.")
        return forms

    def __len__(self) -> int:
        return len(self._marks)

    def stand_in(self, data: bytes) -> bool:
        """Tell whether any form stands in ``data``."""
        lowered = data.lower()
        return any(form in lowered for form in self._marks)

    def out_of(self, data: bytes) -> bytes:
        """Return ``data`` with a mark in the place of each."""
        for form, mark in self._marks.items():
            data = _replaced(data, form, mark)
        return data

    def blanked(self, data: bytes) -> bytes:
        """Return ``data`` with as many asterisks in the place of each, where places count."""
        for form in self._marks:
            data = _replaced(data, form, b"*" * len(form))
        return data


def _replaced(data: bytes, form: bytes, by: bytes) -> bytes:
    """Return ``data`` with ``by`` wherever it has ``form``, which is in lower case, in any."""
    if form not in data.lower():
        return data
    return re.sub(re.escape(form), lambda found: by, data, flags=re.IGNORECASE)


def _forms(secret: str) -> Iterator[tuple[bytes, bytes]]:
    mark = MARK.encode()
    for spelled in _spellings(secret):
        for text in _escaped(spelled):
            yield text.encode("utf-8", "surrogatepass"), mark
        data = spelled.encode("utf-8", "surrogatepass")
        for encoded in (data.hex(), *_base64(data)):
            if len(encoded) >= MIN_ENCODED:
                yield encoded.encode(), mark
        for wide in ("utf-16-le", "utf-16-be"):
            yield spelled.encode(wide, "surrogatepass"), MARK.encode(wide)
    for cut in _cut(" ".join(secret.split())):
        yield from ((form.encode("utf-8", "surrogatepass"), mark) for form in (cut, json.dumps(cut)[1:-1]))


def _spellings(secret: str) -> dict[str, None]:
    """Return the secret, and what a page, a sentence, a tag or a name in code makes of it."""
    one_line = " ".join(secret.split())
    spelled = [secret, secret.replace("\n", "\r\n"), one_line]
    spelled += [unicodedata.normalize(form, secret) for form in ("NFC", "NFD")]
    spelled += [secret[:1].upper() + secret[1:], secret.lower(), secret.upper()]
    told = (*(_NO_TAG.sub(between, one_line) for between in "-_"), normalise(secret))
    return dict.fromkeys([*spelled, *(made for made in told if len(made) >= MIN_ENCODED)])


def _cut(one_line: str) -> Iterator[str]:
    """Yield the longer half of the ways in which a shortened line may have cut the secret."""
    for end in range(max(MIN_CHARS, len(one_line) // 2), min(len(one_line), MAX_CUT_CHARS)):
        yield one_line[:end].rstrip() + "…"


def _escaped(text: str) -> dict[str, None]:
    """Return how addresses, the comments of pages and HTML write a text, and how JSON writes each of these."""
    written = [
        text,
        *(quote(text, safe=safe, errors="replace") for safe in ("", "/")),
        quote_plus(text, errors="replace"),
    ]
    written.append(_BREAKS.sub(lambda found: quote(found[0], safe=""), text))
    written += [html.escape(text), html.escape(text, quote=False)]
    once = [json.dumps(one, ensure_ascii=ascii_only)[1:-1] for one in written for ascii_only in (False, True)]
    once += [one.replace("/", "\\/") for one in once]
    twice = [json.dumps(one)[1:-1] for one in once]
    return dict.fromkeys([*written, *once, *twice])


def _base64(data: bytes) -> Iterator[str]:
    """Yield what is the same of a text's base64 whatever stands before and behind it, for each of three offsets."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + data).decode()
        # The first group has what stands before in it, the last one what comes behind.
        whole = encoded[4 if shift else 0 : (shift + len(data)) // 3 * 4]
        yield whole
        yield whole.replace("+", "-").replace("/", "_")
