"""A query, read: the terms worth matching."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from notewell.terms import split_terms
from notewell.types import EVERYTHING, Plan, Scope

# More terms than any question has; a pasted page is searched by its first ones.
MAX_TERMS = 64
# A query longer than this is a pasted text; its head says what it is about.
MAX_CHARS = 4_000


def make_plan(text: str, scope: Scope = EVERYTHING) -> Plan:
    """Split the text into the terms worth matching; words that say nothing are left out, unless all do.

    >>> make_plan("How do I fix the sourdough?").terms
    ('fix', 'sourdough')
    >>> make_plan("to be or not to be").terms
    ('to', 'be', 'or', 'not', 'to', 'be')
    """
    text = readable(text).strip()[:MAX_CHARS]
    terms = split_terms(text)
    telling = [term for term in terms if term not in stop_terms()]
    return Plan(text, tuple((telling or terms)[:MAX_TERMS]), scope)


def make_scope(under: str, root: Path) -> Scope:
    """Return the scope of a folder or note: `Garden`, `Garden/`, `./Garden` and its full path are the same.

    >>> make_scope("./Garden/", Path("/notes")), make_scope("/notes/Garden", Path("/notes"))
    (Scope(under='Garden'), Scope(under='Garden'))
    """
    path = PurePosixPath(readable(under))
    if path.is_relative_to(root.as_posix()):
        path = path.relative_to(root.as_posix())
    inside = path.as_posix().strip("/")
    return Scope("" if inside == "." else inside)


def readable(text: str) -> str:
    """Return the text without what is no text: zero bytes, and halves of characters that a shell let through.

    >>> readable("rye\\0 \\udcff")
    'rye  ?'
    """
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


@cache
def stop_terms() -> frozenset[str]:
    """Return the terms of words that carry grammar and no subject, English and German."""
    return frozenset(split_terms((Path(__file__).parent / "stopwords.txt").read_text(encoding="utf-8")))
