from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

import numpy as np
import pytest
from tests.calls import calls_of

from notewell import Filters, Results, Vault
from notewell.errors import NoteError, SettingsError, StoreError
from notewell.search.embedding import embed_plan
from notewell.search.related import DISTINCTIVE, distinctive_terms
from notewell.serve.wording import sentences
from notewell.types.note import Chunk
from notewell.types.notices import Notice
from notewell.types.query import Plan

MakeVault = Callable[..., Vault]

NOTES = {
    "Garden/Hive.md": "# Hive\n\nThe hive hums, and the queen lays eggs while the bees bring honey to the comb.\n",
    "Garden/Swarm.md": "# Swarm\n\nA swarm left with its queen; the bees hang in the pear tree without a comb.\n",
    "Garden/Winter.md": "# Winter\n\nIn winter the bees sit close and eat their honey.\n",
    "Recipes/Rye.md": "# Rye\n\nRye bread needs a tin, a warm oven and a day of patience.\n",
    "Recipes/Cake.md": "# Cake\n\nHoney cake: honey, flour, eggs, an oven that is warm.\n",
    "Work/Deploy.md": "# Deploy\n\nThe server restarts after the migration of the database.\n",
}


BRED = Notice("no_tag", {"value": "bred", "near": ("bread",)})


@pytest.fixture
def notes(make_vault: MakeVault) -> Vault:
    vault = make_vault(NOTES)
    vault.index()
    return vault


def paths(results: Results) -> list[str]:
    return [excerpt.path for excerpt in results]


def test_a_note_without_a_name_is_an_error(notes: Vault) -> None:
    for given in (("",), ("Garden/Hive.md", "")):
        with pytest.raises(NoteError, match="''"):
            notes.related(*given)


def test_an_unknown_mode_is_an_error_with_a_hint(notes: Vault) -> None:
    with pytest.raises(SettingsError, match="Unknown mode 'compare'") as error:
        notes.search("bees", mode="compare")  # type: ignore[arg-type]
    assert "deep" in error.value.hint


def test_the_notes_most_like_a_note_come_first_and_never_itself(notes: Vault) -> None:
    found = paths(notes.related("Garden/Hive.md"))
    assert set(found[:3]) == {"Garden/Swarm.md", "Garden/Winter.md", "Recipes/Cake.md"}
    assert "Garden/Hive.md" not in found


def test_a_hit_says_in_its_trace_which_telling_words_it_shares(notes: Vault) -> None:
    shared = {excerpt.path: excerpt.trace[-1] for excerpt in notes.related("Garden/Hive.md")}
    assert shared["Garden/Swarm.md"].by == "shared"
    assert {"queen", "comb", "bees"} <= set(shared["Garden/Swarm.md"].why.split(", "))
    assert shared["Garden/Winter.md"].why == "bees, honey"
    assert shared["Garden/Swarm.md"].score == next(iter(notes.related("Garden/Hive.md"))).score


def test_a_hit_that_shares_no_telling_word_says_so(notes: Vault) -> None:
    why = {excerpt.path: excerpt.trace[-1].why for excerpt in notes.related("Work/Deploy.md")}
    assert why["Recipes/Rye.md"] == "no distinctive word, but close in meaning"


def test_the_excerpt_shows_what_is_shared(notes: Vault) -> None:
    (first, *_) = notes.related("Garden/Hive.md", under="Garden")
    shown = first.excerpt
    marked = {shown.text[start:end] for start, end in shown.highlights}
    assert {"queen", "bees", "comb"} <= marked


def test_each_note_has_one_hit_however_many_of_its_chunks_are_alike(make_vault: MakeVault) -> None:
    long = "".join(
        f"## Day {day}\n\nThe bees of hive {day} brought honey {'and pollen ' * 20}\n\n" for day in range(40)
    )
    vault = make_vault({**NOTES, "Log.md": long}, {"chunk.max_chars": 400})
    vault.index()
    found = paths(vault.related("Garden/Hive.md"))
    assert found.count("Log.md") == 1
    assert len(found) == len(set(found)) == len(NOTES)


def test_a_copy_comes_first_and_copies_of_a_hit_are_named(make_vault: MakeVault) -> None:
    copies = {"Copy.md": NOTES["Garden/Hive.md"], "Old/Swarm.md": NOTES["Garden/Swarm.md"]}
    vault = make_vault({**NOTES, **copies})
    vault.index()
    results = vault.related("Garden/Hive.md")
    assert paths(results)[0] == "Copy.md"
    (swarm,) = [excerpt for excerpt in results if excerpt.path.endswith("Swarm.md")]
    assert {swarm.path, *(place.partition(":")[0] for place in swarm.also)} == {"Garden/Swarm.md", "Old/Swarm.md"}


def test_a_line_asks_for_what_is_like_its_chunk(make_vault: MakeVault) -> None:
    mixed = (
        "# Mixed\n\n## One\n\nThe bees bring honey to the hive.\n\n## Two\n\nThe server and its database migration.\n"
    )
    vault = make_vault({**NOTES, "Mixed.md": mixed}, {"chunk.min_chars": 1, "chunk.max_chars": 200})
    vault.index()
    assert paths(vault.related("Mixed.md:9"))[0] == "Work/Deploy.md"
    assert paths(vault.related("Mixed.md:5"))[0].startswith("Garden/")


def test_several_notes_are_looked_at_together_and_left_out(notes: Vault) -> None:
    found = paths(notes.related("Garden/Hive.md", "Recipes/Rye.md"))
    assert found[0] == "Recipes/Cake.md"
    assert not {"Garden/Hive.md", "Recipes/Rye.md"} & set(found)


def test_scope_limit_and_budget_are_as_in_a_search(notes: Vault) -> None:
    assert set(paths(notes.related("Hive", under="Recipes"))) == {"Recipes/Rye.md", "Recipes/Cake.md"}
    assert len(notes.related("Hive", limit=2)) == 2
    assert len(notes.related("Hive", filters=Filters(tag="none"))) == 0
    assert sum(len(excerpt.text) for excerpt in notes.related("Hive", max_tokens=40)) <= 160


def test_it_goes_by_what_is_stored_and_not_by_what_lies_on_the_disk(notes: Vault) -> None:
    before = [(excerpt.path, excerpt.score) for excerpt in notes.related("Garden/Hive.md")]
    (notes.root / "Garden/Hive.md").write_text("The server and its database migration.\n", encoding="utf-8")
    assert [(excerpt.path, excerpt.score) for excerpt in notes.related("Garden/Hive.md")] == before
    assert paths(notes.related("Garden/Hive.md", refresh=True))[0] == "Work/Deploy.md"


def test_a_note_that_is_new_is_indexed_first_if_that_is_asked_for(notes: Vault) -> None:
    (notes.root / "New.md").write_text("# New\n\nA migration of the database server.\n", encoding="utf-8")
    with pytest.raises(NoteError):
        notes.related("New.md")
    assert paths(notes.related("New.md", refresh=True))[0] == "Work/Deploy.md"


def test_a_vault_that_was_never_indexed_says_so(make_vault: MakeVault) -> None:
    with pytest.raises(StoreError, match="never indexed"):
        make_vault(NOTES).related("Garden/Hive.md", refresh=False)


def test_a_lonely_note_has_nothing_like_it(make_vault: MakeVault) -> None:
    vault = make_vault({"Hive.md": NOTES["Garden/Hive.md"]})
    vault.index()
    results = vault.related("Hive")
    assert (len(results), results.notices) == (0, (Notice("nothing_to_compare"),))


def test_what_no_note_has_is_named_as_in_a_search(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "Tagged.md": "---\ntags: [bread]\n---\n\nRye in a tin.\n"})
    vault.index()
    assert vault.related("Hive", filters=Filters(tag="bred")).notices == (BRED,)
    assert vault.related("Hive", under="Nowhere").notices == (Notice("unknown_folder", {"path": "Nowhere"}),)
    alone = vault.related("Tagged.md", filters=Filters(tag="bread"))
    assert (len(alone), alone.notices) == (0, (Notice("nothing_to_compare"),))


def test_a_query_leans_to_what_it_should_be_like(notes: Vault) -> None:
    alone = {hit.path: (hit.votes or ())[1] for hit in notes.search("honey", explain=True)}["Recipes/Rye.md"]
    leaning = notes.search('honey like:"Recipes/Rye.md"', explain=True)
    near = {hit.path: (hit.votes or ())[1] for hit in leaning}["Recipes/Rye.md"]
    assert leaning.read_as == ('words and meaning "honey"', "like Recipes/Rye.md", "one word")
    assert (near.score or 0) > (alone.score or 0)
    assert near.rank == 1 and alone.rank != 1


def test_the_vector_of_a_query_is_halfway_to_what_it_should_be_like(notes: Vault) -> None:
    embedder = notes.models.embedder
    like = embedder.embed(["rye bread in a tin"])[0]
    halfway = embedder.embed_query("honey") + like
    assert np.allclose(embed_plan(Plan("honey", ()), embedder, like), halfway / np.linalg.norm(halfway), atol=1e-6)
    assert np.array_equal(embed_plan(Plan("", ()), embedder, like), like)


def test_like_alone_asks_for_related_notes(notes: Vault) -> None:
    assert paths(notes.search("like:Hive")) == paths(notes.related("Hive"))


def test_like_of_a_place_that_is_not_there_is_text_and_is_reported(notes: Vault) -> None:
    results = notes.search("honey like:Hyve", explain=True)
    assert (results.read_as or ())[0] == 'words and meaning "honey like:Hyve"'
    (notice,) = sentences(results.notices)
    assert "'Hyve', so it was read as text. " in notice and "Garden/Hive.md" in notice


def test_like_of_a_name_that_several_notes_have_is_text_and_is_reported(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "Garden/Rye.md": "# Rye\n\nRye grows tall.\n"})
    vault.index()
    assert "2 notes are called 'rye', so it was read as text" in sentences(vault.search("honey like:rye").notices)[-1]


def test_of_many_places_that_are_not_there_a_few_are_reported(notes: Vault) -> None:
    results = notes.search(" ".join(f"like:Hyve{number % 10}" for number in range(40)))
    assert [notice.code for notice in results.notices] == [*["unknown_like"] * 3, "nearest"]


def test_of_many_places_in_a_query_twenty_are_read(notes: Vault) -> None:
    known = [f"like:Garden/Hive.md:{line}" for line in range(1, 22)]
    results = notes.search(f"honey {' '.join(known)}", explain=True)
    assert sum(part.startswith("like ") for part in results.read_as or ()) == 20
    assert results.notices[0] == Notice("too_many_places", {"most": 20, "place": "Garden/Hive.md:21"})


def test_a_place_that_is_not_there_is_compared_with_all_names_once(notes: Vault) -> None:
    with calls_of(get_close_matches) as compared:
        notes.search("honey like:Hyve like:Hyve like:Swurm")
    # As a whole, and word by word.
    assert [call["word"] for call in compared] == ["hyve", "hyve", "swurm", "swurm"]


def test_what_is_like_is_fetched_from_the_store_and_not_embedded_again(notes: Vault) -> None:
    class Refusing:
        def __init__(self) -> None:
            self.fingerprint, self.dimensions = notes.models.embedder.fingerprint, notes.models.embedder.dimensions

        def embed(self, texts: object) -> None:
            raise AssertionError("what is stored was embedded again")

        embed_query = embed

    expected = paths(notes.related("Hive"))
    notes.models.__dict__["embedder"] = Refusing()
    assert paths(notes.related("Hive")) == expected


def test_on_demand_the_encoder_reads_only_what_has_no_vector_yet_and_keeps_it(make_vault: MakeVault) -> None:
    notes = make_vault(NOTES, {"search.on_demand": 14_400})
    notes.index()

    class Counting:
        fingerprint, dimensions = "counting", notes.models.embedder.dimensions

        def __init__(self) -> None:
            self.read: list[str] = []

        def embed(self, texts: list[str]) -> object:
            self.read += texts
            return notes.models.embedder.embed(texts)

    notes.models.__dict__["encoder"] = encoder = Counting()
    first = [(excerpt.path, excerpt.score) for excerpt in notes.related("Hive")]
    assert any("The hive hums" in text for text in encoder.read)
    encoder.read.clear()
    assert [(excerpt.path, excerpt.score) for excerpt in notes.related("Hive")] == first
    assert encoder.read == []


def test_telling_terms_are_frequent_in_a_note_and_rare_elsewhere(notes: Vault) -> None:
    chunk = Chunk("x.md", "honey honey comb comb the the the server", 1, 1, title="Hive")
    with notes.store.reading() as snapshot:
        terms = distinctive_terms([chunk], snapshot)
    assert terms[0] == "comb"
    assert set(terms) == {"comb", "honey", "server", "hive"}
    assert len(terms) <= DISTINCTIVE


@pytest.mark.parametrize("name", ['The "best" hive', 'q" ” path:Nowhere “', " odd", "like:Rye -bees"])
def test_no_name_of_a_note_is_syntax(make_vault: MakeVault, name: str) -> None:
    vault = make_vault({**NOTES, f"{name}.md": NOTES["Garden/Hive.md"]})
    vault.index()
    results = vault.related(name, explain=True)
    assert (results[0].path, results.read_as, len(results)) == ("Garden/Hive.md", (f"like {name}.md",), len(NOTES))
    leaning = vault.search("honey", like=f"{name}.md", explain=True)
    assert (leaning.read_as or ())[:2] == (f"like {name}.md", 'words and meaning "honey"')


def test_only_the_notes_themselves_are_left_out(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "*.md": NOTES["Garden/Hive.md"]})
    vault.index()
    assert sorted(paths(vault.related("*.md"))) == sorted(NOTES)


def test_a_hundred_notes_are_looked_at_together(make_vault: MakeVault) -> None:
    many = {f"Log/{'a long name ' * 4}{day}.md": f"# Day {day}\n\nThe bees were busy.\n" for day in range(120)}
    vault = make_vault({**NOTES, **many})
    vault.index()
    results = vault.related(*many, explain=True)
    assert sorted(paths(results)) == sorted(NOTES)
    assert len(results.read_as or ()) == 120


def test_a_pasted_text_stays_a_text_whatever_it_leans_to(notes: Vault) -> None:
    pasted = f'{"honey from the comb " * 20} "not there" -bees tag:none'
    leaning, plain = notes.search(pasted, like="Garden/Hive.md", explain=True), notes.search(pasted, explain=True)
    assert (leaning.read_as or ())[1:] == plain.read_as
    assert len(notes.search(pasted, like="Garden/Hive.md")) == len(NOTES)


def test_a_place_to_lean_to_that_is_not_there_is_an_error(notes: Vault) -> None:
    with pytest.raises(NoteError, match="No indexed note is called 'Hyve'"):
        notes.search("honey", like="Hyve")


def test_the_results_name_the_notes_that_were_asked_for(notes: Vault) -> None:
    assert notes.related("Hive", "rye").query == "Garden/Hive.md, Recipes/Rye.md"
    assert notes.search("honey", like="Hive").query == "honey"
