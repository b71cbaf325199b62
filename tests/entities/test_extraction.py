"""Names in text, and how they become entities."""

from __future__ import annotations

from collections.abc import Sequence

from tests.cases import cases

from notewell.entities.candidates import Candidate, NoteText, candidates_of
from notewell.entities.merge import Entity, Merge
from notewell.entities.text import names_in
from notewell.store import NoteFacts
from notewell.types.note import Chunk, Link


def note(
    path: str, text: str = "", links: Sequence[Link] = (), tags: tuple[str, ...] = (), **fields: object
) -> NoteText:
    """Return a note with a title as its file is called, and an alias if its fields have one."""
    title = path.rpartition("/")[2].removesuffix(".md")
    alias = fields.pop("alias", "")
    chunk = Chunk(path, text, 1, 1 + text.count("\n"), title=title, tags=tags, aliases=(str(alias),) if alias else ())
    return NoteText(path, [chunk], NoteFacts("", fields), links)


def merged(*notes: NoteText, more: Sequence[Candidate] = ()) -> dict[str, Entity]:
    """Return the entities of some notes, by name."""
    return {one.name: one for one in Merge([(each.path, candidates_of(each, more)) for each in notes]).entities()}


@cases(
    ("text", "names"),
    [
        ("We met Ada Lovelace in London.", [("Ada Lovelace", "person"), ("London", "place")]),
        ("At Bielefeld University, I saw", [("Bielefeld University", "organisation")]),
        ("The talk was by J. R. R. Tolkien.", [("J. R. R. Tolkien", "person")]),
        ("I read the book Invisible Cities last week.", [("Invisible Cities", "work")]),
        ("We call it Project Apollo here.", [("Apollo", "project")]),
        ("it is Miller's cat, said Dr. Miller", [("Miller", ""), ("Miller", "person")]),
        ("# About Ada Lovelace\n\n| Ada Lovelace | x |\n\n`Ada Lovelace`\n\n```\nAda Lovelace\n```", []),
        ("we used https://Example.org/Ada and [[Ada Lovelace]] and <b class='Ada'>", []),
        ("How To Bake A Loaf With Rye Flour", []),
        ("then Carl-bot said so to Anne-Katrin", [("Carl-bot", ""), ("Anne-Katrin", "person")]),
        ("the Name of Your Company", [("Name of Your Company", "")]),
        ("it is Copyright JS Foundation", [("JS Foundation", "organisation")]),
        ("He visited Rome. The Beatles played there.", [("Rome", "place"), ("Beatles", "")]),
        ("then she saw Dr. Miller. Ada Lovelace came later", [("Miller", "person"), ("Ada Lovelace", "person")]),
        ("it is for Acme Inc. and the U.S. Army in the St. James Park", [
            ("Acme Inc", "organisation"), ("U.S. Army", ""), ("St. James Park", ""),
        ]),
        ("I heard Neil Young and saw Ada Next", [("Neil Young", "person"), ("Ada", "person")]),
    ],
)  # fmt: skip
def test_names_are_runs_of_capitals_with_what_their_words_tell(text: str, names: list[tuple[str, str]]) -> None:
    assert [(named.name, named.kind) for named in names_in(text, 1)] == names


def test_german_nouns_are_no_names_but_german_names_are() -> None:
    found = list(
        names_in("Gestern hat Anna Schmidt dem Verein in München die Rechnung der Firma gezeigt.", 1, english=False)
    )
    assert [named.name for named in found if not named.weak] == ["Anna Schmidt", "München"]


@cases(
    ("text", "names"),
    [
        (
            "Gestern war Herr Schröder von der Stadtwerke Leipzig GmbH hier.",
            [("Schröder", "person"), ("Stadtwerke Leipzig GmbH", "organisation")],
        ),
        ("Hier ist die Rechnung der Acme Wasser GmbH zu lesen.", [("Acme Wasser GmbH", "organisation")]),
        ("Heute kam Herr Karl von der Heide zu uns.", [("Karl von der Heide", "person")]),
        ("Jürgen Groß baut das Dach. Die Universität Leipzig hilft.", [
            ("Jürgen Groß", "person"), ("Universität Leipzig", "organisation"),
        ]),
    ],
)  # fmt: skip
def test_small_german_words_part_names(text: str, names: list[tuple[str, str]]) -> None:
    found = names_in(text, 1, english=False)
    assert [(named.name, named.kind) for named in found if not named.weak] == names


def test_a_german_noun_is_no_first_name_without_its_umlaut() -> None:
    found = names_in(
        "Hier stehen vier Völker, wie Volker und Jürgen wissen, zum Fortschritt der Gesellschaft.", 1, english=False
    )
    assert [named.name for named in found if not named.weak] == ["Volker", "Jürgen"]


def test_a_line_number_is_that_of_the_note() -> None:
    assert [named.line for named in names_in("```\ncode\n```\n\nWe met Ada Lovelace.", 10)] == [14]


def test_a_note_names_things_by_properties_tags_links_and_its_type() -> None:
    found = merged(
        note("People/Steph Ango.md", categories=["[[People]]"]),
        note("Trip.md", "", [Link("Kyoto", 4), Link("Steph Ango", 5)], ("project/lighthouse",), author="[[Steph Ango]]",
             company="Obsidian Ltd", location=["[[Kyoto]]"], cover="https://example.org/a.jpg"),
    )  # fmt: skip
    kinds = {name: one.kind for name, one in found.items()}
    assert kinds["Steph Ango"] == "person" and kinds["Kyoto"] == "place" and kinds["Obsidian Ltd"] == "organisation"
    lines = {(mention.note, mention.line) for mention in found["Steph Ango"].mentions}
    assert lines == {("People/Steph Ango.md", 1), ("Trip.md", 5)}
    assert "https://example.org/a.jpg" not in found and "People" not in found


def test_a_template_says_nothing() -> None:
    assert merged(note("Templates/Person.md", "We met Ada Lovelace.", author="Ada Lovelace")) == {}


def test_spellings_aliases_surnames_and_legal_forms_are_one_entity_with_reasons() -> None:
    found = merged(
        note("People/Ada Lovelace.md", "", alias="Countess of Lovelace", type="person"),
        note("a.md", "we know that Lovelace wrote it, and ada lovelace's notes, and ADA LOVELACE too"),
        note("b.md", "as the Countess of Lovelace said to Acme Inc. and to Acme, with Acme again"),
        note("c.md", "and Acme too, or Acme Inc. again"),
        note("d.md", "then Acme"),
    )
    ada = found["Ada Lovelace"]
    assert {spelling.name: spelling.why for spelling in ada.spellings[1:]} == {
        "Countess of Lovelace": "an alias",
        "Lovelace": "the only person here with this name",
    }
    assert {mention.note for mention in ada.mentions} == {"People/Ada Lovelace.md", "a.md", "b.md"}
    (acme,) = [one for one in found.values() if one.name.startswith("Acme")]
    assert {spelling.name for spelling in acme.spellings} == {"Acme", "Acme Inc"} and acme.kind == "organisation"


def test_a_surname_of_two_people_is_neither() -> None:
    found = merged(
        note("a.md", "we met Ada Miller and Ben Miller"), note("b.md", "we met Miller, and then Miller left")
    )
    assert {"Ada Miller", "Ben Miller"} <= found.keys()
    assert all("b.md" not in {mention.note for mention in one.mentions} for one in found.values())


def test_text_alone_counts_only_if_it_recurs() -> None:
    once = merged(note("a.md", "we use Frobnicator here"), note("b.md", "we use Frobnicator there"))
    assert "Frobnicator" not in once
    often = merged(*(note(f"{name}.md", "we use Frobnicator here") for name in "abc"))
    assert often["Frobnicator"].kind == "concept" and len(often["Frobnicator"].mentions) == 3


def test_the_plural_of_an_abbreviation_is_the_same() -> None:
    found = merged(*(note(f"{name}.md", "we make a PDF, or two PDFs") for name in "abc"))
    assert {spelling.name: spelling.why for spelling in found["PDF"].spellings[1:]} == {"PDFs": "its plural"}


def test_the_model_tells_the_kind_of_one_word_if_it_sees_it_in_most_notes() -> None:
    seen, unseen = Candidate("Redis", "model", (1,), "place"), Candidate("Redis", "text")
    for models, kind in ((3, "place"), (2, "place"), (1, "concept")):
        notes = [(f"{number}.md", [unseen, *([seen] if number < models else [])]) for number in range(3)]
        assert [one.kind for one in Merge(notes).entities()] == [kind]


def test_a_known_name_is_found_inside_a_longer_run() -> None:
    found = merged(
        note("Obsidian Sync.md"), note("a.md", "", [Link("Obsidian Sync", 1)]), note("b.md", "Toggle Obsidian Sync now")
    )
    assert {mention.note for mention in found["Obsidian Sync"].mentions} == {"Obsidian Sync.md", "a.md", "b.md"}


def test_two_aliases_of_one_name_join_nothing() -> None:
    found = merged(
        note("Alternating current.md", alias="current", type="concept"),
        note("Flow.md", alias="current", type="concept"),
    )
    assert {spelling.name for spelling in found["Flow"].spellings} == {"Flow"}


def test_a_long_line_is_read_in_linear_time() -> None:
    # Each would take minutes if an opening bracket were followed to the end of the line, or a run copied for each word.
    for unit in ("[[", "](", "](a(", "[!", "[REDACTED", "<", "{", "`", "The And ", "A of ", "Herr von der "):
        line = unit * (600_000 // len(unit)) + " plain" * 400_000
        assert all(len(named.name) < 100 for named in names_in(line, 1))
    assert [named.name for named in names_in("See [Ada](Foo_(Kyoto).md), [[Rye (Bread)]] and [[a|b]].", 1)] == ["Ada"]
