"""From what is remembered to the block of text that an agent receives."""
