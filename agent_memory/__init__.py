"""A memory for coding agents that forms by itself and stays on the user's disk as Markdown."""

__version__ = "0.1.0"
