"""The graph of a vault: where links lead, and how notes are connected."""
