"""Whole flows, as a program that uses the package sees them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.cases import cases
from tests.database import database
from tests.vaults import NOTES, found, opened, stop_after

from notewell import Hit, NotewellError, Query, Results, Vault
from notewell.embed import DEFAULT_MODEL
from notewell.errors import EmbedError, NoteError, QueryError, VaultError
from notewell.freshness import Policy
from notewell.index import Progress
from notewell.search import context
from notewell.types.notices import Notice

MakeVault = Callable[..., Vault]


def led(vault: Vault, note: str) -> list[str]:
    """Return where the links of a note lead."""
    return [lead.to or "" for lead in vault.links(note).links]


# From a folder to an answer


def test_three_lines_of_python_search_a_folder(indexed_sample: Path) -> None:
    results = Vault.open(indexed_sample).search("why did the bread collapse", limit=3)
    assert isinstance(results, Results)
    assert len(results) == 3
    assert results.query == "why did the bread collapse"
    assert results.notices == ()
    for hit in results:
        assert isinstance(hit, Hit)
        lines = (indexed_sample / hit.path).read_text(encoding="utf-8").split("\n")
        assert hit.excerpt.text.split("\n")[0].strip("…") in lines[hit.excerpt.line - 1]
    assert results[0].score >= results[1].score >= results[2].score


@cases(
    "ask",
    [
        lambda vault: vault.search("hive").hits,
        lambda vault: vault.related("bread.md"),
        lambda vault: vault.links().counts.notes == 3,
        lambda vault: vault.graph().notes == 3,
        lambda vault: vault.traverse("bread").visits,
        lambda vault: vault.find("bread") == "bread.md",
    ],
)
def test_a_folder_that_was_never_indexed_is_indexed_when_it_is_first_asked(
    tmp_path: Path, ask: Callable[[Vault], bool]
) -> None:
    with TemporaryDirectory(dir=tmp_path) as root:
        for path, text in NOTES.items():
            (Path(root) / path).parent.mkdir(exist_ok=True)
            (Path(root) / path).write_text(text, encoding="utf-8")
        with Vault.open(root, {"embed.model": "words"}) as vault:
            assert ask(vault)


def test_a_search_of_a_new_folder_that_may_not_index_says_so_and_makes_nothing(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    results = vault.search("hive", refresh=False)
    assert (len(results), results.generation) == (0, 0)
    assert results.notices == (Notice("never_indexed"),)
    assert not vault.store_file.exists()


def test_a_search_that_refreshes_indexes_a_new_vault_and_takes_changes_in(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    told: list[tuple[int, int]] = []
    assert vault.refresh(Progress(tell=lambda *counts: told.append(counts))) == ()
    results = vault.search("loaf", refresh=True)
    assert (results[0].path, results.notices, told[-1]) == ("bread.md", (), (3, 3))
    (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    assert found(vault, "zebra") == []
    assert vault.search("zebra", refresh=True)[0].path == "new.md"


def test_a_first_search_that_is_stopped_answers_from_what_is_there_and_the_next_goes_on(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert vault.refresh(stop_after(1)) == (Notice("indexing_stopped", {"done": 1, "total": 3}),)
    assert [hit.path for hit in vault.search("loaf")] == ["bread.md"]
    # What is left does not count as a change, which may take a moment only.
    vault.freshness.policy = Policy(quick_seconds=-1)
    assert vault.refresh(stop_after(1)) == (Notice("indexing_stopped", {"done": 2, "total": 3}),)
    assert (vault.refresh(Progress()), vault.status().notes) == ((), 3)


def test_a_vault_whose_linked_note_is_gone_is_not_indexed_in_full(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# A\n\nSee [[b]].\n", "b.md": "# B\n\nSee [[a]].\n"})
    vault.index()
    (vault.root / "b.md").unlink()
    stages: list[str] = []
    assert vault.refresh(Progress(stage=stages.append)) == ()
    assert (stages, vault.status().notes) == ([], 1)


@pytest.mark.parametrize("query", ["", "  ", Query(), Query(mode="deep")])
def test_a_search_for_nothing_is_refused_as_on_the_command_line(make_vault: MakeVault, query: Query | str) -> None:
    vault = make_vault(NOTES)
    with pytest.raises(QueryError, match="nothing to search for"):
        vault.search(query)


def test_words_that_no_note_has_are_reported(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    results = vault.search("zebra")
    assert len(results) > 0
    assert results.notices == (Notice("none_of_the_words", {"words": ("zebra",)}), Notice("nearest"))
    with opened(vault.root, {"search.lexical_weight": 0}) as by_meaning:
        assert by_meaning.search("zebra").notices == ()


def test_a_scope_that_is_not_there_is_reported(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    assert vault.search("hive", under="gard").notices == (
        Notice("unknown_folder", {"path": "gard", "near": ("garden",)}),
    )
    assert vault.search("", under="garden").notices == ()


@cases(
    ("text", "path"),
    [
        ("getTenantId", "Engineering/Tenant isolation.md"),
        ("_rrf_fuse", "Machine learning/Hybrid retrieval.md"),
        ("§ 3 Absatz 2 Laube Größe", "Deutsch/Kleingarten Satzung.md"),
        ("伏見稲荷で猪を見た", "日本語/京都の日記.md"),
        ("my loaf spreads flat right after I form it", "Recipes/Sourdough troubleshooting.md"),
    ],
)
def test_words_meaning_and_exact_strings_are_found_in_the_sample_vault(vault: Vault, text: str, path: str) -> None:
    assert path in [excerpt.path for excerpt in vault.search(text, limit=3)]


def test_a_note_is_found_after_it_is_written_changed_moved_and_not_after_it_is_deleted(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    assert found(vault, "loaf") == ["bread.md"]
    (vault.root / "bread.md").write_text("# Bread\n\nA baguette needs steam in the first ten minutes.\n")
    assert vault.index().changed == 1
    assert (found(vault, "loaf"), found(vault, "baguette")) == ([], ["bread.md"])
    (vault.root / "bread.md").rename(vault.root / "garden" / "baguette.md")
    report = vault.index()
    assert (report.added, report.removed) == (1, 1)
    assert found(vault, "steam") == ["garden/baguette.md"]
    (vault.root / "garden" / "baguette.md").unlink()
    assert vault.index().removed == 1
    assert found(vault, "steam") == []
    assert vault.store.about().notes == 2


def test_a_run_without_changes_keeps_the_generation_and_the_answer(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    first = vault.search("hive")
    report = vault.index()
    again = vault.search("hive")
    assert (report.added, report.changed, report.removed, report.touched) == (0, 0, 0, 0)
    assert (first.hits, first.generation) == (again.hits, again.generation)


def test_a_change_raises_the_generation(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    before = vault.search("hive").generation
    (vault.root / "new.md").write_text("# New\n\nAnother hive stands behind the shed now.\n")
    vault.index()
    assert vault.search("hive").generation > before


def test_a_scope_is_a_folder_and_not_a_prefix(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    assert found(vault, "hive", under="garden") == found(vault, "hive", under="/garden/") == ["garden/bees.md"]
    assert found(vault, "hive", under="garden-old/bees.md") == ["garden-old/bees.md"]
    assert found(vault, "hive", under="gard") == []


def test_a_scope_can_be_named_by_its_full_path(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    assert found(vault, "hive", under=str(vault.root / "garden")) == ["garden/bees.md"]
    assert found(vault, "hive", under=str(vault.root / "garden-old/bees.md")) == ["garden-old/bees.md"]
    assert sorted(found(vault, "hive", under=f"{vault.root}/")) == ["garden-old/bees.md", "garden/bees.md"]
    assert found(vault, "hive", under=str(vault.root.parent)) == []


def test_a_note_without_text_is_found_by_its_name_its_folder_and_its_front_matter(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "Plumber/Meier.md": "", "card.md": "---\nphone: 5550199\naliases: [Zoe]\n---\n"})
    assert vault.index().added == 5
    assert found(vault, "meier") == found(vault, "plumber") == ["Plumber/Meier.md"]
    assert found(vault, "5550199") == found(vault, "zoe") == ["card.md"]


def test_a_budget_of_tokens_holds_and_gives_the_same_each_time(vault: Vault) -> None:
    first, again = (vault.search("session timeout", max_tokens=300) for _ in range(2))
    assert first.hits == again.hits
    assert 0 < len(context(first)) <= 1200


def test_an_empty_vault_answers_with_nothing(make_vault: MakeVault) -> None:
    vault = make_vault({})
    assert vault.index().added == 0
    assert len(vault.search("anything")) == 0


def test_folders_named_twice_are_indexed_once(make_vault: MakeVault) -> None:
    vault = make_vault({"a/b/c.md": "# C\n\nThe hive hums in the warm evening.\n"}, {"index.include": ["a", "a/b"]})
    assert vault.index().added == 1
    (vault.root / "a/b/c.md").write_text("# C\n\nA loaf of bread that is quite another thing.\n")
    vault.index()
    (vault.root / "a/d.md").write_text("# D\n\nSomething else takes the place of what was.\n")
    vault.index()
    assert (found(vault, "hive"), found(vault, "loaf")) == ([], ["a/b/c.md"])


@pytest.mark.parametrize("name", ["bread\0.md", "bread\0", "\0bread.md", "bread.md\0:1"])
def test_a_name_with_a_zero_byte_is_no_notes(make_vault: MakeVault, name: str) -> None:
    vault = make_vault(NOTES)
    vault.index()
    for ask in (vault.read, vault.find, vault.related, vault.links, vault.traverse):
        with pytest.raises(NoteError) as caught:
            ask(name)
        assert caught.value.hint


def test_a_file_whose_name_is_not_text_does_not_stop_the_run(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    Path(os.fsdecode(os.fsencode(vault.root) + b"/caf\xe9.md")).write_text("# Café\n\nA name in an old encoding.\n")
    assert vault.index().added >= 3
    assert found(vault, "loaf") == ["bread.md"]


# The store


def test_words_are_still_searched_when_the_model_is_gone(make_vault: MakeVault, tmp_path: Path) -> None:
    model = shutil.copytree(DEFAULT_MODEL, tmp_path / "model")
    vault = make_vault(NOTES, {"embed.model": str(model)})
    vault.index()
    assert vault.search("loaf").notices == ()
    vault.close()
    shutil.rmtree(model)
    with opened(vault.root, {"embed.model": str(model)}) as bare:
        results = bare.search("loaf")
        assert [excerpt.path for excerpt in results] == ["bread.md"]
        assert results[0].retrievers == {"lexical": 1, "vector": None}
        (notice,) = results.notices
        assert notice.code == "words_only"
        with pytest.raises(EmbedError) as caught:
            bare.index()
        assert caught.value.hint


def test_vectors_of_another_embedder_are_not_searched_until_the_store_is_rebuilt(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    with opened(vault.root, {"embed.model": "static"}) as other:
        results = other.search("loaf")
        assert [excerpt.retrievers["vector"] for excerpt in results] == [None]
        (notice,) = results.notices
        assert notice == Notice("other_embedder", {"embedder": "words/27"})
        report = other.index()
        results = other.search("loaf")
        assert report.added == 3
        assert results.notices == ()
        assert results[0].retrievers["vector"] == 1
        assert other.store.state.made_for.embedder == other.models.embedder.fingerprint
    assert vault.search("loaf").notices != ()


# Opening and reading


def test_the_nearest_vault_upward_is_opened_when_none_is_named(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault(NOTES)
    vault.index()
    monkeypatch.chdir(vault.root / "garden")
    assert Vault.open().root == vault.root


def test_a_named_folder_is_opened_as_it_is(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    assert Vault.open(str(vault.root / "garden")).root == vault.root / "garden"


def test_a_folder_without_a_vault_above_is_its_own(tmp_path: Path) -> None:
    assert Vault.open(tmp_path).root == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_the_environment_wins_over_the_file_and_options_over_both(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(NOTES).root
    (root / "notewell.toml").write_text("[search]\nlimit = 3\ncandidates = 7\nfusion = 'rrf'\n")
    monkeypatch.setenv("NOTEWELL_SEARCH_LIMIT", "4")
    monkeypatch.setenv("NOTEWELL_SEARCH_CANDIDATES", "8")
    search = Vault.open(root, {"search.limit": 5}).settings.search
    assert (search.limit, search.candidates, search.fusion) == (5, 8, "rrf")


@pytest.mark.parametrize("name", ["nowhere", "bread.md"])
def test_what_is_not_a_folder_is_an_error_with_a_hint(make_vault: MakeVault, name: str) -> None:
    root = make_vault(NOTES).root
    with pytest.raises(VaultError) as caught:
        Vault.open(root / name)
    assert caught.value.hint


def test_lines_are_read_from_the_file_as_it_is_now(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    reading = vault.read("bread.md:3")
    assert (reading.path, reading.line, reading.end_line) == ("bread.md", 3, 3)
    assert reading.text == "The loaf collapsed because the oven was too cold."
    (vault.root / "bread.md").write_text("one\ntwo\nthree\nfour\n")
    assert vault.read("bread.md:2-3").text == "two\nthree"


@pytest.mark.parametrize("place", ["a\0.md", "x" * 300, "~/x.md", "garden/bees.md:1-2-3", "bread.md/x.md"])
def test_a_place_that_cannot_be_is_an_error_with_a_hint(make_vault: MakeVault, place: str) -> None:
    with pytest.raises(NoteError) as caught:
        make_vault(NOTES).read(place)
    assert caught.value.hint


def test_the_places_that_search_prints_can_be_read(vault: Vault) -> None:
    for hit in vault.search("token rotation", limit=10):
        assert vault.read(f"{hit.path}:{hit.line}-{hit.end_line}").text.strip() == hit.text


def test_status_says_how_the_store_stands_against_the_folder(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    status = vault.status()
    assert (status.notes, status.indexed_at, status.stale) == (0, None, 0)
    assert not vault.store_file.exists()
    vault.index()
    (vault.root / "bread.md").unlink()
    status = vault.status()
    assert (status.vault, status.store, status.embedder) == (str(vault.root), str(vault.store_file), "words/27")
    assert (status.stale, status.notes) == (1, 3)


def test_every_error_can_be_caught_by_one_name(make_vault: MakeVault) -> None:
    with pytest.raises(NotewellError) as caught:
        make_vault(NOTES, {"search.nonsense": 1})
    assert (caught.value.fact, bool(caught.value.hint)) == ("There is no setting 'search.nonsense'", True)


# Links


def test_links_lead_where_they_should_after_notes_come_move_and_go(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "See [[bees]] and [[Drone]].\n", "garden/bees.md": "The hive hums.\n"})
    vault.index()
    assert led(vault, "a") == ["garden/bees.md", ""]
    (vault.root / "garden/bees.md").rename(vault.root / "bees.md")
    (vault.root / "drones.md").write_text("---\naliases: [Drone]\n---\nThey do not sting.\n")
    vault.index()
    assert led(vault, "a") == ["bees.md", "drones.md"]
    (vault.root / "bees.md").unlink()
    vault.index()
    assert led(vault, "a") == ["", "drones.md"]
    assert [lead.path for lead in vault.links("drones").backlinks] == ["a.md"]
    assert vault.doctor().problems == ()


def test_links_are_listed_as_they_were_while_another_process_indexes(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "See [[bees]].\n", "bees.md": "The hive hums.\n"})
    vault.index()
    database(vault.store).execute("update meta set value = -1 where key = 'linked'")
    with opened(vault.root) as other, other.store.locked(wait=0):
        told = vault.links("a")
    assert [lead.to for lead in told.links] == ["bees.md"]
    assert [notice.code for notice in told.notices] == ["links_out_of_date"]
