"""Show the main job on three realistic conversations: what was found, a search, a briefing.

Everything happens in a temporary folder with a HOME of its own, which is deleted at the end; --keep leaves it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONVERSATIONS = ROOT / "tests" / "fixtures" / "demo"
A_DAY_S = 86_400


def main() -> int:
    stage = Path(tempfile.mkdtemp(prefix="agent-memory-demo-")).resolve()
    try:
        return Tour(stage).run()
    finally:
        if "--keep" in sys.argv[1:]:
            print(f"\nKept: {stage}")
        else:
            shutil.rmtree(stage)


class Tour:
    """A workspace and a HOME as Cursor would have left them, and the commands a newcomer would try."""

    def __init__(self, stage: Path) -> None:
        self.home = stage / "home"
        self.workspace = stage / "bakery-orders"
        self.failed = 0

    def run(self) -> int:
        self.lay_out()
        self.say("Three chats about one project lie where Cursor keeps them. Take them:")
        self.command("process")
        self.say("What was decided is a Markdown page that you can read, edit and keep in git:")
        page = self.workspace / ".memory" / "default" / "decisions.md"
        print("\n".join(page.read_text(encoding="utf-8").splitlines()[:24]), "\n…")
        self.say("Find something again, in either language:")
        self.command("search", "idempotency key", "--limit", "3")
        self.command("search", "regra de deploy", "--limit", "3")
        self.say("And this is what the next chat would be told, in at most 2,000 tokens:")
        self.command("inject", "preview", "default", "continue with the order service", "--explain")
        self.say("Nothing is taken twice:")
        self.command("process")
        return self.failed

    def lay_out(self) -> None:
        (self.workspace / ".git").mkdir(parents=True)
        (self.workspace / "README.md").write_text("# Bakery orders\n\nThe order service of a small bakery chain.\n")
        slug = "-".join(
            part for part in "".join(c if c.isalnum() and c.isascii() else " " for c in str(self.workspace)).split()
        )
        transcripts = self.home / ".cursor" / "projects" / slug / "agent-transcripts"
        yesterday = time.time() - A_DAY_S
        for source in sorted(CONVERSATIONS.glob("*.jsonl")):
            target = transcripts / source.stem / source.name
            target.parent.mkdir(parents=True)
            shutil.copyfile(source, target)
            os.utime(target, (yesterday, yesterday))

    def command(self, *words: str) -> None:
        shown = " ".join(f'"{word}"' if " " in word else word for word in words)
        print(f"\n$ agent-memory {shown}", flush=True)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("AGENT_MEMORY_", "XDG_", "CURSOR_"))}
        environment.update(HOME=str(self.home), USERPROFILE=str(self.home))
        done = subprocess.run(
            [sys.executable, "-m", "agent_memory", *words], cwd=self.workspace, env=environment, check=False
        )
        self.failed |= done.returncode

    def say(self, text: str) -> None:
        print(f"\n── {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
