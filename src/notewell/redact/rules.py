"""All rules, in the order in which they name a secret that several of them match.

A new vendor is one line in `vendors.json`. A line has one of three sets of keys:

- `prefixes` and `body`: the token starts with one of the prefixes, and `body` matches the rest of it;
- `vendor` and `value`: the key has no format of its own; the vendor's name and a word such as `token` stand before it;
- `keywords` and `pattern`: anything else, with the fields of `Rule`.

Patterns may contain `<start>`, `<end>`, `<uuid>` and `<mixed>`, see `FRAGMENTS`. In prefixes and keywords `[abc]`
stands for each of its letters. `examples` are forms for made-up secrets, see `tests/redact/made_up.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from notewell.redact.by_form import BY_FORM
from notewell.redact.by_label import BY_LABEL, NEAR_LABEL
from notewell.redact.by_position import BY_POSITION
from notewell.redact.rule import START, Pattern, Rule, any_case, exactly
from notewell.redact.values import is_not_sample

VENDORS_FILE = "vendors.json"
FRAGMENTS = {
    "<start>": START,
    "<end>": "(?![A-Za-z0-9])",
    "<uuid>": "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    # A hyphenated name without a digit or a capital is a word: `sk-loading-indicator-large`.
    "<mixed>": r"(?=[A-Za-z_-]{0,60}\d)(?=[\d_-]{0,60}[A-Za-z])",
}


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule; `NEAR_LABEL` comes last, since every other rule has a better name for what it finds."""
    return (*vendor_rules(), *BY_FORM, *BY_POSITION, *BY_LABEL, *NEAR_LABEL)


@cache
def vendor_rules() -> tuple[Rule, ...]:
    """Return the rules for keys and tokens of named vendors, from `vendors.json`."""
    groups = json.loads(Path(__file__).with_name(VENDORS_FILE).read_bytes())
    return tuple(_vendor_rule(name, row) for group in groups.values() for name, row in group.items())


def _vendor_rule(name: str, row: Mapping[str, Any]) -> Rule:
    examples = tuple(row["examples"])
    if "prefixes" in row:
        prefixes = expand(row["prefixes"].split())
        pattern = exactly(f"{START}(?:{_any_of(prefixes)}){_filled(row['body'])}")
        return Rule(name, prefixes, pattern, examples, is_not_sample, certain=True)
    if "vendor" in row:
        vendors = tuple(row["vendor"].split())
        return Rule(name, vendors, _after_vendor(vendors, _filled(row["value"])), examples, is_not_sample)
    pattern = Pattern(_filled(row["pattern"]), row.get("any_case", False))
    return Rule(
        name,
        expand(row["keywords"]),
        pattern,
        examples,
        is_not_sample,
        lead=row.get("lead", 0),
        certain=row.get("certain", False),
    )


def expand(words: list[str]) -> tuple[str, ...]:
    """Return the words, those with letters in brackets once for each of these.

    >>> expand(["AKIA", "S[KL][01]"])
    ('AKIA', 'SK0', 'SK1', 'SL0', 'SL1')
    """
    choices = ([group or letter for group, letter in re.findall(r"\[([^]]+)\]|(.)", word)] for word in words)
    return tuple("".join(letters) for choice in choices for letters in product(*choice))


def _filled(pattern: str) -> str:
    for fragment, meaning in FRAGMENTS.items():
        pattern = pattern.replace(fragment, meaning)
    return pattern


def _any_of(words: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, words))


def _after_vendor(vendors: tuple[str, ...], value: str) -> Pattern:
    return any_case(
        rf"(?:{_any_of(vendors)})[\w. \-]{{0,40}}(?:key|token|secret|pass|auth|pat)[\w ]{{0,16}}"
        rf"[\"'`*_)\]]{{0,3}}\s{{0,3}}(?:=>?|:|\||\bis\b|,)?\s{{0,3}}[\"'`*_<(]{{0,3}}"
        rf"(?P<secret>(?-i:{value}))(?![\w-])"
    )
