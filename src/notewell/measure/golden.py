"""Golden queries, and the places that answer them, in a plain file of the vault."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from notewell.errors import CollectionError, NoteError
from notewell.files.folder import Folder
from notewell.files.safe_open import GOLDEN, read_plain
from notewell.frozen import frozen
from notewell.measure.evaluate import Scores, score
from notewell.names.place import before_lines, lines_of
from notewell.redact import names_secret
from notewell.search.plan import readable
from notewell.types.results import Hit
from notewell.vault import Vault

HEADER = """\
# Golden queries: what `notewell eval --golden` asks, and which notes it wants.
# want: "path" or "path:line", with any line of the passage that answers; each listed place counts.
"""
LARGEST = 4 << 20
SAVE = "Save one with `notewell eval --golden --json > FILE`"
HINT = 'Write [[query]], then text = "…" and want = ["path:line"] below it'
# Deep enough to tell what better ranking could gain.
DEPTH = 50


@frozen
class Golden:
    """A query, and the places that answer it."""

    text: str
    """What is searched."""
    want: tuple[str, ...]
    """The places: `path` or `path:line`."""


class Worse(NamedTuple):
    """Mean nDCG@10 of a baseline and now, on the same queries, and the queries that were answered better before."""

    before: float
    now: float
    queries: tuple[str, ...]


def load_golden(file: Path) -> tuple[Golden, ...]:
    """Read golden queries; the places of a query that is there twice are joined."""
    try:
        with Folder(file.parent, "") as folder:
            data, _ = folder.read_whole(file.name, LARGEST)
        rows = tomllib.loads(data.decode("utf-8")).get("query", [])
    except FileNotFoundError as error:
        raise CollectionError(f"There is no {file}", 'Add one with `notewell golden add "question" NOTE`') from error
    except OSError as error:
        raise CollectionError(f"{file} cannot be read", "It has to be a regular file, not a link or a pipe") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CollectionError(f"{file} cannot be read: {error}", HINT) from error
    places: dict[str, dict[str, None]] = {}
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        query = _checked(row, f"{file}: query {number}")
        places.setdefault(query.text, {}).update(dict.fromkeys(query.want))
    return tuple(Golden(text, tuple(want)) for text, want in places.items())


def _checked(row: Any, name: str) -> Golden:
    text, want = (row.get("text"), row.get("want")) if isinstance(row, dict) else (None, None)
    want = [want] if isinstance(want, str) else want
    if not isinstance(text, str) or not text.strip():
        raise CollectionError(f"{name} has no text", HINT)
    if not isinstance(want, list) or not want or not all(isinstance(place, str) for place in want):
        raise CollectionError(f"{name} ('{text}') names no place", HINT)
    return Golden(text.strip(), tuple(want))


def load_baseline(file: Path) -> Mapping[str, float]:
    """Read nDCG@10 of each query from a saved output of `notewell eval --golden`."""
    try:
        return {str(text): float(found) for text, found in json.loads(read_plain(file))["each"].items()}
    except FileNotFoundError as error:
        raise CollectionError(f"There is no {file}", SAVE) from error
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise CollectionError(f"{file} is not a saved result", SAVE) from error


def compare(before: Mapping[str, float], each: Mapping[str, float]) -> Worse:
    """Compare nDCG@10 of each query before and now, on the queries that both have."""
    shared = {text: (before[text], now) for text, now in each.items() if text in before}
    if not shared:
        raise CollectionError("The baseline has none of the golden queries", SAVE)
    then, now = (round(float(np.mean(column)), 4) for column in zip(*shared.values(), strict=True))
    return Worse(then, now, tuple(text for text, (before, after) in shared.items() if after < before))


def add_golden(vault: Vault, text: str, notes: Iterable[str]) -> Golden:
    """Add a query with the places that answer it to the vault's file; return what was added.

    What stands in the file stays as it is. A place that is there already is not added again.
    """
    text = " ".join(readable(text).split())
    if not text:
        raise CollectionError("A golden query needs a text", 'Write `notewell golden add "question" NOTE`')
    if names_secret(text):
        raise CollectionError("The query contains a secret", "Ask without it: the file is not redacted")
    want = tuple(dict.fromkeys(_line_of(vault, note) for note in notes))
    if not want:
        raise CollectionError(f"No note was named for '{text}'", "Name the note that answers it")
    file = vault.root / GOLDEN
    known = {place for one in (load_golden(file) if file.exists() else ()) if one.text == text for place in one.want}
    new = Golden(text, tuple(place for place in want if place not in known))
    if not new.want:
        raise CollectionError(f"'{text}' already wants {', '.join(want)}", f"See {GOLDEN}")
    _append(vault.root, as_toml([new]))
    return new


def _line_of(vault: Vault, note: str) -> str:
    """Return a place as `path` or `path:line`; of a part or a heading, its first line."""
    place = vault.find(note)
    reading = vault.read(place)
    return place if place == reading.path or lines_of(place) else f"{reading.path}:{reading.line}"


def as_toml(queries: Iterable[Golden]) -> str:
    """Return queries as they are written in the file.

    >>> as_toml([Golden('a "b"', ("c.md:1",))]).splitlines()[1:]
    ['[[query]]', 'text = "a \\\\"b\\\\""', 'want = ["c.md:1"]']
    """
    # JSON's strings are TOML's, but for DEL, which `readable` has taken out.
    return "".join(
        f"\n[[query]]\ntext = {_string(one.text)}\nwant = [{', '.join(map(_string, one.want))}]\n" for one in queries
    )


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _append(root: Path, text: str) -> None:
    """Add text at the end of the vault's golden queries; another program's change meanwhile stays."""
    try:
        with Folder(root, "") as folder:
            if folder.create(GOLDEN, (HEADER + text).encode()):
                return
            before, _ = folder.read_whole(GOLDEN, LARGEST)
            gap = b"" if before.endswith(b"\n") or not before else b"\n"
            folder.replace(GOLDEN, before, before + gap + text.encode())
    except OSError as error:
        raise CollectionError(
            f"{GOLDEN} cannot be written: {error.strerror or error}", "Close it in other programs, then try again"
        ) from error


def evaluate_golden(vault: Vault, queries: Sequence[Golden]) -> tuple[Scores, list[Golden]]:
    """Ask each query as a person would, and compare the hits with the places that it wants.

    Also return the places that were left out, because their notes are not indexed; a query without others is not asked.
    """
    if not queries:
        raise CollectionError(f"There are no queries in {GOLDEN}", 'Add one with `notewell golden add "question" NOTE`')
    asked = {one.text: one.want for one in without_gone(vault, queries)}
    if not asked:
        raise CollectionError("None of the golden queries names an indexed note", f"Correct the paths in {GOLDEN}")
    ranked = {text: _ranked(vault, text, want) for text, want in asked.items()}
    judged = {text: dict.fromkeys(want, 1) for text, want in asked.items()}
    missing = ((one.text, tuple(place for place in one.want if not _present(vault, [place]))) for one in queries)
    return score(ranked, judged, DEPTH), [Golden(text, places) for text, places in missing if places]


def without_gone(vault: Vault, queries: Iterable[Golden]) -> tuple[Golden, ...]:
    """Return the queries with those places alone whose notes are indexed; none that has no place left."""
    return tuple(Golden(one.text, kept) for one in queries if (kept := _present(vault, one.want)))


def _present(vault: Vault, want: Iterable[str]) -> tuple[str, ...]:
    """Return the places whose notes are indexed."""
    present = []
    for place in want:
        with suppress(NoteError):
            present.append(_line_of(vault, place))
    return tuple(present)


def _ranked(vault: Vault, text: str, want: Sequence[str]) -> list[str]:
    """Return for each hit the place it answers, or else its own; a place counts once."""
    hits = vault.search(text, limit=DEPTH, refresh=False).hits
    left, ranked = list(want), []
    for hit in hits:
        answered = next((place for place in left if _answers(hit, place)), "")
        if answered:
            left.remove(answered)
        ranked.append(answered or f"{hit.path}:{hit.line}-{hit.end_line}")
    return ranked


def _answers(hit: Hit, place: str) -> bool:
    lines, path = lines_of(place), before_lines(place) or place
    if lines is None:
        return path in (hit.path, *(other.rpartition(":")[0] for other in hit.also))
    return hit.path == path and hit.line <= (lines.last or lines.first) and lines.first <= hit.end_line
