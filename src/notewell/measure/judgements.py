"""Judgements without labels: a note's titles, headings and links ask for it, once removed from its text."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from notewell.frozen import frozen
from notewell.graph.link_report import NoteLink
from notewell.index.properties import NOT_TEXT
from notewell.names.paths import last_name
from notewell.terms import split_terms
from notewell.types.note import Heading, Note

KINDS = ("title", "alias", "property", "heading", "question", "link")
# Words that a query has at least and at most: fewer say too little, more are a text.
FEWEST, MOST = 2, 25
# Characters that a note has left at least, so that it can be found.
LEAST = 200
# Properties that name a note, with their lines.
NAMES = r"title|short-?title|slug|permalink|alias(?:es)?|linkTitle"
H1 = re.compile(r"^# +\S.*$", re.MULTILINE)
QUESTION = re.compile(r"^(?:[-*+] +|> *)?([^\W\d_][^\n?|#<>\[\]]{10,120}\?)[ \t]*$", re.MULTILINE)


@frozen
class Judgement:
    """A query, and what it should find: a note, or some of its lines."""

    kind: str
    """What it is made of: a title, an alias, a property, a heading, a question or the text of a link."""
    text: str
    """The query."""
    path: str
    """The note."""
    lines: tuple[int, int] | None = None
    """The first and the last line, for a section."""


class Hidden(NamedTuple):
    """A judgement, the note without its text, and the path where the note `was`: its name may have the title, too."""

    judgement: Judgement
    note: Note
    was: str


# Returns the links of the note at a path, with where they lead.
LinksOf = Callable[[str], Iterable[NoteLink]]


def hide_some(notes: Iterable[Note], links_of: LinksOf, often: Counter[str], most: int) -> list[Hidden]:
    """Return judgements of these notes, each note in at most one, and of each kind about as many.

    `often` counts the titles of the vault: one that several notes have asks for none of them.
    """
    found: list[Hidden] = []
    taken: set[str] = set()
    counts: Counter[str] = Counter()
    asked: set[str] = set()
    for note in notes:
        if len(found) >= most:
            break
        offers = [one for one in _offers(note, links_of, often) if _is_fit(one, taken, asked)]
        if not offers or note.path in taken:
            continue
        chosen = min(offers, key=lambda one: (counts[one.judgement.kind], KINDS.index(one.judgement.kind)))
        found.append(chosen)
        taken |= {note.path, chosen.judgement.path, chosen.note.path}
        counts[chosen.judgement.kind] += 1
        asked.add(chosen.judgement.text.casefold())
    return found


def _is_fit(one: Hidden, taken: set[str], asked: set[str]) -> bool:
    """Tell whether the text is a query of its own, and its note has enough text left, but not that one."""
    text, rest = one.judgement.text.casefold(), one.note.text[one.note.body :]
    return (
        FEWEST <= len(set(split_terms(text))) <= MOST
        and text not in asked
        and one.judgement.path not in taken
        and len(rest) >= LEAST
        and text not in one.note.text.casefold()
    )


def _offers(note: Note, links_of: LinksOf, often: Counter[str]) -> Iterator[Hidden]:
    title = note.title
    if title and often[title.casefold()] <= 1:
        yield Hidden(Judgement("title", title, path := nameless(note.path)), _without_title(note, path), note.path)
    known = set(split_terms(f"{title} {last_name(note.path)}"))
    for alias in note.aliases[:1]:
        if not known.issuperset(split_terms(alias)):
            yield Hidden(Judgement("alias", alias, note.path), _without_property(note, "alias(?:es)?"), note.path)
    for key, value in note.fields.items():
        if isinstance(value, str) and not NOT_TEXT.fullmatch(key) and len(split_terms(value)) >= 2 * FEWEST:
            yield Hidden(Judgement("property", value, note.path), _without_property(note, re.escape(key)), note.path)
            break
    yield from _of_sections(note, known)
    yield from _of_links(note, links_of)


def _of_sections(note: Note, known: set[str]) -> Iterator[Hidden]:
    """Yield a heading and a question of a note; a heading of common words alone says nothing."""
    names = [heading.name for heading in note.outline.headings]
    for kind, wanted in (("question", True), ("heading", False)):
        for place, heading in enumerate(note.outline.headings):
            is_one = heading.level > 1 and heading.name.endswith("?") is wanted and names.count(heading.name) == 1
            if is_one and len(set(split_terms(heading.name)) - known) > FEWEST:
                lines = _section_lines(note, place)
                judged = Judgement(kind, heading.name, note.path, lines)
                yield Hidden(judged, _blanked(note, heading.start, heading.body), note.path)
                break
    if asked := QUESTION.search(note.text, note.body):
        yield Hidden(Judgement("question", asked[1], note.path), _blanked(note, *asked.span()), note.path)


def _section_lines(note: Note, place: int) -> tuple[int, int]:
    heading = note.outline.headings[place]
    following: Iterable[Heading] = note.outline.headings[place + 1 :]
    end = next((other.start for other in following if other.level <= heading.level), len(note.text))
    return note.line_at(heading.body), max(note.line_at(heading.body), note.line_at(max(end - 1, 0)))


def _of_links(note: Note, links_of: LinksOf) -> Iterator[Hidden]:
    """Yield what this note calls another one; its own text loses these words."""
    if not any(len(split_terms(link.text)) >= FEWEST for link in note.links):
        return
    for link in links_of(note.path):
        text, path = link.text, link.to
        if not text or not path or path == note.path or set(split_terms(text)) <= set(split_terms(last_name(path))):
            continue
        at = note.text.find(text, note.line_starts[link.line - 1])
        if at >= 0 and note.line_at(at) == link.line:
            yield Hidden(Judgement("link", text, path), _blanked(note, at, at + len(text)), note.path)
            return


def nameless(path: str) -> str:
    """Return a path in the same folder whose name says nothing.

    >>> nameless("Garden/Bees.md")
    'Garden/e54e5d65.md'
    """
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{hashlib.blake2b(name.encode(), digest_size=4).hexdigest()}.md"


def _without_title(note: Note, path: str) -> Note:
    bare = _without_property(note, NAMES)
    heading = H1.search(bare.text, bare.body)
    bare = _blanked(bare, *heading.span()) if heading else bare
    return replace(bare, path=path)


def _without_property(note: Note, keys: str) -> Note:
    """Return a note without these keys of its front matter; its lines keep their numbers."""
    block = re.compile(rf"^(?:{keys})[ \t]*:.*\n(?:(?:[ \t]+|- ).*\n)*", re.MULTILINE | re.IGNORECASE)
    front = block.sub(lambda match: "\n" * match[0].count("\n"), note.text[: note.body])
    return _with_text(note, front + note.text[note.body :], len(front))


def _blanked(note: Note, start: int, end: int) -> Note:
    """Return a note without a part of its text, whose line breaks stay."""
    gap = "\n" * note.text.count("\n", start, end)
    return _with_text(note, note.text[:start] + gap + note.text[end:], note.body)


def _with_text(note: Note, text: str, body: int) -> Note:
    """Return a note as it is before it is parsed, with another text."""
    return Note(note.path, text, note.stamp, body=body, parts=note.parts)


def in_halves(judgements: Sequence[Judgement]) -> tuple[list[Judgement], list[Judgement]]:
    """Return every second judgement of each kind, to learn from, and the others, to check with; no note is in both.

    >>> one, two, three = (Judgement("title", text, f"{text}.md") for text in "abc")
    >>> in_halves([one, two, three]) == ([one, three], [two])
    True
    """
    seen: Counter[str] = Counter()
    halves: tuple[list[Judgement], list[Judgement]] = ([], [])
    for one in judgements:
        halves[seen[one.kind] % 2].append(one)
        seen[one.kind] += 1
    return halves
