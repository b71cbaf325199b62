"""What a rule is, and the parts from which rules and made-up secrets are put together."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
HEX = DIGITS + "abcdef"
ALNUM = UPPER + LOWER + DIGITS
# The alphabets of base64 in addresses, and of base64 in files.
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"


class Made(NamedTuple):
    """A made-up secret, and the text by which its rule knows it: `("KEY=abc", "abc")`."""

    text: str
    secret: str


Example = Callable[[Random], Made]
Check = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression that is compiled when it is first needed: all of them take longer than a search."""

    text: str
    any_case: bool = False

    def compile(self, lead: int = 0) -> re.Pattern[str]:
        """Return the expression, ready for use; with a lead, for a match that begins up to so much later."""
        text = rf"(?s:.{{0,{lead}}}?)(?:{self.text})" if lead else self.text
        return re.compile(text, re.IGNORECASE if self.any_case else 0)


def exactly(text: str) -> Pattern:
    """Return the pattern, for text in the case in which it is written."""
    return Pattern(text)


def any_case(text: str) -> Pattern:
    """Return the pattern, for text in any case."""
    return Pattern(text, any_case=True)


class Ahead(NamedTuple):
    """What has to begin within so many characters behind a keyword: quickly told where a rule is not to be tried."""

    pattern: str
    reach: int


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret.

    The pattern is matched where a keyword begins, or up to `lead` characters before, and names a group then. Keywords
    are looked for in the case in which they are written, and in any case if the pattern ignores case. Where the pattern
    names a group, that group alone is the secret, if it passes the `check`.
    """

    name: str
    keywords: tuple[str, ...]
    pattern: Pattern
    example: Example
    check: Check | None = None
    lead: int = 0
    # The match is the head of a column, and the secrets are the cells beneath it that pass the check; where the table
    # leaves no doubt, this one.
    beneath: Check | None = None
    ahead: Ahead | None = None
    # No secret if the name and what follows are both cells of a row: the rules for columns know better.
    alone: bool = False
    # What it does not take as a whole, it would not take in part: no need to look there again.
    whole: bool = False
    # Sure enough to leave out a whole file whose name it matches.
    sure: bool = False

    @property
    def any_case(self) -> bool:
        """Tell whether the keywords are looked for in any case."""
        return self.pattern.any_case


def some(chance: Random, alphabet: str, length: int) -> str:
    """Return that many random characters of the alphabet."""
    return "".join(chance.choices(alphabet, k=length))


def written(form: str) -> Example:
    """Return a maker of secrets of a form: `{a36}` is 36 letters and digits; the secret is all, or what `«»` holds.

    The kinds are h: hex, H: capital hex, a: letters and digits, u: capitals and digits, l: small letters and digits,
    c: letters, d: digits, s: base64 of addresses, b: base64 of files.
    """
    alphabets = {
        "h": HEX,
        "H": HEX.upper(),
        "a": ALNUM,
        "u": UPPER + DIGITS,
        "l": LOWER + DIGITS,
        "c": UPPER + LOWER,
        "d": DIGITS,
        "s": URLSAFE,
        "b": BASE64,
    }

    def make(chance: Random) -> Made:
        text = re.sub(r"\{(\w)(\d+)\}", lambda part: some(chance, alphabets[part[1]], int(part[2])), form)
        lead, _, secret = text.rpartition("«")
        secret, _, rest = secret.partition("»")
        return Made(lead + secret + rest, secret)

    return make


def one_of(*makers: Example) -> Example:
    """Return a maker that leaves the choice to chance."""
    return lambda chance: chance.choice(makers)(chance)


# A token is no part of a longer word; an escape of an address may stand before it: `%3Dghp_`.
START = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-F]{2}))"


def token(name: str, prefixes: str, body: str, *forms: str) -> Rule:
    """Return the rule for tokens that say by their beginning what they are."""
    heads = "|".join(map(re.escape, prefixes.split()))
    return Rule(
        name,
        tuple(prefixes.split()),
        exactly(f"{START}(?:{heads}){body}"),
        one_of(*map(written, forms)),
        says_something,
        sure=True,
    )


def named(name: str, keywords: str, value: str, form: str) -> Rule:
    """Return the rule for keys without a form of their own, which the vendor's name beside them gives away."""
    heads = "|".join(map(re.escape, keywords.split()))
    return Rule(
        name,
        tuple(keywords.split()),
        any_case(
            rf"(?:{heads})[\w. \-]{{0,40}}(?:key|token|secret|pass|auth|pat)[\w ]{{0,16}}"
            rf"[\"'`*_)\]]{{0,3}}\s{{0,3}}(?:=>?|:|\||\bis\b|,)?\s{{0,3}}[\"'`*_<(]{{0,3}}"
            rf"(?P<secret>(?-i:{value}))(?![\w-])"
        ),
        written(form),
        check=says_something,
    )


def says_something(secret: str) -> bool:
    """Tell a token from a stand-in for one: `sk-xxxx`, `ghp_your_token_here` and keys that say EXAMPLE are none.

    >>> says_something("abc" + "x" * 20), says_something("pk-" + "4f9aQ27Lk0")
    (False, True)
    """
    if re.search(r"(?i)example|x{5}|your[-_]|0{9}|1{9}|\.\.\.|placeholder|redacted|123456789|abcdefgh", secret):
        return False
    return len(set(secret)) > 4
