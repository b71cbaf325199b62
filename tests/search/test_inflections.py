from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from tests.search.searching import searched

from notewell.search import SearchRules
from notewell.search.inflections import add_inflections, query_languages, vault_languages
from notewell.search.plan import make_plan
from notewell.search.spelling import find_replaced, replace_unknown
from notewell.store import Snapshot

Hold = Callable[[Mapping[str, str]], Snapshot]

WORDS_ONLY = SearchRules(lexical_weight=1, vector_weight=0)
# A text in each language, with the words that every text has.
TEXTS = {
    "german": "Die Waage steht nicht im Garten und eine zweite sich nur zum Wiegen. Beide werden geprüft.",
    "french": "Les ruches sont dans une prairie avec des fleurs.",
    "spanish": "Los libros y las mesas, como una silla, pero más baratos.",
    "italian": "Gli alberi della valle sono nella nebbia, anche oggi.",
    "portuguese": "Uma casa não é pelo preço; são os vizinhos e o seu jardim.",
    "dutch": "Het is een huis van hout, niet voor de winter.",
}
ENGLISH = "The scale stands in the garden, and a second one is only for weighing."


def found(text: str, snapshot: Snapshot) -> list[str]:
    return [hit.path for hit in searched(text, snapshot, settings=WORDS_ONLY).results]


@pytest.mark.parametrize(
    ("language", "asked", "written"),
    [
        ("german", "Prüfungen", "Die Prüfung ist am Montag."),
        ("german", "Äpfel lagern", "Wie man einen Apfel lagert."),
        ("french", "chevaux", "Le cheval boit."),
        ("french", "abeille", "Nos abeilles volent."),
        ("spanish", "canciones", "Una canción triste."),
        ("spanish", "nuevo trabajo", "Trabajos nuevas."),
        ("italian", "biblioteche", "La biblioteca chiude."),
        ("portuguese", "traduções", "A tradução foi longa."),
        ("dutch", "fietsen", "Mijn fiets piept."),
    ],
)
def test_a_word_finds_its_other_forms_in_the_language_of_the_notes(
    hold: Hold, language: str, asked: str, written: str
) -> None:
    snapshot = hold({"other.md": TEXTS[language], "form.md": written})
    assert found(asked, snapshot)[:1] == ["form.md"]


def test_the_form_that_was_asked_for_comes_before_another(hold: Hold) -> None:
    snapshot = hold({"a.md": "Prüfungen im Mai", "b.md": "Prüfung im Mai", "other.md": TEXTS["german"]})
    assert found("Prüfung", snapshot) == ["b.md", "a.md"]
    assert found("Prüfungen", snapshot) == ["a.md", "b.md"]


def test_the_languages_of_a_vault_are_those_its_notes_are_written_in(hold: Hold) -> None:
    every = {f"{language}.md": text for language, text in TEXTS.items()}
    assert vault_languages(hold({**every, "english.md": ENGLISH})) == TEXTS.keys()


@pytest.mark.parametrize("language", TEXTS)
def test_the_function_words_of_a_query_tell_its_language(language: str) -> None:
    assert query_languages(TEXTS[language].replace(",", "").replace(".", "").split()) == {language}


def test_a_vault_in_english_is_searched_as_before(hold: Hold) -> None:
    snapshot = hold({"a.md": ENGLISH, "b.md": "Orden and ordern are no forms of order here"})
    plan = make_plan("order")
    assert add_inflections(plan, snapshot) == plan


def test_an_english_question_is_not_inflected_as_german(hold: Hold) -> None:
    snapshot = hold({"a.md": ENGLISH, "b.md": TEXTS["german"], "c.md": "Orden, Bestellungen"})
    assert add_inflections(make_plan("how do I order the scale"), snapshot).stand_ins == {}
    asked = add_inflections(make_plan("wo ist die Bestellung"), snapshot)
    assert asked.stand_ins == {"bestellung": ("bestellungen",)}


def test_a_mixed_vault_answers_in_the_language_of_the_query(hold: Hold) -> None:
    notes = {"en.md": ENGLISH, "de.md": TEXTS["german"], "es.md": TEXTS["spanish"]}
    snapshot = hold({**notes, "wolf.md": "Den Wölfen gehört der Wald.", "wolves.md": "The wolves own the forest."})
    assert found("wo leben die Wölfe", snapshot)[:1] == ["wolf.md"]
    assert found("where do wolves live", snapshot)[:1] == ["wolves.md"]


def test_a_word_with_another_form_is_no_typo(hold: Hold) -> None:
    snapshot = hold({"a.md": TEXTS["german"], "b.md": "Prüfungen", "c.md": "Prüfling"})
    plan = replace_unknown(add_inflections(make_plan("Prüfung"), snapshot), snapshot)
    assert "prufungen" in plan.stand_ins["prufung"]
    assert list(find_replaced(plan, [])) == []
    assert plan.written == ("prufung",)
