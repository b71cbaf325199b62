"""Tags proposed for a note: one to five of the taxonomy, each with its reason."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from notewell.curate.model_tags import AGREED, ALONE, choose_tags
from notewell.curate.neighbours import Neighbour, Subject, neighbours, subject_of_note
from notewell.curate.notes import checked_path, is_below, own_files, settings_at, template_folders
from notewell.curate.tag_report import used_tags
from notewell.curate.taxonomy import Taxonomy, Term, read_taxonomies
from notewell.embed import Embedder
from notewell.errors import LlmError
from notewell.frozen import frozen
from notewell.index import Progress
from notewell.llm import Model, find_model
from notewell.search.relevance import judge, telling_terms
from notewell.store import Snapshot
from notewell.terms import split_terms
from notewell.types.note import Vectors
from notewell.types.notices import Notice
from notewell.vault import Vault

# A note has at most so many proposals, and those of a lower score are left out. Chosen on 600 notes of
# zettelkasten-13419 whose tags were hidden, and checked on other notes and vaults (docs/decisions/curate.md).
MOST = 5
FLOOR = 0.35
# Like notes that vote on the tags. Between 8 and 20, F1 differs by .01.
VOTERS = 12
# A note that is less than this share as similar as the most similar one does not vote.
ALIKE = 0.5
# Nor does one that is like no more than by chance: notes that share no word are .10 alike.
LEAST_LIKE = 0.12
# A vote against every tag, so that one note alone is not sure of its own.
DOUBT = 0.25
# What a like note without tags of the vocabulary votes against all of them. At 0, two thirds of the notes of another
# vault on other subjects got tags; at 1, a vault with few tagged notes gets hardly any.
SILENT = 0.2
# A linked note counts as much as the most similar one: without links, F1 is .04 lower.
LINKED = 1.0
# From this relevance on, a note is about what a tag means by the words of its definition alone.
DEFINED = 0.35
WORD = re.compile(r"\w+")
# A tag that fewer notes have is no vocabulary, if there is no taxonomy.
FEWEST = 2
# Notes without tags that are looked at in one run, the newest first.
MOST_NOTES = 50
# How many times as many are looked at for notes that something fits.
DEEPER = 20


@frozen
class ProposedTag:
    """A tag proposed for a note."""

    tag: str
    """The tag, without `#`."""
    score: float
    """How sure it is, from 0 to 1."""
    why: str
    """The reason."""


@frozen
class NoteTags:
    """The tags proposed for a note."""

    path: str
    """The note, from the vault's root."""
    tags: tuple[ProposedTag, ...]
    """At most five, the surest first."""


@frozen
class TagProposals:
    """Tags proposed for notes."""

    notes: tuple[NoteTags, ...]
    """The notes, in the order in which they were asked for, or the newest first."""
    taxonomy: str
    """The note with the taxonomy, or several of domains after commas; empty if the tags in use were proposed."""
    left: int = 0
    """How many more notes have no tags."""
    by: str = ""
    """The language model that proposed; empty if the nearest notes did."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


# Without slots and not frozen, as it keeps what it computes.
@dataclass
class Vocabulary:
    """The tags that may be proposed in one state of a vault."""

    taxonomy: Taxonomy
    used: Mapping[str, int]
    embedder: Embedder | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    # The taxonomy and the review queue, which only list tags.
    lists: tuple[str, ...] = ()

    @cached_property
    def terms(self) -> dict[str, Term]:
        """Return the tags by their folded names: those of the taxonomy, or else those that several notes have."""
        if self.taxonomy:
            return dict(self.taxonomy.terms)
        return {tag.casefold(): Term(tag) for tag, notes in self.used.items() if notes >= FEWEST}

    @cached_property
    def words(self) -> dict[str, tuple[str, ...]]:
        """Return the telling words of each tag's name, aliases and meaning."""
        return {key: telling_terms(definition(term)) for key, term in self.terms.items()}

    @cached_property
    def by_word(self) -> dict[str, list[str]]:
        """Return the tags whose definitions have a word."""
        found = defaultdict(list)
        for key, words in self.words.items():
            for word in words:
                found[word].append(key)
        return found

    @cached_property
    def meanings(self) -> dict[str, Vectors]:
        """Return the vector of each tag's definition; none without an embedder."""
        if self.embedder is None or not self.terms:
            return {}
        return dict(zip(self.terms, self.embedder.embed([*map(definition, self.terms.values())]), strict=True))

    def own(self, tag: str) -> str:
        """Return the folded name of the tag that a tag stands for; empty if it is not of the vocabulary."""
        key = self.aliases.get(tag.casefold(), tag).casefold()
        return key if key in self.terms else ""


def definition(term: Term) -> str:
    """Return what a tag means, in words.

    >>> definition(Term("garden/honey-bees", "keeping bees", ("apiary",)))
    'garden honey bees apiary: keeping bees'
    """
    names = " ".join((term.tag, *term.aliases))
    for sign in "/-_":
        names = names.replace(sign, " ")
    return f"{names}: {term.meaning}" if term.meaning else names


def suggest_tags(
    vault: Vault,
    paths: Sequence[str] = (),
    *,
    most: int = MOST_NOTES,
    wanted: Callable[[str], bool] | None = None,
    progress: Progress | None = None,
) -> TagProposals:
    """Propose tags for these indexed notes, or for the newest notes without tags.

    If only some notes are `wanted`, those for which nothing fits are not returned, and others are looked at instead.
    """
    vault.reread()
    vocabularies, progress = read_vocabularies(vault), progress or Progress()
    with vault.shown.answering() as snapshot:
        untagged = [] if paths else untagged_notes(vault, snapshot)
        asked = [*paths] or (untagged[:most] if wanted is None else [*filter(wanted, untagged)][: most * DEEPER])
        made, texts = dict[str, tuple[ProposedTag, ...]](), dict[str, str]()
        for number, path in enumerate(asked):
            progress.tell(number, len(asked))
            tags = tags_for(path, snapshot, vocabularies[taxonomy_at(vault, path)])
            if tags or wanted is None:
                made[path], texts[path] = tags, _beginning(path, snapshot)
            if progress.stop() or (not paths and len(made) == most):
                break
    # A model takes seconds for a note: no store is open meanwhile.
    made, name, notices = ask_model(vault, vocabularies, made, texts)
    named = ", ".join(path for path, vocabulary in vocabularies.items() if vocabulary.taxonomy)
    notes = tuple(NoteTags(path, tags) for path, tags in made.items())
    return TagProposals(notes, named, max(0, len(untagged) - len(notes)), name, notices)


def ask_model(
    vault: Vault,
    vocabularies: Mapping[str, Vocabulary],
    made: Mapping[str, tuple[ProposedTag, ...]],
    texts: Mapping[str, str],
) -> tuple[dict[str, tuple[ProposedTag, ...]], str, tuple[Notice, ...]]:
    """Return the proposals of a language model with its name; without one, those that were made, and why."""
    try:
        model = find_model(vault.settings.llm) if any(one.terms for one in vocabularies.values()) else None
        if model is None:
            return dict(made), "", ()
        own = {path: vocabularies[taxonomy_at(vault, path)] for path in made}
        chosen = {
            path: _by_model(model, texts[path], tags, own[path]) if own[path].terms else ()
            for path, tags in made.items()
        }
        return chosen, model.name, ()
    except LlmError as error:
        return dict(made), "", (Notice("tags_without_model", {"reason": error.fact}),)


def _by_model(
    model: Model, text: str, near: tuple[ProposedTag, ...], vocabulary: Vocabulary
) -> tuple[ProposedTag, ...]:
    """Return the tags that a model chooses for a note, those first on which the nearest notes agree."""
    reasons = {one.tag.casefold(): one for one in near}
    made = []
    for key, why in choose_tags(model, text, vocabulary.terms, [*reasons]):
        agreed = reasons.get(key)
        said = f"{model.name}: {why or 'it fits'}" + (f"; {agreed.why}" if agreed else "")
        made.append(ProposedTag(vocabulary.terms[key].tag, AGREED if agreed else ALONE, said))
    return tuple(sorted(dict.fromkeys(made), key=lambda one: -one.score)[:MOST])


def read_vocabularies(vault: Vault) -> dict[str, Vocabulary]:
    """Return the tags that may be proposed in an indexed vault, by the paths of its taxonomies."""
    embedder = vault.models.embedder if vault.store.state.made_for.dimensions else None
    return {
        path: Vocabulary(taxonomy, used_tags(view), embedder, taxonomy.aliases, own_files(vault))
        for path, (taxonomy, view) in read_taxonomies(vault).items()
    }


def taxonomy_at(vault: Vault, path: str) -> str:
    """Return the path of the taxonomy that a note has."""
    return checked_path(settings_at(vault, path).taxonomy)


def untagged_notes(vault: Vault, snapshot: Snapshot) -> list[str]:
    """Return the Markdown notes without tags, the newest first."""
    own, templates = {*own_files(vault)}, template_folders(vault.root)
    stamps = vault.store.files().notes
    paths = (path for path in snapshot.ids() if path.endswith(".md") and path not in own)
    first = {snapshot.chunks_of(path)[0]: path for path in paths if not is_below(path, templates)}
    without = [first[number] for number, chunk in snapshot.chunks([*first]).items() if not chunk.tags]
    return sorted(without, key=lambda path: (-stamps[path].mtime_ns if path in stamps else 0, path))


def tags_for(path: str, snapshot: Snapshot, vocabulary: Vocabulary) -> tuple[ProposedTag, ...]:
    """Return the tags that the nearest notes and the definitions propose for a stored note, without those it has."""
    ids = snapshot.chunks_of(path)
    subject = subject_of_note(path, snapshot)
    chunks = [*snapshot.chunks(ids).values()]
    found = neighbours(subject, snapshot, (path, *vocabulary.lists))
    alike = [one for one in found if one.similarity >= LEAST_LIKE]
    near = [one for one in alike if any(map(vocabulary.own, one.chunk.tags))][:VOTERS]
    silent = [one for one in alike[:VOTERS] if one not in near]
    text = "\n".join((chunks[0].title, *(chunk.text for chunk in chunks))) if chunks else ""
    votes = vote((near, silent), linked_tags(path, snapshot, vocabulary.lists), vocabulary)
    defined = by_definition(text, subject, snapshot, vocabulary)
    has = {vocabulary.own(tag) for chunk in chunks[:1] for tag in chunk.tags}
    return best(votes, defined, vocabulary, has)


def best(
    votes: Mapping[str, tuple[float, str]],
    defined: Mapping[str, tuple[float, str]],
    vocabulary: Vocabulary,
    has: set[str],
) -> tuple[ProposedTag, ...]:
    """Return the tags with the best scores; votes and definition support each other."""
    made = []
    for key in {*votes, *defined} - has:
        (vote, why), (meant, words) = votes.get(key, (0.0, "")), defined.get(key, (0.0, ""))
        score = vote + (1 - vote) * meant
        reasons = "; ".join(filter(None, (why if vote >= meant else "", words if meant else "", why * (vote < meant))))
        if score >= FLOOR:
            made.append(ProposedTag(vocabulary.terms[key].tag, round(min(1.0, score), 2), reasons))
    return tuple(sorted(made, key=lambda one: (-one.score, one.tag))[:MOST])


def vote(
    alike: tuple[Sequence[Neighbour], Sequence[Neighbour]], linked: Sequence[Sequence[str]], vocabulary: Vocabulary
) -> dict[str, tuple[float, str]]:
    """Return the share of the votes of like and linked notes for each tag, and the reason.

    Of the like notes, those come first that have tags of the vocabulary, and then those that have none.
    """
    weights: defaultdict[str, float] = defaultdict(float)
    likes, links = Counter[str](), Counter[str]()
    top = alike[0][0].similarity if alike[0] else 0.0
    near, silent = ([one for one in every if one.similarity > top * ALIKE] for every in alike)
    whole = DOUBT + SILENT * sum(min(1.0, one.similarity / top) ** 2 for one in silent if top)
    for one in near:
        weight = (one.similarity / top) ** 2
        whole += weight
        for key in {*map(vocabulary.own, one.chunk.tags)} - {""}:
            weights[key] += weight
            likes[key] += 1
    for tags in linked:
        if keys := {*map(vocabulary.own, tags)} - {""}:
            whole += LINKED
            for key in keys:
                weights[key] += LINKED
                links[key] += 1
    return {
        key: (weight / whole, _reason(likes[key], len(near) + len(silent), links[key]))
        for key, weight in weights.items()
    }


def _reason(like: int, of: int, linked: int) -> str:
    said = [f"{like} of {of} similar notes {'has' if like == 1 else 'have'} it"] if like else []
    by_links = [f"{linked} linked {'note has' if linked == 1 else 'notes have'} it"] if linked else []
    return "; ".join((*said, *by_links))


def linked_tags(path: str, snapshot: Snapshot, without: Sequence[str] = ()) -> list[Sequence[str]]:
    """Return the tags of the notes that a note links to, and of those that link to it."""
    edges, ids = snapshot.edges().to_notes, snapshot.ids()
    own = ids[path]
    ends = {*edges.targets[edges.sources == own].tolist(), *edges.into(own)} - {own}
    by_id = {note: other for other, note in ids.items() if note in ends and other not in without}
    first = [number for other in by_id.values() for number in snapshot.chunks_of(other)[:1]]
    return [chunk.tags for chunk in snapshot.chunks(first).values() if chunk.tags]


def by_definition(
    text: str, subject: Subject, snapshot: Snapshot, vocabulary: Vocabulary
) -> dict[str, tuple[float, str]]:
    """Return how much a text is about what each tag means, from 0 to 1, and the words that say so."""
    held = {*telling_terms(text)}
    found = {}
    for key in {key for word in held for key in vocabulary.by_word.get(word, ())}:
        words = vocabulary.words[key]
        meaning = vocabulary.meanings.get(key)
        near = None if meaning is None or subject.vector is None else float(meaning @ subject.vector)
        sure, _ = judge(text, near, snapshot.counts(words).rarities(words))
        if sure > DEFINED:
            shared = [word for word in WORD.findall(definition(vocabulary.terms[key])) if held & {*split_terms(word)}]
            said = ", ".join(dict.fromkeys(shared[:3]))
            found[key] = (sure - DEFINED) / (1 - DEFINED), f"its meaning has words of the note: {said}"
    return found


def _beginning(path: str, snapshot: Snapshot) -> str:
    chunks = snapshot.chunks(snapshot.chunks_of(path)[:3]).values()
    return "\n\n".join(chunk.text for chunk in chunks)
