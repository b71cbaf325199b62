"""The parameters that all surfaces share: their names, types, defaults and help texts, and how they make a query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, replace
from itertools import chain
from types import MappingProxyType
from typing import Any, Literal, get_args, get_type_hints

from notewell.errors import QueryError
from notewell.frozen import frozen
from notewell.names.suggest import CLOSE, suggest
from notewell.types.query import FILTERS, Filters, Query
from notewell.types.results import KINDS

Surface = Literal["cli", "http", "mcp"]
EVERYWHERE: tuple[Surface, ...] = get_args(Surface)

# The default of a parameter that must be given.
REQUIRED: Any = object()

QUERY_HELP = {
    "text": "What to search for; may contain syntax, and may be empty with a filter",
    "limit": "Return at most N results. Default: search.limit, 10",
    "under": "Search only this folder or note",
    "domain": "Only this domain of the vault; may be repeated. Default: all",
    "tag": "Only notes with this tag or a nested one; may be repeated",
    "type": "Only notes of this type, as in their front matter; may be repeated",
    "lang": "Only files of this type (python, c++), or notes with this `lang` property (de); may be repeated",
    "after": "Only notes from this date or later: 2024-05-01, 2024, 7d, today",
    "before": "Only notes from before this date",
    "where": "Only notes with this property: status=open, rating=3..5; may be repeated",
    "like": "Prefer results like this note, or like some of its lines: Garden/Bees.md:12; may be repeated",
    "all": "Also show weak results, which are hidden by default",
    "expand": "Let the language model write a passage that might answer, and search for that too",
    "rerank": "Let a reranking model order the best hits; it is set by rerank.model",
    "max_tokens": "Limit the output to about N tokens",
    "mode": "fast is a plain search; deep also follows links, and returns up to 50 notes unless limit is set; "
    "compare returns both",
    "explain": "Show how each score was computed",
    "refresh": "Index changed files first, if that is quick",
}
NO_REFRESH_HELP = "Do not index changed files first"


@frozen
class Parameter:
    """A parameter of an operation: a string, number or boolean, a list of strings, or one of several choices."""

    name: str
    help: str
    kind: Any = str
    default: Any = REQUIRED
    bounds: tuple[float, float] | None = None
    surfaces: tuple[Surface, ...] = EVERYWHERE
    """The surfaces that have it: what a model may send has to be short."""


def _kind(name: str, hint: Any) -> Any:
    """Return the type of a field of `Query` or `Filters` as surfaces take it."""
    if name == "mode":
        return Literal["fast", "deep", "compare"]
    kinds = {part for part in get_args(hint) if part is not type(None)} or {hint}
    return next((kind for kind in (int, bool) if kind in kinds), str if hint is str else list[str])


def _default(name: str, field: Field[Any]) -> Any:
    given = field.default if field.default is not MISSING else []
    # Surfaces refresh by default; only Python can leave that to the vault.
    return REQUIRED if name == "text" else True if name == "refresh" else [] if given == () else given


QUERY = {
    field.name: Parameter(field.name, QUERY_HELP[field.name], _kind(field.name, hint), _default(field.name, field))
    for query in (Query, Filters)
    for field, hint in zip(fields(query), get_type_hints(query).values(), strict=True)
    if field.name in QUERY_HELP
}
# Every conversation pays for the descriptions of tools. Agents write `in:NAME` into the text of a search, always want
# the notes as they are now, and leave it to the user's settings whether a model reranks.
for _name in ("domain", "refresh", "rerank"):
    QUERY[_name] = replace(QUERY[_name], surfaces=("cli", "http"))
HITS = tuple(QUERY[name] for name in ("limit", "under", "domain", *FILTERS, "max_tokens", "explain", "refresh"))
NOTE = "A note by its path, or by a unique name or title"

# Parameters that name a note, a place in one, or a folder.
PLACES = frozenset({"note", "under", "like"})


@frozen
class Operation:
    """A method of `Vault` that surfaces offer, and its parameters there."""

    parameters: tuple[Parameter, ...] = ()
    surfaces: tuple[Surface, ...] = EVERYWHERE
    """The surfaces that offer it: HTTP offers nothing that writes into a vault, since any program may reach a port."""
    beside: tuple[str, ...] = ()
    """Parameters of the method that not every surface has: only a terminal can ask `read` for secrets."""


# Fields of a query that only hooks set, and those that only `search` offers.
BY_HOOKS, BY_SEARCH = ("floor", "containing"), ("text", "like", "mode", "all", "expand", "rerank")

OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "search": Operation(
            (QUERY["text"], *HITS, *(QUERY[name] for name in ("like", "mode", "all", "expand", "rerank"))),
            beside=BY_HOOKS,
        ),
        "related": Operation(
            (
                Parameter("note", f"{NOTE}, or some of its lines: Garden/Bees.md:12; may be repeated", list[str]),
                *HITS,
            ),
            beside=(*BY_HOOKS, *BY_SEARCH),
        ),
        "ask": Operation(
            (
                Parameter("question", "The question, in the language of the notes"),
                *(QUERY[name] for name in ("under", "domain", *FILTERS, "expand", "refresh")),
            ),
            beside=(*BY_HOOKS, "text", "like", "mode", "all", "limit", "max_tokens", "explain", "rerank", "model"),
        ),
        "read": Operation(
            (Parameter("note", "A note, or lines or a part of it: Bees.md, Bees.md:12-40, Bees.pdf#page 3"),),
            beside=("raw",),
        ),
        "traverse": Operation(
            (
                Parameter("note", NOTE),
                Parameter("text", "Keep notes similar to this text. Default: similar to the note itself", str, ""),
                Parameter("depth", "Follow at most N links in a row. Default: 4", int, None, bounds=(1, 4)),
                Parameter(
                    "floor",
                    "Drop notes less similar than this. Default: 0.5; with a text, 0.7 of the most similar note",
                    float,
                    None,
                    bounds=(-1, 1),
                ),
                QUERY["domain"],
                QUERY["refresh"],
            )
        ),
        "links": Operation(
            (
                Parameter("note", f"{NOTE}. Default: all notes, of which only the numbers are returned", str, ""),
                Parameter("broken", "List broken links only, with suggestions", bool, False),
                Parameter(
                    "to",
                    "With broken: only links to missing notes, files, or anchors (headings and blocks)",
                    Literal["", "notes", "files", "anchors"],
                    "",
                ),
                Parameter("wanted", "List missing notes that links point to, the most linked first", bool, False),
                Parameter("orphans", "List notes without any link to or from another note", bool, False),
                QUERY["domain"],
                QUERY["refresh"],
            )
        ),
        "entities": Operation(
            (
                Parameter("name", "An entity by any of its names. Default: list all", str, ""),
                Parameter("kind", "Only entities of this kind", Literal["", *KINDS], ""),
                Parameter(
                    "relations",
                    "Let the language model read new and changed notes for relations, for ten minutes at most",
                    bool,
                    False,
                    surfaces=("cli",),
                ),
                QUERY["domain"],
                QUERY["refresh"],
            ),
            beside=("progress",),
        ),
        "graph": Operation((QUERY["domain"], QUERY["refresh"])),
        "domains": Operation(surfaces=("cli", "http")),
        "status": Operation(),
        "remember": Operation(
            (
                Parameter("text", "What to remember, in whole sentences that can be understood on their own; Markdown"),
                Parameter("title", "The note's title and file name. Default: the first words", str, ""),
                Parameter("tag", "Add this tag, or several separated by commas; may be repeated", list[str], []),
                Parameter("source", "Where it comes from: a person, a page, a conversation", str, ""),
                Parameter("anyway", "Write it even if a note says nearly the same", bool, False),
            ),
            surfaces=("cli", "mcp"),
        ),
        "forget": Operation(
            (Parameter("note", "A memory by its path, or by a unique name or title"),), surfaces=("cli", "mcp")
        ),
    }
)


def parameters_of(operation: str, surface: Surface) -> tuple[Parameter, ...]:
    """Return the parameters of an operation on a surface, which must offer it.

    >>> [one.name for one in parameters_of("forget", "mcp")]
    ['note']
    >>> parameters_of("forget", "http")
    Traceback (most recent call last):
    LookupError: http does not offer forget
    """
    if surface not in OPERATIONS[operation].surfaces:
        raise LookupError(f"{surface} does not offer {operation}")
    return tuple(one for one in OPERATIONS[operation].parameters if surface in one.surfaces)


def query_of(operation: str, given: Mapping[str, Any]) -> Query:
    """Return the query of a request to search, ask, or find related notes; what it lacks keeps its default.

    >>> query_of("search", {"text": "bees", "tag": ["garden"], "limit": 3}).filters.tag
    ('garden',)
    >>> query_of("related", {"note": ["Bees.md"]}).like
    ('Bees.md',)
    """
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    if operation == "related":
        values |= {"like": values.get("note", ()), "mode": "related"}
    if operation == "ask":
        values["text"] = values["question"]
    if "where" in values:
        values["where"] = read_where(values["where"])
    filters = Filters(**{name: values[name] for name in FILTERS if name in values})
    # The surface has indexed changed files already.
    asked = {name: values[name] for name in QUERY if name in values and name not in (*FILTERS, "refresh")}
    return Query(**asked, filters=filters, refresh=False)


def meant_by(name: str, known: Iterable[str], missing: Iterable[str]) -> str:
    """Return the name that an unknown one probably stands for: a similar one, or else a missing one.

    >>> meant_by("lmit", ["text", "limit"], ["text"]), meant_by("q", ["text", "limit"], ["text"]), meant_by("q", [], [])
    ('limit', 'text', '')
    """
    return next(chain(suggest(name, known, limit=1, least=CLOSE), missing), "")


def read_where(written: Iterable[str]) -> dict[str, list[str]]:
    """Return conditions on properties, by key.

    >>> read_where(["status=open", "rating = 3..5", "status=new"])
    {'status': ['open', 'new'], 'rating': ['3..5']}
    """
    values: dict[str, list[str]] = {}
    for text in written:
        key, _, value = (part.strip() for part in text.partition("="))
        if not key or not value:
            raise QueryError(f"'{text}' is not KEY=VALUE", "Write a condition such as status=open")
        values.setdefault(key, []).append(value)
    return values
