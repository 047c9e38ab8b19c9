"""Write what the terminal screen shows into docs/tui.md: every screen at 80 by 24, of the vault of tests/bakery.py.

The same sitting is held by tests/interfaces/test_tui.py, which finds a page that is not up to date.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "tui.md"
HEADING = "## Every screen\n"


def main() -> None:
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory(prefix="agent-memory-captures-") as name:
        os.environ |= {"HOME": name, "USERPROFILE": name, "AGENT_MEMORY_SEMANTIC_MODE": "off"}
        for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
            os.environ.pop(variable, None)
        from tests import bakery, tui  # with a HOME of their own

        workspace = bakery.opened(Path(name))
        screens = tui.Sitting(workspace).tour(tui.SCREENS)
    head = PAGE.read_text(encoding="utf-8").split(HEADING)[0]
    blocks = (f"\n### {name}\n\n```text\n{text}\n```\n" for name, text in screens.items())
    PAGE.write_text(head + HEADING + "".join(blocks), encoding="utf-8")
    print(f"{len(screens)} screens written to {PAGE}")


if __name__ == "__main__":
    main()
