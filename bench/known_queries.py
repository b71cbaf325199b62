"""Queries made of a real vault, each with the notes it should find: titles, names, sections, references, questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import unquote

# Queries of each kind, and the seed they are drawn with; and how many titles beside those.
DRAWN = 200
SEED = 7
OTHERS = 500
# A note of fewer characters has too little text to be found by it.
LEAST = 400
TITLE = re.compile(r"""^title:\s*(?:>-?\s*)?["']?(.+?)["']?\s*$""", re.MULTILINE)
HEADING = re.compile(r"^# +(.+?)\s*#*\s*$", re.MULTILINE)
SECTION = re.compile(r"^##+ +([^\[\]<>`\n]{4,60}?)\s*#*$", re.MULTILINE)
# Properties that name the note: a known item is found by its text alone.
NAMES = re.compile(
    r"^(?:title|short-title|slug|permalink|alias|aliases|linkTitle):.*\n(?:[ \t]+.*\n|- .*\n)*", re.MULTILINE
)
FRONT = re.compile(r"\A(---\n.*?\n---\n)?(.*)\Z", re.DOTALL)
# Versions, tickets, standards, days, parts, products with a version: what words should decide.
REFERENCE = re.compile(
    r"(?<![\w./-])(?:v?\d+\.\d+\.\d+|[A-Z]{2,8}-\d{2,6}(?:-\d+)?|(?:RFC|ISO|IEC|DIN|IEEE|ECMA|PEP) ?\d{2,6}"
    r"|(?:19|20)\d\d-[01]\d-[0-3]\d|[A-Z]{2,6}\d{2,6}[A-Z]?|[A-Z][a-z]+ \d{1,3}(?:\.\d{1,3})+)(?![\w.-])"
)
ADDRESS = re.compile(r"https?://\S+|\]\([^)]*\)")
# A link: its target and its text, as Obsidian writes it and as Markdown does.
LINK = re.compile(
    r"(?<!!)\[\[([^\[\]|#^\n]+)[^\[\]|\n]*\|([^\[\]\n]{4,80})\]\]|(?<!!)\[([^\[\]\n]{4,80})\]\(([^()\s#:]+)[^()\s]*\)"
)
SPLIT = re.compile(r"\w+")
QUESTION = re.compile(r"^##+ +([^\n#]{12,100}\?)\s*$", re.MULTILINE)
# A reference in more notes than these is no way to find one of them.
FEW = 3


class Wanted(NamedTuple):
    """A query, the notes that answer it, and the heading of the section, if one is asked for."""

    text: str
    paths: tuple[str, ...]
    heading: str = ""


def without_names(root: Path, out: Path) -> tuple[Path, list[Wanted], list[Wanted]]:
    """Write the notes under numbers, without titles and names; return the folder, titles with their notes, and others.

    The others are titles of the same vault that are not among the first.
    """
    out.mkdir()
    notes = {file: file.read_text("utf-8", "replace") for file in sorted(root.rglob("*.md"))}
    written = {file: title for file, text in notes.items() if (title := _title(text))}
    # Where most notes have no title, as in Obsidian, the name of the file is one.
    titles = written if 2 * len(written) > len(notes) else {file: file.stem for file in notes}
    titled: dict[str, list[str]] = {}
    for number, (file, text) in enumerate(notes.items()):
        name = f"{number:05d}.md"
        if file in titles and len(text) > LEAST:
            titled.setdefault(titles[file], []).append(name)
        front, body = FRONT.match(text).groups("")  # type: ignore[union-attr]
        (out / name).write_text(NAMES.sub("", front) + HEADING.sub("", body, count=1), "utf-8")
    alone = [Wanted(title, (names[0],)) for title, names in sorted(titled.items()) if len(names) == 1]
    drawn = _drawn(alone)
    rest = [wanted for wanted in alone if wanted not in drawn]
    return out, drawn, Random(SEED + 1).sample(rest, min(OTHERS, len(rest)))


def _title(text: str) -> str:
    found = TITLE.search(text[:4000]) or HEADING.search(text)
    return found[1].strip() if found else ""


def sections_of(root: Path) -> list[Wanted]:
    """Return the name of a note and one of its headings, as queries, for notes that no other is called like."""
    chance, wanted = Random(SEED), list[Wanted]()
    alone = _alone(root)
    for file in chance.sample(alone, len(alone)):
        headings = SECTION.findall(file.read_text("utf-8", "replace"))
        distinct = [heading for heading in headings if headings.count(heading) == 1]
        if len(distinct) > 1 and len(wanted) < DRAWN:
            heading = chance.choice(distinct)
            wanted.append(Wanted(f"{_spaced(file)} {heading}", (_path(file, root),), heading))
    return wanted


def names_of(root: Path) -> list[Wanted]:
    """Return the file names that no other note has, as queries."""
    alone = [file for file in _alone(root) if len(file.stem) > 3]
    return _drawn(Wanted(_spaced(file), (_path(file, root),)) for file in alone)


def references_of(root: Path) -> list[Wanted]:
    """Return versions, tickets, standards and days that few notes have."""
    notes: dict[str, dict[str, None]] = {}
    for file in sorted(root.rglob("*.md")):
        for found in REFERENCE.findall(ADDRESS.sub("", file.read_text("utf-8", "replace"))):
            notes.setdefault(found, {})[_path(file, root)] = None
    return _drawn(Wanted(text, tuple(paths)) for text, paths in sorted(notes.items()) if len(paths) <= FEW)


def questions_of(root: Path) -> list[Wanted]:
    """Return headings that ask a question, as queries, if no other note asks it."""
    asked = [(text, file) for file in _alone(root) for text in QUESTION.findall(file.read_text("utf-8", "replace"))]
    often = Counter(text for text, _ in asked)
    return _drawn(Wanted(text, (_path(file, root),), text) for text, file in asked if often[text] == 1)


def paraphrases_of(root: Path) -> list[Wanted]:
    """Return texts of links that have no word of their note's name or title, as queries, if all lead to one note."""
    named = {file.stem.casefold(): file for file in _alone(root)}
    ends: dict[str, set[Path]] = {}
    for file in sorted(root.rglob("*.md")):
        for wiki, called, text, target in LINK.findall(file.read_text("utf-8", "replace")):
            stem = unquote(wiki or target).rpartition("/")[2].removesuffix(".md").strip().casefold()
            end = named.get(stem)
            if end and end != file and len(SPLIT.findall(called or text)) > 1:
                ends.setdefault((called or text).strip(), set()).add(end)
    alone = [(text, file) for text, files in sorted(ends.items()) if len(files) == 1 for file in files]
    return _drawn(
        Wanted(text, (_path(file, root),))
        for text, file in alone
        if _words(text).isdisjoint(_words(f"{_spaced(file)} {_title(file.read_text('utf-8', 'replace'))}"))
    )


# The kinds that are asked of a vault as it is.
KINDS: dict[str, Callable[[Path], list[Wanted]]] = {
    "names": names_of,
    "sections": sections_of,
    "references": references_of,
    "questions": questions_of,
    "paraphrases": paraphrases_of,
}


def _words(text: str) -> set[str]:
    # The beginning of a word, so that its forms count as the same.
    return {word[:5] for word in SPLIT.findall(text.casefold())}


def _drawn(wanted: Iterable[Wanted]) -> list[Wanted]:
    every = list(wanted)
    return Random(SEED).sample(every, min(DRAWN, len(every)))


def _alone(root: Path) -> list[Path]:
    """Return the notes whose file name no other has."""
    files = sorted(file for file in root.rglob("*.md") if len(file.stem) > 2)
    often = Counter(file.stem.casefold() for file in files)
    return [file for file in files if often[file.stem.casefold()] == 1]


def _spaced(file: Path) -> str:
    return re.sub("[-_]", " ", file.stem)


def _path(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix()
