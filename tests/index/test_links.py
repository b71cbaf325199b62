from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.cases import cases

from notewell import Vault
from notewell.index.shapes.markdown import parse
from notewell.types.note import Link, Note, Stamp

MakeVault = Callable[..., Vault]


def links(text: str) -> tuple[Link, ...]:
    return parse(Note("note.md", text, Stamp(0, 0))).links


@cases(
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
        ("![[hive.png]]", Link("hive.png", 1, embed=True)),
        ("![[hive.png|300]]", Link("hive.png", 1, text="300", embed=True)),
        ("![[Bees#Swarm]]", Link("Bees", 1, anchor="Swarm", embed=True)),
        ("[[Has # hash]]", Link("Has", 1, anchor="hash")),
        ("[[^^a1b2]]", Link("", 1, anchor="^^a1b2")),
        ("[[Bees#The `hive` at $x^2$]]", Link("Bees", 1, anchor="The `hive` at $x^2$")),
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
        ("![comb](img/comb.png)", Link("img/comb.png", 1, "markdown", text="comb", embed=True)),
        ("![bees](Bees.md)", Link("Bees.md", 1, "markdown", text="bees", embed=True)),
        ("[`hive`](Bees.md)", Link("Bees.md", 1, "markdown", text="`hive`")),
        # Signs that are part of a name are encoded; those that are not end it.
        ("[x](C%23%20notes.md)", Link("C# notes.md", 1, "markdown", text="x")),
        ("[x](What%3F.md)", Link("What?.md", 1, "markdown", text="x")),
        ("[x](C%23.md?view=1#A%23b)", Link("C#.md", 1, "markdown", anchor="A#b", text="x")),
        ("[x](start?view=latest)", Link("start", 1, "markdown", text="x")),
        # Line numbers are not part of a file name.
        ("[x](Bees.md:12)", Link("Bees.md", 1, "markdown", text="x")),
        ("[x](src/hive.py:12-20)", Link("src/hive.py", 1, "markdown", text="x")),
    ],
)
def test_a_link_is_read_and_can_be_shown_as_written(written: str, link: Link) -> None:
    (found,) = links(f"See {written} for more.")
    assert replace(found, raw="") == link
    assert found.written == written


@cases(
    ("text", "link"),
    [
        ("See [the hive][b].", Link("Bees.md", 1, "markdown", text="the hive", raw="[the hive][b]")),
        ("See ![the hive][B].", Link("Bees.md", 1, "markdown", text="the hive", embed=True, raw="![the hive][B]")),
        ("See [b][].", Link("Bees.md", 1, "markdown", text="b", raw="[b][]")),
        ("See [b], too.", Link("Bees.md", 1, "markdown", text="b", raw="[b]")),
        ("See [Two  words].", Link("a b.md", 1, "markdown", anchor="c", text="Two  words", raw="[Two  words]")),
    ],
)
def test_a_link_may_have_its_address_elsewhere_in_the_note(text: str, link: Link) -> None:
    defined = '[b]: Bees.md "All about bees"\n[two words]: <a b.md#c>\n[out]: https://example.org/b\n[^b]: Bees.md\n'
    assert links(f"{text}\n\n{defined}") == (link,)


@cases(
    "text",
    ["See [the hive][b].", "[x] done", "See [out].\n\n[out]: https://example.org\n", "Bees.[^1]\n\n[^1]: Bees.md\n"],
)
def test_brackets_without_an_address_in_the_note_are_not_a_link(text: str) -> None:
    assert links(text) == ()


def test_an_address_may_stand_right_behind_code() -> None:
    assert [link.target for link in links("See [b].\n\n```\n[[no]]\n```\n[b]: Bees.md\n")] == ["Bees.md"]


def test_a_wikilink_is_none_whose_address_stands_elsewhere() -> None:
    assert [link.written for link in links("[[b]] and [b](c.md)\n\n[b]: Bees.md\n")] == ["[[b]]", "[b](c.md)"]


@cases(
    ("written", "target"),
    [("[[Bees\\|hive]]", "Bees"), ("[[Bees#Swarm\\|hive]]", "Bees"), ("[[Bees \\| hive]]", "Bees")],
)
def test_a_bar_escaped_for_a_table_is_still_an_alias(written: str, target: str) -> None:
    (link,) = links(f"| what | where |\n|---|---|\n| bees | {written} |\n")
    assert (link.target, link.text, link.line) == (target, "hive", 3)
    assert "\\" not in link.anchor


@cases(
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


@cases(
    "text",
    [
        "%% [[Bees]] %%",
        "%%\nA comment,\n\n50 % of it [[Bees]]\n%%\n",
        "<!-- [[Bees]] -->",
        "<!--\n[hive](Bees.md)\n\n[[Bees]]\n-->",
        "Let $[[u]]_b$ be.",
        "$$\n[[x]]\n$$",
        r"\[[Bees]]",
        r"\[hive](Bees.md)",
        "Code:\n\n    [[Bees]]\n\n\t[hive](Bees.md)\n",
        "    [[Bees]]\n",
    ],
)
def test_comments_formulas_escaped_brackets_and_indented_code_hold_no_links(text: str) -> None:
    assert links(text) == ()
    assert [link.target for link in links(f"{text}\n\n[[Rye]]\n")] == ["Rye"]


@cases(
    "text",
    [
        "100 %% of [[Bees]]",
        "<!-- never closed, [[Bees]]",
        "It costs $5, see [[Bees]] for $6.",
        r"\$[[Bees]]$",
        r"\\[[Bees]]",
        "`code` [[Bees]]",
        "$x$ [[Bees]]",
        "- a list\n\n    [[Bees]]\n",
        "- a list\n\n    goes on\n\n    [[Bees]]\n",
        "A paragraph\n    goes on: [[Bees]]\n",
        "    - [[Bees]]\n",
        "[^1]: A footnote\n\n    that goes on: [[Bees]]\n",
        '!!! note "A box"\n\n    [[Bees]]\n',
        ":::column:::\n\n    [[Bees]]\n",
        "<details>\n\n    [[Bees]]\n",
    ],
)
def test_what_only_looks_like_code_a_comment_or_a_formula_holds_links(text: str) -> None:
    assert [link.target for link in links(text)] == ["Bees"]


@cases("sign", ["<!--", "%", "%% a ", "$a ", "$$", "[", "[a ", "` ", r"\[", "[a]: ", "[a]:"])
def test_odd_text_is_gone_through_once(sign: str) -> None:
    # What went through the rest of the text for each of its signs would take hours.
    assert [link.target for link in links(sign * 100_000 + "\n\n[[Bees]]\n")] == ["Bees"]


def test_links_around_code_keep_their_lines() -> None:
    text = "[[A]] and `[[no]]` then [[B]]\n\n```\n[[no]]\n```\n\n[[C]]\n"
    assert [(link.target, link.line) for link in links(text)] == [("A", 1), ("B", 1), ("C", 7)]


@cases(
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
def test_what_leads_out_of_the_vault_or_nowhere_is_not_a_link(text: str) -> None:
    assert links(text) == ()


def test_links_come_in_the_order_of_the_note_with_exact_lines() -> None:
    text = "---\nup: '[[Home]]'\n---\n[b](B.md) [[A]]\r\n\r\n[[C]]\n"
    assert [(link.target, link.line, link.kind) for link in links(text)] == [
        ("Home", 2, "wiki"),
        ("B.md", 4, "markdown"),
        ("A", 4, "wiki"),
        ("C", 6, "wiki"),
    ]


@cases(
    ("fields", "targets"),
    [
        ('up: "[[Garden]]"', ["Garden"]),
        ("up: [[Garden]]", ["Garden"]),
        ('related: ["[[Bees]]", "[[Rye|bread]]"]', ["Bees", "Rye"]),
        ('related:\n  - "[[Bees]]"\n  - "[[Rye]]"', ["Bees", "Rye"]),
        ("related:\n  - [[Bees]]\n  - [[Rye]]", ["Bees", "Rye"]),
        ('text: "both [[Bees]] and [[Rye]]"', ["Bees", "Rye"]),
        ('hives:\n  - name: one\n    at: "[[Bees]]"\n  - {name: two, at: "[[Rye]]"}', ["Bees", "Rye"]),
        ("up: [[Garden]]\nof:\n  hive: [[Bees]]", ["Garden", "Bees"]),
        ('up: "[the garden](../Garden.md), [home](https://example.org)"', ["../Garden.md"]),
        ("tags: [bees, rye]\nnumber: 3\nnothing:", []),
    ],
)
def test_links_in_front_matter_are_links(fields: str, targets: list[str]) -> None:
    assert [link.target for link in links(f"---\n{fields}\n---\nText.\n")] == targets


def test_links_in_front_matter_have_their_lines() -> None:
    fields = "title: Bees\nup: '[[Bee''s]]'\nrelated:\n  - \"[[Rye]]\"\n  - [[Rye]]\n  - [[a,b]]\n"
    fields += 'hive:\n  at: "[x](Rye.md)"'
    found = links(f"---\n{fields}\n---\n[[Rye]]\n")
    assert [(link.target, link.line) for link in found] == [
        ("Bee's", 3),
        ("Rye", 5),
        ("Rye", 6),
        ("a, b", 7),
        ("Rye.md", 9),
        ("Rye", 11),
    ]


def test_the_links_of_a_link_section_are_stored_though_its_words_are_not(make_vault: MakeVault) -> None:
    text = "# Bees\n\nThe hive hums quietly all morning.\n\n## Related\n\n- [[Quokka]]\n"
    vault = make_vault({"bees.md": text})
    vault.index()
    with vault.store.reading() as snapshot:
        assert snapshot.links_of(list(snapshot.ids().values())) == {1: (Link("Quokka", 7),)}
    assert not any(excerpt.retrievers["lexical"] for excerpt in vault.search("quokka"))


def test_every_link_of_the_sample_vault_leads_somewhere_but_three(vault: Vault) -> None:
    broken = {lead.target for lead in vault.links(broken=True).links}
    assert broken == {"Saga pattern", "Pillow Book", "hive-microphone-mounting.png"}
