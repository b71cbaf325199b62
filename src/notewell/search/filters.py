"""Filters in words, for explanations and notices, and the names that languages go by."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.types.query import Filter, Intent, Range

# File suffixes and codes of a language, by the name people use.
LANGUAGES = {
    "bash": ("sh", "bash"),
    "c": ("c", "h"),
    "c#": ("cs",),
    "c++": ("cpp", "cc", "cxx", "hpp", "hh", "hxx"),
    "cpp": ("cpp", "cc", "cxx", "hpp", "hh", "hxx"),
    "csharp": ("cs",),
    "go": ("go",),
    "golang": ("go",),
    "haskell": ("hs",),
    "java": ("java",),
    "javascript": ("js", "mjs", "cjs", "jsx"),
    "kotlin": ("kt", "kts"),
    "latex": ("tex",),
    "markdown": ("md", "markdown"),
    "perl": ("pl", "pm"),
    "php": ("php",),
    "powershell": ("ps1", "psm1"),
    "python": ("py", "pyi", "ipynb"),
    "ruby": ("rb",),
    "rust": ("rs",),
    "scala": ("scala",),
    "shell": ("sh", "bash", "zsh"),
    "sql": ("sql",),
    "swift": ("swift",),
    "typescript": ("ts", "tsx", "mts", "cts"),
    "yaml": ("yaml", "yml"),
    "chinese": ("zh",),
    "deutsch": ("de",),
    "english": ("en",),
    "french": ("fr",),
    "german": ("de",),
    "italian": ("it",),
    "japanese": ("ja",),
    "korean": ("ko",),
    "spanish": ("es",),
}


def describe_filter(asked: Filter) -> str:
    """Return a filter in words.

    >>> describe_filter(Filter("tag", ("bees", "hive"), negated=True))
    'not tag bees or hive'
    >>> describe_filter(Filter("date", (Range(low="2024-05-01"),)))
    'after 2024-05-01'
    """
    values = describe_values(asked)
    if asked.of == "task":
        values = {"*": "a task", "open": "an open task", "done": "a task that is done"}[str(asked.values[0])]
    names = {"field": asked.key, "date": "", "term": "", "heading": "in a heading", "task": "has", "note": "entity"}
    name = names.get(asked.of, asked.of)
    return " ".join(filter(None, ("not" * asked.negated, name, values)))


def describe_values(asked: Filter) -> str:
    """Return the values of a filter in words; for a language, only the names that were written.

    >>> describe_values(Filter("lang", ("python", "py", "pyi", "ipynb", "de")))
    'python or de'
    """
    if asked.of == "note" and asked.key:
        return asked.key
    values = _written(asked.values) if asked.of == "lang" else asked.values
    return " or ".join(describe_value(asked.of, value) for value in values)


def describe_value(of: str, value: str | Range) -> str:
    """Return one value of a filter in words.

    >>> describe_value("field", Range("3", "5")), describe_value("field", Range(low="3", open=True))
    ('3 to 5', '> 3')
    """
    if isinstance(value, str):
        return f'"{value}"' if of == "phrase" else value
    if of == "date" or (of == "due" and value.open):
        return f"after {value.low}" if value.low else f"before {value.high}"
    if value.low and value.high:
        return f"{value.low} to {value.high}"
    sign = (">" if value.low else "<") + "=" * (not value.open)
    return f"{sign} {value.low or value.high}"


def _written(values: Sequence[str | Range]) -> list[str]:
    """Return the languages without the other names of each."""
    written: list[str] = []
    for value in map(str, values):
        if all(value not in language_names(name) for name in written):
            written.append(value)
    return written


def describe_intent(intent: Intent) -> tuple[str, ...]:
    """Return the kind of a query in words; nothing for keywords, and for quotes, which are described as phrases.

    >>> describe_intent("identifier"), describe_intent("keywords")
    (('an identifier',), ())
    """
    if intent in ("keywords", "quoted"):
        return ()
    article = {"code": "", "one word": "", "error text": "an ", "identifier": "an "}.get(intent, "a ")
    return (f"{article}{intent}",)


def language_names(name: str) -> tuple[str, ...]:
    """Return the name of a language with its file suffixes and codes.

    >>> language_names("Rust"), language_names("de")
    (('Rust', 'rs'), ('de',))
    """
    return tuple(dict.fromkeys((name, *LANGUAGES.get(name.lower(), ()))))
