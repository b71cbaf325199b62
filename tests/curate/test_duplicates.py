"""Near-duplicates: one finder for the review queue and for the page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from notewell import Vault
from notewell.curate.duplicates import find_duplicates, note_vectors, text_of
from notewell.curate.promote import review
from notewell.serve.web.duplicates import list_duplicates
from notewell.store import Snapshot

MakeVault = Callable[..., Vault]
LONG = " ".join(f"word{number} and more of it" for number in range(60))
SETTINGS = '[curate]\nfolders = ["."]\n[llm]\nmodel = "off"\n'


def test_the_page_lists_texts_of_any_format_and_the_queue_proposes_markdown_alone(make_vault: MakeVault) -> None:
    notes = {"a.txt": f"{LONG} moths.", "b.txt": f"{LONG} moths!", "stub.md": "Bees.", "stub too.md": "Bees."}
    with make_vault({"notewell.toml": SETTINGS, **notes}) as vault:
        vault.index()
        assert [(pair.path, pair.of) for pair in list_duplicates(vault).pairs] == [("a.txt", "b.txt")]
        assert review(vault).items == ()


def test_notes_that_differ_in_one_telling_word_of_few_are_no_duplicates(make_vault: MakeVault) -> None:
    chord = "A {} triad is a chord of three notes: a root, a {} third and a perfect fifth above it.\n"
    with make_vault({f"{kind}.md": chord.format(kind, kind) for kind in ("major", "minor")}) as vault:
        vault.index()
        with vault.shown.answering() as snapshot:
            assert find_duplicates(snapshot, 9) == []


def test_a_pair_that_is_not_wanted_leaves_its_notes_to_others(make_vault: MakeVault) -> None:
    with make_vault({f"{name}.md": f"{LONG} {name}." for name in "abc"}) as vault:
        vault.index()
        with vault.shown.answering() as snapshot:
            (first,) = find_duplicates(snapshot, 9)
            (other,) = find_duplicates(snapshot, 9, wanted=lambda one: (one.path, one.of) != (first.path, first.of))
    assert {other.path, other.of} != {first.path, first.of}


def test_the_text_of_each_of_many_like_notes_is_read_once(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counting(path: str, snapshot: Snapshot) -> str:
        read.append(path)
        return text_of(path, snapshot)

    daily = {f"2026-01-{day:02}.md": "# Tasks\n\nWater the plants.\n\n# Notes\n\nNothing." for day in range(1, 32)}
    monkeypatch.setattr("notewell.curate.duplicates.text_of", counting)
    with make_vault({**daily, "a.md": LONG, "b.md": LONG}) as vault:
        vault.index()
        with vault.shown.answering() as snapshot:
            assert [(pair.path, pair.of) for pair in find_duplicates(snapshot, 9)] == [("a.md", "b.md")]
    assert sorted(read) == sorted((*daily, "a.md", "b.md"))


def test_an_empty_vault_has_no_vectors_to_compare(make_vault: MakeVault) -> None:
    with make_vault({"empty.md": ""}) as vault:
        vault.index()
        with vault.shown.answering() as snapshot:
            assert (
                not any(vectors.any() for _, vectors in note_vectors(snapshot)) and find_duplicates(snapshot, 9) == []
            )
        assert list_duplicates(vault).pairs == ()


def test_notes_are_compared_in_every_domain_whatever_its_embedder(make_vault: MakeVault) -> None:
    own = '[embed]\nmodel = "words"\nencoder = "off"\n[domains.gym]\nfolders = ["Gym"]\n[domains.rest]\nlegacy = true\n'
    for name in ("food", "farm"):
        own += f'[domains.{name}]\nfolders = ["{name}"]\nembed.model = "static"\n'
    other = LONG.replace("word", "term")
    notes = {"Gym/a.md": LONG, "Gym/b.md": LONG, "food/c.md": other, "farm/d.md": other, "farm/empty.md": ""}
    with Vault.open(make_vault({"notewell.toml": own, **notes}).root) as vault:
        vault.index()
        pairs = {(pair.path, pair.of) for pair in list_duplicates(vault).pairs}
        assert pairs == {("Gym/a.md", "Gym/b.md"), ("farm/d.md", "food/c.md")}
