"""Where links lead: by the rules of Obsidian, and of a website of the same files."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.graph.resolve import Resolver, read_address
from notewell.store.links import NOWHERE, TO_FILE, NoteName
from notewell.types.note import Link

# By id, from 1 on.
NOTES = (
    "Bees.md",
    "garden/Bees.md",
    "garden/Hive.md",
    "garden/tools/Smoker.md",
    "zoo/Smoker.md",
    "a/b/Wax.md",
    "zzzzzz/Wax.md",
    "guide/index.md",
    "guide/start.md",
    "README.md",
    "papers/Dance.pdf",
    "papers/Wax.pdf",
    "Über.md",
    "site/docs/honey/harvest.md",
    "v1.2.md",
    "old.markdown",
)
ALIASES = {"garden/Hive.md": ("Beehive", "TCP/IP", "Smoker")}
FILES = ("images/queen.png", "garden/map.svg", "data.json")


def resolver(notes: Iterable[str] = NOTES) -> Resolver:
    return Resolver(
        [NoteName(id, path, aliases=ALIASES.get(path, ())) for id, path in enumerate(notes, start=1)], lambda: FILES
    )


def led(target: str, source: str = "zoo/a.md", kind: str = "wiki", notes: tuple[str, ...] = NOTES) -> str:
    """Return the path of the note that a link leads to, `file` for a file, or nothing."""
    _, end = resolver(notes).ends(Link(target, 1, kind), source)
    if end == NOWHERE:
        return ""
    return "file" if end == TO_FILE else notes[end - 1]


@cases(
    ("target", "source", "path"),
    [
        # A path from the root wins over a note in the same folder.
        ("Bees", "garden/Hive.md", "Bees.md"),
        ("garden/Bees", "zoo/a.md", "garden/Bees.md"),
        # Then the note's own folder, and the folders in it, however deep.
        ("Smoker", "garden/tools/a.md", "garden/tools/Smoker.md"),
        ("Smoker", "garden/a.md", "garden/tools/Smoker.md"),
        ("Wax", "a/b/c.md", "a/b/Wax.md"),
        ("Wax", "zzzzzz/a.md", "zzzzzz/Wax.md"),
        ("b/Wax", "a/c.md", "a/b/Wax.md"),
        # Then the shortest path, by its letters and not by its folders.
        ("Wax", "garden/a.md", "a/b/Wax.md"),
        ("Smoker", "gard/a.md", "zoo/Smoker.md"),
        ("Smoker", "a.md", "zoo/Smoker.md"),
        # A part of a path is matched by whole names from its end.
        ("tools/Smoker", "zoo/a.md", "garden/tools/Smoker.md"),
        ("ools/Smoker", "zoo/a.md", ""),
        ("tools/Smoker", "garden/a.md", "garden/tools/Smoker.md"),
        # Case, `.md` and blanks make no difference.
        ("  hive.MD ", "zoo/a.md", "garden/Hive.md"),
        ("v1.2", "zoo/a.md", "v1.2.md"),
        ("old", "zoo/a.md", "old.markdown"),
        # A path that says where it is counted from is nowhere else.
        ("./Bees", "garden/a.md", "garden/Bees.md"),
        ("../Bees", "garden/a.md", "Bees.md"),
        ("./Hive", "zoo/a.md", ""),
        ("/Bees", "garden/a.md", "Bees.md"),
        ("/Hive", "garden/a.md", ""),
        # Notes of other formats have their suffix, and need it only where a Markdown note has the name.
        ("Dance.pdf", "zoo/a.md", "papers/Dance.pdf"),
        ("Dance", "zoo/a.md", "papers/Dance.pdf"),
        ("Wax.pdf", "zoo/a.md", "papers/Wax.pdf"),
        # Aliases come after names.
        ("beehive", "zoo/a.md", "garden/Hive.md"),
        ("TCP/IP", "zoo/a.md", "garden/Hive.md"),
        ("Smoker", "a/b.md", "zoo/Smoker.md"),
        # A wikilink does not lead to a folder.
        ("guide", "zoo/a.md", ""),
        ("Nobody", "zoo/a.md", ""),
    ],
)
def test_a_wikilink_leads_where_obsidian_leads(target: str, source: str, path: str) -> None:
    assert led(target, source) == path


@cases(
    ("target", "source", "path"),
    [
        # Beside the note first: so Markdown links are read everywhere but in Obsidian.
        ("Bees.md", "garden/Hive.md", "garden/Bees.md"),
        ("tools/Smoker.md", "garden/Hive.md", "garden/tools/Smoker.md"),
        ("../Bees.md", "garden/Hive.md", "Bees.md"),
        ("../guide/start", "garden/Hive.md", "guide/start.md"),
        ("..\\guide\\start.md", "garden/Hive.md", "guide/start.md"),
        ("../x/../guide/./start.md", "garden/Hive.md", "guide/start.md"),
        # What Obsidian finds by its name, where there is none beside.
        ("Smoker.md", "garden/Hive.md", "garden/tools/Smoker.md"),
        ("Hive.md", "zoo/a.md", "garden/Hive.md"),
        # What a site has behind or in place of `.md`.
        ("start.html", "guide/index.md", "guide/start.md"),
        ("../guide/", "garden/Hive.md", "guide/index.md"),
        ("../guide", "garden/Hive.md", "guide/index.md"),
        ("/guide/index.md", "garden/Hive.md", "guide/index.md"),
        (".", "guide/start.md", "guide/index.md"),
        ("..", "guide/start.md", "README.md"),
        ("/", "guide/start.md", "README.md"),
        # A site's root may be a folder of the vault, or have one more above it.
        ("/honey/harvest", "zoo/a.md", "site/docs/honey/harvest.md"),
        ("/en/honey/harvest/", "zoo/a.md", "site/docs/honey/harvest.md"),
        ("~/honey/harvest.md", "zoo/a.md", "site/docs/honey/harvest.md"),
        ("/en/harvest", "zoo/a.md", ""),
        # An alias is not an address.
        ("Beehive", "zoo/a.md", ""),
    ],
)
def test_a_markdown_link_leads_where_a_reader_of_the_site_gets(target: str, source: str, path: str) -> None:
    assert led(target, source, "markdown") == path


@cases("kind", ["wiki", "markdown", "file"])
@cases("target", ["../../../Bees", "../../etc/passwd", "x/../../../../Bees.md"])
def test_no_link_leads_out_of_the_vault(target: str, kind: str) -> None:
    assert led(target, "garden/Hive.md", kind) == ""


@cases("form", ["NFC", "NFD"])
def test_composed_and_decomposed_letters_are_the_same(form: Literal["NFC", "NFD"]) -> None:
    notes = tuple(unicodedata.normalize("NFD", path) for path in NOTES)
    assert led(unicodedata.normalize(form, "über"), notes=notes) == unicodedata.normalize("NFD", "Über.md")
    assert led(unicodedata.normalize(form, "über")) == "Über.md"


def test_accents_make_a_difference() -> None:
    assert led("Uber") == ""


@cases("source", ["garden/Hive.md", "Bees.md"])
@cases("kind", ["wiki", "markdown"])
def test_a_link_to_an_anchor_alone_leads_to_its_own_note(source: str, kind: str) -> None:
    assert led("", source, kind) == source


@cases(
    ("target", "kind", "end"),
    [
        ("queen.png", "wiki", "file"),
        ("QUEEN.PNG", "wiki", "file"),
        ("map.svg", "file", "file"),
        ("../images/queen.png", "markdown", "file"),
        ("/data.json", "markdown", "file"),
        ("nobody.png", "wiki", ""),
        ("images", "markdown", ""),
    ],
)
def test_a_link_to_another_file_of_the_vault_leads_to_a_file(target: str, kind: str, end: str) -> None:
    assert led(target, "garden/Hive.md", kind) == end


def test_other_files_are_listed_only_when_a_link_looks_like_one_s() -> None:
    def refuse() -> list[str]:
        raise AssertionError("files were listed")

    plain = Resolver([NoteName(1, "Bees.md")], refuse)
    for target in ("Bees", "Nobody", "v1.2", "Mr. Bean", "e.g. this"):
        plain.ends(Link(target, 1), "Bees.md")
    with pytest.raises(AssertionError, match="were listed"):
        plain.ends(Link("queen.png", 1), "Bees.md")


@cases("others", [3, 40])
def test_among_many_of_one_name_the_shortest_below_the_note_is_chosen(others: int) -> None:
    names = ("z/long", "z/b", "z-", *("x" * number for number in range(1, others)))
    notes = tuple(f"{name}/Log.md" for name in names)
    assert led("Log", "z/a.md", notes=notes) == led("Log.md", "z/a.md", "markdown", notes) == "z/b/Log.md"
    assert led("long/Log", "z/a.md", notes=notes) == "z/long/Log.md"
    assert led("Log", "y/a.md", notes=notes) == "x/Log.md"


@cases(
    ("target", "source", "kind", "folder"),
    [
        ("../images", "garden/Hive.md", "markdown", "images/"),
        ("tools/", "garden/Hive.md", "markdown", "garden/tools/"),
        ("/site", "garden/Hive.md", "markdown", "site/"),
        ("Site/Docs", "garden/Hive.md", "markdown", "site/docs/"),
        ("tool", "garden/Hive.md", "markdown", ""),
        ("guide", "garden/Hive.md", "wiki", ""),
    ],
)
def test_a_markdown_link_may_lead_to_a_folder(target: str, source: str, kind: str, folder: str) -> None:
    address = read_address(target, kind, source)
    assert address is not None
    assert resolver().folder_at(address, source) == folder


def test_a_link_within_a_note_leads_to_it_though_another_differs_in_case_alone() -> None:
    assert led("", "zoo/A.md", notes=("zoo/A.md", "zoo/a.md")) == "zoo/A.md"
    assert led("", "zoo/a.md", notes=("zoo/A.md", "zoo/a.md")) == "zoo/a.md"


def test_a_tilde_is_the_root_only_before_a_slash() -> None:
    assert led("~foo", notes=("foo.md", "~foo.md")) == "~foo.md"
    assert led("~/foo", notes=("foo.md", "~foo.md")) == "foo.md"


def test_of_two_notes_with_one_alias_the_same_is_chosen_in_whatever_order_they_came() -> None:
    for one, other in ((1, 2), (2, 1)):
        notes = [NoteName(one, "a.md", aliases=("Nick",)), NoteName(other, "b.md", aliases=("Nick",))]
        assert Resolver(notes, list).ends(Link("Nick", 1), "l.md")[1] == one


def test_of_names_that_differ_in_case_alone_one_is_chosen_for_good() -> None:
    assert led("bees", notes=("a/bees.md", "a/Bees.md")) == led("bees", notes=("a/Bees.md", "a/bees.md")) == "a/Bees.md"


@given(target=st.text(max_size=60), kind=st.sampled_from(["wiki", "markdown", "file"]))
def test_whatever_is_written_leads_to_a_note_a_file_or_nowhere(target: str, kind: str) -> None:
    for written in (target, f"../{target}", f"/{target}", f"{target}/Bees.md", f"garden/{target}"):
        assert led(written, "garden/Hive.md", kind) in {*NOTES, "file", ""}
