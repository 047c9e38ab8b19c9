"""What is new in the transcripts since last time: found, compared, read on from where reading stopped."""
