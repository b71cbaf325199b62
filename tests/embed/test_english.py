from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.embed.english import ENGLISH, LATIN, OTHERS, is_english


@cases(
    "text",
    [
        "The loaf collapsed because the oven was too cold.",
        "How do I keep the bees from leaving the hive in June?",
        "Dear Zoë, the café in Malmö was closed, but we will go there again.",
        "It's what they don't tell you: there is more than one way to do it.",
        "THE OVEN WAS NOT HOT",
    ],
)
def test_english_is_english(text: str) -> None:
    assert is_english(text)


@cases(
    "text",
    [
        "Der Teig ist nicht aufgegangen, und die Hefe war zu alt für das Brot.",
        "Le pain est dans le four, et la pâte ne lève pas avec une levure trop vieille.",
        "El pan está en el horno y la masa no sube con una levadura que es más vieja.",
        "Il pane è nel forno, che non è caldo, e questo non va bene anche per gli altri.",
        "O pão não está com uma cor boa, os fornos dos vizinhos são melhores.",
        "Het brood is niet klaar, een oven van steen is ook voor pizza.",
        "Det är inte jag som har bakat brödet, och att det är bränt är av vikt.",
    ],
)
def test_a_sentence_of_another_language_is_not(text: str) -> None:
    assert not is_english(text)


@cases(
    "text",
    [
        "京都で猪を見た",
        "Привет, как дела?",
        "어제 빵을 구웠다",
        "שלום לכם",
        "خبز الجاودار",
        "猪 wild boar 京都で伏見稲荷を見た",
    ],
)
def test_a_text_in_another_script_is_not_english(text: str) -> None:
    assert not is_english(text)


@cases(
    "text",
    [
        "def fuse_scores(rankings, rules):\n    total = sum(rules.weight(r) for r in rankings)\n    return total\n",
        "SELECT chunk.id FROM chunk WHERE line > 12",
        "getTenantId",
        "sourdough hydration",
        "2024-05-01 12:30 4711 3.14",
        "| 12 | 13 |\n|---|---|",
        "?!… → ± §",
        "",
        " \n\t",
    ],
)
def test_a_text_without_function_words_may_be_english(text: str) -> None:
    assert is_english(text)


def test_of_a_mixed_text_the_language_with_more_small_words_decides() -> None:
    english, german = "The oven is hot and it was for the bread. ", "Der Ofen ist nicht heiß und das Brot auch. "
    assert is_english(english * 3 + german)
    assert not is_english(english + german * 3)


def test_a_foreign_word_or_two_does_not_make_an_english_text_foreign() -> None:
    assert is_english("The word 京都 is the name of the city that we will see in June, with all its temples.")
    assert is_english("The Zeitgeist of the Kindergarten is not what it was.")


def test_no_word_speaks_for_both_sides() -> None:
    assert ENGLISH.isdisjoint(OTHERS)
    assert all(ord(word[0]) < LATIN for word in ENGLISH | OTHERS)


@given(st.text())
def test_no_text_is_an_error(text: str) -> None:
    assert is_english(text) in (True, False)


@given(st.lists(st.sampled_from(["the", "und", "rye", "猪", "42", "?"])))
def test_the_order_of_the_words_does_not_matter(words: list[str]) -> None:
    assert is_english(" ".join(words)) == is_english(" ".join(reversed(words)))
