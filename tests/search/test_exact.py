from __future__ import annotations

from collections.abc import Callable, Mapping
from time import process_time

import pytest
from tests.search.searching import searched

from notewell.search import SearchRules
from notewell.search.exact import READ, contains_string, find_strings, find_verbatim
from notewell.search.plan import make_plan
from notewell.store import Snapshot
from notewell.types.note import Chunk
from notewell.types.notices import Notice

Hold = Callable[[Mapping[str, str]], Snapshot]

WORDS_ONLY = SearchRules(lexical_weight=1, vector_weight=0)


def found(text: str, snapshot: Snapshot) -> list[str]:
    page = searched(text, snapshot, settings=WORDS_ONLY).results
    return [excerpt.path for excerpt in page.hits]


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("v1.2.3", "v1 2 3 v1 3 2 v1.3.2"),
        ("§3 Absatz 2", "3 2 Absatz 2 Absatz 3 §2"),
        ("--no-wait", "no wait no wait no"),
        ("report-2024.final.md", "the final report md 2024 report final"),
        ("https://example.org/a/b?id=7", "https example org a b id 7 https example org"),
        ("anna@example.org", "anna org example anna example org"),
        ("std::vector", "vector std vector std"),
        ("src/app/main.py", "main py src app main py"),
        ("fixed_length", "fixedLength fixedLength fixed length"),
        ("Notepad++", "notepad notepad notepad"),
    ],
)
def test_a_string_comes_before_its_words(written: str, other: str, hold: Hold) -> None:
    long = f"somewhere in a much longer line of text there stands {written} and then it goes on for a while"
    assert found(written, hold({"a.md": other, "b.md": long})) == ["b.md", "a.md"]


def test_a_string_in_a_question_is_found_too(hold: Hold) -> None:
    snapshot = hold({"a.md": "what changed 2 3 v1 changed 2 3", "b.md": "much was changed on the way to v1.2.3 of it"})
    assert found("what changed in v1.2.3?", snapshot)[0] == "b.md"


def test_the_reason_is_on_the_trace(hold: Hold) -> None:
    snapshot = hold({"a.md": "since v1.2.3"})
    (excerpt,) = searched("v1.2.3", snapshot, settings=WORDS_ONLY).results
    assert "exact" in excerpt.trace[0].why
    assert excerpt.retrievers["exact"] == 1


def test_a_string_that_no_chunk_holds_changes_nothing(hold: Hold) -> None:
    assert find_verbatim(make_plan("v1.2.3"), hold({"a.md": "v1 2 3"})) == []


def test_more_of_the_query_counts_more(hold: Hold) -> None:
    snapshot = hold({"a.md": "§3 of the rules", "b.md": "§ 3 Absatz 2 of the rules"})
    (ranking,) = find_verbatim(make_plan("§3 Absatz 2"), snapshot)
    assert [chunk.path for chunk in snapshot.chunks([chunk for chunk, _ in ranking.found]).values()] == ["b.md", "a.md"]
    assert ranking.trust == 1


def test_a_small_part_of_a_long_question_says_little(hold: Hold) -> None:
    snapshot = hold({"a.md": "v1.2.3"})
    (ranking,) = find_verbatim(make_plan("which settings did the upgrade to v1.2.3 take away"), snapshot)
    assert 0 < ranking.trust < 0.3
    plan = make_plan(
        "which of the many settings that we had last year and the year before did the long upgrade to v1.2.3 "
        "take away from us"
    )
    assert find_verbatim(plan, snapshot) == []


def test_only_chunks_in_the_scope_are_found(hold: Hold) -> None:
    snapshot = hold({"a/x.md": "v1.2.3", "b/x.md": "v1.2.3"})
    assert found("v1.2.3 path:b", snapshot) == ["b/x.md"]


def test_ordinary_words_have_no_strings() -> None:
    for text in ("how do I fix the sourdough", "well-known loaf", "don't panic", "404B", "機械学習", "", "?!", "++"):
        assert find_strings(text) == ()


def test_words_for_words_and_quoted_ones_count_a_beginning_does_not() -> None:
    assert make_plan("lex:v1.2.3").strings == ("v1.2.3",)
    assert make_plan('"v1.2.3"').strings == ("v1.2.3",)
    assert make_plan("v1.2.30*").strings == ()


def test_what_a_sentence_puts_around_a_string_is_not_its_own() -> None:
    assert find_strings("(see `v1.2.3`).") == ("see v1.2.3", "v1.2.3")


def test_names_paths_headings_and_tags_are_read_too() -> None:
    chunk = Chunk("in/report-2024.md", "", 1, 1, headings=("v2.0",), title="A/B", tags=("garden/bees",))
    assert all(contains_string(chunk, string) for string in ("report-2024.md", "v2.0", "a/b", "#garden/bees"))
    assert not contains_string(chunk, "report-202")


def test_what_is_read_has_an_end(hold: Hold) -> None:
    snapshot = hold({f"{number}.md": "no wait no wait" for number in range(READ)} | {"z.md": f"{'x ' * 99} --no-wait"})
    assert find_verbatim(make_plan("--no-wait"), snapshot) == []


PEOPLE = {
    "People/Tomasz.md": "He keeps bees.",
    "Projects/Flat.md": "See [Tomasz](../People/Tomasz.md), [Home](Home.md) and [more](Tomasz.md) of Tomasz, Tomasz.",
    "Home.md": "Welcome.",
    "Old notes/Frame check.md": "Nothing of the kind.",
}


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("Tomasz.md", "People/Tomasz.md"),
        ("people/tomasz.md", "People/Tomasz.md"),
        ("./Home.md", "Home.md"),
        ("Old notes/Frame check.md", "Old notes/Frame check.md"),
    ],
)
def test_a_file_is_found_first_by_its_name_or_path(hold: Hold, asked: str, path: str) -> None:
    assert found(asked, hold(PEOPLE))[0] == path


def test_a_file_outside_the_scope_is_not_found_by_its_name(hold: Hold) -> None:
    assert found("Tomasz.md path:Projects", hold(PEOPLE)) == ["Projects/Flat.md"]


@pytest.mark.parametrize("text", ["v9.9.9", "foo@bar.org", "notAnIdent_x"])
def test_a_string_that_no_note_holds_is_reported(hold: Hold, text: str) -> None:
    snapshot = hold({"a.md": "v9 and 9.9, foo at bar.org, an ident x"})
    page = searched(text, snapshot, settings=WORDS_ONLY).results
    assert Notice("no_exact_match", {"text": text}) in page.notices


def test_a_key_of_dashes_is_read_in_a_moment(hold: Hold) -> None:
    snapshot = hold({f"{number}.yaml": "text: |\n  " + "-" * 1_900 + "\n  foo bar" for number in range(20)})
    began = process_time()
    assert found("foo.bar", snapshot) is not None
    assert process_time() - began < 2


def test_a_link_to_another_note_names_that_note_and_not_its_own(hold: Hold) -> None:
    notes = {"list.md": "- [getTenantId()](b.md)\n- [[getTenantId()]]", "note.md": "call getTenantId() for it"}
    assert found("getTenantId()", hold(notes))[0] == "note.md"
    assert contains_string(Chunk("a.md", "[v1.2.3](https://example.org/)", 1, 1), "v1.2.3")
