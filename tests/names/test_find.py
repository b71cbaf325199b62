from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.cases import cases

from notewell import Vault
from notewell.errors import NoteError

MakeVault = Callable[..., Vault]

NOTES = {
    "Garden/Bees.md": "---\ntitle: The hive in May\n---\n\nThe hive hums.\n\n## Honey\n\nHoney is ripe in July.\n",
    "Garden/Rye.md": "# Rye\n\nRye grows tall.\n",
    "Recipes/Rye.md": "# Rye\n\nRye bread needs a tin.\n",
    "Recipes/Ünder 30.md": "---\naliases: [Rye, Half an Hour]\n---\n\n# Quick\n\nBread in half an hour.\n",
    "a:12.md": "# Odd\n\nA name with a colon.\n",
}


@pytest.fixture
def notes(make_vault: MakeVault) -> Vault:
    vault = make_vault(NOTES, {"chunk.min_chars": 1})
    vault.index()
    return vault


@cases(
    ("written", "place"),
    [
        ("Garden/Bees.md", "Garden/Bees.md"),
        ("./Garden/Bees.md", "Garden/Bees.md"),
        ("Garden/bees", "Garden/Bees.md"),
        ("bees", "Garden/Bees.md"),
        ("the hive in may", "Garden/Bees.md"),
        ("under 30", "Recipes/Ünder 30.md"),
        ("half an hour", "Recipes/Ünder 30.md"),
        ("half an hour:3", "Recipes/Ünder 30.md:3"),
        ("Garden/Rye", "Garden/Rye.md"),
        ("bees:9", "Garden/Bees.md:9"),
        ("bees:1-5", "Garden/Bees.md:1-5"),
        ("a:12", "a:12.md"),
        ("the-hive-in-may", "Garden/Bees.md"),
        ("Under_30.md:3", "Recipes/Ünder 30.md:3"),
        ("a:12.md", "a:12.md"),
    ],
)
def test_a_note_is_found_by_path_name_title_or_alias(notes: Vault, written: str, place: str) -> None:
    assert notes.find(written) == place


def test_a_name_that_several_notes_have_is_an_error_that_names_them(notes: Vault) -> None:
    with pytest.raises(NoteError, match="2 notes are called 'rye'") as raised:
        notes.find("rye")
    assert raised.value.hint == "Name one of them by its path: Garden/Rye.md, Recipes/Rye.md"


def test_an_unknown_name_is_an_error_with_suggestions(notes: Vault) -> None:
    with pytest.raises(NoteError, match=r"No indexed note is called 'Garden/Beez.md:3'") as raised:
        notes.find("Garden/Beez.md:3")
    assert raised.value.hint == "Did you mean Garden/Bees.md?"
    with pytest.raises(NoteError) as raised:
        notes.find("¿?")
    assert raised.value.hint == "Use a path as `notewell search` prints it"


@cases(
    ("written", "near"),
    [
        ("the hive may", "Garden/Bees.md"),
        ("hve in", "Garden/Bees.md"),
        ("bes", "Garden/Bees.md"),
        ("nope", ""),
        ("tide", ""),
    ],
)
def test_a_name_is_near_by_its_letters_or_its_words_and_others_are_not(notes: Vault, written: str, near: str) -> None:
    with pytest.raises(NoteError) as raised:
        notes.find(written)
    assert raised.value.hint == (f"Did you mean {near}?" if near else "Use a path as `notewell search` prints it")


def test_a_folder_is_distinguished_from_a_note(notes: Vault) -> None:
    for written in ("garden", "Garden/", "./Garden"):
        with pytest.raises(NoteError, match=r"^Garden is a folder") as raised:
            notes.read(written)
        assert raised.value.hint == "`notewell search --under 'Garden'` lists its newest notes"
    assert [hit.path for hit in notes.search("", under="Garden").hits]


def test_a_folder_that_there_is_not_names_those_near(notes: Vault) -> None:
    (notes.root / "Garden" / "Hives").mkdir()
    (notes.root / "Garden" / "Hives" / "One.md").write_text("The first hive.\n", encoding="utf-8")
    notes.index()
    for written, near in (("Gardn", ("Garden",)), ("Hive", ("Garden/Hives",)), ("Zebra", None)):
        (notice,) = notes.search("rye", under=written).notices
        assert (notice.facts["path"], notice.facts.get("near")) == (written, near)


def test_lines_stand_for_the_chunks_they_are_in_or_the_last_before_them(notes: Vault) -> None:
    from notewell.names.find import find_chunks  # noqa: PLC0415

    def lines(written: str) -> list[int]:
        with notes.store.reading() as snapshot:
            return [chunk.line for chunk in snapshot.chunks(find_chunks(written, snapshot).chunks).values()]

    whole = lines("bees")
    assert len(whole) == 2
    assert lines("bees:9") == whole[1:]
    assert lines("bees:5") == whole[:1]
    assert lines("bees:5-9") == lines("bees:5-") == whole
    assert lines("bees:999") == whole[1:]
    assert lines("bees:1") == whole[:1]


def test_a_path_with_a_line_or_a_part_is_never_the_title_of_another_note(make_vault: MakeVault) -> None:
    others = {f"Other {one}.md": f"# {one}\n\nSome text.\n" for one in ("Garden/Bees.md:9", "Garden/Bees.md#Honey")}
    vault = make_vault({**NOTES, **others}, {"chunk.min_chars": 1})
    vault.index()
    for written in ("Garden/Bees.md:9", "Garden/Bees.md#Honey"):
        assert vault.find(written) == written


def test_a_line_behind_the_end_of_a_note_or_before_it_is_an_error_as_in_read(notes: Vault) -> None:
    with pytest.raises(NoteError, match="There is no line 0"):
        notes.related("bees:0")
    with pytest.raises(NoteError, match="There is no line 0"):
        notes.read("bees:0")
    for ask in (notes.related, notes.read):
        with pytest.raises(NoteError, match="Lines 9 to 5 run backwards") as raised:
            ask("bees:9-5")
        assert raised.value.hint.endswith(":5-9")
    with pytest.raises(NoteError, match=r"Garden/Bees.md has 9 lines; there is no line 10"):
        notes.related("bees:10")
    (notes.root / "Tail.md").write_text("# Tail\n\nA tail.\n\n## Links\n\n- [[Bees]]\n- [[Rye]]\n", encoding="utf-8")
    notes.index()
    assert notes.find("Tail:8") == "Tail.md:8"
    with pytest.raises(NoteError, match="has 8 lines; there is no line 9"):
        notes.find("Tail:9-12")


def test_a_part_stands_for_the_chunks_it_is_in(make_vault: MakeVault) -> None:
    rows = "\n".join(f"row {number},{'honey ' * 60}" for number in range(60))
    vault = make_vault({"hives.csv": f"name,what\n{rows}\n"})
    vault.index()
    with vault.store.reading() as snapshot:
        chunks = snapshot.chunks(snapshot.chunks_of("hives.csv"))
    part = chunks[0].parts[0].name
    assert vault.find(f"hives#{part}") == f"hives.csv#{part}"
    with pytest.raises(NoteError, match=r"hives.csv#page 99 has no indexed text"):
        vault.find("hives#page 99")


def test_a_heading_stands_for_the_chunks_below_it_and_a_block_for_its_own(notes: Vault) -> None:
    from notewell.names.find import find_chunks  # noqa: PLC0415

    (notes.root / "Hive.md").write_text("# Hive\n\nIt hums. ^hum\n\n## Swarm\n\nThey left in May.\n", encoding="utf-8")
    notes.index()

    def texts(written: str) -> list[str]:
        with notes.store.reading() as snapshot:
            return [chunk.text.split()[-1] for chunk in snapshot.chunks(find_chunks(written, snapshot).chunks).values()]

    assert texts("bees#honey") == texts("[[Bees#Honey|sweet]]") == ["July."]
    assert texts("hive#^HUM") == ["^hum"]
    assert texts("hive#Hive") == ["^hum", "May."]
    assert notes.find("[[hive#swarm]]") == "Hive.md#swarm"
    with pytest.raises(NoteError, match=r"Hive.md#Swam has no indexed text") as raised:
        notes.find("hive#Swam")
    assert raised.value.hint == "Did you mean Swarm?"
