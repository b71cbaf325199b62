"""The graph of a vault: where links lead, and what that says of its notes."""
