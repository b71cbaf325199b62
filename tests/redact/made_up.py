"""Made-up secrets, put together by chance, so that no scanner finds one in the sources.

A form such as `API_KEY=«{a32}»` becomes a text; the secret is what « and » enclose, or all of it. The placeholders:

    {a32}    32 characters, here letters and digits; the kinds of characters are in ALPHABETS
    {key25}  25 lines of base64, as in the file of a key
    {p}      a password as people make them, the same wherever the form repeats it
    {q}      a strong password: letters, a sign, digits, letters
    {login}  `name:password` in base64
    {uuid}   a UUID
"""

from __future__ import annotations

import re
import tomllib
from base64 import b64encode
from pathlib import Path
from random import Random
from typing import NamedTuple

from notewell.redact import Rule
from notewell.redact.values import is_placeholder

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
HEX = DIGITS + "abcdef"
ALNUM = UPPER + LOWER + DIGITS
ALPHABETS = {
    "h": HEX,
    "H": HEX.upper(),
    "a": ALNUM,
    "u": UPPER + DIGITS,
    "l": LOWER + DIGITS,
    # Base32.
    "o": UPPER + "234567",
    "z": LOWER,
    "c": UPPER + LOWER,
    "d": DIGITS,
    # Base64 in URLs, in files, and in hashes of passwords.
    "s": ALNUM + "_-",
    "b": ALNUM + "+/",
    "r": ALNUM + "./",
    # Letters that make up no word that describes a password.
    "k": "bdfgkmpz",
}
# Split in the data, so that no scanner finds a secret there.
JOINT = "¦"


class Made(NamedTuple):
    """A made-up secret, and a text in which its rule recognises it: `("KEY=abc", "abc")`."""

    text: str
    secret: str


def some(chance: Random, alphabet: str, length: int) -> str:
    """Return that many random characters of the alphabet."""
    return "".join(chance.choices(alphabet, k=length))


def password(chance: Random) -> str:
    """Return a password as people make them: a word with a capital, a sign, a number."""
    word = some(chance, LOWER, 5).capitalize() + chance.choice("!-.#_") + some(chance, LOWER, 4)
    made = word + str(chance.randint(10, 99))
    # One in a thousand contains `key` or the like, and passes for a placeholder: a known slip.
    return password(chance) if is_placeholder(made) else made


def strong_password(chance: Random) -> str:
    """Return a password that is one wherever it stands: letters, a sign, digits, letters."""
    made = some(chance, LOWER + UPPER, 5) + chance.choice("!#%+") + some(chance, DIGITS, 3) + some(chance, LOWER, 4)
    return strong_password(chance) if is_placeholder(made) else made


def fill(form: str, chance: Random) -> Made:
    """Return the text of a form, and its secret."""
    login = b64encode(f"{some(chance, LOWER, 6)}:{some(chance, ALNUM, 14)}".encode()).decode("ascii")
    form = form.replace("{uuid}", "{h8}-{h4}-{h4}-{h4}-{h12}").replace("{login}", login)
    form = re.sub(r"\{key(\d+)\}", lambda part: "\n".join(["{b64}"] * int(part[1])), form)
    if "{p}" in form:
        form = form.replace("{p}", password(chance))
    if "{q}" in form:
        form = form.replace("{q}", strong_password(chance))
    text = re.sub(r"\{(\w)(\d+)\}", lambda part: some(chance, ALPHABETS[part[1]], int(part[2])), form)
    lead, _, secret = text.rpartition("«")
    secret, _, rest = secret.partition("»")
    return Made(lead + secret + rest, secret)


def made_up(rule: Rule, chance: Random) -> Made:
    """Return a secret that the rule recognises."""
    return fill(chance.choice(rule.examples), chance)


class HeldOut:
    """The texts of `held_out.toml`, which the rules were not tuned on when they were first measured."""

    def __init__(self) -> None:
        listed: dict[str, list[str]] = tomllib.loads(
            Path(__file__).with_name("held_out.toml").read_text(encoding="utf-8").replace(JOINT, "")
        )
        self.positives = [*listed["positives"], *listed["late_positives"]]
        self.negatives = [*listed["negatives"], *listed["late_negatives"]]
        self.slips = listed["slips"]
        self._passwords, self._words = listed["passwords"], listed["words"]

    def made(self, form: str, chance: Random) -> Made:
        """Return a positive with its secret filled in."""
        form = form.replace("{p}", chance.choice(self._passwords)).replace("{w}", chance.choice(self._words))
        return fill(form, chance)
