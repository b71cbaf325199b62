"""Org, reStructuredText and AsciiDoc: titles, headings, blocks and links, as these formats write them."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bounded import run_within
from tests.cases import cases

from notewell.index.chunk import ChunkRules
from notewell.index.shapes import asciidoc, document, org, restructured
from notewell.types.note import Chunk, Link, Note, Stamp

SHAPES = (org, restructured, asciidoc)
# Spelled in halves: a word that no file of ours may hold.
STATE = "TO" + "DO"
LONG = "The loaf needs a long and patient rest before baking. "


def parsed(shape: ModuleType, text: str) -> Note:
    note: Note = shape.parse(Note("bread/rye.x", text, Stamp(0, 0)))
    return note


def chunks(shape: ModuleType, text: str) -> list[Chunk]:
    found: list[Chunk] = shape.chunk(parsed(shape, text), ChunkRules())
    return found


def names(shape: ModuleType, text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.name) for heading in shape.outline(text).headings]


@cases("shape", SHAPES)
def test_a_text_without_title_is_named_after_its_file(shape: ModuleType) -> None:
    assert parsed(shape, LONG).title == "rye"
    assert [(one.text, one.headings) for one in chunks(shape, LONG)] == [(LONG.strip(), ())]
    assert [one.text for one in chunks(shape, "")] == [""]


def test_org_headings_have_levels_and_lose_states_priorities_and_tags() -> None:
    text = (
        f"* {STATE} [#A] Rye :bread:slow:\n** DONE Bees\n*** Tea time\n*bold* is no heading\n ** nor this\n* IBM news\n"
    )
    assert names(org, text) == [(1, "Rye"), (2, "Bees"), (3, "Tea time"), (1, "IBM news")]


def test_org_states_of_the_file_are_states() -> None:
    text = f"#+{STATE}: OPEN(o) | SHUT(s)\n* OPEN Rye\n* SHUT\n"
    assert names(org, text) == [(1, "Rye"), (1, "")]


def test_org_says_its_title_and_tags_in_keywords() -> None:
    note = parsed(org, "#+TITLE: On rye\n#+filetags: :bread:slow:\n\n* One\n" + LONG)
    assert (note.title, note.tags) == ("On rye", ("bread", "slow"))


def test_org_blocks_are_not_headings() -> None:
    text = f"* One\n{LONG}\n#+begin_src python\n* not a heading\n#+end_example\n#+end_src\n* Two\n{LONG}"
    assert names(org, text) == [(1, "One"), (1, "Two")]
    (block,) = org.outline(text).blocks
    assert text[block.start : block.end].startswith("#+begin_src") and text[: block.end].endswith("#+end_src\n")
    assert names(org, "#+BEGIN_SRC\n* Open\n") == [(1, "Open")]


def test_an_org_block_that_never_ends_does_not_hide_the_others() -> None:
    text = f"#+begin_quote\n{LONG}\n* One\n#+begin_src\n* not a heading\n#+end_src\n* Two\n"
    assert names(org, text) == [(1, "One"), (1, "Two")]
    inside = "#+begin_example\n#+begin_src\n* no\n#+end_example\n* One\n#+begin_src\n* no\n#+end_src\n"
    assert names(org, inside) == [(1, "One")]
    nested = "#+begin_quote\n#+begin_src\n* no\n#+end_src\n* neither\n#+end_quote\n* One\n"
    assert names(org, nested) == [(1, "One")] and len(org.outline(nested).blocks) == 1


def test_org_links_lead_to_files() -> None:
    text = (
        "See [[file:bees.org::*Swarm][the swarm]], [[./tea.org]] and\n[[https://example.org][out]] [[id:42]] [[Rye]]\n"
    )
    assert parsed(org, text).links == (
        Link("bees.org", 1, "file", "Swarm", "the swarm", raw="[[file:bees.org::*Swarm][the swarm]]"),
        Link("./tea.org", 1, "file", raw="[[./tea.org]]"),
    )


def test_rst_headings_have_levels_in_the_order_of_their_signs() -> None:
    text = "=====\n Rye\n=====\n\nFirst\n=====\n\nDeeper\n------\n\nSecond\n======\n\nDeeper still\n~~~~~~~~~~~~\n"
    assert names(restructured, text) == [(1, "Rye"), (2, "First"), (3, "Deeper"), (2, "Second"), (4, "Deeper still")]
    assert parsed(restructured, text).title == "Rye"


@cases(
    "text",
    [
        "A paragraph\nof two lines\n======\n",
        "Text\n\n----------\n\nText\n",
        "Code::\n\n    Title\n    =====\n\n    Second\n    ======\n",
        ".. code-block:: rst\n\n   Title\n   =====\n",
        "=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n",
        "+---+---+\n| A | B |\n+---+---+\n",
        "A short one\n---\n",
        "It\n::\n\n  code\n",
    ],
)
def test_a_line_that_only_looks_like_a_heading_in_rst_is_text(text: str) -> None:
    assert names(restructured, text) == []


def test_rst_titles_may_have_windows_line_ends() -> None:
    text = f"Rye\r\n===\r\n\r\nFirst\r\n-----\r\n\r\n{LONG}\r\n"
    assert names(restructured, text) == [(1, "Rye"), (2, "First")]


def test_rst_literal_blocks_are_kept_whole() -> None:
    text = "Rye\n===\n\nLike this::\n\n    one\n\n    two\n\nAfter.\n\n.. code:: c\n\n   int x;\n"
    blocks = [text[block.start : block.end].strip() for block in restructured.outline(text).blocks]
    assert blocks == ["one\n\n    two", "int x;"]


def test_rst_links_lead_to_documents() -> None:
    text = "See :doc:`bees`, :doc:`the tea <../tea>`, `a file <x.txt>`_, `out <https://x.org>`_, :ref:`no <at>`.\n"
    assert parsed(restructured, text).links == (
        Link("bees", 1, "file", raw=":doc:`bees`"),
        Link("../tea", 1, "file", "", "the tea", raw=":doc:`the tea <../tea>`"),
        Link("x.txt", 1, "file", "", "a file", raw="`a file <x.txt>`_"),
    )


def test_asciidoc_headings_are_equals_signs() -> None:
    text = "// comment\n:toc:\n= Rye\n:author: me\n\n== First ==\n\n=== Deeper\n\n== Second\n"
    assert names(asciidoc, text) == [(1, "Rye"), (2, "First"), (3, "Deeper"), (2, "Second")]
    assert parsed(asciidoc, text).title == "Rye"


@cases("rule", ["----", "....", "////", "++++", "```", "|===", "------"])
def test_asciidoc_blocks_are_not_headings(rule: str) -> None:
    text = f"= Rye\n\n== One\n\n{rule}\n== no\n{rule}\n\n== Two\n"
    assert names(asciidoc, text) == [(1, "Rye"), (2, "One"), (2, "Two")]
    assert len(asciidoc.outline(text).blocks) == 1
    assert names(asciidoc, f"{rule}\n== open\n") == [(2, "open")]


def test_asciidoc_has_old_titles_of_two_lines() -> None:
    text = "Rye\n====\n\nFirst part\n----------\n\nText.\n\n----\n== no\n----\n\nDeeper\n~~~~~~\n"
    assert names(asciidoc, text) == [(1, "Rye"), (2, "First part"), (3, "Deeper")]


def test_asciidoc_links_lead_to_files() -> None:
    text = (
        "xref:bees.adoc#swarm[the swarm] link:tea.pdf[] link:https://example.org[out]\n\n----\nxref:no.adoc[]\n----\n"
    )
    assert parsed(asciidoc, text).links == (
        Link("bees.adoc", 1, "file", "swarm", "the swarm", raw="xref:bees.adoc#swarm[the swarm]"),
        Link("tea.pdf", 1, "file", raw="link:tea.pdf[]"),
    )


@cases(
    ("shape", "text"),
    [
        (org, f"#+title: Rye\n\n* One\n{LONG}\n** Two\n{LONG}\n"),
        (restructured, f"Rye\n===\n\nOne\n---\n{LONG}\n\nTwo\n~~~\n{LONG}\n"),
        (asciidoc, f"= Rye\n\n== One\n{LONG}\n\n=== Two\n{LONG}\n"),
    ],
)
def test_chunks_are_under_their_headings(shape: ModuleType, text: str) -> None:
    found = chunks(shape, text)
    assert found[0].heading == "Rye > One"
    assert found[-1].text.endswith(LONG.strip()) and "Two" in found[-1].text
    assert all(text[one.start : one.end] == one.text for one in found)


@cases(
    ("shape", "heading", "links"),
    [
        (document, "## {}\n\n", "- [Bees](bees.docx)\n- [[Rye]]\n- https://bees.example/winter\n"),
        (org, "* {}\n", "- [[file:bees.org][On the bees of winter]]\n- [[file:rye.org]]\n"),
        (restructured, "{}\n==========\n\n", "* :doc:`bees`\n* `The bees of winter <bees.rst>`_\n"),
        (asciidoc, "== {}\n\n", "* xref:bees.adoc[The bees of winter]\n* link:rye.adoc[Rye]\n"),
    ],
)
def test_a_bibliography_is_a_chunk_and_a_list_of_links_is_not(shape: ModuleType, heading: str, links: str) -> None:
    text = heading.format("Winter") + LONG + "\n\n" + heading.format("References")
    book = "- Huber, F. (1792). New observations on the bees. Geneva. https://bees.example/huber\n"
    assert [one.headings[-1] for one in chunks(shape, text + book)] == ["Winter", "References"]
    assert [one.headings[-1] for one in chunks(shape, text + links)] == ["Winter"]


PIECES = st.sampled_from(
    [
        "* a\n",
        "** ",
        "#+begin_src\n",
        "#+end_src\n",
        "====\n",
        "----\n",
        "Title\n",
        "\n",
        "::\n",
        "  in\n",
        "= b\n",
        "\r\n",
    ]
)


@pytest.mark.parametrize("shape", SHAPES)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_text_has_headings_in_order_and_blocks_in_order(shape: ModuleType, text: str) -> None:
    found = shape.outline(text)
    edges = [edge for block in found.blocks for edge in (block.start, block.end)]
    assert edges == sorted(edges) and all(0 <= edge <= len(text) for edge in edges)
    starts = [heading.start for heading in found.headings]
    assert starts == sorted(set(starts))
    assert all(0 <= heading.start < heading.body <= len(text) for heading in found.headings)
    for one in chunks(shape, text):
        assert text[one.start : one.end] == one.text


def test_a_monotonous_text_does_not_take_for_ever() -> None:
    # Each takes some hundredths of a second; a step for every pair of characters, 450,000,000 in all, ten or more.
    program = """
from notewell.index.chunk import ChunkRules
from notewell.index.shapes import asciidoc, org, restructured
from notewell.types.note import Note, Stamp
runs = [*"*=#:`[ \\n-|~", "* a\\n", "::\\n", "::\\n\\n", "a\\n=\\n", "a\\n====\\n\\n", "[[file:", ":doc:`", "xref:a",
        "#+begin_src\\n", "#+end_a\\n", "----\\n", " a\\n", "[[a]\\n", ":a:\\n", "::\\n a\\n", "`a<"]
for text in (run * (30_000 // len(run)) for run in runs):
    go_on(ascii(text[:20]))
    for shape in (asciidoc, org, restructured):
        shape.chunk(shape.parse(Note("a.x", text, Stamp(0, 0))), ChunkRules())
"""
    run_within(30, program)
