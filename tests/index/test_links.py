from __future__ import annotations

from collections.abc import Callable

import pytest

from notewell import Vault
from notewell.index.shapes.markdown import parse
from notewell.types import Link, Note, Stamp

MakeVault = Callable[..., Vault]


def links(text: str) -> tuple[Link, ...]:
    return parse(Note("note.md", text, Stamp(0, 0))).links


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ("[[Bees]]", Link("Bees", 1)),
        ("[[Garden/Bees]]", Link("Garden/Bees", 1)),
        ("[[Bees|the hive]]", Link("Bees", 1, text="the hive")),
        ("[[Bees#Swarm]]", Link("Bees", 1, anchor="Swarm")),
        ("[[Bees#Year#May]]", Link("Bees", 1, anchor="Year#May")),
        ("[[Bees#Swarm|the day]]", Link("Bees", 1, anchor="Swarm", text="the day")),
        ("[[Bees#^a1b2]]", Link("Bees", 1, anchor="^a1b2")),
        ("[[#Swarm]]", Link("", 1, anchor="Swarm")),
        ("![[hive.png]]", Link("hive.png", 1, "embed")),
        ("![[hive.png|300]]", Link("hive.png", 1, "embed", text="300")),
        ("![[Bees#Swarm]]", Link("Bees", 1, "embed", anchor="Swarm")),
        ("[[ Bees | hive ]]", Link("Bees", 1, text="hive")),
        ("[[京都の日記]]", Link("京都の日記", 1)),
        ("[the hive](Bees.md)", Link("Bees.md", 1, "markdown", text="the hive")),
        ("[year](../Garden/Beekeeping%20year.md)", Link("../Garden/Beekeeping year.md", 1, "markdown", text="year")),
        ("[may](Bees.md#Swarm%20of%20May)", Link("Bees.md", 1, "markdown", anchor="Swarm of May", text="may")),
        ("[below](#Swarm)", Link("", 1, "markdown", anchor="Swarm", text="below")),
        ("[c](Notes%20(2024).md)", Link("Notes (2024).md", 1, "markdown", text="c")),
        ('[t](Bees.md "All about bees")', Link("Bees.md", 1, "markdown", text="t")),
        ("[t](Bees.md 'All about bees')", Link("Bees.md", 1, "markdown", text="t")),
        ("[a](<Bees.md>)", Link("Bees.md", 1, "markdown", text="a")),
        ("[a](<Beekeeping year.md>)", Link("Beekeeping year.md", 1, "markdown", text="a")),
        ("![comb](img/comb.png)", Link("img/comb.png", 1, "embed", text="comb")),
    ],
)
def test_a_link_is_read_as_written(written: str, link: Link) -> None:
    assert links(f"See {written} for more.") == (link,)


@pytest.mark.parametrize(
    ("written", "target"),
    [("[[Bees\\|hive]]", "Bees"), ("[[Bees#Swarm\\|hive]]", "Bees"), ("[[Bees \\| hive]]", "Bees")],
)
def test_a_bar_escaped_for_a_table_is_still_an_alias(written: str, target: str) -> None:
    (link,) = links(f"| what | where |\n|---|---|\n| bees | {written} |\n")
    assert (link.target, link.text, link.line) == (target, "hive", 3)
    assert "\\" not in link.anchor


@pytest.mark.parametrize(
    "text",
    [
        "See `[[Bees]]` here.",
        "See ``[[Bees]]`` here.",
        "See `` a ` [[Bees]] `` here.",
        "```\n[[Bees]]\n\n[hive](Bees.md)\n```\n",
        "~~~md\n[[Bees]]\n~~~\n",
        "````\n```\n[[Bees]]\n```\n````\n",
    ],
)
def test_code_holds_no_links(text: str) -> None:
    assert links(text) == ()


def test_links_around_code_keep_their_lines() -> None:
    text = "[[A]] and `[[no]]` then [[B]]\n\n```\n[[no]]\n```\n\n[[C]]\n"
    assert [(link.target, link.line) for link in links(text)] == [("A", 1), ("B", 1), ("C", 7)]


@pytest.mark.parametrize(
    "text",
    [
        "[home](https://example.org/a.md)",
        "[mail](mailto:ilse@example.org)",
        "[there](//example.org/a.md)",
        "[open](obsidian://open?vault=a)",
        "<https://example.org>",
        "[[]]",
        "[ ] a task, [x] another (done)",
        "an array[0](x y)",
    ],
)
def test_what_leads_out_of_the_vault_or_nowhere_is_no_link(text: str) -> None:
    assert links(text) == ()


def test_links_come_in_the_order_of_the_note_with_exact_lines() -> None:
    text = "---\nup: '[[Home]]'\n---\n[b](B.md) [[A]]\r\n\r\n[[C]]\n"
    assert [(link.target, link.line, link.kind) for link in links(text)] == [
        ("Home", 1, "field"),
        ("B.md", 4, "markdown"),
        ("A", 4, "wiki"),
        ("C", 6, "wiki"),
    ]


@pytest.mark.parametrize(
    ("fields", "targets"),
    [
        ('up: "[[Garden]]"', ["Garden"]),
        ("up: [[Garden]]", ["Garden"]),
        ('related: ["[[Bees]]", "[[Rye|bread]]"]', ["Bees", "Rye"]),
        ('related:\n  - "[[Bees]]"\n  - "[[Rye]]"', ["Bees", "Rye"]),
        ("related:\n  - [[Bees]]\n  - [[Rye]]", ["Bees", "Rye"]),
        ('text: "both [[Bees]] and [[Rye]]"', ["Bees", "Rye"]),
        ("tags: [bees, rye]\nnumber: 3\nnothing:", []),
    ],
)
def test_links_in_front_matter_are_links(fields: str, targets: list[str]) -> None:
    found = links(f"---\n{fields}\n---\nText.\n")
    assert [link.target for link in found] == targets
    assert {link.kind for link in found} <= {"field"}


def test_the_links_of_a_link_section_are_stored_though_its_words_are_not(make_vault: MakeVault) -> None:
    text = "# Bees\n\nThe hive hums quietly all morning.\n\n## Related\n\n- [[Quokka]]\n"
    vault = make_vault({"bees.md": text})
    vault.index()
    with vault.store.reading() as snapshot:
        assert snapshot.links() == {"bees.md": (Link("Quokka", 7),)}
    assert not any(excerpt.hit.ranks["lexical"] for excerpt in vault.search("quokka"))


def test_every_link_of_the_sample_vault_leads_somewhere_but_three(vault: Vault) -> None:
    with vault.store.reading() as snapshot:
        targets = {link.target.removeprefix("../") for links in snapshot.links().values() for link in links}
    paths = vault.store.stamps()
    files = {path.rpartition("/")[2] for path in paths} | set(paths)
    names = files | {file.removesuffix(".md") for file in files} | {""}
    assert targets - names == {"Saga pattern", "Pillow Book", "hive-microphone-mounting.png"}
