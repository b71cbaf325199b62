"""Entities: the people, organisations, places, works, projects and concepts of a vault, and how they are related."""
