"""The values that travel between the stages: frozen, and free of disk, clock and network."""
