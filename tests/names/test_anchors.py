from __future__ import annotations

from tests.cases import cases

from notewell.names.anchors import Anchors
from notewell.types.note import Chunk, Part

TEXT = """# Bees & honey

## The *long* [winter](winter.md)

### Übersicht #

A block of its own. ^block-1

^block-2

<a name="old-place"></a> <h2 id='second'>Second</h2>

## Harvest {#custom}

![[queen.png]]^picture
"""
ANCHORS = Anchors.of(
    (
        Chunk("a.md", TEXT, 1, 20, headings=("Above",)),
        Chunk("a.md", "## Carriage\r\n\r\nreturn ^r\r\n", 21, 24, parts=(Part(21, "page 3"),)),
    ),
    # What is in no chunk: lists of links, headings without text.
    "## Links\n\n- [[Rye]] ^rye\n\n## Empty (x)\n### Energy $x^2$\n### ==High== `code` **bold**\n## Same\n## Same\n\n"
    "Underlined\n==========\n\nOther *line*\n---\n\n## C# and F#\n",
)


@cases(
    "anchor",
    [
        *("Bees & honey", "bees-honey", "bees--honey", "BEES HONEY", "The long winter", "the-long-winter", "Übersicht"),
        *("Above", "Bees & honey#Übersicht", "old-place", "second", "custom", "Harvest", "Carriage", "page=3"),
        *("^block-1", "^BLOCK-2", "#^block-1", "^^block-1", "^r", "^picture", "^rye"),
        *("Links", "Empty (x)", "empty-x", "Energy $x^2$", "==High== `code` **bold**", "high-code-bold"),
        *("Same", "same-1", "Underlined", "Other line", "C# and F#", "C and F", "Links#Same"),
        # Sites number headings that are the same, and have anchors of their own.
        *("harvest-1", "top", "", ":~:text=hive", "tab/linux"),
    ],
)
def test_an_anchor_that_the_note_has_is_not_a_problem(anchor: str) -> None:
    assert ANCHORS.problem(anchor) == ""


@cases(
    ("anchor", "problem"),
    [
        ("Wasps", "no such heading"),
        ("Bees & honey#Wasps", "no such heading"),
        ("Wasps#Bees & honey", "no such heading"),
        ("Ubersicht", "no such heading"),
        ("^block-3", "no such block"),
        ("^block", "no such block"),
        ("block-1", "no such heading"),
    ],
)
def test_an_anchor_that_the_note_lacks_is_reported(anchor: str, problem: str) -> None:
    assert ANCHORS.problem(anchor) == problem


def test_headings_like_an_anchor_are_named_as_one_reads_them() -> None:
    assert ANCHORS.near("the-long-winters")[0] == "The *long* winter"
    assert ANCHORS.near("Zebra") == ()
