"""The rebuildable index of the vault's pages: SQLite with FTS5, derived from pages alone."""
