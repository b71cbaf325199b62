"""The ground floor: files opened safely inside a vault, locks, and the user's own folders."""
