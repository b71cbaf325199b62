"""Near-duplicates are distinguished from texts that only share a subject."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.cases import cases

from notewell import Vault
from notewell.embed import EmbedRules, load_embedder
from notewell.memory.near import Passage, find_near

MakeVault = Callable[..., Vault]

PAIRS = Path(__file__).parents[1] / "quality" / "near.toml"
APPROVALS = "The deploy of the billing service needs two approvals since March."
AGAIN = "Since March, deploying the billing service needs two approvals."


@cache
def pairs() -> dict[str, Any]:
    return tomllib.loads(PAIRS.read_text(encoding="utf-8"))


def taken_for_the_same(kind: str, first: int) -> int:
    """Return how many of every second pair are, from the first on."""
    embedder = load_embedder(EmbedRules("static"))
    chosen = pairs()[kind][first::2]
    found = [find_near(text, [Passage("a.md", 1, "", other)], embedder) for other, text in chosen]
    return sum(map(bool, found))


# As measured last; the pairs that begin with the second were first left out of choosing the threshold, and seen later.
@cases(
    ("kind", "first", "least", "most"),
    [
        ("same", 0, 34, 36),
        ("same", 1, 33, 36),
        ("apart", 0, 0, 0),
        ("apart", 1, 0, 1),
        ("changed", 0, 4, 6),
        ("changed", 1, 6, 6),
    ],
)
def test_pairs_are_distinguished_as_well_as_the_guide_says(kind: str, first: int, least: int, most: int) -> None:
    assert least <= taken_for_the_same(kind, first) <= most


def test_what_a_note_of_the_vault_says_already_is_shown_and_other_things_are_not(vault: Vault) -> None:
    (vault.root / "notewell.toml").write_text('[memory]\nfolder = "Memories"\n')
    with Vault.open(vault.root) as opened:
        said = [(opened.remember(text), path) for text, path in pairs()["said"]]
        unsaid = [opened.remember(text) for text in pairs()["unsaid"]]
    # One is described in words that share nothing with these pages.
    assert sum(not done.written and done.near[0].path == path for done, path in said) == len(said) - 1
    assert [done.near for done in unsaid] == [()] * len(unsaid)


def test_what_says_nearly_the_same_is_shown_and_not_written(allowed: Vault) -> None:
    done = allowed.remember(APPROVALS, title="Billing deploys")
    again = allowed.remember(AGAIN)
    assert (again.path, again.written) == (None, False)
    (near,) = again.near
    assert (near.path, near.line, near.title, near.text) == (done.path, 7, "Billing deploys", APPROVALS)
    assert 0.66 <= near.similarity < 1
    assert len(list((allowed.root / "Memories").iterdir())) == 1


def test_anyway_writes_it_and_shows_near_duplicates(allowed: Vault) -> None:
    allowed.remember(APPROVALS)
    again = allowed.remember(AGAIN, anyway=True)
    assert again.written
    assert len(again.near) == 1
    assert len(list((allowed.root / "Memories").iterdir())) == 2


@pytest.mark.parametrize("text", [f"  {APPROVALS.upper()}\n", APPROVALS.replace(" ", "\n")])
def test_a_repeat_is_known_whatever_its_case_and_spaces(allowed: Vault, text: str) -> None:
    done = allowed.remember(APPROVALS)
    again = allowed.remember(text)
    assert not again.written
    assert [(near.path, near.similarity, near.text) for near in again.near] == [(done.path, 1.0, APPROVALS)]


def test_a_sentence_in_a_long_note_is_found_by_its_line(make_allowed: MakeVault) -> None:
    lines = [f"Paragraph {number} speaks of bread, ovens and flour.\n" for number in range(60)]
    lines[40] = "Oxalic acid is trickled in December, when there is no brood.\n"
    vault = make_allowed({"Long.md": "\n".join(lines)})
    (near,) = vault.remember("In December, when there is no brood, oxalic acid is trickled.").near
    assert (near.path, near.line) == ("Long.md", 81)
    assert near.text == lines[40].strip()


def test_a_line_of_code_says_nothing_that_one_could_remember(make_allowed: MakeVault) -> None:
    vault = make_allowed(
        {"Time.md": f"# Time\n\n{'How to see it, and more on the clock. ' * 5}\n\n```\nTime zone: Europe/Berlin\n```\n"}
    )
    assert vault.remember("The user's time zone is Europe/Berlin.").written


def test_at_most_three_are_shown_the_nearest_first(allowed: Vault) -> None:
    for number in range(5):
        allowed.remember(f"{APPROVALS} {'Again. ' * number}", anyway=True)
    near = allowed.remember(APPROVALS + " Really.").near
    assert len(near) == 3
    assert [one.similarity for one in near] == sorted((one.similarity for one in near), reverse=True)
