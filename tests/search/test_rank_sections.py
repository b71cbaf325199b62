from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.cases import cases

from notewell import Vault
from notewell.search.plan import make_plan
from notewell.search.rank.sections import FEW, section_headings
from notewell.search.rank.words import favour_names
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk

CODE = "§ 433 Kaufvertrag\n\nText.\n\n#### § 434 Sachmangel\n\n(1) Text."


def section(path: str, heading: str, text: str = "text", score: float = 0.5) -> Candidate:
    return Candidate(Chunk(path, text, 1, 1, headings=(heading,)), score)


def first(query: str, candidates: Sequence[Candidate]) -> Candidate:
    return max(favour_names(make_plan(query), candidates), key=lambda one: one.score)


@cases("query", ["BGB § 434", "§434 BGB", "§ 434 Abs. 1 BGB", "§434 Absatz 3 BGB", "§ 434 (2) BGB"])
def test_a_short_section_is_found_in_the_chunk_of_its_neighbours(query: str) -> None:
    wanted = section("BGB.md", "Abschnitt 8", f"#### {CODE}", score=0.1)
    best = first(query, [section("BGB.md", "Abschnitt 9", "§ 434 BGB, § 434 BGB"), wanted])
    assert best.chunk == wanted.chunk
    assert best.trace[-1].why == "the query names its note and section"


def test_a_comment_in_a_fence_is_no_heading() -> None:
    text = "## Rye\n\n```sh\n# Spelt\n```\n\n## Oats #\n"
    assert section_headings(Chunk("a.md", text, 1, 7, headings=("Bread", "Rye"))) == ("Rye", "Oats")


def test_of_two_works_the_one_whose_name_is_written_comes_first() -> None:
    other, wanted = section("SGB 7.md", "§ 11"), section("SGB 11.md", "§ 7 Aufklärung, Auskunft", score=0.1)
    assert first("§ 7 SGB 11", [other, wanted]).chunk == wanted.chunk
    assert first("§ 11 SGB 7", [other, wanted]).chunk == other.chunk


def test_a_number_that_a_heading_has_is_not_taken_for_a_part() -> None:
    wanted = section("Tax.md", "Item 4", score=0.1)
    assert first("tax item 4", [section("Tax.md", "Tax items"), wanted]).chunk == wanted.chunk


def test_a_question_that_is_a_heading_finds_that_section_first() -> None:
    wanted = section("LSTM.md", "Why have an output gate?", score=0.1)
    best = first("why have an output gate", [section("Gates.md", "Output gate"), wanted])
    assert (best.chunk, best.trace[-1].why) == (wanted.chunk, "the query is its heading")


def test_a_question_that_is_the_heading_of_many_sections_raises_none() -> None:
    many = [section(f"{number}.md", "What is next?") for number in range(FEW + 1)]
    assert all(one.score == 0.5 for one in favour_names(make_plan("What is next?"), many))


def test_keywords_that_are_a_heading_are_ranked_as_usual() -> None:
    (one,) = favour_names(make_plan("garbage collection"), [section("a.md", "Garbage collection")])
    assert one.score == 0.5


def test_a_paragraph_of_a_long_statute_is_found_among_all_that_mention_its_number(
    make_vault: Callable[..., Vault],
) -> None:
    paragraphs = [
        f"## § {n} Regel {n}\n\n" + f"Gilt § {n % 9 + 1} StGB, § {n % 7 + 1} StGB. " * 30 for n in range(1, 60)
    ]
    vault = make_vault({"StGB.md": "\n\n".join(paragraphs), "Plan.md": "§ 7 StGB, § 7 StGB lernen."})
    vault.index()
    (best,) = vault.search("StGB § 7", limit=1, explain=True).hits
    assert best.heading.endswith("§ 7 Regel 7")
    assert "the query names its note and section" in [step.why for step in best.trace]
