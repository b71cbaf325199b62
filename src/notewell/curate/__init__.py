"""What enters the vault, and in which words: taxonomy, tags, renames, the review queue and intake."""
