"""The rules: how each kind of secret is recognised, read from `rules.toml` and `vendors.json`.

A new vendor is one line in `vendors.json`. A line has one of three sets of keys:

- `prefixes` and `body`: the token starts with one of the prefixes, and `body` matches the rest of it;
- `vendor` and `value`: the key has no format of its own; the vendor's name and a word such as `token` stand before it;
- `keywords` and `pattern`: anything else, with the fields of `Rule`.

Patterns may contain `<start>`, `<end>`, `<uuid>` and `<mixed>`, see `FRAGMENTS`. In prefixes and keywords `[abc]`
stands for each of its letters. `examples` are forms for made-up secrets, see `tests/redact/made_up.py`. Secrets of any
origin have their rules in `rules.toml`, which says how they are written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from notewell.frozen import frozen
from notewell.redact import around, values

# Fragments that name a secret; rules that begin with the same one share a test of it.
LABELS = ("password-label", "secret-label", "any-label")
VENDORS_FILE, RULES_FILE = "vendors.json", "rules.toml"
# A token is not part of a longer word; an escape of a URL may stand before it: `%3Dghp_`.
START = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-F]{2}))"
FRAGMENTS = {
    "start": START,
    "end": "(?![A-Za-z0-9])",
    "uuid": "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    # A hyphenated name without a digit or a capital is a word: `sk-loading-indicator-large`.
    "mixed": r"(?=[A-Za-z_-]{0,60}\d)(?=[\d_-]{0,60}[A-Za-z])",
}

Check = Callable[[str], bool]


class Ahead(NamedTuple):
    """A cheap test before the real pattern: `pattern` must begin within `reach` characters after the keyword."""

    pattern: str
    reach: int


@frozen
class Rule:
    """One kind of secret.

    The pattern is tried wherever a keyword occurs, or without keywords at each long run of characters, starting up to
    `lead` characters before it. With `any_case`, pattern and keywords ignore case. If the pattern has a named group,
    only that group is the secret. The `check` has the last word.
    """

    name: str
    keywords: tuple[str, ...]
    pattern: str
    # Forms from which tests make up secrets; `tests/redact/made_up.py` explains them.
    examples: tuple[str, ...]
    check: Check | None = None
    any_case: bool = False
    lead: int = 0
    # The match is a column's header; the secrets are the cells below it that pass `check`, or `column_check` where the
    # table leaves no doubt about the column.
    column_check: Check | None = None
    ahead: Ahead | None = None
    # Skip the match unless a run of token characters begins within so many characters after the keyword (`runs.py`).
    run_within: int = 0
    # Skip the match if label and value are both cells of table rows: the column rules decide there.
    outside_rows: bool = False
    # If the check refuses the whole match, do not try again inside it.
    all_or_nothing: bool = False
    # The secret is alone on its line. Titles, names and fields, which always are, are not searched for it.
    alone: bool = False
    # The match only marks a text around it, in parts of which the secrets are (`around.py`).
    around: around.Around | None = None
    # The secrets are the matches of this pattern inside the match that pass `check`, or their named group.
    each: str = ""
    # The label that the pattern begins with, if any: where it does not match, no rule that begins with it is tried.
    label: str = ""
    # Certain enough to skip a whole file whose name matches.
    certain: bool = False

    def compiled(self) -> re.Pattern[str]:
        """Return the pattern compiled; with `lead`, the match may begin up to that many characters later."""
        text = rf"(?s:.{{0,{self.lead}}}?)(?:{self.pattern})" if self.lead else self.pattern
        return re.compile(text, re.IGNORECASE if self.any_case else 0)

    def secrets(self, match: re.Match[str]) -> tuple[int, list[tuple[int, int]]]:
        """Return the end of the text that a match of the pattern points to, and the spans of the secrets in it."""
        end, spans = match.end(), [match.span(match.lastgroup or 0)]
        if self.around:
            (_, end), spans = self.around(match.string, match.start())
        if self.each:
            found = (each for span in spans for each in re.compile(self.each).finditer(match.string, *span))
            spans = [each.span(each.lastgroup or 0) for each in found]
        return end, spans


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule, in the order in which they name a secret that several of them match."""
    table = _table()
    return (*vendor_rules(), *(_rule(name, row, table) for name, row in table["rule"].items()))


@cache
def vendor_rules() -> tuple[Rule, ...]:
    """Return the rules for keys and tokens of named vendors, from `vendors.json`."""
    groups = json.loads(Path(__file__).with_name(VENDORS_FILE).read_bytes())
    return tuple(_vendor_rule(name, row) for group in groups.values() for name, row in group.items())


@cache
def secret_label() -> re.Pattern[str]:
    """Return the pattern of the labels of passwords, tokens and keys."""
    fragments = _table()["fragment"]
    return re.compile(f"{fragments['password-label']}|{fragments['secret-label']}", re.IGNORECASE)


@cache
def _table() -> dict[str, Any]:
    """Return what `rules.toml` contains, with its fragments filled in."""
    # Loaded here: most searches redact nothing.
    import tomllib  # noqa: PLC0415

    table = tomllib.loads(Path(__file__).with_name(RULES_FILE).read_text(encoding="utf-8"))
    fragments = dict(FRAGMENTS)
    for name, pattern in table["fragment"].items():
        fragments[name] = _filled("".join(pattern), fragments)
    return {**table, "fragment": fragments}


def _rule(name: str, row: Mapping[str, Any], table: Mapping[str, Any]) -> Rule:
    lists = {f"<{each}>": words for each, words in table["keyword"].items()}
    keywords = tuple(word for named in row["keywords"] for word in lists.get(named, (named,)))
    pattern = "".join(row["pattern"])
    fields = {
        **{"any_case": True, **row},
        "label": next((table["fragment"][label] for label in LABELS if pattern.startswith(f"<{label}>")), ""),
        "keywords": keywords,
        "pattern": _filled(pattern, table["fragment"]),
        "examples": tuple(row["examples"]),
        "ahead": Ahead(**row["ahead"]) if "ahead" in row else None,
        **{check: getattr(values, row[check]) for check in ("check", "column_check") if check in row},
        **({"around": getattr(around, row["around"])} if "around" in row else {}),
    }
    return Rule(name, **fields)


def _vendor_rule(name: str, row: Mapping[str, Any]) -> Rule:
    examples = tuple(row["examples"])
    if "prefixes" in row:
        prefixes = expand(row["prefixes"].split())
        pattern = f"{START}(?:{_any_of(prefixes)}){_filled(row['body'])}"
        return Rule(name, prefixes, pattern, examples, values.is_not_sample, certain=True)
    if "vendor" in row:
        vendors = tuple(row["vendor"].split())
        pattern = _after_vendor(vendors, _filled(row["value"]))
        return Rule(name, vendors, pattern, examples, values.is_not_sample, any_case=True)
    fields = {**row, "keywords": expand(row["keywords"]), "pattern": _filled(row["pattern"]), "examples": examples}
    return Rule(name, check=values.is_not_sample, **fields)


def expand(words: list[str]) -> tuple[str, ...]:
    """Return the words, those with letters in brackets once for each of these.

    >>> expand(["AKIA", "S[KL][01]"])
    ('AKIA', 'SK0', 'SK1', 'SL0', 'SL1')
    """
    choices = ([group or letter for group, letter in re.findall(r"\[([^]]+)\]|(.)", word)] for word in words)
    return tuple("".join(letters) for choice in choices for letters in product(*choice))


def _filled(pattern: str, fragments: Mapping[str, str] = FRAGMENTS) -> str:
    for name, text in fragments.items():
        pattern = pattern.replace(f"<{name}>", text)
    return pattern


def _any_of(words: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, words))


def _after_vendor(vendors: tuple[str, ...], value: str) -> str:
    return (
        rf"(?:{_any_of(vendors)})[\w. \-]{{0,40}}(?:key|token|secret|pass|auth|pat)[\w ]{{0,16}}"
        rf"[\"'`*_)\]]{{0,3}}\s{{0,3}}(?:=>?|:|\||\bis\b|,)?\s{{0,3}}[\"'`*_<(]{{0,3}}"
        rf"(?P<secret>(?-i:{value}))(?![\w-])"
    )
