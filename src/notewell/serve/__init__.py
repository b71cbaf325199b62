"""The surfaces: each parses, makes one call to a Vault, and renders."""
