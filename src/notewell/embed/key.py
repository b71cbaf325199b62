"""A server's key, which nothing prints by accident: neither `repr`, nor `asdict`, nor JSON."""

from __future__ import annotations


class Key:
    """A text that has to be asked for.

    >>> Key("a secret"), bool(Key())
    (Key(…), False)
    """

    __slots__ = ("_text",)

    def __init__(self, text: str = "") -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Key(…)" if self._text else "''"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def reveal(self) -> str:
        """Return the text: for the one header that it is sent in."""
        return self._text
