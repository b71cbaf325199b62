"""Which stored chunks a place stands for: a note by path, name, title or alias, some lines, a part, a heading."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches

from notewell.errors import NoteError
from notewell.store import Snapshot
from notewell.terms import fold, plain_heading
from notewell.types.note import Chunk, part_name, parts_written

LINES = re.compile(r"(.+):(\d{1,9})(?:-(\d{0,9}))?", re.DOTALL)
# As Obsidian writes it: `[[Bees#Honey|sweet]]`.
LINK = re.compile(r"!?\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]")
HEADING = re.compile(r"^\s*(?:#{1,6}|\*+|=+)[ \t](.+)$", re.MULTILINE)
WORDS = re.compile(r"[^\W_]+")
# As many as one reads.
SHOWN = 3
# How much of two names is the same if one may be meant by the other: all but one of four letters; of words, a little
# more, as there are many of them. Of 13,000 notes, 19 of 20 slips find theirs; at 0.6, any word was like one.
ALIKE = 0.75
WORD_ALIKE = 0.8
# To compare takes long, and no name is longer.
MOST_WORDS = 12

# So many places of one query are looked up; more are pasted.
READ = 20


@dataclass(frozen=True, slots=True)
class Found:
    """The chunks of a place, and the place as the store names it; whether it is `behind` all that is indexed."""

    place: str
    chunks: tuple[int, ...]
    behind: bool = False


def bare_place(written: str) -> str:
    """Return a place without the brackets of a link.

    >>> bare_place("[[Bees#Honey|sweet]]"), bare_place("Bees:12")
    ('Bees#Honey', 'Bees:12')
    """
    link = LINK.fullmatch(written.strip())
    return link[1].strip() if link else written


def find_named(written: str, store: Snapshot) -> str:
    """Return a place as the store names its note; whether that has such lines, or such a part, only its file says."""
    if located := _locate(bare_place(written), store):
        return "".join(located)
    raise _unknown(bare_place(written), _titles_by_path(store))


def find_chunks(written: str, store: Snapshot) -> Found:
    """Return the chunks that a place stands for; a line has the chunk it is in, or else the last before it."""
    if found := _find(written, store):
        return found
    raise _unknown(bare_place(written), _titles_by_path(store))


def find_exactly(written: str, store: Snapshot) -> str:
    """Return the path of the one note whose file or title is called so, letter for letter; its lines may be named."""
    names = _titles_by_path(store)
    match = LINES.fullmatch(written)
    for wanted in (written, match[1] if match else ""):
        if store.chunks_of(wanted):
            return wanted
        # All at once: a name that stood for one note is not to stand for another when that is gone.
        if path := _only([path for path, title in names if wanted in (title, *_file_names(path))], written):
            return path
    raise _unknown(written, names)


def chunks_in(store: Snapshot) -> Callable[[str], tuple[int, ...]]:
    """Return what finds the chunks of a place, or none where the store has no such place, or was asked for too many."""
    known: dict[str, tuple[int, ...]] = {}

    def chunks_at(place: str) -> tuple[int, ...]:
        if place not in known and len(known) < READ:
            known[place] = ()
            with suppress(NoteError):
                found = _find(place, store)
                known[place] = found.chunks if found else ()
        return known.get(place, ())

    return chunks_at


def _locate(written: str, store: Snapshot) -> tuple[str, str] | None:
    """Return the path of a place's note, and what follows it; none, if no note is called so."""
    if path := _path(written, store):
        return path, ""
    match = LINES.fullmatch(written)
    names = ([match[1]] if match else []) + [name for name, _ in parts_written(written)]
    return next(((path, written[len(name) :]) for name in names if (path := _path(name, store))), None)


def _find(written: str, store: Snapshot) -> Found | None:
    """Return the chunks of a place; none, if no note is called so: to say what is near takes longer."""
    located = _locate(bare_place(written), store)
    if located is None:
        return None
    path, rest = located
    ids = store.chunks_of(path)
    if not ids:
        raise NoteError(f"{path} holds nothing that is indexed", "Name a note that does")
    if not rest:
        return Found(path, tuple(ids))
    chunks = store.chunks(ids)
    if rest.startswith("#"):
        return Found(path + rest, tuple(_of_part(chunks, path, rest[1:])))
    match = LINES.fullmatch(path + rest)
    assert match, "what follows a note is lines or a part"
    if not int(match[2]):
        raise NoteError("There is no line 0", "Lines are counted from 1")
    end = max(chunk.end_line for chunk in chunks.values())
    return Found(path + rest, tuple(_at_lines(chunks, match[2], match[3])), behind=int(match[2]) > end)


def _path(written: str, store: Snapshot) -> str:
    """Return the path of the note that is called so, or nothing; several are an error."""
    # Most places are paths, and need not be compared with every name.
    if store.chunks_of(written):
        return written
    wanted, names = fold(written.removeprefix("./")), _titles_by_path(store)
    for names_of in (_paths, _stems, _titles):
        if called := [path for path, title in names if wanted in names_of(path, title)]:
            return _only(called, written)
    aliases = {each.path: [*map(fold, each.aliases)] for each in store.names() if each.aliases}
    if called := [path for path, others in aliases.items() if wanted in others]:
        return _only(called, written)
    slug = _slug(wanted.removesuffix(".md"))
    slugs = {path: [_stems(path, title)[1], fold(title), *aliases.get(path, ())] for path, title in names if slug}
    return _only([path for path, others in slugs.items() if slug in map(_slug, others)], written)


def _only(called: Sequence[str], written: str) -> str:
    """Return the one path, or nothing; several are an error."""
    if len(called) > 1:
        some = ", ".join(called[:SHOWN]) + ", …" * (len(called) > SHOWN)
        raise NoteError(f"{len(called)} notes are called '{written}'", f"Name one of them by its path: {some}")
    return "".join(called)


def find_file(written: str, files: Iterable[str]) -> str:
    """Return the file that has this path, or alone has this name; nothing, if none has, and several are an error.

    >>> find_file("Queen.png", ["img/queen.png", "img/hive.png"])
    'img/queen.png'
    """
    wanted = fold(written.removeprefix("./"))
    folded = {file: fold(file) for file in files}
    paths = [file for file, path in folded.items() if path == wanted]
    return _only(paths or [file for file, path in folded.items() if path.rpartition("/")[2] == wanted], written)


def _titles_by_path(store: Snapshot) -> list[tuple[str, str]]:
    return sorted((name.path, name.title) for name in store.names())


def _paths(path: str, title: str) -> tuple[str, ...]:
    folded = fold(path)
    return folded, _stem(folded)


def _stems(path: str, title: str) -> tuple[str, ...]:
    return _file_names(fold(path))


def _file_names(path: str) -> tuple[str, str]:
    name = path.rpartition("/")[2]
    return name, _stem(name)


def _titles(path: str, title: str) -> tuple[str, ...]:
    return (fold(title),)


def _slug(name: str) -> str:
    """Return a folded name as addresses and branches write it.

    >>> _slug("deploy runbook (2024)")
    'deploy-runbook-2024'
    """
    return "-".join(WORDS.findall(name))


def _stem(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.rpartition('.')[0] or name}"


def _at_lines(chunks: Mapping[int, Chunk], first: str, last: str | None) -> list[int]:
    """Return the chunks that lines are in; without any, the last before them, or the first of all."""
    start = int(first)
    end = start if last is None else int(last or 10**9)
    inside = [number for number, chunk in chunks.items() if chunk.line <= end and start <= chunk.end_line]
    in_order = sorted(chunks, key=lambda number: chunks[number].line)
    before = [number for number in in_order if chunks[number].line <= start]
    return inside or before[-1:] or in_order[:1]


def _of_part(chunks: Mapping[int, Chunk], path: str, name: str) -> list[int]:
    """Return the chunks that a page, slide or other part is in, or what stands below a heading, or a block."""
    part, heading = part_name(name), plain_heading(name.rpartition("#")[2])
    block = (
        re.compile(rf"\^{re.escape(name[1:].strip())}\s*$", re.IGNORECASE | re.MULTILINE) if name[:1] == "^" else None
    )
    headings: dict[str, str] = {}
    found = []
    for number, chunk in chunks.items():
        own = {plain_heading(each): each for each in (*chunk.headings, *HEADING.findall(chunk.text))}
        headings |= own
        if part in {each.name for each in chunk.parts} or (block.search(chunk.text) if block else heading in own):
            found.append(number)
    if found:
        return found
    close = get_close_matches(heading, filter(None, headings), SHOWN)
    near = ", ".join(headings[each] for each in close)
    hint = f"Near to it: {near}" if near else "Name a note, or a part of one, that does"
    raise NoteError(f"{path}#{name} holds nothing that is indexed", hint)


def _unknown(written: str, names: Sequence[tuple[str, str]]) -> NoteError:
    # A place without its lines is what could be a name.
    match = LINES.fullmatch(written)
    wanted = fold(match[1] if match else written.partition("#")[0])
    if folder := _folders(path for path, _ in names).get(wanted.removeprefix("./").rstrip("/")):
        return NoteError(f"{folder} is a folder", f"`notewell search --under '{folder}'` lists its newest notes")
    near = ", ".join(_near(_stem(wanted.rpartition("/")[2]), names))
    hint = f"Near to it: {near}" if near else "Paths are as `notewell search` prints them"
    return NoteError(f"No indexed note is called '{written[:200]}'", hint)


def near_folders(wanted: str, paths: Iterable[str]) -> list[str]:
    """Return the folders with a path, or else a last name, like the one that is wanted."""
    known = _folders(paths)
    close = [known[name] for name in get_close_matches(fold(wanted), known, SHOWN, ALIKE)]
    if close:
        return close
    called: dict[str, list[str]] = {}
    for path, folder in known.items():
        called.setdefault(path.rpartition("/")[2], []).append(folder)
    last = get_close_matches(fold(wanted).rpartition("/")[2], called, SHOWN, ALIKE)
    return [folder for name in last for folder in called[name]][:SHOWN]


def _folders(paths: Iterable[str]) -> dict[str, str]:
    """Return the folders that hold notes, or folders with notes, by their folded paths."""
    above = {folder for path in {path.rpartition("/")[0] for path in paths} for folder in _upward(path)}
    return {fold(folder): folder for folder in sorted(above)}


def _upward(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _near(wanted: str, names: Sequence[tuple[str, str]]) -> list[str]:
    """Return the paths of notes with a name like the one that is wanted, or with its words in a longer one."""
    known = {name: path for path, title in names for name in (fold(title), _stems(path, title)[1])}
    close = get_close_matches(wanted, known, SHOWN, ALIKE)
    return list(dict.fromkeys(known[name] for name in (*close, *_holding(wanted, known))))[:SHOWN]


def _holding(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the names that hold all words of the one that is wanted, or such as are like them; the shortest first."""
    held = {name: frozenset(WORDS.findall(name)) for name in names}
    vocabulary = frozenset[str]().union(*held.values())
    words: set[str] = set()
    for word in WORDS.findall(wanted)[:MOST_WORDS]:
        meant = [word] if word in vocabulary else get_close_matches(word, vocabulary, 1, WORD_ALIKE)
        if not meant:
            return []
        words.update(meant)
    return sorted(
        (name for name, own in held.items() if words and words <= own), key=lambda name: (len(held[name]), name)
    )
