"""Thinking that a model writes into its answer, between `<think>` and `</think>`."""

from __future__ import annotations

from notewell.llm.messages import Text, Thinking

OPEN, CLOSE = "<think>", "</think>"


class ThinkSplitter:
    """Tells thinking from text, wherever a tag is cut in two.

    Only before the first word of the answer: a tag after it is text, as in an answer about such tags.

    >>> splitter = ThinkSplitter()
    >>> [*splitter.feed("<thi"), *splitter.feed("nk>Hm.</think>\\n\\nYes"), *splitter.flush()]
    [Thinking(text='Hm.'), Text(text='Yes')]
    """

    def __init__(self) -> None:
        self._held = ""
        self._thinks = False
        self._answers = False

    def feed(self, text: str) -> list[Thinking | Text]:
        """Return what is certain after one more piece."""
        self._held += text
        pieces: list[Thinking | Text] = []
        while self._held and not self._answers:
            if not (self._think(pieces) if self._thinks else self._begin()):
                break
        if self._answers and self._held:
            pieces.append(Text(self._held))
            self._held = ""
        return pieces

    def flush(self) -> list[Thinking | Text]:
        """Return what was held back, at the end."""
        held, self._held = self._held, ""
        if self._thinks and held:
            return [Thinking(held)]
        return [Text(held.lstrip())] if held.strip() else []

    def _begin(self) -> bool:
        """Tell whether it is certain that thinking begins, or the answer."""
        held = self._held.lstrip()
        if OPEN.startswith(held) and held != OPEN:
            return False
        self._thinks = held.startswith(OPEN)
        self._answers = not self._thinks
        self._held = held.removeprefix(OPEN)
        return True

    def _think(self, pieces: list[Thinking | Text]) -> bool:
        """Add what is certainly thought; tell whether the thinking ended."""
        thought, tag, rest = self._held.partition(CLOSE)
        self._held = rest if tag else _begun(thought)
        if certain := thought if tag else thought.removesuffix(self._held):
            pieces.append(Thinking(certain))
        self._thinks = not tag
        return bool(tag)


def _begun(text: str) -> str:
    """Return the end of a text that may be the beginning of the closing tag.

    >>> _begun("so</th"), _begun("so")
    ('</th', '')
    """
    return next((CLOSE[:length] for length in range(len(CLOSE) - 1, 0, -1) if text.endswith(CLOSE[:length])), "")
