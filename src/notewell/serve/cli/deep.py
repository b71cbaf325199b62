"""Prints a deep search: how each hit was reached, and what was dropped and why; or beside a fast search."""

from __future__ import annotations

import shutil
from itertools import zip_longest

from notewell.files.control_chars import shown_path
from notewell.graph.deep import describe_drop
from notewell.serve.cli.options import print_json, say_notices
from notewell.serve.cli.query_options import Page
from notewell.serve.cli.results import print_hits, print_results
from notewell.serve.json_data import as_data
from notewell.serve.say import counted, echo, say
from notewell.serve.width import width_of
from notewell.serve.wording import with_notices
from notewell.types.notices import Notice
from notewell.types.results import Compared, DeepHit, DeepResults, Results
from notewell.vault import Vault

# How many dropped notes are listed; `--json` has all.
SHOWN = 5
# Spaces between two columns.
GAP = 2
# A row of a column: its number, a mark, the path, and what follows it.
Row = tuple[int, str, str, str]


def print_deep(deep: DeepResults, notices: tuple[Notice, ...], *, page: Page, vault: Vault) -> None:
    """Print the hits of a deep search, and on stderr how far it went."""
    if page.format in ("json", "jsonl", "md", "csv", "paths"):
        print_results(deep, notices, page=page, vault=vault)
        return
    deep = with_notices(deep, notices)
    say_notices(deep.notices)
    print_hits(deep, vault, explain=page.query.explain)
    if deep.left_out:
        say(f"{counted(deep.left_out, 'note')} did not fit")
    kept = deep.notes - len(deep.dropped)
    say(f"compared {counted(deep.notes, 'note')}, and kept {kept:,}")
    for visit in deep.dropped[:SHOWN]:
        say(f"  dropped {shown_path(visit.path)}: {describe_drop(visit)}")
    if len(deep.dropped) > SHOWN:
        say(f"  … and {len(deep.dropped) - SHOWN:,} more; --json lists them all")


def print_both(both: Compared, notices: tuple[Notice, ...], *, page: Page, vault: Vault) -> None:
    """Print a fast and a deep search side by side; with --explain, the scores of both follow."""
    both = with_notices(both, notices)
    fast, deep = both.fast, both.deep
    say_notices(dict.fromkeys((*fast.notices, *deep.notices)))
    if page.format == "json":
        print_json(as_data(both, explain=page.query.explain))
        return
    width = (shutil.get_terminal_size().columns - GAP) // 2
    echo(f"{_head('fast', fast, ' in '):{width}}{' ' * GAP}{_head('deep', deep)}")
    for one, other in zip_longest(_fast_rows(both), _deep_rows(both)):
        left = _column(one, width) if one else " " * width
        echo(f"{left}{' ' * GAP}{_column(other, width) if other else ''}".rstrip())
    say("- is only in fast, + only in deep; numbers are scores on the left, similarity to the query on the right")
    pages: tuple[tuple[str, Results], ...] = ("fast", fast), ("deep", deep)
    for name, results in pages if page.query.explain else ():
        echo(f"\n{name}")
        print_hits(results, vault, explain=True)


def _head(name: str, results: Results, among: str = "") -> str:
    """Return the title of a column, with the number of chunks and of notes in it."""
    notes = counted(len({hit.path for hit in results}), "note")
    found = f"{counted(len(results), 'chunk')}{among}{notes}" if among else notes
    return f"{name}: {found}" + (f", {results.left_out:,} did not fit" if results.left_out else "")


def _fast_rows(both: Compared) -> list[Row]:
    return [
        (number, "-" if hit.path in both.only_fast else " ", hit.path, f"{hit.score:.2f}")
        for number, hit in enumerate(both.fast, start=1)
    ]


def _deep_rows(both: Compared) -> list[Row]:
    return [
        (number, "+" if hit.path in both.only_deep else " ", hit.path, _short(hit))
        for number, hit in enumerate(both.deep.hits, start=1)
    ]


def _short(hit: DeepHit) -> str:
    hop = f" hop {hit.hop}" if hit.hop else " seed"
    return f"{hit.similarity:.2f}{hop}{' old' if hit.decay_zero else ''}"


def _column(row: Row, width: int) -> str:
    """Return a row of one column; a path that does not fit loses its folders.

    >>> _column((3, "+", "Garden/Bees and other visitors/Varroa treatment.md", "0.52 hop 1"), 39)
    ' 3 + …/Varroa treatment.md   0.52 hop 1'
    """
    number, mark, path, end = row
    begin = f"{number:2} {mark} "
    room = width - len(begin) - len(end) - 1
    shown = shown_path(path)
    if width_of(shown) > room:
        shown = f"…/{shown.rpartition('/')[2]}"
    if width_of(shown) > room:
        while shown and width_of(shown) >= room:
            shown = shown[:-1]
        shown += "…"
    return f"{begin}{shown}{' ' * (room - width_of(shown))} {end}"
