"""Chats of a host as values: what is saved of them, what is recovered, and what may be cut away."""
