"""A page of hits as commands print it: for a person, for a program, or for a prompt."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

import click

from notewell.files.control_chars import escaped, shown_path
from notewell.names.addresses import Addresses
from notewell.search import context
from notewell.serve.cli.entities import say_known
from notewell.serve.cli.options import is_terminal, print_data, print_json, say_notices
from notewell.serve.cli.query_options import Page
from notewell.serve.json_data import as_data, json_text
from notewell.serve.say import counted, echo, printable_line, say
from notewell.serve.width import width_of, wrapped
from notewell.serve.wording import with_notices
from notewell.types.notices import Notice
from notewell.types.results import DeepHit, Excerpt, Hit, Results, Vote
from notewell.vault import Vault

INDENT = 4
# In a narrower window, lines would hold one word each.
NARROWEST = 30
# The width of the docs' pages, for where the window's width is unknown.
WIDE = 100

# The columns of --explain: retriever, rank, score, the score as fused, weight, and the product of both.
VOTE_ROW = "{:<10}{:>5}{:>9}{:>9}{:>10}{:>9}"
# The ranker, its factor, and the score after it; the reason follows.
STEP_ROW = "{:<10}{:>33}{:>9}"
# Reciprocal ranks below this need one more digit.
SMALL = 0.02

CSV_COLUMNS = ("path", "line", "end_line", "place", "heading", "score", "excerpt", "date")
# Spreadsheets run a cell that begins with one of these as a formula; some also accept the full-width signs.
FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n")

# OSC 8: an address, the text that links to it, and the end of both.
LINK = "\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\"
# How terminals that support links identify themselves.
LINK_PROGRAMS = {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby"}
LINK_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "contour", "wezterm", "rio")
LINK_VARIABLES = ("WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "DOMTERM")
# The first version of VTE (GNOME Terminal and its kin) that links do not crash.
LINK_VTE = 5000


def print_results(results: Results, notices: tuple[Notice, ...], *, page: Page, vault: Vault) -> None:
    """Print hits in the format that was asked for, and notices on stderr."""
    results = with_notices(results, notices)
    say_notices(results.notices)
    if results.entities and page.format in ("", "text"):
        say_known(results.entities)
    budget = vault.settings.search.max_tokens if page.query.max_tokens is None else page.query.max_tokens
    format = page.format or ("md" if budget else "text")
    if format == "json":
        print_json(as_data(results, explain=page.query.explain))
    elif format == "jsonl":
        for hit in results:
            echo(json_text(as_data(hit, explain=page.query.explain)))
    elif format == "text":
        print_hits(results, vault, explain=page.query.explain)
    else:
        _print_for_programs(results, format, page)


def _print_for_programs(results: Results, format: str, page: Page) -> None:
    if not len(results) and not results.left_out:
        say("nothing found")
    if page.query.explain:
        # A prompt or a table holds notes only; how they were found is for the person who asked.
        _say_scores(results)
    if format == "paths":
        print_data(as_paths(results, null=page.null))
    else:
        print_data(as_csv(results) if format == "csv" else context(results))


def _say_scores(results: Results) -> None:
    if results.read_as:
        say(f"read as: {'; '.join(results.read_as)}")
    for hit in results:
        say(f"{shown_path(hit.path)}:{hit.line}  {hit.heading}  {hit.score:.3f}")
        for line in explain_hit(hit):
            say(line)


def print_hits(results: Results, vault: Vault, *, explain: bool) -> None:
    """Print hits for a person, on a terminal note by note; those of a deep search say how they were reached."""
    link, columns = linker(vault), window_columns()
    if explain and results.read_as:
        echo(f"read as: {'; '.join(results.read_as)}")
    if not len(results):
        say("nothing found")
    # Scripts that read a pipe rely on a line for each hit, the best first.
    for number, hits in enumerate(by_note(results) if columns else [[hit] for hit in results]):
        if number and columns:
            echo()
        for hit in hits:
            head = _head(hit, link, columns, again=hit is not hits[0]) if columns else [_flat_head(hit)]
            for line in (*head, *_body(hit, columns), *(explain_hit(hit) if explain else ())):
                echo(line, styled=True)


def by_note(hits: Iterable[Hit]) -> list[list[Hit]]:
    """Return the hits of each note, the note of the best hit first."""
    notes: dict[str, list[Hit]] = {}
    for hit in hits:
        notes.setdefault(hit.path, []).append(hit)
    return list(notes.values())


def _flat_head(hit: Hit) -> str:
    place = click.style(f"{shown_path(hit.path)}:{hit.excerpt.line}", fg="cyan") + _part(hit)
    return "  ".join((place, click.style(printable_line(hit.heading), bold=True), *_date(hit), f"{hit.score:.3f}"))


def _head(hit: Hit, link: Callable[[str, Hit], str], columns: int, *, again: bool) -> Iterator[str]:
    """Yield where a hit is, and its headings, date and score, on two lines if one is too short.

    The title is left out where the name of the file says it, and all but the line `again` below the note's first hit.
    """
    place = f"{'' if again else shown_path(hit.path)}:{hit.excerpt.line}"
    is_named = again or hit.title == PurePosixPath(hit.path).stem
    heading = printable_line(hit.heading.removeprefix(hit.title).removeprefix(" > ") if is_named else hit.heading)
    about = [click.style(heading, bold=True)] if heading else []
    about += [click.style(text, dim=True) for text in (*(() if again else _date(hit)), f"{hit.score:.3f}")]
    first, rest = link(click.style(place, fg="cyan"), hit) + _part(hit), "  ".join(about)
    begin = "  " * again
    if width_of(begin + place + _part(hit) + "  " + click.unstyle(rest)) <= columns:
        yield f"{begin}{first}  {rest}"
        return
    yield begin + first
    yield from _indented_lines(rest, columns)


def _part(hit: Hit) -> str:
    return f" ({escaped(hit.excerpt.place)})" if hit.excerpt.place else ""


def _date(hit: Hit) -> tuple[str, ...]:
    """Return the day of a note, unless only its file's time says it, which may be that of a copy."""
    return (hit.date,) if hit.date and hit.dated_by != "file" else ()


def _body(hit: Hit, columns: int) -> Iterator[str]:
    """Yield the excerpt, how a deep search reached it, and where else it is."""
    lines = _highlighted(hit.excerpt).split("\n")
    if isinstance(hit, DeepHit):
        lines.append(click.style(escaped(hit.trace[-1].why), dim=True))
    if hit.also:
        lines.append(_duplicates(hit.also))
    for line in lines:
        yield from _indented_lines(line, columns)


def _indented_lines(line: str, columns: int) -> Iterator[str]:
    for piece in wrapped(line, columns - INDENT) if columns else (line,):
        yield f"{'':{INDENT}}{piece}"


def window_columns() -> int:
    """Return the width of the window, or 0 if there is none and lines stay whole."""
    if not is_terminal():
        return 0
    return max(NARROWEST, _window(80))


def _window(otherwise: int) -> int:
    """Return the width of the window, or another width where that is unknown."""
    # It takes 4 ms to load, which only a terminal and --explain are worth.
    from shutil import get_terminal_size  # noqa: PLC0415

    return get_terminal_size((otherwise, 0)).columns


def _duplicates(also: tuple[str, ...]) -> str:
    """Return where else the same text is, the first place by name."""
    more = f" and {counted(len(also) - 1, 'other place')}" if len(also) > 1 else ""
    return click.style(f"the same in {shown_path(also[0])}{more}", dim=True)


def _highlighted(excerpt: Excerpt) -> str:
    parts: list[str] = []
    at = 0
    for start, end in excerpt.highlights:
        word = click.style(escaped(excerpt.text[start:end]), fg="yellow", bold=True)
        parts += escaped(excerpt.text[at:start]), word
        at = end
    return "".join((*parts, escaped(excerpt.text[at:])))


def explain_hit(hit: Hit) -> Iterator[str]:
    """Yield a hit's score as a table: each retriever's vote, their sum, and each ranker's change with its reason."""
    if hit.votes:
        yield _indented(VOTE_ROW.format("retriever", "rank", "score", "scaled", "× weight", "= part"))
    for vote in hit.votes or ():
        yield _indented(_vote_row(vote))
    for number, step in enumerate(hit.trace):
        # The first step sums the votes above it.
        sums = number == 0 and bool(hit.votes)
        change = "sum" if sums else "" if step.factor in (None, 1.0) else f"× {step.factor:.3f}"
        row = STEP_ROW.format(step.by, change, f"{step.score:.4f}")
        yield from map(_indented, _with_reason(row, "" if sums else escaped(step.why)))


def _vote_row(vote: Vote) -> str:
    about = "≈" * vote.guessed
    score = "–" if vote.score is None else f"{about}{vote.score:.3f}"
    scaled = f"{about}{vote.scaled:.{4 if 0 < vote.scaled < SMALL else 3}f}"
    return VOTE_ROW.format(vote.retriever, vote.rank or "–", score, scaled, f"{vote.weight:.3f}", f"{vote.part:.4f}")


def _with_reason(row: str, why: str) -> list[str]:
    """Return a row followed by its reason, on a second line where the window is too narrow."""
    both = f"{row}  {why}"
    if INDENT + len(both) <= _window(WIDE) or not why:
        return [both]
    return [row, f"{'':10}{why}"]


def _indented(text: str) -> str:
    return f"{'':{INDENT}}{text}".rstrip()


def as_csv(results: Results) -> str:
    """Return the hits as CSV with a header; no cell can be run as a formula, and only paths may hide characters."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(map(_csv_row, results))
    return table.getvalue()


def _csv_row(hit: Hit) -> tuple[str | int | float, ...]:
    excerpt = hit.excerpt
    heading, text, place = (as_cell(escaped(one)) for one in (hit.heading, excerpt.text, excerpt.place))
    return as_cell(hit.path), excerpt.line, excerpt.end_line, place, heading, hit.score, text, hit.date


def as_cell(text: str) -> str:
    """Return the text with an apostrophe in front if a spreadsheet would run it.

    >>> as_cell("=cmd|' /C calc'!A0"), as_cell("a - b")
    ("'=cmd|' /C calc'!A0", 'a - b')
    """
    return f"'{text}" if text.startswith(FORMULA) else text


def as_paths(results: Results, *, null: bool) -> bytes:
    """Return each path once, as the file system has it, followed by a line break or a NUL."""
    end = b"\0" if null else b"\n"
    return b"".join(os.fsencode(path) + end for path in dict.fromkeys(hit.path for hit in results))


def linker(vault: Vault) -> Callable[[str, Hit], str]:
    """Return a function that turns a text into a link to a hit, or returns it unchanged where links do not work."""
    chosen = vault.settings.show.links
    if not wants_links(chosen, os.environ):
        return lambda text, _: text
    addresses = Addresses.of(vault.root) if chosen == "auto" else Addresses(vault.root, chosen)
    # With the host, a terminal on another machine does not open its own file of that name.
    host = os.uname().nodename if hasattr(os, "uname") else ""
    return lambda text, hit: LINK.format(addresses.of_hit(hit, hit.excerpt.line, host=host), text)


def wants_links(chosen: str, environment: Mapping[str, str]) -> bool:
    """Tell whether places are printed as links, by the setting and by what the terminal supports."""
    current = click.get_current_context(silent=True)
    # Without colours, no other escape codes either.
    if chosen == "off" or (current and current.color is False) or not is_terminal():
        return False
    return chosen != "auto" or knows_links(environment)


def knows_links(environment: Mapping[str, str]) -> bool:
    """Tell whether the terminal is known to support links.

    >>> knows_links({"TERM": "xterm-256color", "VTE_VERSION": "7600"}), knows_links({"TERM": "linux"})
    (True, False)
    """
    term, vte = environment.get("TERM", ""), environment.get("VTE_VERSION", "")
    # GNU Screen inherits the variables of the terminal around it, but does not support links.
    return not term.startswith("screen") and (
        environment.get("TERM_PROGRAM") in LINK_PROGRAMS
        or term.startswith(LINK_TERMS)
        or any(map(environment.get, LINK_VARIABLES))
        or (vte.isdecimal() and int(vte) >= LINK_VTE)
    )
