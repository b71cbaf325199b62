from __future__ import annotations

from collections import Counter
from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.terms import LONGEST, TOKEN, count_terms, find_tokens, fold, split_terms, token_terms


@cases(
    ("text", "terms"),
    [
        ("collapsed collapses collapsing", ["collaps"] * 3),
        ("The Hive", ["the", "hive"]),
        ("getTenantId", ["gettenantid", "get", "tenant", "id"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("_rrf_fuse", ["rrffuse", "rrf", "fuse"]),
        ("MAX_CHARS", ["maxchar", "max", "char"]),
        ("404B", ["404b"]),
        ("2025-03-11", ["2025", "03", "11"]),
        ("don't", ["don"]),
        ("tenant’s l'eau", ["tenant", "eau"]),
        ("§3 Absatz 2", ["3", "absatz", "2"]),
        ("東京都", ["東京", "京都"]),
        ("蜂", ["蜂"]),
        ("蜂とbees", ["蜂と", "bee"]),
        ("C++ c++17, C#. F# g++;", ["c++", "c++", "17", "c#", "f#", "g++"]),
        ("page.html#top a+b b# # ##", ["page", "html", "top", "a", "b", "b#"]),
        ("ｶﾀｶﾅ Ｐｙｔｈｏｎ入門", ["カタ", "タカ", "カナ", "python", "入門"]),
        ("___ -- !!", []),
        ("", []),
    ],
)
def test_text_becomes_these_terms(text: str, terms: list[str]) -> None:
    assert split_terms(text) == terms


@cases(
    ("one", "other"),
    [
        ("Über", "uber"),
        ("STRASSE", "straße"),
        ("café", "cafe\u0301"),
        ("ＡＢＣ", "abc"),
        ("ﬁne", "fine"),
        ("İ", "i"),
        ("Łódź", "lodz"),
    ],
)
def test_case_accents_and_width_do_not_matter(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_an_accent_written_as_two_signs_is_the_same_word() -> None:
    for text in ("café au lait", "Müller über Öl", "한국어", "がぎぐ", "l'été"):
        assert split_terms(normalize("NFD", text)) == split_terms(text)


def test_an_identifier_is_found_by_its_whole_and_by_each_part() -> None:
    terms = set(split_terms("requestAnimationFrame"))
    assert set(split_terms("requestanimationframe")) & terms
    assert set(split_terms("animation")) <= terms and set(split_terms("Frame")) <= terms


def test_an_endless_token_is_cut() -> None:
    assert all(len(term) <= LONGEST for term in token_terms("a1" * 5_000))


@given(st.text())
def test_counting_terms_is_counting_the_terms_in_order(text: str) -> None:
    assert count_terms(text) == Counter(split_terms(text))


@given(st.text())
def test_no_term_is_empty_or_holds_a_space(text: str) -> None:
    assert all(term and not term.isspace() for term in split_terms(text))


@given(st.text(st.sampled_from("aZé9_'’+# -.東"), max_size=30))
def test_plain_texts_have_the_tokens_that_any_text_would(text: str) -> None:
    assert find_tokens(text) == TOKEN.findall(text)
