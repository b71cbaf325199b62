"""What a domain sets for itself counts for its own notes alone."""

from __future__ import annotations

from collections.abc import Callable

from notewell import Vault

REGISTRY = """
[domains.fitness]
folders = ["Gym"]
[domains.food]
folders = ["Food"]
"""


def test_notes_of_one_domain_age_and_those_of_another_do_not(make_vault: Callable[..., Vault]) -> None:
    notes = {
        "notewell.toml": REGISTRY.replace(
            "[domains.food]", '[domains.food]\ndecay.mode = "half_life"\ndecay.half_life_days = 30'
        ),
        "Gym/Old.md": "---\ndate: 2001-01-01\n---\nheavy squats",
        "Food/Old.md": "---\ndate: 2001-01-01\n---\nheavy oats",
    }
    with make_vault(notes) as aging:
        aging.index()
        for domain in ("", "food", "fitness"):
            hits = aging.search("heavy", domain=domain).hits
            aged = {hit.path for hit in hits if any(step.by == "decay" for step in hit.trace)}
            assert aged == ({"Food/Old.md"} if domain != "fitness" else set())
