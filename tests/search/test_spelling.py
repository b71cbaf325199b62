from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from tests.search.searching import searched

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.search import SearchRules
from notewell.search.plan import make_plan
from notewell.search.spelling import HOLDING, TYPOS, replace_unknown
from notewell.store import Snapshot
from notewell.terms import token_terms
from notewell.types.notices import Notice
from notewell.types.query import Plan

Hold = Callable[[Mapping[str, str]], Snapshot]

WORDS_ONLY = SearchRules(lexical_weight=1, vector_weight=0)


def instead(word: str, *others: str) -> Notice:
    return Notice("searched_instead", {"word": word, "instead": others})


def read(text: str, snapshot: Snapshot) -> Plan:
    return replace_unknown(make_plan(text), snapshot)


def found(text: str, snapshot: Snapshot) -> list[str]:
    return [hit.path for hit in searched(text, snapshot, settings=WORDS_ONLY).results]


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("Mueller", "Müller"),
        ("Müller", "Mueller"),
        ("Strasse", "Straße"),
        ("Straße", "Strasse"),
        ("Wohnungsuebergabe", "Wohnungsübergabe"),
        ("authenticaton", "authentication"),
        ("recieve", "received"),
        ("sourdoough", "sourdough"),
        ("brwad", "bread"),
        ("ourdough", "sourdough"),
        ("пивет", "привет"),
        ("renderer", "DataTableRenderer"),
        ("tablerender", "datatablerenderer"),
        ("Datenschutz", "Datenschutzerklärung"),
        ("Erklärung", "Datenschutzerklärung"),
        ("Arbeitszimmer", "ein Zimmer für die Arbeit"),
        ("猫", "黒猫"),
        ("猫", "猫が好き"),
        ("빵", "빵을"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("Python入門", "Ｐｙｔｈｏｎの入門"),
        ("Lodz", "Łódź"),
    ],
)
def test_a_word_is_found_as_it_is_written_elsewhere(asked: str, written: str, hold: Hold) -> None:
    assert found(asked, hold({"a.md": "something else", "b.md": f"here is {written}"})) == ["b.md"]


def test_the_user_learns_what_was_looked_for(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault({"a.md": "Anna Mueller keeps bees.", "b.md": "A datatablerenderer."})
    vault.index()
    results = vault.search("mueler", explain=True)
    assert results.notices == (instead("mueler", "mueller"),)
    assert (results.read_as or ())[1:] == ("one word", "'mueler' also as 'mueller'")
    (start, end), *_ = results[0].excerpt.highlights
    assert results[0].excerpt.text[start:end] == "Mueller"
    assert vault.search("Table").notices == (instead("Table", "datatablerenderer"),)


class KnowsBeer(WordsEmbedder):
    """An embedder whose tokenizer has one word in its vocabulary."""

    def pieces(self, word: str) -> int:
        return 1 if word == "beer" else 2


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("against", "again"),
        ("take", "talked"),
        ("takes", "talked"),
        ("gegen", "gegend"),
        ("noch", "notch"),
        ("beer", "bear"),
    ],
)
def test_a_word_of_the_language_is_no_typo_of_another(asked: str, written: str, hold: Hold) -> None:
    snapshot = hold({"a.md": written})
    assert replace_unknown(make_plan(asked), snapshot, KnowsBeer()).stand_ins == {}
    assert replace_unknown(make_plan(f"{asked[:-1]}q"), hold({"b.md": asked}), KnowsBeer()).guessed


def test_the_notice_names_the_word_that_is_a_typo_away(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault({"a.md": "Encrypted backups need encryption keys."})
    vault.index()
    assert vault.search("encrytpion").notices == (instead("encrytpion", "encryption"),)


def test_words_are_shown_as_the_notes_write_them(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault({"a.md": "Es gab viele Schwierigkeiten, too late.", "b.md": "The Vulnerability was mended."})
    vault.index()
    assert vault.search("vulnerabilty").notices == (instead("vulnerabilty", "vulnerability"),)
    assert vault.search("lates?").notices == ()
    assert vault.search("latess").notices == (instead("latess", "late"),)


@pytest.mark.parametrize(
    ("asked", "written", "stand_ins"),
    [("motte", "mottagsruhe mote", ("mote",)), ("raft", "craft draft", ()), ("permision", "permission", ("permiss",))],
)
def test_only_words_that_hold_it_are_taken_for_compounds(
    asked: str, written: str, stand_ins: tuple[str, ...], hold: Hold
) -> None:
    assert read(asked, hold({"a.md": written})).stand_ins.get(token_terms(asked)[0], ()) == stand_ins


def test_a_run_of_letters_is_not_a_word_to_guess_at(hold: Hold) -> None:
    snapshot = hold({"a.md": "bread"})
    assert read("a" * 4_000, snapshot).stand_ins == {} and read("ä" * 31, snapshot).stand_ins == {}


def test_a_word_that_notes_have_is_not_guessed_at(hold: Hold) -> None:
    snapshot = hold({"a.md": "form", "b.md": "from farm forms formal"})
    plan = make_plan("form")
    assert replace_unknown(plan, snapshot) == plan


def test_a_word_with_an_umlaut_is_found_in_both_spellings(hold: Hold) -> None:
    snapshot = hold({"a.md": "Herr Mueller", "b.md": "Herr Müller"})
    assert found("Müller", snapshot) == ["b.md", "a.md"]
    assert read("Müller", snapshot).guessed == ()


def test_the_written_word_beats_what_stands_in(hold: Hold) -> None:
    snapshot = hold({"a.md": "loaf and mueller", "b.md": "loaf and müller"})
    assert found("müller", snapshot) == ["b.md", "a.md"]


def test_no_spelling_outranks_the_word_that_was_asked_for(hold: Hold) -> None:
    others = {f"{number}.md": f"Mueller {number}, Mueller again" for number in range(40)}
    snapshot = hold({**others, "z.md": f"{'Many other words. ' * 60} Herr Müller came."})
    assert found("Müller", snapshot)[0] == "z.md" and len(found("Müller", snapshot)) > 5


def test_all_that_stand_in_count_as_one_word(hold: Hold) -> None:
    compounds = " ".join(f"datenschutz{ending}" for ending in ("recht", "amt", "tag", "buch", "frage"))
    snapshot = hold({"a.md": compounds, "b.md": "bienen und datenschutzrecht"})
    assert found("bienen datenschutz", snapshot)[0] == "b.md"


def test_only_the_most_frequent_stand_in(hold: Hold) -> None:
    words = [f"{letter}datenschutz{letter}x" for letter in "abcdefghijklmnopqrstuvwxyz"]
    snapshot = hold({"a.md": " ".join(words), "b.md": "loaf leaf", "c.md": "loaf", "d.md": "lobf locf lodf"})
    assert len(read("datenschutz", snapshot).stand_ins["datenschutz"]) == HOLDING
    assert read("lokf", snapshot).stand_ins["lokf"][0] == "loaf"
    assert len(read("lokf", snapshot).stand_ins["lokf"]) == TYPOS


@pytest.mark.parametrize("text", ["404B", "E1043", "get_tenantt", '"brwad"', "brwad*", "vec:brwad", "bra", "the"])
def test_codes_identifiers_quotes_and_short_words_are_not_guessed_at(text: str, hold: Hold) -> None:
    snapshot = hold({"a.md": "404A E1042 gettenant bread break brad ther"})
    assert read(text, snapshot).stand_ins == {}


def test_words_that_only_words_are_asked_for_may_be_misspelt(hold: Hold) -> None:
    assert read("lex:brwad", hold({"a.md": "bread"})).stand_ins == {"brwad": ("bread",)}


def test_a_name_is_favoured_through_what_stands_in(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault({"Varroa treatment.md": "Acid.", "Other.md": "varroa treatment varroa treatment, and more."})
    vault.index()
    assert vault.search("varoa treatmnet")[0].path == "Varroa treatment.md"


def test_an_empty_store_has_nothing_that_stands_in(hold: Hold) -> None:
    assert read("renderer", hold({})).stand_ins == {}


def test_a_long_question_has_words_enough_without_guessed_typos(hold: Hold) -> None:
    snapshot = hold({"a.md": "bread"})
    long = "brwad wheat barley oats millet spelt emmer sorghum buckwheat"
    assert read("brwad wheat", snapshot).stand_ins == {"brwad": ("bread",)}
    assert read(long, snapshot).stand_ins == {}
