"""Upkeep: each job decides purely what to do, does it idempotently, and can say what it would do."""
