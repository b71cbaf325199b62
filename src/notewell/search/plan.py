"""A query into a plan: the terms to match, the text to embed, and the scope to search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from notewell.embed import Embedder
from notewell.errors import NoteError, QueryError
from notewell.files.control_chars import without_hidden
from notewell.names.find import chunks_in
from notewell.redact import redact_text
from notewell.search.dates import When, read_when
from notewell.search.exact import find_strings
from notewell.search.filters import describe_filter, describe_intent
from notewell.search.inflections import add_inflections
from notewell.search.intent import read_intent
from notewell.search.query import PASTED, ParseContext, ParsedQuery, QueryPart, parse_query, read_filters
from notewell.search.related import plan_related, prefer_like
from notewell.search.rules import Rules
from notewell.search.spelling import BreaksWords, breaks_words, replace_unknown
from notewell.store import Snapshot
from notewell.terms import TOKEN, prefix_term, split_terms, stop_terms, token_terms
from notewell.types.query import EVERYTHING, NO_FILTERS, Filter, Intent, Plan, Query, Scope

# More terms than any question has; a pasted page is searched by its first ones.
MAX_TERMS = 64
# A longer query is a pasted text; its head says what it is about.
MAX_CHARS = 4_000


# The words that make a statement a question, and who asks. Compiled on first use: few vaults vary queries.
ASKING = r"""
    (?:how\ (?:do|does|did|can|could|should|would|to)|what(?:['’]s|\ (?:is|are|was|were|does|do|did))
      |(?:why|when|where|who)\ (?:is|are|was|were|do|does|did|can|should)|which|why|when|where|who|is|are|was|were|do
      |does|did|can|could|should|would|will|has|have|wie|was\ (?:ist|sind|war)|warum|wann|wo|wer|welche[rsnm]?)\ +
    (?:(?:i|we|you|one|it|there|ich|wir|man)\ +)?
    """


def plan_query(query: Query, store: Snapshot, rules: Rules, embedder: Embedder | None = None) -> Plan:
    """Return the plan of a query: its text, filters and places; unknown words are resolved, other wordings added."""
    context = ParseContext(syntax=False)
    if rules.mode.syntax:
        context = ParseContext(
            lambda: store.values("key"), rules.today, chunks_at=chunks_in(store), notes_naming=rules.notes_naming
        )
    filters = read_filters(query.filters, rules.today)
    filters += (Filter("phrase", (readable(query.containing),)),) if query.containing else ()
    plan = make_plan(query.text, make_scope(query.under, rules.addresses.root, filters), context)
    plan = prefer_like(plan, [readable(place) for place in query.places], store)
    says_something = plan.text or plan.terms or plan.passage
    if rules.mode.seeds and not (says_something or plan.like):
        example = 'For example: `notewell search "bees in winter" --deep --under Garden`'
        raise QueryError("Deep search needs query text", example)
    if says_something or not plan.like:
        plan = replace_unknown(add_inflections(plan, store), store, embedder)
    else:
        plan = plan_related(plan, store)
    plan = vary(plan, embedder) if rules.settings.variations and rules.mode.variations else plan
    return also_as(plan, (rules.passage,)) if rules.passage else plan


def checked_query(query: Query) -> Query:
    """Return the query; refuse one with neither text nor a filter. `related` needs neither, since it has notes.

    >>> checked_query(Query(under="Garden")).under
    'Garden'
    >>> checked_query(Query(" "))
    Traceback (most recent call last):
    notewell.errors.QueryError: There is nothing to search for
    """
    # Hidden characters alone say nothing.
    text = without_hidden(query.text).strip()
    says_something = text or query.under or query.places or query.containing or query.mode == "related"
    if not says_something and query.filters == NO_FILTERS:
        raise QueryError("There is nothing to search for", "Add some words, or a filter such as a tag or a date")
    return query


def make_plan(text: str, scope: Scope = EVERYTHING, context: ParseContext | None = None) -> Plan:
    """Return the plan of a text: the terms to match, the text to embed, and the filters in it.

    Stop words are left out, unless there are no others.

    >>> make_plan("How do I fix the sourdough?").terms
    ('fix', 'sourdough')
    >>> make_plan("to be or not to be").terms
    ('to', 'be', 'or', 'not', 'to', 'be')
    >>> make_plan("sourd* tag:bread").terms, make_plan("sourd* tag:bread").scope.filters
    (('sourd*',), (Filter(of='tag', values=('bread',), key='', negated=False),))
    """
    query = parse_query(_shortened(readable(text).strip()), context)
    # If only a meaning is asked for, its words are still highlighted.
    terms = [term for part in query.by_words or query.with_words for term in _terms(part)]
    when = _when(query, context)
    telling = [term for term in terms if term not in stop_terms()]
    asked = [term for term in telling if term not in when.idle] if when else telling
    chosen = tuple((asked or telling or terms)[:MAX_TERMS])
    heading = (Filter("heading", (" ".join(chosen),)),) if query.in_heading and chosen else ()
    filters = (*scope.filters, *query.filters, *heading)
    intent = read_intent(query.written)
    return Plan(
        query.meaning,
        chosen,
        Scope(scope.under, tuple(dict.fromkeys(filters))),
        passage=query.passage,
        by_words=bool(query.by_words) or not (query.meaning or query.passage),
        when=when.days if when else None,
        asks_for_day=when is not None and when.is_day and when.phrase == query.meaning,
        strings=find_strings(" ".join(part.text for part in query.by_words if part.kind != "prefix")),
        words=tuple(word for word in _words(query.by_words) if word not in query.unparsed.words),
        notices=query.unparsed.notices,
        read_as=_read_as(query, when, scope, intent),
        like=query.like,
        intent=intent,
    )


def _read_as(query: ParsedQuery, when: When | None, scope: Scope, intent: Intent) -> tuple[str, ...]:
    """Return how a query was understood, one phrase for each part."""
    described = (
        *map(str, query.parts),
        *([str(when)] if when else ()),
        *([f"under {scope.under}"] if scope.under else ()),
        *map(describe_filter, scope.filters),
        *describe_intent(intent),
    )
    return tuple(dict.fromkeys(described))


def _shortened(text: str) -> str:
    """Return the head of a pasted text, redacted first: the rest of a cut secret would not be recognised."""
    return text if len(text) <= MAX_CHARS else redact_text(text[: 2 * MAX_CHARS])[0][:MAX_CHARS]


def _when(query: ParsedQuery, context: ParseContext | None) -> When | None:
    """Return the time that the text of a query asks for; quoted and pasted text asks for none."""
    texts = [part.text for part in query.parts if part.kind == "text" and len(part.text.split()) <= PASTED]
    today = context.today if context else None
    found = (read_when(text, today, stop_terms()) for text in texts) if today else iter(())
    return next(filter(None, found), None)


def _terms(part: QueryPart) -> list[str]:
    """Return the terms of a part; the last word of a prefix stands for all words that begin with it."""
    if part.kind != "prefix":
        return split_terms(part.text)
    token = TOKEN.findall(part.text)[-1]
    return [*split_terms(part.text.removesuffix(token)), f"{prefix_term(token)}*"]


def _words(parts: Sequence[QueryPart]) -> tuple[str, ...]:
    """Return the words that may be misspelt: not those of a phrase, nor prefixes."""
    tokens = (token for part in parts if part.kind in ("text", "words") for token in TOKEN.findall(part.text))
    return tuple(dict.fromkeys(tokens))[:MAX_TERMS]


def make_scope(under: str, root: Path, filters: tuple[Filter, ...] = ()) -> Scope:
    """Return the scope of a folder or note: `Garden`, `Garden/`, `./Garden` and its full path are the same.

    >>> make_scope("./Garden/", Path("/notes")).under, make_scope("/notes/Garden", Path("/notes")).under
    ('Garden', 'Garden')
    """
    path = PurePosixPath(readable(under))
    if path.is_relative_to(root.as_posix()):
        path = path.relative_to(root.as_posix())
    inside = path.as_posix().strip("/")
    return Scope("" if inside == "." else inside, filters)


def readable(text: str) -> str:
    """Return the text without zero bytes, and with halves of characters, which shells let through, replaced.

    >>> readable("rye\\0 \\udcff")
    'rye  ?'
    """
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def readable_name(text: str) -> str:
    """Return a name or place as `readable` does; one with a zero byte is an error."""
    if "\0" in text:
        raise NoteError("No note has a zero byte in its name", "Write paths as `notewell search` prints them")
    return readable(text)


def vary(plan: Plan, embedder: Embedder | None) -> Plan:
    """Return the plan with other wordings of its text: its technical words, and a question as a statement."""
    breaks = embedder if breaks_words(embedder) else None
    wordings = (technical_words(plan.text, breaks) if breaks else "", as_statement(plan.text))
    return also_as(plan, tuple(text for text in dict.fromkeys(wordings) if text and text != plan.text))


def also_as(plan: Plan, wordings: tuple[str, ...]) -> Plan:
    """Return the plan with more texts that are embedded beside its own."""
    read_as = (*plan.read_as, *(f'also as "{text}"' for text in wordings))
    return plan._replace(variations=(*plan.variations, *wordings), read_as=read_as)


def technical_words(text: str, breaks: BreaksWords) -> str:
    """Return the words of a text that the tokenizer breaks up, without stop words."""
    words = dict.fromkeys(word for word in TOKEN.findall(text) if not stop_terms().issuperset(token_terms(word)))
    return " ".join(word for word in words if breaks.pieces(word) > 1)


def as_statement(text: str) -> str:
    """Return a question as the statement that would answer it.

    >>> as_statement("How do I reset the hive?"), as_statement("hive scale")
    ('reset the hive', 'hive scale')
    """
    asking = re.match(ASKING, text, re.VERBOSE | re.IGNORECASE)
    return text[asking.end() :].rstrip(" ?？") if asking else text
