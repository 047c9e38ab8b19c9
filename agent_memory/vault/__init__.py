"""The truth: Markdown pages that people may edit, the ledger of what was taken, the journal of what was done."""
