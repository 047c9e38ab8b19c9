"""The memory on a terminal, to live in: channels, detail, search, and care by single keys."""
