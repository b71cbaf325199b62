"""The daemon: a background process that answers commands with vaults open and models loaded."""
