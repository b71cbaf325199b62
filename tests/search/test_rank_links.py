"""Ranking by links, with the arithmetic done by hand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import date

import pytest
from tests.cases import cases

from notewell import Vault
from notewell.search.plan import make_plan
from notewell.search.rank.links import ByLinks, ByStanding, rank_by_links
from notewell.search.rules import SearchRules
from notewell.store import NoteFacts
from notewell.store.links import LinkBetween, Standing
from notewell.types.candidates import Candidate, CastVote
from notewell.types.note import Chunk

TODAY = date(2025, 8, 3)
MakeVault = Callable[..., Vault]


def hits_of(scores: Mapping[str, float]) -> list[Candidate]:
    return [Candidate(Chunk(path, "text", 1, 1), score) for path, score in scores.items()]


def scores_of(hits: Collection[Candidate]) -> dict[str, float]:
    return {hit.chunk.path: hit.score for hit in hits}


def stood(
    scores: Mapping[str, float],
    standings: Mapping[str, Standing],
    *,
    links: int = 10,
    days: Mapping[str, str] | None = None,
) -> list[Candidate]:
    """Rank by S10, with this many links that touch the hits."""
    said = {path: NoteFacts((days or {}).get(path, "2020-01-01")) for path in scores}
    ranker = ByStanding(lambda paths: standings, lambda paths, enough: links, lambda paths: said, TODAY)
    return ranker(make_plan("honey"), hits_of(scores))


def linked(query: str, scores: Mapping[str, float], *joints: LinkBetween) -> list[Candidate]:
    return ByLinks(lambda paths: joints)(make_plan(query), hits_of(scores))


# S10: how notes stand


def test_similarity_pagerank_and_centrality_are_mixed_by_their_weights() -> None:
    hits = stood({"a.md": 0.9, "b.md": 0.7, "c.md": 0.1}, {path: Standing(0.4, 0.2, 0) for path in ("a.md", "b.md")})
    # Similarity runs from 1 to 0 over the candidates: b.md's is (0.7 - 0.1) / (0.9 - 0.1) = 0.75.
    assert scores_of(hits) == pytest.approx(
        {"a.md": 0.6 + 0.1 + 0.03, "b.md": 0.6 * 0.75 + 0.25 * 0.4 + 0.15 * 0.2, "c.md": 0.0}
    )
    assert hits[1].trace[-1].why == "similarity 0.6 × 0.750 + pagerank 0.25 × 0.400 + centrality 0.15 × 0.200"
    assert hits[1].trace[-1].score == hits[1].score


def test_a_note_without_links_is_ranked_by_similarity_alone_and_not_as_if_it_stood_at_zero() -> None:
    hits = stood({"best.md": 1.0, "new.md": 0.8, "last.md": 0.0}, {"best.md": Standing(0.0, 0.0, 0)})
    assert scores_of(hits) == pytest.approx({"best.md": 0.6, "new.md": 0.8, "last.md": 0.0})
    assert hits[1].trace[-1].why == "similarity 0.800, no links"


@cases(("day", "bonus"), [("2025-08-03", 0.05), ("2025-07-04", 0.05), ("2025-07-03", 0.0), ("2025-12-24", 0.05)])
def test_a_note_of_the_last_thirty_days_gains_a_little(day: str, bonus: float) -> None:
    hits = stood({"a.md": 0.5, "b.md": 0.1}, {}, days={"a.md": day})
    assert scores_of(hits) == pytest.approx({"a.md": 1.0 + bonus, "b.md": 0.0})
    assert hits[0].trace[-1].why.endswith("+ recent 0.05") == bool(bonus)


@cases(("links", "counts"), [(9, False), (10, True)])
def test_fewer_than_ten_links_say_nothing(links: int, counts: bool) -> None:
    hits = stood({"a.md": 0.9, "b.md": 0.1}, {"b.md": Standing(1.0, 1.0, 0)}, links=links)
    assert bool(hits[0].trace) == counts
    assert scores_of(hits) == pytest.approx({"a.md": 1.0, "b.md": 0.4} if counts else {"a.md": 0.9, "b.md": 0.1})


def test_a_standing_outweighs_a_small_difference_and_never_a_large_one() -> None:
    scores, hub = {"a.md": 0.9, "b.md": 0.8, "c.md": 0.1}, Standing(1.0, 1.0, 0)
    small = Standing(0.1, 0.1, 0)
    near = scores_of(stood(scores, {"a.md": small, "b.md": hub, "c.md": small}))
    far = scores_of(stood(scores, {"a.md": small, "b.md": small, "c.md": hub}))
    assert near["b.md"] > near["a.md"]
    assert far["a.md"] > far["c.md"]


def test_equal_scores_are_all_the_best() -> None:
    assert scores_of(stood({"a.md": 0.3, "b.md": 0.3}, {})) == pytest.approx({"a.md": 1.0, "b.md": 1.0})
    assert stood({}, {}) == []


# The default: links between the hits


def test_a_hit_linked_with_the_best_gains_whichever_way_the_link_goes() -> None:
    hits = linked("honey", {"a.md": 0.8, "b.md": 0.4, "c.md": 0.4}, LinkBetween("a.md", "b.md", "", 4))
    # b.md has 0.8 / 0.8 / √4 = 0.5 of a.md, and a.md 0.4 / 0.8 / √4 = 0.25 of b.md.
    raised = {"a.md": 0.8 * (1 + 0.4 * 0.25 / 1.25), "b.md": 0.4 * (1 + 0.4 * 0.5 / 1.5), "c.md": 0.4}
    assert scores_of(hits) == pytest.approx(raised)
    assert [(step.by, step.why) for step in hits[1].trace] == [("linked", "linked with one of the best notes")]
    assert hits[2].trace == ()


def test_a_link_of_a_note_with_many_links_counts_for_less_and_a_second_one_for_nothing() -> None:
    few = linked("honey", {"a.md": 1.0, "b.md": 0.5}, LinkBetween("a.md", "b.md", "", 1))
    many = linked("honey", {"a.md": 1.0, "b.md": 0.5}, LinkBetween("a.md", "b.md", "", 100))
    twice = linked(
        "honey", {"a.md": 1.0, "b.md": 0.5}, *[LinkBetween("a.md", "b.md", text, 1) for text in ("", "hives")]
    )
    assert scores_of(few)["b.md"] > scores_of(many)["b.md"] > 0.5
    assert scores_of(twice) == scores_of(few)


def test_the_best_note_that_a_hit_is_linked_with_counts_and_not_all_of_them() -> None:
    scores = {"a.md": 1.0, "b.md": 0.9, "c.md": 0.5}
    one = linked("honey", scores, LinkBetween("a.md", "c.md", "", 1))
    both = linked("honey", scores, LinkBetween("b.md", "c.md", "", 1), LinkBetween("a.md", "c.md", "", 1))
    assert scores_of(both)["c.md"] == scores_of(one)["c.md"] == pytest.approx(0.5 * 1.2)


def test_where_the_encoder_has_a_say_only_names_count() -> None:
    votes = tuple(CastVote(name, 1, 1.0, 1.0, 0.5) for name in ("lexical", "fine"))
    hits = [hit._replace(votes=votes) for hit in hits_of({"a.md": 1.0, "b.md": 0.5})]
    ranked = ByLinks(lambda paths: [LinkBetween("a.md", "b.md", "honey", 1)])(make_plan("honey"), hits)
    assert ranked[1].score == pytest.approx(0.5 + 0.3)
    assert [step.by for hit in ranked for step in hit.trace] == ["called"]


def test_links_with_notes_below_the_best_five_do_not_count() -> None:
    scores = {f"{place}.md": 1 - place / 10 for place in range(7)}
    assert scores_of(linked("honey", scores, LinkBetween("5.md", "6.md", "", 1))) == scores
    raised = scores_of(linked("honey", scores, LinkBetween("4.md", "6.md", "", 1)))
    assert raised["6.md"] > scores["6.md"]
    # 6.md is none of the best, so that 4.md has nothing of it.
    assert raised["4.md"] == scores["4.md"]


def test_a_note_gains_by_what_a_link_calls_it() -> None:
    scores = {f"{place}.md": 1 - place / 10 for place in range(7)}
    hits = linked(
        "winter feed", scores, LinkBetween("5.md", "6.md", "feed", 1), LinkBetween("5.md", "6.md", "sugar", 1)
    )
    # One of two words is in common: 0.3 of the best score, times ½².
    assert hits[6].score == pytest.approx(0.4 + 0.3 * 1.0 * 0.25)
    assert [(step.by, step.why) for step in hits[6].trace] == [
        ("called", "0.50 of 'feed', as a link calls it, and the query")
    ]
    assert all(not hit.trace for hit in hits[:6])


def test_a_beginning_or_a_stand_in_counts_as_the_word_that_a_link_calls_a_note() -> None:
    scores, joint = {f"{place}.md": 1 - place / 10 for place in range(7)}, LinkBetween("5.md", "6.md", "honey", 1)
    assert linked("hon*", scores, joint)[6].score == pytest.approx(0.4 + 0.3)
    plan = make_plan("hony")._replace(terms=("hony", "honey"), stand_ins={"hony": ("honey",)})
    assert ByLinks(lambda paths: [joint])(plan, hits_of(scores))[6].score == pytest.approx(0.4 + 0.3)


def test_hits_without_any_score_gain_nothing() -> None:
    scores = {"a.md": 0.0, "b.md": 0.0}
    assert scores_of(linked("honey", scores, LinkBetween("a.md", "b.md", "honey", 1))) == scores
    below = {"a.md": -0.5, "b.md": -1.0}
    assert scores_of(linked("jar", below, LinkBetween("a.md", "b.md", "", 1))) == below


def test_all_chunks_of_a_note_gain_alike() -> None:
    chunks = [Candidate(Chunk("a.md", "text", line, line), score) for line, score in ((1, 0.5), (9, 0.4))]
    best = Candidate(Chunk("b.md", "text", 1, 1), 1.0)
    ranked = ByLinks(lambda paths: [LinkBetween("b.md", "a.md", "", 1)])(make_plan("honey"), [best, *chunks])
    assert [hit.score / old.score for hit, old in zip(ranked[1:], chunks, strict=True)] == pytest.approx([1.2, 1.2])


# Through a vault

HIVES = {
    "Queens.md": "# Queens\n\nHow queens are marked: see [[Colours]], and [[Feeding|autumn sugar]].\n",
    "Colours.md": "# Colours\n\nBlue, white, yellow, red, green, in this order; queens of a year have the same.\n",
    "Feeding.md": "# Feeding\n\nThree parts to two, until it is cold; no sugar is given later.\n",
    "Weather.md": "# Weather\n\nIn autumn sugar is dear, in autumn it rains.\n",
}


@pytest.mark.parametrize("setting", [{"search.graph": "off"}, {"search.fusion": "rrf"}])
def test_a_search_says_what_links_changed_and_a_setting_turns_it_off(
    make_vault: MakeVault, setting: Mapping[str, str]
) -> None:
    with make_vault(HIVES) as vault:
        vault.index()
        found = {excerpt.path: excerpt for excerpt in vault.search("autumn sugar")}
        steps = {step.by: step.why for step in found["Feeding.md"].trace}
        off = Vault.open(vault.root, {"embed.model": "words", **setting})
        without = {excerpt.path: excerpt for excerpt in off.search("autumn sugar")}
        off.close()
    assert steps["called"] == "1.00 of 'autumn sugar', as a link calls it, and the query"
    assert "linked" in steps
    assert not {"called", "linked"} & {step.by for each in without.values() for step in each.trace}


def test_standings_rank_where_the_setting_says_so_and_enough_links_are_there(make_vault: MakeVault) -> None:
    hub = " ".join(f"[[{number}]]" for number in range(10))
    notes = {"hub.md": f"honey {hub}", "alone.md": "honey jar"}
    notes |= {f"{number}.md": f"honey of year {number}" for number in range(10)}
    with make_vault(notes, {"search.graph": "s10"}) as vault:
        vault.index()
        whys = {excerpt.path: excerpt.trace[-1].why for excerpt in vault.search("honey", limit=20)}
        (vault.root / "hub.md").write_text("honey [[1]]")
        vault.index()
        after = [step.by for excerpt in vault.search("honey", limit=20) for step in excerpt.trace]
    assert "pagerank 0.25 × 1.000" in whys["1.md"]
    assert whys["alone.md"].endswith("no links + recent 0.05")
    assert "graph" not in after


def test_a_link_within_a_note_says_nothing(make_vault: MakeVault) -> None:
    notes = {
        "Feeding.md": "# Feeding\n\nAutumn sugar, see [[Feeding#When|autumn sugar]].\n\n## When\n\nAutumn sugar.\n"
    }
    with make_vault({**notes, "Weather.md": HIVES["Weather.md"]}) as vault:
        vault.index()
        steps = {step.by for excerpt in vault.search("autumn sugar") for step in excerpt.trace}
    assert not {"called", "linked"} & steps


def test_the_newest_notes_that_fit_a_filter_are_not_ranked_by_links(make_vault: MakeVault) -> None:
    rules = SearchRules(limit=5)
    with make_vault({"a.md": "#hive [[b]]", "b.md": "#hive honey"}) as vault:
        vault.index()
        with vault.store.reading() as snapshot:
            assert rank_by_links(make_plan("honey"), snapshot, rules, TODAY) == [ByLinks(snapshot.links_among)]
            for plan in (make_plan("tag:hive"), make_plan("honey")._replace(related=True)):
                assert rank_by_links(plan, snapshot, rules, TODAY) == []


def test_notes_related_to_a_note_are_not_ranked_by_links(make_vault: MakeVault) -> None:
    with make_vault(HIVES) as vault:
        vault.index()
        steps = {step.by for excerpt in vault.related("Queens.md") for step in excerpt.trace}
    assert not {"called", "linked"} & steps
