"""From a place as written to the note, and the chunks, that it names: by path, file name, title or alias."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from notewell.errors import NoteError
from notewell.names.anchors import suggest_headings
from notewell.names.paths import without_suffix
from notewell.names.place import Lines, bare_place, before_lines, lines_of, part_name, split_part
from notewell.names.suggest import CLOSE, SHOWN, did_you_mean, suggest
from notewell.store import Snapshot
from notewell.terms import fold, plain_heading
from notewell.types.note import Chunk

HEADING = re.compile(r"^\s*(?:#{1,6}|\*+|=+)[ \t](.+)$", re.MULTILINE)
WORDS = re.compile(r"[^\W_]+")
# Single words need to be more alike than names, since a vault has many more of them.
WORDS_ALIKE = 0.8
# Comparing takes long, and no name has more words.
MOST_WORDS = 12
# At most this many places of one query are looked up; more were pasted.
MOST_PLACES = 20


class FoundPlace(NamedTuple):
    """A place by the path of its note, the chunks it covers, and whether its lines are `past_end` of indexed text."""

    place: str
    chunks: tuple[int, ...]
    past_end: bool = False


def find_named(written: str, snapshot: Snapshot) -> str:
    """Return a place by the path of its note; whether the note has such lines or such a part is not checked."""
    if located := _locate(bare_place(written), snapshot):
        return "".join(located)
    raise _unknown(bare_place(written), _titles(snapshot))


def find_chunks(written: str, snapshot: Snapshot) -> FoundPlace:
    """Return the chunks of a place; a line stands for the chunk it is in, or else the last one before it."""
    if found := _find(written, snapshot):
        return found
    raise _unknown(bare_place(written), _titles(snapshot))


def find_exactly(written: str, snapshot: Snapshot) -> str:
    """Return the path of the only note with this path, file name or title, letter for letter, lines ignored."""
    titles = _titles(snapshot)
    for wanted in (written, before_lines(written)):
        if snapshot.chunks_of(wanted):
            return wanted
        # Names and titles together: a name must not mean another note once the one it meant is gone.
        if path := _only([path for path, title in titles if wanted in (title, *_file_names(path))], written):
            return path
    raise _unknown(written, titles)


def chunks_in(snapshot: Snapshot) -> Callable[[str], tuple[int, ...]]:
    """Return a function from a place to its chunks: none if it is unknown, or comes after `MOST_PLACES` others."""
    known: dict[str, tuple[int, ...]] = {}

    def chunks_at(place: str) -> tuple[int, ...]:
        if place not in known and len(known) < MOST_PLACES:
            known[place] = ()
            with suppress(NoteError):
                found = _find(place, snapshot)
                known[place] = found.chunks if found else ()
        return known.get(place, ())

    return chunks_at


def find_file(written: str, files: Iterable[str]) -> str:
    """Return the file with this path, or the only one with this name; nothing if there is none.

    >>> find_file("Queen.png", ["img/queen.png", "img/hive.png"])
    'img/queen.png'
    """
    wanted = fold(written.removeprefix("./"))
    folded = {file: fold(file) for file in files}
    paths = [file for file, path in folded.items() if path == wanted]
    return _only(paths or [file for file, path in folded.items() if path.rpartition("/")[2] == wanted], written)


def suggest_folders(wanted: str, paths: Iterable[str]) -> list[str]:
    """Return the folders of these notes whose path, or else last name, is like an unknown one."""
    known = _folders(paths)
    if close := suggest(wanted, known.values(), least=CLOSE):
        return close
    by_name: dict[str, list[str]] = {}
    for folder in known.values():
        by_name.setdefault(folder.rpartition("/")[2], []).append(folder)
    close = suggest(wanted.rpartition("/")[2], by_name, least=CLOSE)
    return [folder for name in close for folder in by_name[name]][:SHOWN]


def _find(written: str, snapshot: Snapshot) -> FoundPlace | None:
    """Return the chunks of a place; None if no note is called that."""
    located = _locate(bare_place(written), snapshot)
    if located is None:
        return None
    path, rest = located
    ids = snapshot.chunks_of(path)
    if not ids:
        raise NoteError(f"{path} has no indexed text", "Name another note")
    if not rest:
        return FoundPlace(path, tuple(ids))
    chunks = snapshot.chunks(ids)
    if rest.startswith("#"):
        return FoundPlace(path + rest, tuple(_of_part(chunks, path, rest[1:])))
    lines = lines_of(path + rest)
    assert lines, "a note is followed by lines or a part"
    end = max(chunk.end_line for chunk in chunks.values())
    return FoundPlace(path + rest, tuple(_at_lines(chunks, lines)), past_end=lines.first > end)


def _locate(written: str, snapshot: Snapshot) -> tuple[str, str] | None:
    """Return the path of a place's note and what follows it; None if no note is called that."""
    names = [name for name in (written, before_lines(written), *(name for name, _ in split_part(written))) if name]
    # A path comes first. Most places are one with a line, and need not be compared with every name.
    path = next((name for name in names if snapshot.chunks_of(name)), "")
    if path:
        return path, written[len(path) :]
    return next(((path, written[len(name) :]) for name in names if (path := _path(name, snapshot))), None)


def _path(written: str, snapshot: Snapshot) -> str:
    """Return the path of the note that is called this, or nothing; several are an error."""
    wanted = fold(written.removeprefix("./"))
    names = sorted((name.path, fold(name.path), fold(name.title), name.aliases) for name in snapshot.names())
    aliases = {path: [*map(fold, others)] for path, _, _, others in names if others}
    for called in (
        [path for path, folded, _, _ in names if wanted in (folded, without_suffix(folded))],
        [path for path, folded, _, _ in names if wanted in _file_names(folded)],
        [path for path, _, title, _ in names if wanted == title],
        [path for path, others in aliases.items() if wanted in others],
    ):
        if called:
            return _only(called, written)
    slug = _slug(wanted.removesuffix(".md"))
    slugs = {path: (_file_names(folded)[1], title, *aliases.get(path, ())) for path, folded, title, _ in names if slug}
    return _only([path for path, others in slugs.items() if slug in map(_slug, others)], written)


def _only(called: Sequence[str], written: str) -> str:
    """Return the one path, or nothing; several are an error."""
    if len(called) > 1:
        some = ", ".join(called[:SHOWN]) + ", …" * (len(called) > SHOWN)
        raise NoteError(f"{len(called)} notes are called '{written}'", f"Name one of them by its path: {some}")
    return "".join(called)


def _titles(snapshot: Snapshot) -> list[tuple[str, str]]:
    return sorted((name.path, name.title) for name in snapshot.names())


def _file_names(path: str) -> tuple[str, str]:
    name = path.rpartition("/")[2]
    return name, without_suffix(name)


def _slug(name: str) -> str:
    """Return a folded name as addresses and branches write it.

    >>> _slug("deploy runbook (2024)")
    'deploy-runbook-2024'
    """
    return "-".join(WORDS.findall(name))


def _at_lines(chunks: Mapping[int, Chunk], lines: Lines) -> list[int]:
    """Return the chunks that lines are in; without any, the last before them, or the first of all."""
    end = lines.last or max(lines.first, *(chunk.end_line for chunk in chunks.values()))
    inside = [number for number, chunk in chunks.items() if chunk.line <= end and lines.first <= chunk.end_line]
    in_order = sorted(chunks, key=lambda number: chunks[number].line)
    before = [number for number in in_order if chunks[number].line <= lines.first]
    return inside or before[-1:] or in_order[:1]


def _of_part(chunks: Mapping[int, Chunk], path: str, name: str) -> list[int]:
    """Return the chunks of a page, slide or other part, those below a heading, or the one of a block."""
    part, heading = part_name(name), plain_heading(name.rpartition("#")[2])
    block = (
        re.compile(rf"\^{re.escape(name[1:].strip())}\s*$", re.IGNORECASE | re.MULTILINE) if name[:1] == "^" else None
    )
    headings: dict[str, None] = {}
    found = []
    for number, chunk in chunks.items():
        own = (*chunk.headings, *HEADING.findall(chunk.text))
        headings |= dict.fromkeys(own)
        is_below = block.search(chunk.text) if block else heading in map(plain_heading, own)
        if part in {each.name for each in chunk.parts} or is_below:
            found.append(number)
    if found:
        return found
    hint = did_you_mean(suggest_headings(name, headings), "Name a note, or a part of one, that has")
    raise NoteError(f"{path}#{name} has no indexed text", hint)


def _unknown(written: str, titles: Sequence[tuple[str, str]]) -> NoteError:
    wanted = fold(before_lines(written) or written.partition("#")[0])
    if folder := _folders(path for path, _ in titles).get(wanted.removeprefix("./").rstrip("/")):
        return NoteError(f"{folder} is a folder", f"`notewell search --under '{folder}'` lists its newest notes")
    near = _suggest_notes(without_suffix(wanted.rpartition("/")[2]), titles)
    hint = did_you_mean(near, "Use a path as `notewell search` prints it")
    return NoteError(f"No indexed note is called '{written[:200]}'", hint)


def _folders(paths: Iterable[str]) -> dict[str, str]:
    """Return the folders above these paths, by their folded paths."""
    above = {folder for path in {path.rpartition("/")[0] for path in paths} for folder in _upward(path)}
    return {fold(folder): folder for folder in sorted(above)}


def _upward(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _suggest_notes(wanted: str, titles: Sequence[tuple[str, str]]) -> list[str]:
    """Return the paths of notes with a name like an unknown one, or with all its words in a longer name."""
    known = {name: path for path, title in titles for name in (fold(title), _file_names(fold(path))[1])}
    near = (*suggest(wanted, known, least=CLOSE), *_with_words_of(wanted, known))
    return list(dict.fromkeys(known[name] for name in near))[:SHOWN]


def _with_words_of(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the names that have every word of an unknown one, or a word like it; those with the fewest words first."""
    words_of = {name: frozenset(WORDS.findall(name)) for name in names}
    vocabulary = frozenset[str]().union(*words_of.values())
    words: set[str] = set()
    for word in WORDS.findall(wanted)[:MOST_WORDS]:
        meant = [word] if word in vocabulary else suggest(word, sorted(vocabulary), limit=1, least=WORDS_ALIKE)
        if not meant:
            return []
        words.update(meant)
    having = [name for name, own in words_of.items() if words and words <= own]
    return sorted(having, key=lambda name: (len(words_of[name]), name))
