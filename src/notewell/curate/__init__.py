"""Curation: taxonomy, tags, renames, the review queue and intake."""
