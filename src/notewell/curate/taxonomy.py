"""The taxonomy: a Markdown list of tags, what they mean, their aliases and parents, which a person edits."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType

from notewell.curate.notes import domains_by, read_note
from notewell.curate.tag_edits import checked_tag
from notewell.errors import CurateError, NoteError
from notewell.frozen import frozen
from notewell.index.shapes.front_matter import split_front_matter
from notewell.index.tags import find_fences
from notewell.types.note import Span, line_starts
from notewell.vault import Vault

# `- #garden/bees: keeping honey bees (aliases: beekeeping, apiary; parent: animals)`
ITEM = re.compile(r"^(?P<indent>[ \t]*)[-*+][ \t]+(?P<rest>\S[^\n]*?)[ \t]*$", re.MULTILINE)
NAME = re.compile(r"[*_`]*#?(?P<tag>[^\s`*:：–—]+?)[*_`]*(?:[ \t]*(?::|：|–|—|[ \t]-[ \t])[ \t]*|[ \t]+|$)")
DETAILS = re.compile(r"[ \t]*\((?P<inside>[ \t]*(?:alias(?:es)?|parent)[ \t]*:[^()]*)\)[ \t]*$", re.IGNORECASE)
# A taxonomy is written by hand; nobody writes more.
LARGEST = 1_000_000
MOST = 10_000


@frozen
class Term:
    """A tag of the taxonomy."""

    tag: str
    """The tag, without `#`."""
    meaning: str = ""
    """What it means."""
    aliases: tuple[str, ...] = ()
    """Other tags that mean the same."""
    parent: str = ""
    """The tag above it; empty if there is none."""
    line: int = 0
    """Its line in the taxonomy."""


@frozen
class Taxonomy:
    """The tags that a vault should use, by their folded names."""

    terms: Mapping[str, Term] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def aliases(self) -> dict[str, str]:
        """Return the tag of each alias; both without `#`, the alias folded."""
        return {alias.casefold(): term.tag for term in self.terms.values() for alias in term.aliases}

    def __bool__(self) -> bool:
        return bool(self.terms)


def read_taxonomies(vault: Vault) -> dict[str, tuple[Taxonomy, Vault]]:
    """Return the taxonomies of a vault by their paths, each with the part of the vault that has it."""
    shared = domains_by(vault, lambda settings: settings.taxonomy)
    return {path: (read_taxonomy(vault.root, path), vault.within(names)) for path, names in shared.items()}


def read_taxonomy(root: Path, path: str) -> Taxonomy:
    """Return the taxonomy in a note, which is empty if there is no such note."""
    try:
        text = read_note(root, path, LARGEST).text
    except NoteError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return Taxonomy()
        raise CurateError(f"{path} cannot be read: {error.fact}", error.hint) from error
    return parse_taxonomy(text, path)


def parse_taxonomy(text: str, path: str = "_taxonomy.md") -> Taxonomy:
    """Return the taxonomy in a Markdown list; one that contradicts itself is an error with its line.

    >>> parse_taxonomy("- #garden: what grows (aliases: yard)\\n  - #bees").terms["bees"].parent
    'garden'
    """
    terms: dict[str, Term] = {}
    above: list[tuple[int, str]] = []
    text = _without_code(text.replace("\r\n", "\n"))
    starts = line_starts(text)
    for match in ITEM.finditer(text):
        line = bisect_right(starts, match.start())
        depth = len(match["indent"].expandtabs(4))
        while above and above[-1][0] >= depth:
            above.pop()
        term = _term(match["rest"], above[-1][1] if above else "", line, path)
        if term.tag.casefold() in terms:
            first = terms[term.tag.casefold()].line
            raise CurateError(f"{path}:{line} lists #{term.tag} again, after line {first}", "Keep one of them")
        terms[term.tag.casefold()] = term
        above.append((depth, term.tag))
        if len(terms) > MOST:
            raise CurateError(f"{path} has more than {MOST:,} tags", "Keep fewer; a taxonomy is written by hand")
    _check_aliases(terms, path)
    _check_parents(terms, path)
    return Taxonomy(terms)


def _without_code(text: str) -> str:
    """Return a text in which the lines of front matter and of code are empty: lists in them name no tags.

    >>> _without_code("---\\ntags:\\n- meta\\n---\\n- #garden\\n")
    '\\n\\n\\n\\n- #garden\\n'
    """
    body = split_front_matter(text)[1]
    parts, at = list[str](), 0
    for start, end in (Span(0, body), *find_fences(text, body)):
        parts += text[at:start], "\n" * text.count("\n", start, end)
        at = end
    return "".join((*parts, text[at:]))


def _term(rest: str, above: str, line: int, path: str) -> Term:
    try:
        details, parent, aliases = DETAILS.search(rest), above, []
        name = NAME.match(rest)
        if name is None:
            raise CurateError(f"'{rest[:80]}' is not a tag", "Begin each item with a tag, such as `- #garden: …`")
        for part in (details["inside"] if details else "").split(";"):
            key, _, value = (piece.strip() for piece in part.partition(":"))
            if key.lower().startswith("alias"):
                aliases += [checked_tag(alias) for alias in value.split(",") if alias.strip()]
            elif key.lower() == "parent":
                parent = checked_tag(value)
        meaning = rest[name.end() : details.start() if details else len(rest)].strip()
        return Term(checked_tag(name["tag"]), meaning, tuple(aliases), parent, line)
    except CurateError as error:
        raise CurateError(f"{path}:{line}: {error.fact}", error.hint) from error


def _check_aliases(terms: Mapping[str, Term], path: str) -> None:
    meant: dict[str, str] = {}
    for term in terms.values():
        for alias in term.aliases:
            other = terms.get(alias.casefold())
            if other or meant.get(alias.casefold(), term.tag) != term.tag:
                rival = f"a tag itself (line {other.line})" if other else f"an alias of #{meant[alias.casefold()]}"
                raise CurateError(f"{path}:{term.line}: the alias #{alias} is also {rival}", "Keep one meaning of it")
            meant[alias.casefold()] = term.tag


def _check_parents(terms: Mapping[str, Term], path: str) -> None:
    right = set[str]()
    for term in terms.values():
        way: dict[str, Term] = {}
        while term.tag not in right:
            if term.tag in way:
                circle = [*list(way)[list(way).index(term.tag) :], term.tag]
                shown = " → ".join(f"#{tag}" for tag in circle[:20])
                raise CurateError(f"{path}:{term.line}: the parents form a circle: {shown}", "Remove one parent")
            way[term.tag] = term
            if not term.parent:
                break
            found = terms.get(term.parent.casefold())
            if found is None:
                raise CurateError(f"{path}:{term.line}: the parent #{term.parent} is not listed", "Add or correct it")
            term = found
        right.update(way)


def renames_of_aliases(vault: Vault, used: Callable[[Vault], Iterable[str]]) -> tuple[Vault, list[str]]:
    """Return the renames that replace the used aliases of a taxonomy, and the part of the vault that it is for.

    If several domains have aliases in use, each in a taxonomy of its own, that is an error.
    """
    parts = read_taxonomies(vault).values()
    found = [(view, made) for taxonomy, view in parts if (made := alias_renames(taxonomy, used(view)))]
    if len(found) > 1:
        names = " and ".join(view.domain_names[0] for view, _ in found[:2])
        raise CurateError(f"Several taxonomies have aliases in use, such as those of {names}", "Name one with --domain")
    return found[0] if found else (vault, [])


def alias_renames(taxonomy: Taxonomy, used: Iterable[str]) -> list[str]:
    """Return the renames that replace each used alias by its tag, as `apply-renames` reads them."""
    aliases = taxonomy.aliases
    return [f"{tag}={aliases[tag.casefold()]}" for tag in used if tag.casefold() in aliases]
