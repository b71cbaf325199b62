"""The names that one note gives: as its title, in properties, tags and links, and in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from notewell.embed.english import is_english
from notewell.entities.kinds import is_name, key_of, kind_of_note, names_of, words_of
from notewell.entities.text import names_in
from notewell.files.formats import FLOWING, TEXT, WRAPPED, format_of
from notewell.store import NoteFacts
from notewell.types.note import Chunk, Link, as_list
from notewell.types.results import Kind

# How many lines of a note are kept for each name.
MOST_LINES = 5
# The language of this many chunks is that of the note.
SAMPLED = 5
# A link in a property.
LINK = re.compile(r"!?\[\[([^\[\]|#]*)(?:#[^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
SUFFIX = re.compile(r"\.[A-Za-z]\w{0,5}$")
TYPE_KEYS = ("type", "types", "category", "categories", "kategorie", "kategorien", "class", "kind", "typ")
# Text that people wrote; source code, tables and data have capitals for other reasons.
PROSE = (WRAPPED, FLOWING)


class Candidate(NamedTuple):
    """A name that a note gives: how (`title`, `alias`, `property`, `tag`, `link`, `text`, `model`), and where.

    `shown` is the text of a link, if it is another. `weak` names count only if there is other evidence.
    """

    name: str
    by: str
    lines: tuple[int, ...] = (1,)
    kind: Kind | str = ""
    shown: str = ""
    weak: bool = False


class NoteText(NamedTuple):
    """A note as the store has it, with secrets redacted."""

    path: str
    chunks: Sequence[Chunk]
    facts: NoteFacts
    links: Sequence[Link] = ()

    @property
    def is_prose(self) -> bool:
        """Tell whether people wrote it as text."""
        return (format_of(self.path) or TEXT).text in PROSE


def candidates_of(note: NoteText, more: Iterable[Candidate] = ()) -> list[Candidate]:
    """Return the names that a note gives, each once for each way; nothing for a template.

    `more` are those that a model finds in its text.
    """
    if not note.chunks or any(key_of(folder) in names_of("skipped", "folders") for folder in note.path.split("/")[:-1]):
        return []
    found: dict[tuple[str, str, str, str], Candidate] = {}
    for one in (*_of_note(note), *_of_properties(note), *_of_links(note.links), *_of_text(note), *more):
        key = (one.name, one.by, one.kind, one.shown)
        before = found.get(key)
        lines = tuple(dict.fromkeys((*(before.lines if before else ()), *one.lines)))[:MOST_LINES]
        found[key] = one._replace(lines=lines, weak=one.weak and (before is None or before.weak))
    return list(found.values())


def _of_note(note: NoteText) -> Iterator[Candidate]:
    """Yield the note's own names, and its tags."""
    first = note.chunks[0]
    types = [text for key, value in note.facts.fields.items() if key_of(key) in TYPE_KEYS for text in _texts(value)]
    folders = note.path.split("/")[:-1]
    kind = kind_of_note((*types, *(part for tag in first.tags for part in tag.split("/"))), folders)
    for name, by in ((first.title, "title"), (first.name, "title"), *((alias, "alias") for alias in first.aliases)):
        if is_name(name) and key_of(name) not in words_of("types"):
            yield Candidate(name, by, (first.line,), kind)
    for tag in first.tags:
        *above, name = tag.split("/")
        name = re.sub(r"[-_]+", " ", name)
        if is_name(name) and key_of(name) not in words_of("types"):
            yield Candidate(name, "tag", (first.line,), kind_of_note(above, ()) or "concept")


def _of_properties(note: NoteText) -> Iterator[Candidate]:
    kinds, lines = words_of("properties"), {link.target: link.line for link in reversed(note.links)}
    for key, value in note.facts.fields.items():
        kind = kinds.get(key_of(key))
        for text in as_list(value)[:20] if kind else ():
            link = LINK.fullmatch(text)
            name = _last_part(link[1]) if link else text
            if kind and is_name(name) and name[:1] != "[":
                yield Candidate(name, "property", (lines.get(link[1], 1) if link else 1,), kind)


def _of_links(links: Sequence[Link]) -> Iterator[Candidate]:
    for link in links:
        name = _last_part(link.target)
        if is_name(name) and not link.embed and key_of(name) not in words_of("types"):
            shown = link.text if link.text != name and is_name(link.text) and link.text[:1].isupper() else ""
            # Wiki links are written by people who think of a name, other links of a file.
            yield Candidate(name, "link", (link.line,), shown=shown, weak=link.kind != "wiki")


def _of_text(note: NoteText) -> Iterator[Candidate]:
    if not note.is_prose:
        return
    english = is_english("\n".join(chunk.text for chunk in note.chunks[:SAMPLED]))
    for chunk in note.chunks:
        for named in names_in(chunk.text, chunk.line, english=english):
            yield Candidate(named.name, "text", (named.line,), named.kind, weak=named.weak)


def _last_part(target: str) -> str:
    """Return the name in the target of a link; nothing for a file that is no note.

    >>> _last_part("People/Steph Ango.md"), _last_part("Books.base"), _last_part("J. R. R. Tolkien")
    ('Steph Ango', '', 'J. R. R. Tolkien')
    """
    name = target.strip().rstrip("/").rpartition("/")[2]
    suffix = SUFFIX.search(name)
    if suffix and suffix[0].lower() in (".md", ".markdown"):
        return name[: suffix.start()]
    return "" if (suffix and format_of(name)) or name.endswith((".base", ".canvas", ".svg", ".png", ".jpg")) else name


def _texts(value: Any) -> list[str]:
    """Return the values of a property, links as their names."""
    return [_last_part(link[1]) if (link := LINK.fullmatch(text)) else text for text in as_list(value)]


def packed(found: Sequence[Candidate]) -> list[list[Any]]:
    """Return candidates as plain lists."""
    return [[one.name, one.by, list(one.lines), one.kind, one.shown, int(one.weak)] for one in found]


def unpacked(rows: Sequence[Sequence[Any]]) -> Iterator[Candidate]:
    """Yield candidates from plain lists.

    >>> list(unpacked(packed([Candidate("Kyoto", "text", (3,), "place")])))[0].lines
    (3,)
    """
    for name, by, lines, kind, shown, weak in rows:
        yield Candidate(name, by, tuple(lines), kind, shown, bool(weak))
