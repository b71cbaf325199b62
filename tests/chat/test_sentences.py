"""Quotes without a model: readable, and as they stand in the note."""

from __future__ import annotations

from collections.abc import Callable

from notewell import Vault, ask
from notewell.types.answer import Citation

MakeVault = Callable[..., Vault]


def cited(make_vault: MakeVault, note: str, question: str) -> Citation:
    vault = make_vault({"Note.md": note})
    vault.index()
    citation = ask(vault, question).citations[0]
    assert citation.citation_verified
    return citation


def test_sentences_that_follow_each_other_are_joined_without_an_ellipsis(make_vault: MakeVault) -> None:
    note = "# Rye\n\nIt is old. Rye dough wants warm water. Rye dough is\nsticky. Nothing else.\n"
    assert cited(make_vault, note, "what does rye dough want?").quote == (
        "Rye dough wants warm water. Rye dough is sticky."
    )


def test_an_ellipsis_is_where_something_is_left_out(make_vault: MakeVault) -> None:
    note = "# Rye\n\nRye dough wants warm water. The cat sleeps. Rye dough is sticky.\n"
    quote = cited(make_vault, note, "what does rye dough want?").quote
    assert quote == "Rye dough wants warm water. … Rye dough is sticky."


def test_signs_before_a_sentence_are_not_quoted(make_vault: MakeVault) -> None:
    note = "# Rye\n\n> [!tip] Rye dough wants warm water.\n\nSomething else.\n\n- [ ] Buy rye dough tomorrow\n"
    quote = cited(make_vault, note, "what does rye dough want?").quote
    assert quote == "Rye dough wants warm water. … Buy rye dough tomorrow"


def test_items_that_follow_each_other_stay_a_list(make_vault: MakeVault) -> None:
    note = "# Rye\n\nSomething else.\n\n- rye dough wants warm water\n- rye dough is sticky\n"
    quote = cited(make_vault, note, "what does rye dough want?").quote
    assert quote == "- rye dough wants warm water\n- rye dough is sticky"


def test_a_colon_brings_what_it_announces(make_vault: MakeVault) -> None:
    note = "# Rye\n\nRye dough wants three things:\n\n- water\n- salt\n- patience\n\nThe cat sleeps.\n"
    citation = cited(make_vault, note, "what does rye dough want?")
    assert citation.quote == "Rye dough wants three things:\n- water\n- salt\n- patience"
    assert (citation.line, citation.end_line) == (3, 7)


def test_a_colon_brings_code_only_whole(make_vault: MakeVault) -> None:
    short = "# Hive\n\nOpen the hive scale with this command:\n\n```sh\nhive open\n```\n"
    assert cited(make_vault, short, "which command opens the hive scale?").quote.endswith("```sh\nhive open\n```")


def test_long_code_after_a_colon_is_left_out(make_vault: MakeVault) -> None:
    long = "# Hive\n\nOpen the hive scale with this command:\n\n```sh\n" + "echo bee\n" * 60 + "```\n"
    quote = cited(make_vault, long, "which command opens the hive scale?").quote
    assert quote == "Open the hive scale with this command:"


def test_a_link_is_quoted_by_its_text_and_code_as_it_is(make_vault: MakeVault) -> None:
    note = "# Rye\n\nRye dough wants [warm water](https://example.org/w) and [[Salt|sea salt]].\n"
    assert cited(make_vault, note, "what does rye dough want?").quote == "Rye dough wants warm water and sea salt."


def test_code_with_the_signs_of_a_link_is_quoted_as_it_is(make_vault: MakeVault) -> None:
    note = "# Embeds\n\nAn embedded page is written `![[Rye.pdf#page=3]]` in a note.\n"
    assert "`![[Rye.pdf#page=3]]`" in cited(make_vault, note, "how is an embedded page written?").quote


def test_a_name_in_code_is_not_changed_beside_a_link(make_vault: MakeVault) -> None:
    note = "# Fusion\n\nThe fusion of rankings is _rrf_fuse in [the module](fuse.py).\n"
    assert "_rrf_fuse in" in cited(make_vault, note, "what is the fusion of rankings?").quote


def test_a_day_before_a_sentence_is_quoted(make_vault: MakeVault) -> None:
    note = "# Umzug\n\n26. Mai ist der Umzug nach Gohlis.\n"
    assert cited(make_vault, note, "wann ist der Umzug nach Gohlis?").quote == "26. Mai ist der Umzug nach Gohlis."


def test_rows_between_those_that_match_are_left_out(make_vault: MakeVault) -> None:
    rows = "| honey jar | 7 euro |\n| wax | 9 euro |\n| honey comb | 12 euro |\n"
    quote = cited(make_vault, f"# Prices\n\n| what | price |\n|---|---|\n{rows}", "what is the honey price?").quote
    assert quote == "| honey jar | 7 euro |\n…\n| honey comb | 12 euro |"


def test_tags_alone_are_not_quoted(make_vault: MakeVault) -> None:
    note = "# Rye\n\nRye dough wants warm water.\n\n#rye #dough/sticky\n"
    assert cited(make_vault, note, "what does rye dough want?").quote == "Rye dough wants warm water."


def test_a_single_note_is_quoted_in_several_places(make_vault: MakeVault) -> None:
    texts = (
        "Rye dough wants an hour of rest before shaping.",
        "In a cold cellar, rye dough wants rest until morning.",
        "Old flour: rye dough then wants no rest at all, says Ilse.",
    )
    parts = (f"## At {text[:4]}\n\n{text} " + "The cat sleeps. " * 90 for text in texts)
    vault = make_vault({"Long.md": "# Handbook\n\n" + "\n\n".join(parts), "Cat.md": "# Cat\n\nIt sleeps.\n"})
    vault.index()
    citations = ask(vault, "how much rest does rye dough want?").citations
    assert {citation.path for citation in citations} == {"Long.md"}
    assert len({citation.line for citation in citations}) == len(citations) == 3


def test_a_copy_is_not_quoted_again(make_vault: MakeVault) -> None:
    rye = "Rye dough wants warm water and a long rest in a bowl."
    vault = make_vault(
        {
            "a.md": f"# Rye\n\n{rye} It is old.\n",
            "b.md": f"# Other\n\n{rye} It is new.\n",
            "c.md": "# Wheat\n\nRye dough wants company: a third of wheat.\n",
        }
    )
    vault.index()
    paths = {citation.path for citation in ask(vault, "what does rye dough want?").citations}
    assert paths in ({"a.md", "c.md"}, {"b.md", "c.md"})


def test_words_together_in_a_sentence_are_surer_than_scattered_ones(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "Together/a.md": "# One\n\nThe queen lays eggs in spring. Water is wet. Bread is brown. Salt is white.\n",
            "Scattered/a.md": "# One\n\nThe queen is wet. Water is eggs. Bread lays brown. Salt is white in spring.\n",
        }
    )
    vault.index()
    together, scattered = (
        ask(vault, "when does the queen lay eggs, in spring?", under=folder).confidence
        for folder in ("Together", "Scattered")
    )
    assert together > scattered
