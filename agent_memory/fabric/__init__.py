"""What each kind of memory means: which categories there are, what counts as the same, what replaces what."""
