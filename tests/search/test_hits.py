from __future__ import annotations

from dataclasses import replace

from notewell.search.hits import choose
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk
from notewell.types.query import Plan, Scope

PLAN = Plan("bees", ("bee",))


def hit(path: str, line: int, score: float, text: str = "") -> Candidate:
    return Candidate(Chunk(path, text or f"line {line} of {path}", line, line), score)


def places(hits: list[Candidate]) -> list[str]:
    return [f"{hit.chunk.path}:{hit.chunk.line}" for hit in hits]


def test_one_note_does_not_fill_the_page() -> None:
    flood = [hit("a.md", line, 1 - line / 100) for line in range(1, 11)]
    others = [hit(path, 1, 0.1) for path in ("b.md", "c.md")]
    assert places(choose(PLAN, [*flood, *others], 7)) == [*(f"a.md:{n}" for n in range(1, 6)), "b.md:1", "c.md:1"]


def test_a_page_that_others_do_not_fill_has_more_of_the_note_in_the_order_of_scores() -> None:
    flood = [hit("a.md", line, 1 - line / 100) for line in range(1, 11)]
    assert places(choose(PLAN, [*flood, hit("b.md", 1, 0.1)], 8)) == [*(f"a.md:{n}" for n in range(1, 8)), "b.md:1"]
    assert places(choose(PLAN, flood, 8)) == [f"a.md:{line}" for line in range(1, 9)]


def test_a_search_in_one_note_has_all_of_it() -> None:
    plan = Plan("bees", ("bee",), Scope("a.md"))
    assert len(choose(plan, [hit("a.md", line, 1.0) for line in range(9)], 8)) == 8


def test_a_note_that_is_called_what_was_asked_for_has_all_of_it() -> None:
    named = [one._replace(chunk=replace(one.chunk, title="Bees")) for one in (hit("a.md", n, 0.9) for n in range(9))]
    assert len(choose(PLAN, [*named, hit("b.md", 1, 0.1)], 9)) == 9
    assert places(choose(Plan("hive", ("hive",)), [*named, hit("b.md", 1, 0.1)], 6))[-1] == "b.md:1"


def test_what_says_the_same_is_folded_into_the_best_and_named() -> None:
    text = "\n".join(f"line {number}" for number in range(10))
    nearly = text.replace("line 3", "line three")
    other = "\n".join(f"other {number}" for number in range(10))
    hits = [
        hit("a.md", 1, 0.9, text),
        hit("b.md", 1, 0.8, other),
        hit("c.md", 7, 0.7, text),
        hit("d.md", 1, 0.6, nearly),
    ]
    page = choose(PLAN, hits, 10)
    assert places(page) == ["a.md:1", "b.md:1"]
    assert page[0].also == ("c.md:7", "d.md:1")
    assert page[1].also == ()


def test_chunks_that_share_few_lines_are_not_the_same() -> None:
    one = "\n".join(f"line {number}" for number in range(10))
    half = "\n".join(f"{'line' if number < 5 else 'other'} {number}" for number in range(10))
    assert (
        len(choose(PLAN, [hit("a.md", 1, 0.9, one), hit("b.md", 1, 0.8, half), hit("c.md", 1, 0.7, "line 1")], 9)) == 3
    )


def test_a_page_is_never_longer_than_its_limit_and_nothing_of_it_is_lost() -> None:
    hits = [hit(f"{number % 4}.md", number, 1 - number / 100) for number in range(30)]
    for limit in range(1, 31):
        page = choose(PLAN, hits, limit)
        assert len(page) == limit
        assert page == sorted(page, key=lambda one: -one.score)
