"""Servers that are asked over HTTP: addresses and keys (`address`), requests (`endpoint`), streams (`stream`)."""
