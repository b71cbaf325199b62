from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.chat.quotes import SHORTEST, check_quote, find_quotes, locate, normalise, status_of
from notewell.types.answer import CitationReason, CitationsStatus

NOTE = """A loaf with a slack skin spreads in the oven like a tired cat;
a loaf which is **too tight** tears at the sides. See [[Shaping|how to shape]] and [the book](https://example.org).

> The “second” rise—at 4 °C—takes 12–16 hours.

- Salt: 10 g
"""
WORDS = st.lists(
    st.text(st.characters(whitelist_categories=("Lu", "Ll", "Nd"), max_codepoint=0x24F), min_size=1, max_size=9),
    min_size=4,
    max_size=30,
)


@cases(
    "quote, source, reason",
    [
        # as it is written
        ("spreads in the oven like a tired cat", NOTE, "match"),
        # in another case
        ("SPREADS IN THE OVEN LIKE A TIRED CAT", NOTE, "match"),
        # with other white space
        ("spreads\n   in the\u00a0oven like a tired cat", NOTE, "match"),
        # across a line
        ("like a tired cat; a loaf which", NOTE, "match"),
        # with straight marks and hyphens
        ('The "second" rise-at 4 °C-takes 12-16 hours', NOTE, "match"),
        # in a compatible form
        ("ﬁve loaves of rye", "five loaves of rye bread", "match"),
        # without the markup
        ("a loaf which is too tight tears", NOTE, "match"),
        # with the markup
        ("a loaf which is **too tight** tears", NOTE, "match"),
        # with the text of a link
        ("See how to shape and the book.", NOTE, "match"),
        # with an ellipsis
        ("A loaf with a slack skin … tears at the sides", NOTE, "match"),
        # with an ellipsis in brackets
        ("A loaf with a slack skin [...] tears at the sides", NOTE, "match"),
        # parts in another order
        ("tears at the sides … A loaf with a slack skin", NOTE, "not_found"),
        # one part that is not there
        ("A loaf with a slack skin … falls apart", NOTE, "not_found"),
        # another word
        ("spreads in the oven like a tired dog", NOTE, "not_found"),
        # part of a word
        ("oaf with a slack skin", NOTE, "not_found"),
        # a cut word at the end
        ("A loaf with a slack ski", NOTE, "not_found"),
        # eleven letters
        ("like a tire", "like a tire", "too_short"),
        # many short parts
        ("a … in … the … at … is … of", NOTE, "too_short"),
        # only an ellipsis
        ("…", NOTE, "too_short"),
        # no quote
        ("  ", NOTE, "no_quote"),
        # no text
        ("spreads in the oven", None, "no_chunk_text"),
        # empty text
        ("spreads in the oven", " \n", "no_chunk_text"),
        # no spaces between words
        ("面包师傅每天早上四点钟起床", "那位面包师傅每天早上四点钟起床，然后", "match"),
    ],
)
def test_a_quote_is_looked_for_as_a_reader_would(quote: str, source: str | None, reason: CitationReason) -> None:
    assert check_quote(quote, source) == reason


@given(WORDS, st.data())
def test_words_cut_from_a_note_always_match(words: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([" ", "\n", "  \n"])).join(words)
    first = data.draw(st.integers(0, len(words) - 1))
    quote = " ".join(words[first : data.draw(st.integers(first + 1, len(words)))])
    assert check_quote(quote, text) == ("match" if len(normalise(quote)) >= SHORTEST else "too_short")


@given(WORDS, st.data())
def test_a_quote_with_a_changed_word_never_matches(words: list[str], data: st.DataObject) -> None:
    changed = list(words)
    # A word that no note has, in place of one of them.
    changed[data.draw(st.integers(0, len(words) - 1))] = "ẞxqzẞ"
    assert check_quote(" ".join(changed), " ".join(words)) in ("not_found", "too_short")


@given(WORDS, WORDS)
def test_two_parts_match_in_their_order_and_in_no_other(before: list[str], after: list[str]) -> None:
    first, second = f"{' '.join(before)} first1part", f"second2part {' '.join(after)}"
    note = f"{first} and {second}"
    assert check_quote(f"{first} … {second}", note) == "match"
    assert check_quote(f"{second} … {first}", note) == "not_found"


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(max_size=200))
def test_any_text_has_quotes_that_stand_in_it(text: str) -> None:
    for quote in find_quotes(text):
        assert 0 <= quote.start < quote.end <= len(text)


@cases(
    "text, quotes",
    [
        # straight marks
        ('He wrote "rye needs water" [2].', [("rye needs water", (2,))]),
        # curly marks
        ("He wrote “rye needs water” [2, 3].", [("rye needs water", (2, 3))]),
        # German marks
        ("Er schrieb „Roggen braucht Wasser“ [1].", [("Roggen braucht Wasser", (1,))]),
        # single marks, with an apostrophe
        ("He wrote ‘rye doesn’t need water’ [2].", [("rye doesn’t need water", (2,))]),
        # Japanese marks
        ("「蜂は五月に巣を作る」[1]", [("蜂は五月に巣を作る", (1,))]),
        # French marks
        ("Il écrit « le seigle boit » [1].", [("le seigle boit", (1,))]),
        # an apostrophe and inches
        ("It's 5\" wide, isn't it? 6\" too.", []),
        # two sentences
        ('"Rye is rye." It is grey. Wheat is white [1].', [("Rye is rye.", ())]),
        # quoted lines
        ("> Rye needs water\n> and time. [1]\n\nYes.", [("Rye needs water\nand time.", (1,))]),
        # marks in quoted lines
        ('> He said "rye" then. [1]', [('He said "rye" then.', (1,))]),
        # code
        ('```\nprint("rye needs water")\n```\n', []),
        # numbers in the next paragraph
        ('"Rye needs water"\n\nWheat [1].', [("Rye needs water", ())]),
        # nothing
        ("Rye [1].", []),
    ],
)
def test_quotes_are_found_with_their_numbers(text: str, quotes: list[tuple[str, tuple[int, ...]]]) -> None:
    assert [(quote.text, quote.numbers) for quote in find_quotes(text)] == quotes


def test_a_long_text_of_quotation_marks_is_read_in_linear_time() -> None:
    # Each would take minutes if an opening mark were followed to the end of the text.
    for text in ('"' * 200_000, "> " * 100_000, "“" * 200_000, "[" * 200_000, "`" * 200_000, "[x](" * 50_000):
        find_quotes(text)
        check_quote("a slack skin spreads", text)


@pytest.mark.parametrize("first", range(0, 40, 7))
def test_a_quote_is_located_by_its_lines(first: int) -> None:
    lines = [f"line number {number} of the note" for number in range(50)]
    quote = " ".join(lines[first : first + 3])
    assert locate(quote, "\n".join(lines)) == (first, first + 2)


@cases(
    "reasons, status",
    [
        # nothing
        ([], "no_quotes"),
        # only places
        (["no_quote", "no_quote"], "no_quotes"),
        # all stand there
        (["match", "match", "no_quote"], "all_verified"),
        # one does not
        (["match", "not_found", "too_short"], "has_mismatch"),
        # one is too short
        (["match", "too_short"], "unverifiable"),
        # a passage is missing
        (["no_chunk_text"], "unverifiable"),
    ],
)
def test_the_status_of_an_answer_follows_from_its_citations(
    reasons: list[CitationReason], status: CitationsStatus
) -> None:
    assert status_of(reasons) == status


def test_no_word_of_a_note_is_hidden_as_markup() -> None:
    words = re.findall(r"\w+", NOTE)
    assert all(
        check_quote(f"{one} {two} {three}", f"{one} {two} {three} end of it") in ("match", "too_short")
        for one, two, three in zip(words, words[1:], words[2:], strict=False)
    )
