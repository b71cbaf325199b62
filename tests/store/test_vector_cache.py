from __future__ import annotations

from collections.abc import Callable

import numpy as np

from notewell import Vault
from notewell.store.sqlite.vector_cache import SeenVectors
from notewell.types.query import EVERYTHING

MakeVault = Callable[..., Vault]
NOTES = {f"{number}.md": f"# Note {number}\n\nThe bees of hive {number} sleep." for number in range(20)}


def test_a_vector_read_before_is_the_one_that_was_read(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES, {"embed.model": "static"})
    vault.index()
    query = vault.embedder.embed_query("bees asleep in hive 3")
    with vault.store.reading() as snapshot:
        first, again = (snapshot.nearest(query, EVERYTHING, 10) for _ in range(2))
    assert first == again and len(first.found) == 10


def test_a_changed_note_is_searched_by_its_new_vector(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES, {"embed.model": "static"})
    vault.index()
    vault.search("bees")
    (vault.root / "7.md").write_text("# Ledger\n\nInvoices and taxes of the year.", encoding="utf-8")
    vault.index()
    query = vault.embedder.embed_query("invoices, taxes")
    with vault.store.reading() as snapshot:
        best, _ = snapshot.nearest(query, EVERYTHING, 1).found[0]
        assert snapshot.chunks([best])[best].path == "7.md"


def test_slots_read_before_and_slots_that_were_not_come_in_one_order(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES, {"embed.model": "static"})
    vault.index()
    db, size = vault.store.db, len(NOTES)
    seen, fresh = SeenVectors(256, vault.embedder.dimensions), SeenVectors(256, vault.embedder.dimensions)
    seen.rows(db, np.arange(3, 9))
    assert np.array_equal(seen.rows(db, np.arange(size)), fresh.rows(db, np.arange(size)))
