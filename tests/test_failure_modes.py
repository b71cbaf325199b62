"""Known failures of hybrid retrievers, each on a small vault that would show it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from notewell import Vault

MakeVault = Callable[..., Vault]
GARDEN = {
    f"Garden/{plant}.md": f"# {plant}\n\n" + f"The {plant} stands by the wall and wants water on warm evenings. " * 6
    for plant in ("fig", "plum", "pear", "quince", "sage", "mint", "leek", "kale", "bean", "pea")
}
DEEP = """# When the shop stands still

## What to do first

When the orders database is damaged, stop every service that writes before anything else is tried. The last good
base backup lies in the vault of the second site, and the log since then on the archive host. A restore takes about
forty minutes: the base backup is unpacked, the server is started in recovery, and it replays the log up to the moment
that was chosen. Choose one shortly before the damage, or the mistake is replayed with everything else.

## How to prove that it worked

Count the orders of the last full day and compare them with the ledger. A restored database that nobody compared is a
hope. Open the shop for the two of us first, place an order, cancel it, and only then let the others in.
"""
STUFFED = {
    "Inbox/Tags.md": "# Tags\n\nrestore database backup orders, database restore, backup restore, orders\n",
    "Inbox/Stub.md": "# Database\n\n#database #restore #backup #orders\n",
    "Inbox/Words.md": "restore database restore database restore backup orders\n",
}
RETRIES = """# How often we try again

The retry limit is a trade: each attempt costs the other side as much as the first. We keep the retry limit at three,
with a pause that doubles, because a fourth attempt never once succeeded in the logs of last year.
"""


@pytest.fixture
def notes(make_vault: MakeVault) -> Callable[[Mapping[str, str]], Vault]:
    """Index notes among others, as a user would: with the model that ships."""

    def indexed(files: Mapping[str, str]) -> Vault:
        vault = make_vault({**GARDEN, **files}, {"embed.model": "static", "embed.encoder": "off"})
        vault.index()
        return vault

    return indexed


def found(vault: Vault, text: str) -> list[str]:
    return [excerpt.path for excerpt in vault.search(text)]


@pytest.mark.parametrize(
    "text", ["how do I restore the orders database from a backup", "restore orders database", "orders database backup"]
)
def test_keywords_without_a_word_of_their_own_stand_below_the_note_that_says_something(
    notes: Callable[[Mapping[str, str]], Vault], text: str
) -> None:
    page = found(notes({"Ops/Shop.md": DEEP, **STUFFED}), text)
    assert page[0] == "Ops/Shop.md"
    assert page.index("Ops/Shop.md") < min(page.index(path) for path in STUFFED)


def test_a_lowered_hit_says_why(notes: Callable[[Mapping[str, str]], Vault]) -> None:
    page = notes({"Ops/Shop.md": DEEP, **STUFFED}).search("restore orders database")
    (stub,) = (hit for hit in page if hit.path == "Inbox/Stub.md")
    last = stub.trace[-1]
    assert (last.by, last.why) == ("stuffed", "4 of its 5 words are the query's, repeated")


def test_a_short_note_with_the_very_name_is_still_the_first(notes: Callable[[Mapping[str, str]], Vault]) -> None:
    vault = notes({"Ops/Shop.md": DEEP, "Restore database.md": "# Restore database\n"})
    assert found(vault, "restore database")[0] == "Restore database.md"


def test_a_short_note_in_whole_sentences_keeps_its_score(notes: Callable[[Mapping[str, str]], Vault]) -> None:
    vault = notes({"Ops/Orders.md": "# Orders\n\nOrders of the orders database restore by themselves.\n"})
    best = vault.search("restore orders database")[0]
    assert best.path == "Ops/Orders.md" and "stuffed" not in {step.by for step in best.trace}


@pytest.mark.parametrize("text", ["retry_limit", "retry limit", "what is the retry limit for"])
def test_ten_files_that_repeat_a_key_leave_the_note_that_explains_it_on_top(
    notes: Callable[[Mapping[str, str]], Vault], text: str
) -> None:
    entries = {
        name: {f"{name}_{n}": {"retry_limit": n, "timeout": 30 + n} for n in range(170)} for name in "abcdefghij"
    }
    settings = {
        **{f"conf/{name}.json": json.dumps(entries[name], indent=1) for name in "abcde"},
        **{
            f"conf/{name}.yaml": "\n".join(
                f"{key}:\n  retry_limit: {value['retry_limit']}" for key, value in of.items()
            )
            for name, of in entries.items()
            if name in "fghij"
        },
    }
    assert found(notes({"Ops/Retries.md": RETRIES, **settings}), text)[0] == "Ops/Retries.md"


def test_a_value_among_many_is_found_by_its_key(notes: Callable[[Mapping[str, str]], Vault]) -> None:
    entries = {f"service_{n}": {"retry_limit": n, "owner": "tilda" if n == 77 else "ops"} for n in range(170)}
    page = notes({"conf/a.json": json.dumps(entries, indent=1), "Ops/Retries.md": RETRIES}).search("retry_limit tilda")
    assert page[0].path == "conf/a.json" and "tilda" in page[0].text


def test_an_explanation_across_a_boundary_has_both_of_its_sections_on_top(
    notes: Callable[[Mapping[str, str]], Vault],
) -> None:
    scale = """# The scale under the hive

## What it shows on a cold night

The load cell shrinks when frost comes, and the reading drifts by up to four hundred grams until the sun is on it.
Nothing was eaten and nobody left: it is the metal, and the reading comes back by noon.

## What we do about it

The program takes the temperature of the sensor beside it and subtracts the drift by a line that was fitted in
January. Since then an alarm means a swarm, and not the weather.
"""
    page = notes({"Bees/Scale.md": scale, "Bees/Frost.md": "# Frost\n\nFrost came early, and the hive stayed shut."})
    hits = page.search("how is the drift of the load cell in frost subtracted by temperature")
    assert [(hit.path, hit.heading.split(" > ")[-1]) for hit in hits][:2] in (
        [("Bees/Scale.md", "What it shows on a cold night"), ("Bees/Scale.md", "What we do about it")],
        [("Bees/Scale.md", "What we do about it"), ("Bees/Scale.md", "What it shows on a cold night")],
    )
