from __future__ import annotations

from notewell.index.chunk import ChunkRules
from notewell.index.shapes.markdown import chunk, parse
from notewell.types.note import Note, Stamp

LONG = "The hive hums in the warm evening, and the bees are at home."


def texts(text: str, **rules: int) -> list[str]:
    return [one.text for one in chunk(parse(Note("a.md", text, Stamp(0, 0))), ChunkRules(**rules))]


def test_a_section_too_short_for_a_chunk_joins_the_one_before_it() -> None:
    assert texts(f"## Attic\n\n{LONG}\n\n## Cellar\n\nkey: Ottokar\n\n## Roof\n\n{LONG}\n") == [
        f"## Attic\n\n{LONG}\n\n## Cellar\n\nkey: Ottokar",
        f"## Roof\n\n{LONG}",
    ]


def test_a_short_section_at_the_top_joins_the_next_one() -> None:
    assert texts(f"A word.\n\n## Roof\n\n{LONG}\n") == [f"A word.\n\n## Roof\n\n{LONG}"]


def test_where_it_fits_nowhere_it_is_a_chunk_of_its_own() -> None:
    full = (LONG + " ") * 3
    assert texts(f"## Attic\n\n{full}\n\n## Cellar\n\nkey: Ottokar\n", max_chars=len(full) + 12)[-1] == (
        "## Cellar\n\nkey: Ottokar"
    )


def test_a_short_subsection_joins_the_next_and_the_last_stays() -> None:
    long = "\n\n".join([LONG] * 5)
    note = f"## House\n\n{long}\n\n### Cellar\n\nkey: Ottokar\n\n### Roof\n\n{long}\n\n### Shed\n\nno key\n"
    found = texts(note, max_chars=400)
    assert next(one for one in found if "Ottokar" in one).startswith("### Cellar\n\nkey: Ottokar\n\n### Roof")
    assert found[-1].endswith("### Shed\n\nno key")


def test_an_empty_section_and_a_list_of_links_are_not_text() -> None:
    assert texts(f"## Attic\n\n{LONG}\n\n## Empty\n\n## Links\n\n- [[Bees]]\n") == [f"## Attic\n\n{LONG}"]


def test_nothing_that_is_written_is_lost() -> None:
    words = [f"word{number}" for number in range(40)]
    note = "".join(f"{'#' * (1 + number % 4)} H{number}\n\n{word}\n\n" for number, word in enumerate(words))
    for limit in (200, 400, 2000):
        found = "\n".join(texts(f"{LONG}\n\n{note}{LONG}\n", max_chars=limit))
        assert [word for word in words if f"{word}\n" not in f"{found}\n"] == []
