"""Names become entities: which of them count, which are spellings of one thing and why, and of what kind it is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from notewell.entities.candidates import Candidate
from notewell.entities.kinds import first_names, key_of, words_of
from notewell.entities.text import is_ordinary
from notewell.types.results import Kind

# How much each way of naming says about the kind; a note's own type decides before all others.
WEIGHTS = {"title": 100, "alias": 100, "property": 4, "tag": 1, "link": 0, "text": 2, "model": 2}
# More of the same evidence says no more about the kind.
ENOUGH = 5
# Notes that must have a name that nothing but its capitals tells: of several words, and of one.
OF_WORDS, OF_ONE = 2, 3
# The model has to see one kind of a name in more than this share of its notes, of several words and of one.
SURE, SURE_OF_ONE = 0.3, 0.5
# A short name in this many times as many notes as the full one is another's, too.
MORE = 3
# A longer run of words is not searched for names inside it.
LONGEST_RUN = 6
# A surname is not shorter, for one alone to stand for its person.
SHORTEST_SURNAME = 4


class Spelling(NamedTuple):
    """A spelling of an entity: its key, how it is mostly written, and why it belongs to the entity, by which note."""

    key: str
    name: str
    why: str = ""
    path: str = ""


class Mention(NamedTuple):
    """A place where an entity is named."""

    note: str
    line: int
    key: str
    by: str


@dataclass
class Entity:
    """What some spellings name, and where; the first spelling is its name."""

    name: str
    kind: Kind
    spellings: list[Spelling]
    mentions: list[Mention]


@dataclass
class _Evidence:
    """What notes say of one key."""

    spellings: Counter[str] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    notes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    weak: bool = True

    def add(self, note: str, one: Candidate) -> None:
        self.spellings[one.name] += len(one.lines)
        if one.kind:
            self.kinds[one.by, one.kind] += 1
        if not one.weak:
            self.weak = False
            self.notes[one.by].add(note)

    def by(self, *ways: str) -> set[str]:
        return set().union(*(self.notes.get(way, ()) for way in ways))


@lru_cache(maxsize=200_000)
def _key(name: str) -> str:
    return key_of(name)


class Merge:
    """The names of all notes, and what becomes of them."""

    def __init__(self, notes: Iterable[tuple[str, Iterable[Candidate]]]) -> None:
        """Take each note's path and candidates."""
        self._known: dict[str, _Evidence] = defaultdict(_Evidence)
        self._found: dict[str, list[Candidate]] = {}
        self._titles: dict[str, dict[str, str]] = defaultdict(dict)
        self._aliases: dict[str, set[str]] = defaultdict(set)
        self._shown: dict[tuple[str, str], str] = {}
        self._into: dict[str, tuple[str, str, str]] = {}
        for path, found in notes:
            self._found[path] = list(found)
            for one in self._found[path]:
                self._known[_key(one.name)].add(path, one)
                self._note_names(path, one)

    def _note_names(self, path: str, one: Candidate) -> None:
        if one.by == "title":
            self._titles[_key(one.name)][path] = one.name
        elif one.by == "alias":
            self._aliases[_key(one.name)].add(path)
        if one.shown:
            self._shown.setdefault((_key(one.shown), _key(one.name)), path)

    def entities(self) -> list[Entity]:
        """Return the entities, those that most notes name first."""
        self._join_notes()
        self._join_links()
        accepted = {self._root(key) for key, known in self._known.items() if self._counts(key, known)}
        self._join_short(accepted)
        groups: dict[str, list[str]] = defaultdict(list)
        for key in self._known:
            if (root := self._root(key)) in accepted:
                groups[root].append(key)
        mentions = self._mentions(accepted)
        made = [self._entity(root, keys, mentions[root]) for root, keys in groups.items() if mentions[root]]
        made.sort(key=lambda one: (-len({mention.note for mention in one.mentions}), one.name))
        return made

    def _root(self, key: str) -> str:
        while key in self._into:
            key = self._into[key][0]
        return key

    def _join(self, key: str, to: str, why: str, path: str = "") -> None:
        if key and key in self._known and self._root(key) == key and (to := self._root(to)) != key:
            self._into[key] = to, why, path

    def _join_notes(self) -> None:
        """Join the names of a note: its title with the name of its file, and aliases that no other note has."""
        of_note: dict[str, list[str]] = defaultdict(list)
        for key, paths in self._titles.items():
            for path in paths if len(paths) == 1 else ():
                of_note[path].append(key)
        for path, keys in of_note.items():
            for key in keys[1:] if {*keys[0].split()} & {*keys[-1].split()} else ():
                self._join(key, keys[0], "the name of a file", path)
        for key, noted in self._aliases.items():
            path = next(iter(noted))
            if len(noted) == 1 and len(key) > 2 and key not in self._titles and path in of_note:
                self._join(key, of_note[path][0], "an alias", path)

    def _join_links(self) -> None:
        """Join the text of a link with its target, if one is short for the other."""
        targets = Counter(shown for shown, _ in self._shown)
        for (shown, name), path in self._shown.items():
            known = shown in self._titles or shown in self._aliases or targets[shown] > 1
            if shown != name and not known and is_short(shown, name, is_person=self._kind([name]) == "person"):
                self._known[shown].add(path, Candidate(shown, "link"))
                self._join(shown, name, "the text of a link", path)
        for key in [*self._known]:
            rest, _, last = key.rpartition(" ")
            if rest in self._known and last in words_of("forms") and not self._written(key).islower():
                self._join(key, rest, f"the same without {last.upper() if len(last) < 3 else last.capitalize()}")
            elif key[-1] == "s" and key[:-1] in self._known and len(key) > 2 and self._written(key)[:-1].isupper():
                self._join(key, key[:-1], "its plural")

    def _counts(self, key: str, known: _Evidence) -> bool:
        """Tell whether the evidence for a name is enough."""
        if known.weak and key not in self._titles:
            return False
        mentioned = known.by("link", "text", "property", "model") - self._titles.get(key, {}).keys()
        if known.by("property", "alias") or known.by("link"):
            return True
        if key in self._titles:
            typed = any(by == "title" for by, _ in known.kinds)
            return typed or bool(mentioned) or (self._linked(known) and " " in key)
        if len(known.by("tag")) >= OF_WORDS:
            return True
        words, notes = key.count(" ") + 1, len(known.by("text", "model"))
        told = {kind for by, kind in known.kinds if by in ("text", "model")}
        if told and (words > 1 or told != {"person"}):
            return True
        return notes >= (OF_WORDS if words > 1 or told else OF_ONE)

    def _linked(self, known: _Evidence) -> bool:
        """Tell whether links that are not wiki links lead to a title."""
        return known.weak is False or sum(known.spellings.values()) > len(known.spellings)

    def _join_short(self, accepted: set[str]) -> None:
        """Join a surname, a first name or initials alone with the only person that they can stand for."""
        people = [root for root in accepted if " " in root and self._kind([root]) == "person"]
        by_short: dict[str, set[str]] = defaultdict(set)
        for root in people:
            first, *_, last = words = root.split(" ")
            if len(last) >= SHORTEST_SURNAME and not is_ordinary(last):
                by_short[last].add(root)
            by_short[first].add(root)
            by_short[" ".join((*(word[0] for word in words[:-1]), last))].add(root)
        for short, roots in by_short.items():
            known = self._known.get(short)
            if known is None or len(roots) > 1 or short in self._titles or known.by("property", "tag"):
                continue
            (root,) = roots
            if len(known.by("text", "model")) > MORE * len(
                self._known[root].by("text", "model", "link", "property", "title")
            ):
                continue
            is_first_name = short in first_names() or short != root.split(" ")[0]
            if short != root and is_first_name and self._kind([short]) in ("person", "concept"):
                accepted.discard(short)
                self._join(short, root, "the only person here with this name")

    def _mentions(self, accepted: set[str]) -> dict[str, list[Mention]]:
        """Return where each accepted name is, also inside longer runs of capitalised words."""
        found: dict[str, dict[tuple[str, int], Mention]] = defaultdict(dict)
        for path, candidates in self._found.items():
            for one in candidates:
                key = _key(one.name)
                if one.weak and one.by == "text" and not self._may_begin(key):
                    continue
                keys = (
                    [key] if self._root(key) in accepted else [*self._inside(key, accepted)] if one.by == "text" else []
                )
                for each in keys:
                    places = found[self._root(each)]
                    for line in one.lines:
                        places.setdefault((path, line), Mention(path, line, each, one.by))
        return defaultdict(list, {root: sorted(places.values()) for root, places in found.items()})

    def _may_begin(self, key: str) -> bool:
        """Tell whether a word at the beginning of a sentence is this name: others write it elsewhere, too."""
        known = self._known[key]
        told = any(by in ("text", "model") for by, _ in known.kinds)
        return " " in key or told or len(known.by("text", "model")) >= OF_ONE

    def _inside(self, key: str, accepted: set[str]) -> Iterator[str]:
        """Yield the longest names inside a run of words that is none itself."""
        words, at = key.split(" "), 0
        while at < len(words) <= LONGEST_RUN:
            ends = range(len(words), at, -1)
            end = next((end for end in ends if self._is_strong(" ".join(words[at:end]), accepted)), 0)
            if end:
                yield " ".join(words[at:end])
            at = end or at + 1

    def _is_strong(self, key: str, accepted: set[str]) -> bool:
        known = self._known.get(key)
        if known is None or self._root(key) not in accepted:
            return False
        return " " in key or bool(known.by("link", "property", "text", "model"))

    def _kind(self, keys: Iterable[str]) -> Kind:
        votes: Counter[Kind] = Counter()
        for key in keys:
            known, sure = self._known[key], SURE if " " in key else SURE_OF_ONE
            for (by, kind), times in known.kinds.items():
                if by == "model" and times <= sure * len(known.by("text", "model")):
                    continue
                votes[kind] += WEIGHTS[by] * min(times, ENOUGH)  # type: ignore[index]
        best: list[tuple[Kind, int]] = votes.most_common(1)
        return best[0][0] if best else "concept"

    def _entity(self, root: str, keys: list[str], mentions: list[Mention]) -> Entity:
        keys.sort(key=lambda key: (key != root, key))
        spellings = [Spelling(key, self._written(key), *self._into.get(key, ("", "", ""))[1:]) for key in keys]
        return Entity(spellings[0].name, self._kind(keys), spellings, mentions)

    def _written(self, key: str) -> str:
        """Return how a key is mostly written."""
        spellings, titles = self._known[key].spellings, self._titles.get(key)
        return min(titles.values()) if titles else max(sorted(spellings), key=lambda name: spellings[name])


def is_short(shown: str, name: str, *, is_person: bool = False) -> bool:
    """Tell whether a key is short for another: the first letters of its words, or one of the names of a person.

    >>> is_short("tolkien", "j r r tolkien", is_person=True), is_short("ibm", "international business machines")
    (True, True)
    >>> is_short("obsidian", "about obsidian")
    False
    """
    words, letters = name.split(), "".join(word[0] for word in name.split())
    return (is_person and {*shown.split()} < {*words}) or (len(shown) > 1 and shown == letters)
