"""The tags of a vault: which are used, which the taxonomy does not list, which are nearly the same or never used."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

from notewell.curate.notes import own_files
from notewell.curate.taxonomy import Taxonomy, read_taxonomies
from notewell.frozen import frozen
from notewell.types.notices import Notice
from notewell.vault import Vault

# Shorter tags that differ in one letter usually mean different things: `tea` and `sea`.
SHORTEST_TYPO = 6
TYPO = "differ in one letter"
SIGNS = re.compile(r"[-_/\s]+")
# Endings that make the plural of an English word.
PLURAL = re.compile(r"(?<=[^s])s$")


@frozen
class TagUse:
    """A tag, and how it is used."""

    tag: str
    """The tag, without `#`."""
    notes: int
    """How many notes have it."""
    known: bool
    """Whether the taxonomy lists it; also true if there is no taxonomy."""
    alias_of: str = ""
    """The tag to use instead, as the taxonomy says; empty if there is none."""
    meaning: str = ""
    """What it means, as the taxonomy says."""


@frozen
class SimilarTags:
    """Two tags that probably mean the same."""

    tag: str
    """The tag that more notes have."""
    other: str
    """The other one."""
    why: str
    """What they have in common."""


@frozen
class TagReport:
    """The tags of a vault, compared with its taxonomy."""

    tags: tuple[TagUse, ...]
    """The tags that notes have, the most used first."""
    similar: tuple[SimilarTags, ...]
    """Tags that probably mean the same."""
    unused: tuple[str, ...]
    """Tags of the taxonomy that no note has."""
    taxonomy: str
    """The note with the taxonomy, or several of domains after commas; empty if there is none."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


def report_tags(vault: Vault) -> TagReport:
    """Return the tags of an indexed vault, compared with its taxonomy."""
    vault.reread()
    taxonomies, used = read_taxonomies(vault), used_tags(vault)
    parts = [(taxonomy, {tag.casefold() for tag in used_tags(view)}) for taxonomy, view in taxonomies.values()]
    return TagReport(
        tuple(_use(tag, notes, [one for one, own in parts if tag.casefold() in own]) for tag, notes in used.items()),
        tuple(similar_tags(used)),
        tuple(dict.fromkeys(tag for taxonomy, own in parts for tag in _unused(taxonomy, own))),
        ", ".join(path for path, (taxonomy, _) in taxonomies.items() if taxonomy),
    )


def _unused(taxonomy: Taxonomy, folded: Set[str]) -> Iterator[str]:
    # A parent is used if a tag below it is.
    above = {"/".join(tag.split("/")[:depth]) for tag in folded for depth in range(1, tag.count("/") + 1)}
    yield from (term.tag for key, term in taxonomy.terms.items() if key not in folded | above)


def used_tags(vault: Vault) -> Mapping[str, int]:
    """Return how many notes have each tag, the most used first; the taxonomy and the review queue only list them."""
    with vault.shown.answering() as snapshot:
        counts = dict(vault.store.about(tags=True).tags)
        first = [number for path in own_files(vault) for number in snapshot.chunks_of(path)[:1]]
        listed = [tag.casefold() for chunk in snapshot.chunks(first).values() for tag in chunk.tags]
    spelt = {tag.casefold(): tag for tag in counts}
    for tag in listed:
        counts[spelt[tag]] -= 1
    used = {tag: count for tag, count in counts.items() if count > 0}
    return dict(sorted(used.items(), key=lambda item: (-item[1], item[0])))


def _use(tag: str, notes: int, taxonomies: Sequence[Taxonomy]) -> TagUse:
    """Return how a tag is used; `taxonomies` are those of the domains whose notes have it."""
    key = tag.casefold()
    terms = [one.terms[key] for one in taxonomies if key in one.terms]
    known = all(not one or key in one.terms for one in taxonomies)
    alias_of = next((one.aliases[key] for one in taxonomies if key in one.aliases), "")
    return TagUse(tag, notes, known, alias_of, next((term.meaning for term in terms), ""))


def similar_tags(used: Mapping[str, int]) -> Iterator[SimilarTags]:
    """Yield the pairs of tags that are nearly the same, each pair once.

    >>> next(similar_tags({"bees": 3, "bee": 1}))
    SimilarTags(tag='bees', other='bee', why='singular and plural')
    """
    found: set[frozenset[str]] = set()
    reasons = (("differ in signs only", _bare), ("singular and plural", _singular), (TYPO, None))
    for why, form in reasons:
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for tag in used:
            for key in _one_letter_less(tag) if form is None else (form(tag),):
                groups[key].append(tag)
        for tags in groups.values():
            first, *others = sorted(tags, key=lambda tag: (-used[tag], tag))
            for other in others:
                pair = frozenset((first, other))
                if first != other and pair not in found and (form or _is_typo(first, other)):
                    found.add(pair)
                    yield SimilarTags(first, other, why)


def _bare(tag: str) -> str:
    return SIGNS.sub("", tag.casefold())


def _singular(tag: str) -> str:
    return PLURAL.sub("", _bare(tag))


def _one_letter_less(tag: str) -> set[str]:
    """Return a tag without each of its letters: two tags that differ in one letter share one of these."""
    bare = _bare(tag)
    if len(bare) < SHORTEST_TYPO:
        return set()
    return {bare, *(bare[:at] + bare[at + 1 :] for at in range(len(bare)))}


def _is_typo(one: str, other: str) -> bool:
    """Tell whether two tags differ in one letter; a digit makes another year or version."""
    left, right = _bare(one), _bare(other)
    different = set(left) ^ set(right)
    return abs(len(left) - len(right)) <= 1 and not any(map(str.isdigit, different)) and not _same_digits(left, right)


def _same_digits(left: str, right: str) -> bool:
    """Tell whether both have digits, but not the same ones in the same order."""
    digits = [[sign for sign in text if sign.isdigit()] for text in (left, right)]
    return digits[0] != digits[1]
