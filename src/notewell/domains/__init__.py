"""Domains at work: a store for each, kept and indexed by itself, and several of them read as one."""
