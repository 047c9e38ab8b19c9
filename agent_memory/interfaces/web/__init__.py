"""The Memory Vault in the browser, and the HTTP API for programs that host agents."""
