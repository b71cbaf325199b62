from __future__ import annotations

from tests.cases import cases

from notewell.names.similar import SimilarNames

NEAR = SimilarNames(["Garden/Varroa treatment.md", "Garden/Beekeeping year.md", "Recipes/Sourdough.md", "Über uns.md"])


def test_a_mistyped_name_finds_the_note() -> None:
    assert NEAR.like("Varoa treatment") == ("Garden/Varroa treatment.md",)
    assert NEAR.like("somewhere/else/sourdogh.md") == ("Recipes/Sourdough.md",)
    assert NEAR.like("über und") == ("Über uns.md",)


@cases(
    ("written", "path"),
    [("Targt", "Target.md"), ("Tagret", "Target.md"), ("Cafe", "Café.md"), ("Lock", "Block.md"), ("Cafés", "Café.md")],
)
def test_one_typo_in_a_short_name_is_forgiven(written: str, path: str) -> None:
    assert SimilarNames(["Target.md", "Café.md", "Block.md", "Ünïcödé Näme.md"]).like(written) == (path,)


@cases("name", ["Zebra", "", "Nope", "Setuid", "Monero"])
def test_a_name_like_none_finds_nothing(name: str) -> None:
    assert NEAR.like(name) == SimilarNames(["Ünïcödé Näme.md", "suid.md", "Mono.md"]).like(name) == ()


def test_the_most_like_comes_first_and_no_more_than_one_reads() -> None:
    near = SimilarNames([f"note number {number}.md" for number in range(9)] + ["note number.md"])
    assert near.like("note numbers")[0] == "note number.md"
    assert len(near.like("note numbers")) == 3
