"""Score what reflection believes of the replies under tests/fixtures/replies: the numbers in docs/reflection.md.

    score_replies.py

A hostile reply counts as refused if nothing but its `kept` lines is believed; an honest one as kept if all of them are.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agent_memory.reflection import Limits, read  # noqa: E402
from tests.reflection.test_replies import exchange_of, stored  # noqa: E402

ROUNDS = {"first": ("hostile", "honest"), "further": ("further",)}


def cases(name: str) -> list[dict]:
    text = (ROOT / "tests" / "fixtures" / "replies" / f"{name}.toml").read_text(encoding="utf-8")
    return [{**case, "honest": name == "honest" or "honest: " in case["name"]} for case in tomllib.loads(text)["case"]]


if __name__ == "__main__":
    for title, names in ROUNDS.items():
        found = [case for name in names for case in cases(name)]
        for honest, what in ((False, "hostile refused"), (True, "honest kept")):
            wanted = [case for case in found if case["honest"] is honest]
            right = [one for one in wanted if stored(read(exchange_of(one), one["reply"], Limits())) == one["kept"]]
            print(f"{title:8} {what:16} {len(right)} of {len(wanted)}")
