"""When the encoder is loaded for queries: with a program's first search, behind a server's, never by a command."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from notewell import Vault
from notewell.embed import Embedder
from notewell.embed.words import WordsEmbedder
from notewell.freshness import Loads, Opening
from notewell.search.encoder_rerank import NOT_LOADED
from notewell.types.note import Vectors

MakeVault = Callable[..., Vault]
NOTES = {f"{number}.md": f"# {number}\n\nThe hive of {number} hums.\n" for number in range(5)}


@dataclass
class Slow(WordsEmbedder):
    """The words embedder, which can embed a query once somebody has loaded it."""

    is_loaded: bool = False
    queries: list[str] = field(default_factory=list)
    may_load: threading.Event = field(default_factory=threading.Event)
    loaded: threading.Event = field(default_factory=threading.Event)

    def load(self) -> None:
        assert self.may_load.wait(10)
        self.is_loaded = True
        self.loaded.set()

    def embed_query(self, text: str) -> Vectors:
        self.queries.append(text)
        return super().embed_query(text)


def opened(make_vault: MakeVault, loads: Loads, encoder: Embedder, *, encode: bool = True) -> Vault:
    made = make_vault(NOTES, {"embed.encoder": "words"})
    made.index()
    if encode:
        made.encode()
    opening = Opening(load_encoder=lambda rules: encoder, loads=loads)
    return Vault.open(made.root, {"embed.model": "words", "embed.encoder": "words"}, opening)


def test_a_program_loads_it_with_its_first_search(make_vault: MakeVault) -> None:
    with opened(make_vault, "first", encoder := Slow()) as vault:
        assert vault.search("hive 3")[0].retrievers["fine"]
    assert encoder.queries == ["hive 3"]


def test_a_command_never_loads_it_and_only_explain_says_so(make_vault: MakeVault) -> None:
    with opened(make_vault, "never", encoder := Slow()) as vault:
        results = vault.search("hive 3", explain=True, all=True)
        assert (results.notices, "fine" in results[0].retrievers) == ((), False)
        assert results.read_as is not None
        assert NOT_LOADED in results.read_as
        assert not vault.encoder.is_wished
    assert (encoder.queries, encoder.loaded.is_set()) == ([], False)


def test_a_command_finds_related_notes_by_stored_vectors_without_loading_it(make_vault: MakeVault) -> None:
    with opened(make_vault, "never", encoder := Slow()) as vault:
        assert vault.related("3.md")[0].retrievers["fine"]
    assert (encoder.queries, encoder.loaded.is_set()) == ([], False)


def test_a_server_answers_without_it_until_it_is_loaded_behind(make_vault: MakeVault) -> None:
    with opened(make_vault, "behind", encoder := Slow()) as vault:
        assert "fine" not in vault.search("hive 3")[0].retrievers
        assert "fine" not in vault.search("hive 3")[0].retrievers
        encoder.may_load.set()
        assert encoder.loaded.wait(10)
        assert vault.search("hive 3")[0].retrievers["fine"]
    assert encoder.queries == ["hive 3"]


def test_a_server_does_not_load_it_where_nothing_is_encoded(make_vault: MakeVault) -> None:
    encoder = Slow()
    encoder.may_load.set()
    with opened(make_vault, "behind", encoder, encode=False) as vault:
        vault.search("hive 3")
    assert not encoder.loaded.wait(0.05)


@pytest.mark.parametrize("loads", ["never", "behind"])
def test_who_wants_chunks_encoded_on_demand_waits_for_it(make_vault: MakeVault, loads: Loads) -> None:
    encoder = Slow()
    encoder.may_load.set()
    with opened(make_vault, loads, encoder, encode=False) as vault:
        settings = {"embed.model": "words", "embed.encoder": "words", "search.on_demand": 14_400}
        opening = Opening(load_encoder=lambda rules: encoder, loads=loads)
        with Vault.open(vault.root, settings, opening) as patient:
            assert patient.search("hive 3")[0].retrievers["fine"]
