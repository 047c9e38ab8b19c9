"""What the product can do, a module a verb; each pipeline is spelled here once, in reading order."""
