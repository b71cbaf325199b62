"""Domains at work: a store each, answers over all of them as from one, and notes that move with their vectors."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from notewell import Vault, ask
from notewell.embed import EmbedRules
from notewell.embed.words import WordsEmbedder
from notewell.errors import NoteError, QueryError, StoreError
from notewell.freshness import Opening
from notewell.index import Progress
from notewell.store import EMBEDDER
from notewell.types.note import Vectors
from notewell.types.query import EVERYTHING

Make = Callable[..., Vault]
Run = Callable[..., tuple[int, str, str]]

REGISTRY = """
[domains.fitness]
folders = ["Gym"]
[domains.food]
folders = ["Food"]
"""
NOTES = {
    "notewell.toml": REGISTRY,
    "Gym/Squats.md": "# Squats\n\nHeavy squats with zanquorb grip, see [[Eggs]] and [[Rows]].",
    "Gym/Rows.md": "# Rows\n\nRow with a straight back, and eat eggs after it.",
    "Food/Eggs.md": "# Eggs\n\nEggs with quixblat sauce, before [heavy lifting](../Gym/Squats.md).",
    "Food/Oats.md": "# Oats\n\nOats overnight with heavy cream.",
    "Home.md": "# Home\n\n[[Squats]], [[Eggs]], [[Nowhere]] and everything about heavy days of umbrofex.",
}
WORDS = {"fitness": b"zanquorb", "food": b"quixblat", "legacy": b"umbrofex"}


class Counting(WordsEmbedder):
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        return super().embed(texts)


@pytest.fixture
def counting() -> Counting:
    return Counting()


@pytest.fixture
def vault(make_vault: Make, counting: Counting) -> Iterator[Vault]:
    def load(rules: EmbedRules, *, hurried: bool = False) -> Counting:
        return counting

    with make_vault(NOTES, opening=Opening(load_embedder=load, load_encoder=lambda rules: None)) as made:
        made.index()
        yield made


def store_of(vault: Vault, name: str) -> Path:
    return vault.root / ".notewell" / f"store.{name}.db"


def bytes_of(vault: Vault, name: str) -> bytes:
    """Return all that is on the disk of a domain's store, its log and other companions included."""
    file = store_of(vault, name)
    return b"".join(part.read_bytes() for part in sorted(file.parent.glob(f"{file.name}*")))


def register(vault: Vault, text: str) -> None:
    (vault.root / "notewell.toml").write_text(text)
    vault.reread()


def holding(vault: Vault, word: str) -> list[str]:
    """Return the notes that a search for a word finds by it."""
    return [hit.path for hit in vault.search(word, refresh=False) if word in hit.text]


def everything(vault: Vault) -> dict[str, list[float]]:
    """Return the vectors of each note, whatever store it is in."""
    with vault.shown.answering() as snapshot:
        rows = {path: snapshot.vectors(snapshot.chunks_of(path), EMBEDDER).values() for path in snapshot.ids()}
    return {path: [number for row in own if row is not None for number in row.tolist()] for path, own in rows.items()}


def test_no_file_of_a_domain_has_a_term_of_another(vault: Vault) -> None:
    # Texts are compressed in a store, and terms are not.
    for name in WORDS:
        held = bytes_of(vault, name)
        assert {other for other, word in WORDS.items() if word in held} == {name}
    assert not (vault.root / ".notewell" / "store.db").exists()


def test_a_query_in_one_domain_opens_its_file_alone_and_sees_nothing_of_another(vault: Vault) -> None:
    vault.close()
    for name in ("food", "legacy"):
        for part in store_of(vault, name).parent.glob(f"store.{name}.db*"):
            part.write_bytes(b"not a store")
    with Vault.open(vault.root, {"embed.model": "words", "search.floor": 0}) as other:
        view = other.within("Fitness")
        assert {hit.path for hit in view.search("heavy eggs", refresh=False)} == {"Gym/Squats.md", "Gym/Rows.md"}
        assert view.search("quixblat", refresh=False).generation == view.store.state.generation
        assert set(view.status().top_tags) == set() and view.graph().notes == 2
        for place in ("Eggs", "Food/Eggs.md", "Home.md:1"):
            with pytest.raises(NoteError):
                view.read(place)


def test_all_domains_answer_as_one_store_does(vault: Vault, tmp_path: Path) -> None:
    shutil.copytree(vault.root, one := tmp_path / "one", ignore=shutil.ignore_patterns(".notewell", "notewell.toml"))
    (one / "notewell.toml").write_text("")
    with Vault.open(one, {"embed.model": "words", "search.floor": 0}) as whole:
        whole.index()
        for text in ("heavy", "eggs", "hea*", '"heavy cream"', "heavy -cream", "squats back", "eggz", "path:Food"):
            ours, theirs = ([(hit.path, hit.line, hit.score) for hit in each.search(text)] for each in (vault, whole))
            assert ours == theirs, text
        assert vault.links().counts == whole.links().counts
        assert vault.links("Squats") == whole.links("Squats")
        assert vault.graph().communities == whole.graph().communities
        assert vault.traverse("Home").visits == whole.traverse("Home").visits
        deep, like = ([hit.path for hit in one.search("eggs", mode="deep")] for one in (vault, whole))
        assert deep == like
        assert [hit.path for hit in vault.related("Eggs")] == [hit.path for hit in whole.related("Eggs")]


def test_a_link_to_another_domain_leads_there_unless_one_domain_is_asked(vault: Vault) -> None:
    assert {link.to for link in vault.links("Squats").links} == {"Food/Eggs.md", "Gym/Rows.md"}
    assert {link.path for link in vault.links("Squats").backlinks} == {"Food/Eggs.md", "Home.md"}
    alone = vault.links("Squats", domain="fitness")
    assert {link.to for link in alone.links if link.to} == {"Gym/Rows.md"} and not alone.backlinks


def test_a_moved_file_takes_its_vectors_to_the_other_store(vault: Vault, counting: Counting) -> None:
    before, counting.texts = everything(vault), 0
    (vault.root / "Gym/Squats.md").rename(vault.root / "Food/Squats.md")
    report = vault.index()
    assert (report.added, report.removed, counting.texts) == (1, 1, 0)
    assert everything(vault)["Food/Squats.md"] == before["Gym/Squats.md"]
    assert WORDS["fitness"] in bytes_of(vault, "food") and WORDS["fitness"] not in bytes_of(vault, "fitness")
    assert vault.doctor().problems == ()


def test_an_encoders_vectors_move_with_their_notes(vault: Vault) -> None:
    with vault.store.reading() as snapshot:
        ids = snapshot.within(EVERYTHING)
        chunks = [*snapshot.chunks(ids).values()]
    with vault.store.writing() as writer:
        writer.keep_vectors("model/3", chunks, np.arange(3 * len(chunks), dtype=np.float32).reshape(-1, 3) + 1)

    def of(path: str) -> list[float]:
        with vault.store.reading() as snapshot:
            (row,) = snapshot.vectors(snapshot.chunks_of(path), "model/3").values()
            assert row is not None
            return [float(number) for number in row]

    before = of("Gym/Squats.md")
    (vault.root / "Gym/Squats.md").rename(vault.root / "Food/Squats.md")
    vault.index()
    assert of("Food/Squats.md") == before
    register(vault, '[domains.food]\nfolders = ["Gym"]')
    assert of("Food/Squats.md") == before and vault.within("legacy").store.about().encoded == 4


REGISTRIES = (
    '[domains.fitness]\nfolders = ["Food"]\n[domains.food]\nfolders = ["Gym"]',
    '[domains.sport]\nfolders = ["Gym"]',
    '[domains.fitness]\nfolders = ["Gym", "Food"]\n[domains.rest]\nlegacy = true',
    "",
)


def test_a_changed_registry_sorts_notes_anew_and_embeds_nothing(vault: Vault, counting: Counting) -> None:
    before, counting.texts = everything(vault), 0
    for registry in (*REGISTRIES, REGISTRY):
        register(vault, registry)
        # Before anything is indexed: the very next answer is from the new stores.
        assert everything(vault) == before
        assert vault.index().unchanged and counting.texts == 0, registry
        domains = vault.settings_files.domains
        stores = {path.name for path in (vault.root / ".notewell").glob("*.db")}
        assert stores == {f"store.{name}.db" for name in domains.names} or stores == {"store.db"}
        for name in domains.names:
            with vault.within(name).shown.answering() as snapshot:
                assert {domains.of(path) for path in snapshot.ids()} <= {name}
        assert vault.links().counts.broken == 1 and vault.doctor().problems == ()
        # The doctor embeds everything to compare it.
        counting.texts = 0


def test_a_new_registry_leaves_no_byte_of_one_domain_in_the_file_of_another(vault: Vault) -> None:
    register(vault, REGISTRIES[0])
    vault.index()
    vault.close()
    swapped = {"fitness": WORDS["food"], "food": WORDS["fitness"], "legacy": WORDS["legacy"]}
    for name in swapped:
        held = bytes_of(vault, name)
        assert {other for other, word in swapped.items() if word in held} == {name}


def test_a_run_that_was_stopped_goes_on_in_every_domain(vault: Vault) -> None:
    for path in ("Gym/New.md", "Gym/Newer.md", "Food/New.md", "Food/Newer.md", "New.md", "Newer.md"):
        (vault.root / path).write_text(f"a new note on things in {path}")
    stopped = vault.index(progress=Progress(stop=lambda: True))
    told: list[tuple[int, int]] = []
    done = vault.index(progress=Progress(lambda number, of: told.append((number, of))))
    assert (stopped.added, stopped.interrupted, done.added, done.interrupted) == (3, True, 3, False)
    assert told == [(1, 3), (2, 3), (3, 3)] and len(holding(vault, "things")) == 6


def test_a_query_names_domains_in_its_text_or_beside_it(vault: Vault) -> None:
    def found(text: str, domain: str | Sequence[str] = ()) -> set[str]:
        return {hit.path.partition("/")[0] for hit in vault.search(text, domain=domain)}

    assert found("heavy") == {"Gym", "Food", "Home.md"}
    assert found("heavy in:fitness") == found("in:Fitness heavy") == found("heavy", "fitness") == {"Gym"}
    assert found("heavy in:fitness|food") == found("heavy", ["food", "fitness"]) == {"Gym", "Food"}
    assert found("heavy -in:fitness") == {"Food", "Home.md"}
    unknown = vault.search("heavy in:fitnes")
    assert unknown.notices[0].code == "unknown_domain" and unknown.hits
    assert [hit.path for hit in vault.search("in:heading squats")] == ["Gym/Squats.md"]
    # Within one domain, no other has a name.
    assert vault.search("heavy in:food", domain="fitness").notices[0].code == "unknown_domain"
    with pytest.raises(QueryError, match="no domain 'gym'"):
        vault.search("heavy", domain="gym")
    with pytest.raises(QueryError, match="nothing to search"):
        vault.search("in:food")


def test_a_vault_without_domains_has_one_store_and_no_domain_to_name(make_vault: Make) -> None:
    with make_vault({"a.md": "in:food for thought"}) as plain:
        plain.index()
        assert plain.search("in:food").hits and plain.domains().domains == () and plain.store_file.name == "store.db"
        with pytest.raises(QueryError, match="no domains"):
            plain.search("food", domain="food")


def test_a_domains_own_settings_rank_its_notes_alone_and_beside_others(vault: Vault) -> None:
    def votes(domain: str = "") -> dict[str, dict[str, float]]:
        hits = vault.search("heavy", domain=domain, explain=True).hits
        return {hit.path: {vote.retriever: vote.weight for vote in hit.votes or ()} for hit in hits}

    register(
        vault,
        REGISTRY.replace("[domains.food]", "[domains.food]\nsearch.lexical_weight = 0.05\nsearch.vector_weight = 0.95"),
    )
    assert votes()["Food/Oats.md"] == votes("food")["Food/Oats.md"] == {"lexical": 0.05, "note": 0.05, "vector": 0.95}
    usual = {"lexical": 0.75, "note": 0.75, "vector": 0.25}
    assert votes()["Gym/Squats.md"] == votes("fitness")["Gym/Squats.md"] == usual


def test_domains_with_other_embedders_are_ranked_together_on_one_scale(make_vault: Make) -> None:
    own = REGISTRY.replace("[domains.food]", '[domains.food]\nembed.model = "static"')
    own = f'[embed]\nmodel = "words"\n{own}'
    root = make_vault({**NOTES, "notewell.toml": own}).root
    with Vault.open(root, {"search.floor": 0}) as mixed:
        mixed.index()
        with mixed.within("food").store.reading() as food, mixed.within("fitness").store.reading() as fitness:
            assert (food.state.made_for.dimensions, fitness.state.made_for.dimensions) == (256, 27)
        found = mixed.search("heavy eggs", explain=True)
        assert "scaled" in [notice.code for notice in found.notices]
        near = {hit.path: vote.score for hit in found for vote in hit.votes or () if vote.retriever == "vector"}
        assert {path.partition("/")[0] for path in near} == {"Gym", "Food", "Home.md"}
        assert all(score is not None and -1 <= score <= 1.5 for score in near.values())
        assert "scaled" not in [notice.code for notice in mixed.search("in:food eggs").notices]
        assert mixed.doctor().problems == () and mixed.traverse("Home").visits
        # A model that changes for one domain embeds that one anew, and no other.
        register(mixed, f'[embed]\nmodel = "words"\n{REGISTRY}')
        report = mixed.index()
        assert (report.added, "scaled" in [notice.code for notice in mixed.search("eggs").notices]) == (2, False)


def test_backups_are_files_of_their_own_and_all_are_restored_or_none(vault: Vault, tmp_path: Path) -> None:
    files = vault.backup(tmp_path / "kept.db")
    assert [file.name for file in files] == ["kept.fitness.db", "kept.food.db", "kept.legacy.db"]
    assert WORDS["food"] in files[1].read_bytes() and WORDS["food"] not in files[0].read_bytes()
    (vault.root / "Gym/Squats.md").unlink()
    vault.index()
    files[2].write_bytes(files[2].read_bytes()[:5_000])
    with pytest.raises(StoreError):
        vault.restore(tmp_path / "kept.db")
    assert not holding(vault, "zanquorb")
    vault.within("fitness").restore(files[0])
    assert holding(vault, "zanquorb") == ["Gym/Squats.md"]


def test_a_domain_lists_its_folders_its_settings_and_what_is_in_its_store(vault: Vault) -> None:
    register(vault, REGISTRY + 'decay.mode = "off"')
    found = vault.domains().domains
    assert [(one.name, one.folders, one.legacy, one.notes) for one in found] == [
        ("fitness", ("Gym",), False, 2),
        ("food", ("Food",), False, 2),
        ("legacy", (), True, 1),
    ]
    assert found[1].settings == {"decay.mode": "off"} and found[0].store == str(store_of(vault, "fitness"))
    assert vault.status().domains == {"fitness": 2, "food": 2, "legacy": 1}


def test_a_folder_that_the_vault_does_not_have_is_named(vault: Vault) -> None:
    register(vault, '[domains.fitness]\nfolders = ["Gym", "Jym"]\n')
    assert [one.problems for one in vault.domains().domains] == [("there is no folder Jym",), ()]


def test_a_registry_that_is_wrong_changes_nothing_while_the_vault_is_open(vault: Vault) -> None:
    before = {name: bytes_of(vault, name) for name in WORDS}
    (vault.root / "notewell.toml").write_text(
        '[domains.fitness]\nfolders = ["Gym"]\n[domains.food]\nfolders = ["Gym/Old", "Gym"]'
    )
    assert [notice.code for notice in vault.reread()] == ["settings_invalid"]
    assert holding(vault, "zanquorb") == ["Gym/Squats.md"]
    assert {name: bytes_of(vault, name) for name in WORDS} == before


def test_what_a_link_brings_in_from_another_domain_stays_there(vault: Vault) -> None:
    (vault.root / "Gym/Borrowed.md").symlink_to(vault.root / "Food/Eggs.md")
    vault.index()
    assert WORDS["food"] not in bytes_of(vault, "fitness")
    assert holding(vault, "quixblat") == ["Food/Eggs.md"]


def test_a_row_that_was_altered_costs_its_own_domain_its_store_and_no_other(vault: Vault) -> None:
    vault.close()
    with closing(sqlite3.connect(store_of(vault, "food"))) as db, db:
        db.execute("update note set title = 'Changed' where path = 'Food/Eggs.md'")
    with pytest.raises(StoreError):
        vault.search("eggs", refresh=False)
    origins = {name: vault.within(name).store.state.origin for name in WORDS}
    assert {name for name, origin in origins.items() if origin != "own"} == {"food"}
    vault.index()
    assert holding(vault, "quixblat") == ["Food/Eggs.md"]


def test_the_command_line_asks_lists_and_keeps_domains(vault: Vault, run_command: Run, tmp_path: Path) -> None:
    vault.close()
    (vault.root / "notewell.toml").write_text(f'[embed]\nmodel = "words"\n{REGISTRY}')
    asked = ("search", "heavy", "--format", "paths", "--domain")
    assert run_command(vault.root, *asked, "fitness")[1] == "Gym/Squats.md\n"
    code, _, said = run_command(vault.root, *asked, "fitnes")
    assert (code, "no domain 'fitnes'" in said, "Did you mean fitness?" in said) == (2, True, True)
    listed = run_command(vault.root, "domains")[1]
    assert "fitness  2 notes" in listed and f"store     .notewell{os.sep}store.food.db" in listed
    assert [one["name"] for one in json.loads(run_command(vault.root, "domains", "--json")[1])["domains"]] == [*WORDS]
    assert "domains   fitness 2, food 2, legacy 1" in run_command(vault.root, "status")[1]
    assert run_command(vault.root, "links", "Squats", "--domain", "food")[0] == 1
    kept = run_command(vault.root, "backup", str(tmp_path / "kept.db"), "--domain", "food")[1]
    assert kept.startswith(str(tmp_path / "kept.db")) and WORDS["food"] in (tmp_path / "kept.db").read_bytes()
    assert run_command(vault.root, "restore", str(tmp_path / "kept.db"), "--domain", "food")[1].startswith("2 notes")
    assert run_command(vault.root, "doctor")[0] == 0


def test_a_question_is_answered_from_the_domains_that_it_names(vault: Vault) -> None:
    answer = ask(vault, "what comes with quixblat sauce", domain="fitness")
    assert {citation.path.partition("/")[0] for citation in answer.citations} <= {"Gym"}
    assert "Food/Eggs.md" in {citation.path for citation in ask(vault, "what comes with quixblat sauce").citations}


def test_what_goes_on_behind_stops_when_the_domains_change_and_makes_no_store_again(vault: Vault) -> None:
    followed, store = vault._view.indexing.while_unchanged(Progress()), vault.store
    assert not followed.stop() and store.in_place
    register(vault, "")
    vault.search("heavy")
    assert followed.stop() and not store.in_place
    with pytest.raises(StoreError, match="no store"), store.reading():
        pass
    assert {path.name for path in (vault.root / ".notewell").glob("*.db")} == {"store.db"}
