"""The entries that are ours in other programs' files, and the splice that puts them in and takes them out."""
