from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from notewell.search import marks
from notewell.search.marks import find_marks
from notewell.terms import TOKEN, split_terms, token_terms


def words(text: str, *terms: str) -> list[str]:
    return [text[start:end] for start, end, _ in find_marks([text], frozenset(terms))[0]]


def test_a_word_is_marked_wherever_it_stands_and_whatever_its_ending() -> None:
    assert words("Loaves, loaves: (LOAVES)-loaves_x", "loav") == ["Loaves", "loaves", "LOAVES", "loaves_x"]


def test_a_part_of_a_longer_word_is_not_a_mark() -> None:
    assert words("ryegrass rye bryer", "rye") == ["rye"]


def test_a_beginning_marks_all_words_that_begin_so() -> None:
    assert words("Author auth bath authX", "auth*") == ["Author", "auth", "authX"]
    assert find_marks(["authors"], frozenset(["auth*", "author"]))[0][0][2] == {"auth*", "author"}


def test_an_apostrophe_ends_a_word() -> None:
    assert words("the tenant's house, l’été", "tenant", "ete") == ["tenant", "été"]


def test_each_text_of_a_page_has_its_own_marks() -> None:
    found = find_marks(["rye", "oats", "京都 rye"], frozenset(["rye"]))
    assert [[mark[:2] for mark in text] for text in found] == [[(0, 3)], [], [(3, 6)]]


def test_words_are_known_after_they_were_forgotten() -> None:
    many = " ".join(f"word{number}" for number in range(marks.MOST_FORMS + 1))
    assert words(many + " rye", "rye") == ["rye"]
    assert words("rye", "rye") == ["rye"]


def test_words_of_a_page_are_not_cached_twice() -> None:
    token_terms.cache_clear()
    assert words("unheard_of rye loaves", "loav") == ["loaves"]
    assert token_terms.cache_info().currsize == 0


letters = st.text(st.sampled_from("aBrye_1 .,-–…’'üÉß京都東\n\t\u00a0\u0308"), max_size=60)


@given(letters, st.lists(letters, max_size=3))
def test_marks_are_those_of_every_token_that_has_a_wanted_term(text: str, queries: list[str]) -> None:
    wanted = frozenset(term for query in queries for term in split_terms(query))
    text = text.replace("'", " ").replace("’", " ")
    by_tokens = [(*match.span(), wanted.intersection(token_terms(match[0]))) for match in TOKEN.finditer(text)]
    assert find_marks([text], wanted)[0] == [mark for mark in by_tokens if mark[2]]
