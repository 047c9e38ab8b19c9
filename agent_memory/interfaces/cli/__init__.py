"""The command line: translates flags into calls of ``app``, and what comes back into text or JSON."""
