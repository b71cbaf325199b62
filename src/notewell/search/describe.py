"""How a query was read, in words."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.search.languages import also_called
from notewell.types.query import Filter, Intent, Range


def told(asked: Filter) -> str:
    """Say what a filter asks for.

    >>> told(Filter("tag", ("bees", "hive"), negated=True)), told(Filter("date", (Range(low="2024-05-01"),)))
    ('not tag bees or hive', 'after 2024-05-01')
    """
    values = told_values(asked)
    name = {"field": asked.key, "date": "", "term": "", "heading": "in a heading"}.get(asked.of, asked.of)
    return " ".join(filter(None, ("not" * asked.negated, name, values)))


def told_values(asked: Filter) -> str:
    """Say which values a filter asks for; of a language, the names that were written.

    >>> told_values(Filter("lang", ("python", "py", "pyi", "ipynb", "de")))
    'python or de'
    """
    values = _written(asked.values) if asked.of == "lang" else asked.values
    return " or ".join(told_value(asked.of, value) for value in values)


def told_value(of: str, value: str | Range) -> str:
    """Say what one of a filter's values is.

    >>> told_value("field", Range("3", "5")), told_value("field", Range(low="3", open=True)), told_value("tag", "bees")
    ('3 to 5', '> 3', 'bees')
    """
    if isinstance(value, str):
        return f'"{value}"' if of == "phrase" else value
    if of == "date":
        return f"after {value.low}" if value.low else f"before {value.high}"
    if value.low and value.high:
        return f"{value.low} to {value.high}"
    sign = (">" if value.low else "<") + "=" * (not value.open)
    return f"{sign} {value.low or value.high}"


def _written(values: Sequence[str | Range]) -> list[str]:
    """Return the languages without what else each is called."""
    written: list[str] = []
    for value in map(str, values):
        if all(value not in also_called(name) for name in written):
            written.append(value)
    return written


def told_intent(intent: Intent) -> tuple[str, ...]:
    """Say what kind of query it is; of keywords there is nothing to say, and quotes are told of as such.

    >>> told_intent("identifier"), told_intent("keywords")
    (('an identifier',), ())
    """
    if intent in ("keywords", "quoted"):
        return ()
    article = {"code": "", "one word": "", "error text": "an ", "identifier": "an "}.get(intent, "a ")
    return (f"{article}{intent}",)
