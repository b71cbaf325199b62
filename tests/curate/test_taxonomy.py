"""A taxonomy is a Markdown list that a person edits; one that contradicts itself is an error with its line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.bounded import run_within

from notewell import Vault
from notewell.curate.tag_report import report_tags, similar_tags
from notewell.curate.taxonomy import parse_taxonomy, read_taxonomy
from notewell.errors import CurateError

WRITTEN = """# Our tags

- #garden: what grows, and how to keep it (aliases: yard, gardening)
  - `#garden/bees` – keeping honey bees (alias: apiary)
    * #honey
- **work** (parent: life)
- life — all else
"""


def test_tags_meanings_aliases_and_parents_are_read() -> None:
    terms = parse_taxonomy(WRITTEN).terms
    assert {key: (term.tag, term.parent, term.aliases) for key, term in terms.items()} == {
        "garden": ("garden", "", ("yard", "gardening")),
        "garden/bees": ("garden/bees", "garden", ("apiary",)),
        "honey": ("honey", "garden/bees", ()),
        "work": ("work", "life", ()),
        "life": ("life", "", ()),
    }
    assert terms["garden"].meaning == "what grows, and how to keep it"
    assert (terms["life"].meaning, terms["life"].line) == ("all else", 7)


def test_line_ends_of_windows_front_matter_and_code_are_no_tags() -> None:
    written = "---\ntags:\n  - meta\n---\n```\n- #example\n```\n- #garden\n  - 料理\uff1a食べ物\n"
    for text in (written, written.replace("\n", "\r\n")):
        terms = parse_taxonomy(text).terms.values()
        assert [(one.tag, one.meaning, one.line) for one in terms] == [("garden", "", 8), ("料理", "食べ物", 9)]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("- a (parent: b)\n- b (parent: c)\n- c (parent: a)\n", "md:1: the parents form a circle: #a → #b → #c"),
        ("- a (parent: a)\n", "#a → #a"),
        ("- a\n- A\n", "_taxonomy.md:2 lists #A again, after line 1"),
        ("- a (aliases: b)\n- b\n", "the alias #b is also a tag itself (line 2)"),
        ("- a (aliases: x)\n- b (aliases: X)\n", "the alias #X is also an alias of #a"),
        ("- a (parent: nowhere)\n", "the parent #nowhere is not listed"),
        ("- 2024: a year\n", "'2024' is not a tag"),
        ("- a (aliases: two words)\n", "'two words' is not a tag"),
    ],
)  # fmt: skip
def test_a_taxonomy_that_contradicts_itself_is_an_error(text: str, fact: str) -> None:
    with pytest.raises(CurateError) as error:
        parse_taxonomy(text)
    assert fact in error.value.fact and error.value.hint


def test_a_long_chain_of_parents_takes_a_moment() -> None:
    run_within(
        20,
        """
from notewell.curate.taxonomy import parse_taxonomy
text = "- t0\\n" + "".join(f"- t{n} (parent: t{n - 1})\\n" for n in range(1, 9_000))
assert len(parse_taxonomy(text).terms) == 9_000
parse_taxonomy("".join(" " * n + f"- t{n}\\n" for n in range(1_000)))
""",
    )


def test_tags_are_compared_with_the_taxonomy(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault(
        {
            "_taxonomy.md": WRITTEN,
            "a.md": "---\ntags: [yard, garden/bees]\n---\nOne.\n",
            "b.md": "#garden/bees #recipe\n",
            "c.md": "#recipes #Garden-Bees\n",
        }
    )
    vault.index()
    report = report_tags(vault)
    used = {one.tag: one for one in report.tags}
    assert used["garden/bees"].notes == 2 and used["garden/bees"].known
    assert used["yard"].alias_of == "garden" and not used["recipe"].known
    assert {(one.tag, one.other) for one in report.similar} == {("recipe", "recipes"), ("garden/bees", "Garden-Bees")}
    assert report.unused == ("honey", "work", "life")
    assert report.taxonomy == "_taxonomy.md"


def test_a_vault_without_taxonomy_knows_every_tag_and_one_that_is_a_link_is_refused(
    make_vault: Callable[..., Vault],
) -> None:
    vault = make_vault({"a.md": "#one\n"})
    vault.index()
    assert [one.known for one in report_tags(vault).tags] == [True]
    (vault.root / "_taxonomy.md").symlink_to("a.md")
    with pytest.raises(CurateError, match="it is a link"):
        read_taxonomy(vault.root, "_taxonomy.md")


@pytest.mark.parametrize(
    ("used", "pairs"),
    [
        ({"meeting": 2, "meetings": 1}, {("meeting", "meetings")}),
        ({"machine-learning": 1, "machinelearning": 2}, {("machinelearning", "machine-learning")}),
        ({"productivity": 3, "productvity": 1}, {("productivity", "productvity")}),
        ({"y2024": 1, "y2025": 1, "tea": 1, "sea": 1, "project/1": 1, "project/2": 1}, set()),
        ({"Bees": 1, "class": 1, "clas": 1}, set()),
    ],
)
def test_tags_that_are_nearly_the_same_are_found(used: dict[str, int], pairs: set[tuple[str, str]]) -> None:
    assert {(one.tag, one.other) for one in similar_tags(used)} == pairs
