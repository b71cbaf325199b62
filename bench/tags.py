"""How well hidden tags are proposed: tags are removed from a sample of notes, and proposed for them."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from random import Random

from bench.child import Measured, say
from bench.vaults import find_archives, make_vault
from notewell import Vault
from notewell.curate.suggest import FLOOR, ProposedTag, read_vocabularies, tags_for
from notewell.curate.tag_edits import note_of
from notewell.index.shapes.front_matter import FRONT_MATTER

# Notes whose tags are hidden: at most so many of a vault, and at most half of those that have any.
HIDDEN = 600
# Not the seed on which the constants were chosen, which was 7.
SEED = 20261119
SETTINGS = {"embed.encoder": "off", "llm.model": "off"}
# A collection of short notes in folders by subject; its folders serve as tags.
BY_FOLDER = ("docs-16894", "til")

# The tags of front matter, as a list on one line or on several, or as a text.
IN_FRONT = re.compile(r"(?m)^tags?:[ \t]*(?:\[[^\]]*\]|[^\n]*)\n?(?:[ \t]*-[^\n]*\n?)*")

Tags = Mapping[str, tuple[str, ...]]


def measure_tags(folder: str) -> Measured:
    """Propose the hidden tags of each vault, and compare."""
    measured: Measured = {}
    with tempfile.TemporaryDirectory(prefix="notewell-tags-") as name:
        work = Path(name)
        for vault, archive in find_archives(Path(folder), ("zettelkasten-13419", "kepano-obsidian")).items():
            say(f"tags: {vault}")
            root = make_vault(vault, archive, work, 1).root
            measured[vault] = _measure(root, hide_tags(root))
        source = find_archives(Path(folder), BY_FOLDER[:1])[BY_FOLDER[0]]
        say("tags: til, its folders as tags")
        root = make_vault(BY_FOLDER[0], source, work, 1).root
        flat = _flattened(next(root.rglob(BY_FOLDER[1])), work / "flat")
        measured["til, folders as tags"] = _measure(flat, hide_tags(flat))
    return measured


def hide_tags(root: Path) -> Tags:
    """Remove the tags of a sample of notes from their files, and return them."""
    tags = {file: note_of(file.name, file.read_text("utf-8", "replace")).tags for file in sorted(root.rglob("*.md"))}
    tagged = [file for file, own in tags.items() if own]
    hidden = Random(SEED).sample(tagged, min(HIDDEN, len(tagged) // 2))
    for file in hidden:
        file.write_text(without_tags(file.read_text("utf-8", "replace"), tags[file]), encoding="utf-8")
    return {file.relative_to(root).as_posix(): tags[file] for file in hidden}


def without_tags(text: str, tags: Iterable[str]) -> str:
    """Return a note without these tags, in front matter and in its text."""
    front = FRONT_MATTER.match(text)
    if front and front[1]:
        text = text[: front.start(1)] + IN_FRONT.sub("", front[1] + "\n") + text[front.end(1) :].lstrip("\r\n")
    for tag in tags:
        text = re.sub(rf"#{re.escape(tag)}(?![\w/-])", "", text)
    return text


def _flattened(source: Path, target: Path) -> Path:
    """Copy the notes of a folder's folders into one, each with its folder's name as tag."""
    target.mkdir()
    for file in sorted(source.glob("*/*.md")):
        text = file.read_text("utf-8", "replace")
        (target / f"{file.stem} {len(list(target.iterdir()))}.md").write_text(
            f"---\ntags: [{file.parent.name}]\n---\n{text}", encoding="utf-8"
        )
    (target / ".notewell").mkdir()
    shutil.rmtree(source)
    return target


def _measure(root: Path, hidden: Tags) -> Measured:
    with Vault.open(root, SETTINGS) as vault:
        vault.index()
        (vocabulary,) = read_vocabularies(vault).values()
        with vault.shown.answering() as snapshot:
            proposed = {path: tags_for(path, snapshot, vocabulary) for path in hidden}
    # A tag that no other note has cannot be proposed.
    known = {path: {tag.casefold() for tag in tags} & vocabulary.terms.keys() for path, tags in hidden.items()}
    return {
        "notes": len(hidden),
        "tags": len(vocabulary.terms),
        **scores(proposed, known, lambda one: one.score >= FLOOR),
        "first right": _share(bool(tags) and tags[0].tag.casefold() in known[path] for path, tags in proposed.items()),
    }


def scores(
    proposed: Mapping[str, tuple[ProposedTag, ...]],
    known: Mapping[str, set[str]],
    counts: Callable[[ProposedTag], bool],
) -> Measured:
    """Return the precision and recall of the proposals that count."""
    made = {path: {one.tag.casefold() for one in tags if counts(one)} for path, tags in proposed.items()}
    right = sum(len(made[path] & known[path]) for path in made)
    precision = right / max(1, sum(map(len, made.values())))
    recall = right / max(1, sum(map(len, known.values())))
    return {"precision": round(precision, 3), "recall": round(recall, 3)}


def _share(right: Iterator[bool]) -> float:
    every = list(right)
    return round(sum(every) / max(1, len(every)), 3)
