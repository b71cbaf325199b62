"""Links from a website's root: which folder of the vault that root is, judged by the links themselves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import pytest
from tests.cases import cases

from notewell.graph.resolve import Resolver
from notewell.store.links import NOWHERE, NoteName
from notewell.types.note import Link

TraceFunction = Callable[[FrameType, str, Any], Any]
WEB = ("files/en-us/web/index.md", "files/en-us/web/api/fetch/index.md", "files/en-us/glossary/Cache/index.md")
ON_WEB = ("/en-US/docs/Web/API/fetch", "/en-US/docs/Glossary/Cache")


def led(target: str, notes: Sequence[str], others: Sequence[str] = (), kind: str = "markdown") -> str:
    """Return the note that a link leads to in a vault that has these other links, or nothing."""
    links = [Link(each, 1, "markdown") for each in (target, *others)]
    names = [NoteName(number, path) for number, path in enumerate(notes, start=1)]
    _, end = Resolver(names, lambda: (), links).ends(Link(target, 1, kind), notes[0])
    return "" if end == NOWHERE else notes[end - 1]


@cases(
    ("target", "path"),
    [
        ("/en-US/docs/Web", WEB[0]),
        ("/en-US/docs/web/api/Fetch/", WEB[1]),
        ("/en-US/docs/Web/API/fetch.html", WEB[1]),
        ("/en-US/docs/Web/API/fetch/index.html", WEB[1]),
        ("/en-US/docs/Web/API/fetch/index.md", WEB[1]),
        ("/en-US/docs/Web/API/gone", ""),
        ("/de/docs/Web", ""),
        ("/../../../../../../../Web", ""),
        ("/en-US/docs/../docs/Web", WEB[0]),
    ],
)
def test_a_prefix_of_the_site_stands_for_a_folder_of_the_vault(target: str, path: str) -> None:
    assert led(target, WEB, ON_WEB) == path


@cases(
    ("notes", "links"),
    [
        # What tools make of `/docs/a`: a folder above, a prefix less, another folder in its place.
        (("site/docs/a.md", "site/docs/b.md"), ("/docs/a", "/docs/b")),
        (("a.md", "b.md"), ("/docs/a", "/docs/b/")),
        (("content/a.md", "content/b/_index.md"), ("/docs/a.html", "/docs/b")),
        (("src/a.md", "src/x/b.md"), ("/a", "/x/b")),
    ],
)
def test_a_root_is_found_by_the_links_that_fit_it(notes: tuple[str, ...], links: tuple[str, ...]) -> None:
    assert [led(link, notes, links) for link in links] == list(notes)


@cases(
    ("notes", "links"),
    [
        # One page may be chance, and so are two of four links.
        (("me/a.md",), ("/docs/a", "/docs/a.html")),
        (("me/a.md", "me/b.md"), ("/docs/a", "/docs/b", "/docs/c", "/docs/d")),
        (("me/a.md", "you/b.md"), ("/docs/a", "/docs/b")),
    ],
)
def test_without_a_root_that_fits_nothing_is_found(notes: tuple[str, ...], links: tuple[str, ...]) -> None:
    assert {led(link, notes, links) for link in links} == {""}


def test_a_note_from_the_vaults_own_root_comes_first() -> None:
    assert led("/docs/a", ("src/a.md", "src/b.md", "docs/a.md"), ("/docs/b", "/docs/a")) == "docs/a.md"


@pytest.mark.parametrize("kind", ["wiki", "file"])
def test_only_markdown_links_are_those_of_a_site(kind: str) -> None:
    assert led("/en-US/docs/Web", WEB, ON_WEB, kind) == ""


def steps(pages: int) -> int:
    """Return how many lines of Python run to resolve thirty links among so many pages called `index.md`."""
    notes = [NoteName(number, f"files/en/{number % 7}/page{number}/index.md") for number in range(1, pages + 1)]
    targets = [target for at in range(10) for target in (f"/x/docs/{at % 7}/page{at}", f"page{at}/index.md", "index")]
    links = [Link(target, 1, kind) for target, kind in zip(targets, ["markdown", "markdown", "wiki"] * 10, strict=True)]
    resolver, count = Resolver(notes, lambda: (), links), 0

    def step(frame: FrameType, event: str, _: object) -> TraceFunction:
        nonlocal count
        count += 1
        return step

    # The second time, all that is made once is there.
    for trace in (None, step):
        before = sys.gettrace()
        sys.settrace(trace)
        ends = [resolver.ends(link, "elsewhere/note.md") for link in links]
        sys.settrace(before)
    assert all(note for _, note in ends[3:])
    return count


def test_a_link_is_resolved_as_quickly_among_many_files_of_one_name() -> None:
    assert steps(2_000) <= 1.2 * steps(100)


def test_links_to_files_say_nothing_about_pages() -> None:
    pictures = tuple(f"/assets/{number}.png" for number in range(9))
    assert led("/en-US/docs/Web", WEB, (*ON_WEB, *pictures)) == WEB[0]
