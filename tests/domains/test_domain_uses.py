"""Domains on the page, and in large vaults."""

from __future__ import annotations

from pathlib import Path

from tests.domains.test_domain_stores import NOTES, REGISTRY, Make, holding

import notewell
from notewell.freshness import Opening
from notewell.index import Batches
from notewell.serve.web.choices import filter_choices

STATIC = Path(notewell.__file__).parent / "serve/web/static"


def test_the_page_offers_domains_as_a_filter(make_vault: Make) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        assert filter_choices(vault).domains == ("fitness", "food", "legacy")
        assert {hit.path for hit in vault.search("heavy in:food")} <= {"Food/Eggs.md", "Food/Oats.md"}
    assert '["Domain", "in", "domains"]' in (STATIC / "chips.js").read_text(encoding="utf-8")


def test_domains_are_indexed_in_a_second_process_as_large_vaults_are(make_vault: Make) -> None:
    own = REGISTRY.replace("[domains.food]", '[domains.food]\ndecay.mode = "off"')
    # With so much to do that one process does not do it alone.
    with make_vault({**NOTES, "notewell.toml": own}, opening=Opening(batches=Batches(alone=1))) as large:
        assert large.index().notes == 5
        (large.root / "Gym/Squats.md").rename(large.root / "Food/Squats.md")
        assert large.index().added == 1 and holding(large, "zanquorb") == ["Food/Squats.md"]
