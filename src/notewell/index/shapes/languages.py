"""How definitions look in each programming language: patterns of single lines from `languages.toml`, by suffix."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from notewell.files.formats import FAMILY_OF, suffix_of
from notewell.frozen import frozen

NEVER = "(?!)"
# How strings and comments that may span lines end, where that is not as they begin.
CLOSED_BY = {
    "/*": "*/",
    "--[[": "]]",
    "[[": "]]",
    'r"': '"',
    '@"': '"',
    '"\\\n': '"',
    'r#"': '"#',
    'r##"': '"##',
    "<#": "#>",
    "{-": "-}",
    "#|": "|#",
    "=begin": "\n=end",
    "#=": "=#",
}


@frozen
class Language:
    """A family of languages. Patterns are matched where a line's text starts; group 1 is a definition's name.

    `types` contain other definitions. `functions` have a keyword and are recognised anywhere; `methods` have only a
    shape, so they are recognised only outside functions. `comment` and `mark` (decorators and the like) start lines
    that belong to the definition below. The indentation of `adrift` lines means nothing. `joins` and `closes` start
    lines that belong to the definition above though they are not indented; `closes` end it. With `body`, a method has a
    brace before the next semicolon. `quotes` open comments and strings that may span lines. With `sections`, a
    definition lasts until the next one.
    """

    types: str = NEVER
    functions: str = NEVER
    methods: str = NEVER
    comment: str = r"//|/\*"
    mark: str = "@"
    adrift: str = NEVER
    joins: str = r"[{})\]]|where\b"
    closes: str = r"\}(?!.*[{(\[,]\s*$)"
    quotes: str = NEVER
    body: bool = False
    sections: bool = False


def language_of(path: str) -> Language:
    """Return the language family of a file by its suffix; an unknown one has no definitions.

    >>> language_of("src/Main.KT") is language_of("Main.java")
    True
    """
    return _languages().get(FAMILY_OF.get(suffix_of(path), ""), Language())


@cache
def _languages() -> dict[str, Language]:
    """Return the families by name; they are read with the first source file."""
    import tomllib  # noqa: PLC0415

    families = tomllib.loads(Path(__file__).with_name("languages.toml").read_text(encoding="utf-8"))
    fragments: dict[str, str] = {}
    for name, pattern in families.pop("fragment").items():
        fragments[name] = _filled(pattern, fragments)
    return {family: _language(fields, fragments) for family, fields in families.items()}


def _language(fields: dict[str, Any], fragments: dict[str, str]) -> Language:
    quotes = fields.pop("quotes", None)
    filled: dict[str, Any] = {
        name: value if value is True else _filled(value, fragments) for name, value in fields.items()
    }
    if quotes:
        quotes["pattern"] = _filled(quotes.get("pattern", NEVER), fragments)
        filled["quotes"] = _quotes(*quotes.pop("opened"), **quotes)
    return Language(**filled)


def _filled(pattern: str | list[str], fragments: dict[str, str]) -> str:
    whole = "".join(pattern)
    for name, text in fragments.items():
        whole = whole.replace(f"<{name}>", text)
    return whole


def _quotes(*opened: str, comment: str = "//", strings: str = "\"'", pattern: str = NEVER) -> str:
    """Return a pattern of opening signs (group 1, here-documents group 2) and of what can hide one.

    >>> [found[1] for found in re.finditer(_quotes("/*"), "a = '/*' // /*\\n/* b")]
    [None, None, '/*']
    """
    hidden = [rf"(?:{comment})[^\n]*"] if comment else []
    here = [rf"(?<!<){sign}[-~]?[\"'`]?([A-Za-z_]\w*)" for sign in opened if sign[0] == "<" and sign != "<#"]
    signs = "|".join(re.escape(sign) for sign in opened if sign[:2] != "<<")
    # A string ends at the latest with its line.
    plain = [rf"{sign}(?>(?:[^{sign}\\\n]|\\.)*){sign}?" for sign in strings]
    return "|".join((f"({signs or NEVER})", *(here or [f"{NEVER}()"]), *hidden, pattern, *plain))
