"""How readers write what they found: a text on one line, a long one shortened, never in the middle of a word."""

from __future__ import annotations

import re

from notewell.redact import LINE_IN_LINE, redact_text

# Line ends of every kind, and signs that no text holds on purpose.
UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Neither seen nor meant by anybody: controls other than tabs and line ends, and marks of byte order.
UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u2060\ufeff\ufffe\uffff]")
# All the ways to end a line or a page.
LINE_END = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
LAST_WORD = re.compile(r"\s+\S*\Z")
# Of a word too long for its place, such as a picture in letters, its beginning tells what it is.
OF_A_LONG_WORD = 100
BEHIND_A_CUT = 5000
LAST_LETTERS = re.compile(r"[\w-]*\Z")


def one_line(text: str) -> str:
    """Return a text on one line.

    >>> one_line("one\\n  two\\x00three")
    'one two three'
    """
    # The quick way is for nearly all texts; a few signs that can be shown go the other way in vain.
    return text.strip() if text.isprintable() else " ".join(UNSHOWN.sub(" ", text).split())


def folded(text: str) -> str:
    r"""Return a text on one line, which redaction still reads as the lines it had.

    >>> folded("one \n\n two\tthree")
    'one\x0b\x0btwo three'
    """
    return text.strip() if text.isprintable() else LINE_IN_LINE.join(map(one_line, clean(text).split("\n")))


def clean(text: str) -> str:
    r"""Return a text with its lines, their ends as one kind, and without what cannot be seen.

    >>> clean("one\r\ntwo\x0bthree\x00\n")
    'one\ntwo\nthree'
    """
    return UNSEEN.sub("", LINE_END.sub("\n", text)).strip("\n")


def in_cell(text: str) -> str:
    r"""Return a text as it stands between bars: those of its own are no edges of cells.

    A text that is a row itself keeps them: by these, redaction knows the secrets in it.

    >>> print(in_cell("a|b"), in_cell("| password | bees |"))
    a\|b | password | bees |
    """
    return text if text.startswith("|") else text.replace("|", "\\|")


def shortened(text: str, most: int) -> str:
    """Return a text of about `most` characters at most, which says how many were left out.

    The cut is between words, or at a sign in a long one: half of a secret would not be known for one. One of several
    words goes before the cut.

    >>> shortened("one two three", 9), shortened("data:image/png;base64,iVBORw0KGgo", 30)
    ('one two … (6 characters left out)', 'data:image/png;base64, … (11 characters left out)')
    """
    if len(text) <= most:
        return text
    # Far enough behind the cut to see the whole of what it would go through.
    near = text[: most + BEHIND_A_CUT]
    text = redact_text(near)[0] + text[len(near) :]
    if len(text) <= most:
        return text
    kept = LAST_WORD.sub("", text[: most + 1])
    if len(kept) > most:
        kept = LAST_LETTERS.sub("", text[: min(most, OF_A_LONG_WORD)])
    return f"{kept} … ({len(text) - len(kept):,} characters left out)".lstrip()
