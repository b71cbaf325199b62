from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import get_args

import pytest
from tests.search.searching import searched

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.search import MODES, Ranker, SearchRules
from notewell.store import MadeFor, Snapshot
from notewell.store.sqlite import SqliteStore
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk, Note, Stamp
from notewell.types.query import Mode, Plan, Query

Hold = Callable[[Mapping[str, str]], Snapshot]

NOTES = {
    "b/bees.md": "Bees buzz around the hive.\nThe hive is blue.",
    "bread.md": "Bread dough rises overnight.\nBake it hot.",
    "a/hive.md": "The hive needs a new roof.\nBees do not mind.",
}


def found(
    text: str, snapshot: Snapshot, settings: SearchRules | None = None, rankers: tuple[Ranker, ...] | None = None
) -> list[Candidate]:
    return searched(text, snapshot, quick=WordsEmbedder(), settings=settings, rankers=rankers).candidates


def test_the_best_hit_comes_first_with_its_excerpt(hold: Hold) -> None:
    hits = searched("new roof", hold(NOTES), quick=WordsEmbedder()).results.hits
    best = hits[0].excerpt
    assert (hits[0].path, best.line, best.text) == ("a/hive.md", 1, "The hive needs a new roof.")
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("fusion", ["scores", "rrf"])
def test_the_last_step_of_the_trace_is_the_hits_score(hold: Hold, fusion: str) -> None:
    hits = found("bees in the hive", hold(NOTES), SearchRules(fusion=fusion))
    assert hits
    for hit in hits:
        assert hit.trace[0].by == fusion
        assert hit.trace[-1].score == hit.score
        assert {step.by for step in hit.trace[1:]} <= {"words", "name"}
    for hit in found("bees in the hive", hold(NOTES), SearchRules(fusion=fusion), rankers=()):
        assert [step.by for step in hit.trace if step.by != "words"] == [fusion]
        assert hit.trace[-1].score == hit.score


def test_ranks_say_which_retriever_found_a_hit_and_where(hold: Hold) -> None:
    hits = {hit.chunk.path: hit.ranks for hit in found("roof", hold(NOTES))}
    assert hits["a/hive.md"]["lexical"] == 1
    assert hits["bread.md"]["lexical"] is None
    assert {ranks["vector"] for ranks in hits.values()} == {1, 2, 3}


def test_without_an_embedder_the_vector_rank_is_empty(hold: Hold) -> None:
    hits = searched("hive", hold(NOTES)).candidates
    assert [hit.ranks["vector"] for hit in hits] == [None, None]


def test_the_best_word_match_comes_first_when_only_vectors_have_weight_and_there_are_none(hold: Hold) -> None:
    notes = {"a.md": "one mention of rye among many other words here", "z.md": "the rye and the rye and rye"}
    rules = SearchRules(lexical_weight=0, vector_weight=1)
    hits = searched("rye", hold(notes), settings=rules).candidates
    assert [hit.chunk.path for hit in hits] == ["z.md", "a.md"]
    assert hits[0].score > hits[1].score


def test_equal_scores_come_in_the_order_of_path(hold: Hold) -> None:
    # As many words in each, and no two lines alike, which would be folded.
    notes = {path: "The same words in every note.".replace(" ", " " * n) for n, path in enumerate("cadb", start=1)}
    hits = found("same words", hold({f"{path}.md": text for path, text in notes.items()}))
    assert len({hit.score for hit in hits}) == 1
    assert [hit.chunk.path for hit in hits] == ["a.md", "b.md", "c.md", "d.md"]


def test_equal_scores_of_one_note_come_in_the_order_of_line(tmp_path: Path) -> None:
    embedder, lines = WordsEmbedder(), (30, 10, 20)
    store = SqliteStore(tmp_path / "store.db", lambda: MadeFor(embedder.fingerprint, embedder.dimensions, "1"))
    with store.writing() as writer:
        chunks = [Chunk("a.md", "The same words.".replace(" ", " " * line), line, line) for line in lines]
        writer.put(Note("a.md", "", Stamp(1, 1, "d")), chunks, embedder.embed([chunk.text for chunk in chunks]))
    with store.reading() as snapshot:
        assert [hit.chunk.line for hit in found("same words", snapshot)] == [10, 20, 30]
    store.close()


def test_the_same_query_of_the_same_state_gives_the_same_answer(hold: Hold) -> None:
    snapshot = hold({f"{number % 7}/{number}.md": f"hive {number % 5} bees {number}" for number in range(200)})
    first = searched("bees hive 3", snapshot, quick=WordsEmbedder())
    again = searched("bees hive 3", snapshot, quick=WordsEmbedder())
    assert repr(first) == repr(again)
    assert len(first.results) == 10


def test_the_limit_may_be_larger_than_the_candidates(hold: Hold) -> None:
    snapshot = hold({f"{number}.md": f"hive {number}" for number in range(80)})
    assert len(found("hive", snapshot, SearchRules(candidates=5, limit=50))) == 50
    assert len(found("hive", snapshot, SearchRules(candidates=5, limit=3))) == 3


def test_only_the_scope_is_searched(hold: Hold) -> None:
    found = searched(Query("bees", under="a"), hold(NOTES), quick=WordsEmbedder())
    assert [hit.path for hit in found.results] == ["a/hive.md"]


@pytest.mark.parametrize("text", ["", " ", "\0"])
def test_an_empty_query_finds_nothing(hold: Hold, text: str) -> None:
    assert searched(text, hold(NOTES), quick=WordsEmbedder()).results.hits == ()


@pytest.mark.parametrize("text", ['" OR ( NEAR *', "?!…", "x" * 10_000, "rye " * 2_500, "'; drop table note; --", "%_"])
def test_no_query_is_an_error(hold: Hold, text: str) -> None:
    searched(text, hold(NOTES), quick=WordsEmbedder())


def test_an_empty_store_finds_nothing(hold: Hold) -> None:
    assert found("bees", hold({})) == []


def test_rankers_run_in_their_order_and_each_leaves_its_reason(hold: Hold) -> None:
    def prefer_bread(plan: Plan, hits: Sequence[Candidate]) -> list[Candidate]:
        return [hit.rescored(hit.score + hit.chunk.path.startswith("bread"), by="bread", why="hungry") for hit in hits]

    def halve(plan: Plan, hits: Sequence[Candidate]) -> list[Candidate]:
        return [hit.rescored(hit.score / 2, by="half", why="always") for hit in hits]

    hits = found("hive", hold(NOTES), rankers=(prefer_bread, halve))
    assert hits[0].chunk.path == "bread.md"
    for hit in hits:
        assert [step.by for step in hit.trace if step.by != "words"] == ["scores", "bread", "half"]
        assert hit.trace[-1].score == hit.score


def test_a_hits_text_is_what_stands_on_its_lines_in_the_file(tmp_path: Path) -> None:
    from notewell import Vault  # noqa: PLC0415

    text = (
        "---\ntitle: Bees\n---\n\n# Bees\n\nThey buzz around the hive all day.\n"
        "\n## Roof\n\n- a new roof for the hive, before winter comes\n\n"
        "## Dos\r\nA line that ends as Windows does.\r\nAnd one more of it.\r\n"
    )
    (tmp_path / "bees.md").write_bytes(text.encode())
    vault = Vault.open(tmp_path, {"embed.model": "words"})
    vault.index()
    lines = (tmp_path / "bees.md").read_bytes().decode().split("\n")
    results = vault.search("bees hive roof windows line")
    assert len(results) == 3
    for hit in results:
        assert "\n".join(lines[hit.line - 1 : hit.end_line]).strip() == hit.text
        assert hit.excerpt.text.split("\n")[0] in lines[hit.excerpt.line - 1]


def test_the_stages_of_a_search_are_put_together_in_one_place() -> None:
    import notewell  # noqa: PLC0415

    source = Path(notewell.__file__).parent
    stages = re.compile(r"(?<!def )\b(?:retrieve|encoder_rerank|make_candidates|rankers_for|choose|make_excerpts)\(")
    files = [file for file in source.rglob("*.py") if stages.search(file.read_text(encoding="utf-8"))]
    assert [file.relative_to(source).as_posix() for file in files] == ["search/__init__.py"]


def test_every_mode_has_its_rules_in_one_table() -> None:
    assert MODES.keys() == set(get_args(Mode))


@pytest.mark.parametrize("asked", ["redacted", "github", '"redacted"', "REDACTED:github-token"])
def test_the_mark_of_a_secret_is_no_word(make_vault: Callable[..., Vault], asked: str) -> None:
    secret = "gh" + "p_" + "R4nD0mT3xTf0rT3sts" * 2
    said = "The report was redacted; my GitHub token and password are safe."
    vault = make_vault({"a.md": f"key {secret} here", "b.md": said, "c.md": f"---\nkey: {secret}\n---\nHere."})
    vault.index()
    found = {hit.path for hit in vault.search(asked)}
    assert found <= {"b.md"} and (found or ":" in asked)
    assert len(vault.search("here")) > 1
