"""All rules, in the order in which one gives a secret its name that several know."""

from __future__ import annotations

from notewell.redact.forms import FORMS
from notewell.redact.named import NAMED, NEAR
from notewell.redact.places import PLACED
from notewell.redact.rule import Rule
from notewell.redact.vendors import VENDORS

RULES: tuple[Rule, ...] = (*VENDORS, *FORMS, *PLACED, *NAMED, *NEAR)
