"""What the warm process does not do: the command then does it itself."""

from __future__ import annotations


class Declined(BaseException):
    """Ends a request from wherever it is; nothing of it was printed yet, and the command runs as if never asked."""
