#!/usr/bin/env python3
"""Take conversations out of files and folders that are named: `agent-memory import conversations`, from a checkout."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agent_memory.interfaces.cli.main import run

if __name__ == "__main__":
    sys.exit(run(["import", "conversations", *sys.argv[1:]]))
