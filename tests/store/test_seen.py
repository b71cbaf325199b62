from __future__ import annotations

from collections.abc import Callable

from notewell import Vault
from notewell.asked import EVERYTHING

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
        assert snapshot.chunks([best])[0].path == "7.md"
