"""What a Markdown note says about itself: title, tags, type, aliases, and the breadcrumb of its chunks."""

from __future__ import annotations

from datetime import date

from tests.cases import cases

from notewell.index.chunk import ChunkRules
from notewell.index.shapes.markdown import chunk, parse
from notewell.redact import redact
from notewell.types.note import Chunk, Note, Stamp

SENTENCE = "The hive hums quietly all morning in the orchard."
# Too long for one chunk with another of its kind.
LONG = "\n\n".join(f"{SENTENCE} {number}" for number in range(30))


def note_of(text: str) -> Note:
    return parse(redact(Note("Garden/bees.md", text, Stamp(0, 0))))


def chunks_of(text: str, chunking: ChunkRules = ChunkRules()) -> list[Chunk]:  # noqa: B008
    return chunk(note_of(text), chunking)


def test_a_chunk_knows_its_breadcrumb() -> None:
    text = f"# Bees\n\n## Year\n\n{LONG}\n\n### May\n\n{LONG}\n"
    assert {piece.heading for piece in chunks_of(text)} == {"Bees > Year", "Bees > Year > May"}


def test_a_breadcrumb_begins_with_the_title_of_the_front_matter() -> None:
    text = f"---\ntitle: Apiary\n---\n# Bees\n\n## Year\n\n{SENTENCE}\n"
    assert chunks_of(text)[-1].heading == "Apiary > Bees > Year"


def test_a_new_first_heading_ends_the_breadcrumb_of_the_last() -> None:
    text = f"# One\n\n## Deep\n\n{SENTENCE}\n\n# Two\n\n{SENTENCE}\n"
    assert [piece.headings for piece in chunks_of(text)] == [("One", "Deep"), ("Two",)]


def test_a_chunk_knows_type_tags_and_aliases() -> None:
    text = f"---\ntype: log\ntags: [bees, '#garden']\naliases:\n  - Imkerei\n  - 2024\n---\n{SENTENCE}\n"
    (piece,) = chunks_of(text)
    assert (piece.kind, piece.tags, piece.aliases) == ("log", ("bees", "garden"), ("Imkerei", "2024"))
    assert piece.line == 8


@cases("tags", ["tags: bees, garden", "tag: [bees, garden]", "tags:\n- bees\n- garden"])
def test_tags_are_read_in_every_way_people_write_them(tags: str) -> None:
    assert note_of(f"---\n{tags}\n---\n{SENTENCE}\n").tags == ("bees", "garden")


@cases(
    ("text", "title"),
    [
        ("---\ntitle: Apiary\n---\n# Bees\n", "Apiary"),
        ("# Bees\n\n## Part\n", "Bees"),
        ("---\ntags: [a]\n---\n\n\n# Bees\n\nText.\n", "Bees"),
        ("Bees\n====\n\nText.\n", "Bees"),
        ("## Part\n\n# Bees\n", "bees"),
        ("Some text.\n\n# Bees\n", "bees"),
        ("# Bees\n\nText.\n\n# Rye\n\nText.\n", "bees"),
        ("# \n\nText.\n", "bees"),
        ("Just text.\n", "bees"),
        ("---\ntitle:\n---\nJust text.\n", "bees"),
        ("---\ntitle: 1984\n---\n", "1984"),
    ],
)
def test_the_title_is_the_front_matters_or_the_one_opening_headings_or_the_files(text: str, title: str) -> None:
    assert note_of(text).title == title


def test_a_date_in_front_matter_is_a_field() -> None:
    assert note_of("---\ndate: 2025-03-11\n---\nText.\n").fields == {"date": date(2025, 3, 11)}
