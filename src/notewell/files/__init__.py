"""The ground floor: files opened safely inside a vault, their formats, locks, and the user's own folders."""
