"""Notewell: a local-first hybrid retriever for a folder of notes."""

from notewell.errors import NotewellError
from notewell.types import Chunk, Excerpt, Hit, Reading, Results, Step
from notewell.vault import Status, Vault

__all__ = [
    "Chunk",
    "Excerpt",
    "Hit",
    "NotewellError",
    "Reading",
    "Results",
    "Status",
    "Step",
    "Vault",
    "__version__",
]

__version__ = "0.1.0"
