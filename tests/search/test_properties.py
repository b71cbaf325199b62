"""The excerpt of a note that is front matter and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from notewell import Vault

MakeVault = Callable[..., Vault]

FILM = """---
categories:
  - "[[Films]]"
cover: https://example.org/a/long/address.jpg
director:
  - "[[Ada Lovelace]]"
  - Grace Hopper
seen:
plot: {plot}
year: 1982
---
"""


def test_properties_with_a_value_stand_on_one_line_without_quotes_and_brackets(make_vault: MakeVault) -> None:
    vault = make_vault({"Orchard.md": FILM.format(plot="bees " * 30), "Template.md": "---\nseen:\nrating:\n---\n"})
    vault.index()
    excerpt = vault.search("Hopper")[0].excerpt
    assert excerpt.text == "categories: Films · director: Ada Lovelace, Grace Hopper · year: 1982"
    assert [excerpt.text[start:end] for start, end in excerpt.highlights] == ["Hopper"]
    assert (excerpt.line, excerpt.end_line) == (5, 7)
    # What is long, or an address, is shown if it matches; of a template, the names.
    assert "plot: bees bees" in vault.search("bees")[0].excerpt.text
    assert "cover: https://example.org" in vault.search('"address"')[0].excerpt.text
    assert vault.search("rating")[0].excerpt.text == "seen · rating"


def test_front_matter_above_text_is_shown_as_it_was(make_vault: MakeVault) -> None:
    vault = make_vault({"Orchard.md": FILM.format(plot="none") + "\nThe orchard hums in the evening sun.\n"})
    vault.index()
    assert vault.search("hums")[0].excerpt.text == "The orchard hums in the evening sun."
