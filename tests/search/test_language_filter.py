"""The language of a note as a filter."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from notewell import Filters, Vault
from notewell.types.notices import Notice

MakeVault = Callable[..., Vault]


def paths(vault: Vault, text: str, **more: object) -> list[str]:
    return [excerpt.path for excerpt in vault.search(text, **more)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("lang:python", {"tool.py"}),
        ("lang:py|de", {"tool.py", "Brot.md"}),
        ("lang:german", {"Brot.md"}),
        ("lang:en", {"Bread.md"}),
        ("-lang:python -lang:en", {"Brot.md"}),
        ("lang:markdown", {"Brot.md", "Bread.md"}),
    ],
)
def test_a_language_is_that_of_the_file_or_what_the_note_says(
    make_vault: MakeVault, asked: str, expected: set[str]
) -> None:
    vault = make_vault(
        {
            "tool.py": "def bake() -> None:\n    print('yeast and flour')\n",
            "Brot.md": "---\nlang: de\n---\n# Brot\n\nHefe heisst yeast, sagt der Baecker.\n",
            "Bread.md": "---\nlanguage: en-GB\n---\n# Bread\n\nThe yeast rises with the flour.\n",
        }
    )
    vault.index()
    assert set(paths(vault, f"yeast {asked}")) == expected
    assert vault.search("yeast lang:rust").notices == (Notice("no_language", {"value": "rust"}),)


def test_a_language_is_an_option_too(make_vault: MakeVault) -> None:
    vault = make_vault({"a.py": "# yeast\n", "b.md": "yeast\n"})
    vault.index()
    assert paths(vault, "yeast", filters=Filters(lang="python")) == ["a.py"]
