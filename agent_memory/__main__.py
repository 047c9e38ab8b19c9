"""The entry point: reads the first word and imports exactly one interface."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    from agent_memory.interfaces.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
