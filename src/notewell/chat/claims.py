"""Figures and names that a model wrote itself and no passage contains."""

from __future__ import annotations

import re
from collections.abc import Iterable

from notewell.chat.quotes import NUMBERS, find_quotes, normalise

# A number as it is written, with its separators: 1,200 or 3.5 or 2024-05-01.
FIGURE = re.compile(r"\d(?:[\d.,:/-]*\d)?")
# Words with a capital inside of a sentence, in a row.
NAME = re.compile(r"(?<=[\w,;:)\"'] )[A-ZÄÖÜ]\w+(?:[ -][A-ZÄÖÜ]\w+)*")


def find_unsupported(text: str, passages: Iterable[str], question: str) -> tuple[str, ...]:
    """Return the figures and names outside of quotes that stand neither in a passage nor in the question, each once.

    >>> find_unsupported('In 1998 it was "nearly 40 degrees" [1], says Ada Berg.', ["nearly 40 degrees"], "How hot?")
    ('1998', 'Ada Berg')
    """
    known = normalise("\n".join((*passages, question)))
    words = set(re.findall(r"\w+", known))
    own = _without_quotes(text)
    figures = [figure for figure in FIGURE.findall(own) if not _holds_figure(known, figure)]
    names = [name for name in NAME.findall(own) if not set(re.findall(r"\w+", normalise(name))) <= words]
    found = sorted((own.find(one), one) for one in dict.fromkeys((*figures, *names)))
    return tuple(one for _, one in found)


def _without_quotes(text: str) -> str:
    for quote in reversed(find_quotes(text)):
        text = f"{text[: quote.start]}…{text[quote.end :]}"
    return NUMBERS.sub("", text)


def _holds_figure(known: str, figure: str) -> bool:
    return re.search(rf"(?<![\d.,]){re.escape(figure)}(?!\d|[.,]\d)", known) is not None
