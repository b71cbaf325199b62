from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases

from notewell import Vault
from notewell.chat import ask
from notewell.chat.quotes import check_quote
from notewell.chat.verification import verify
from notewell.errors import QueryError
from notewell.types.query import Query

MakeVault = Callable[..., Vault]


def test_an_answer_quotes_the_notes_word_for_word_with_their_lines(vault: Vault) -> None:
    answer = ask(vault, "why does my loaf spread flat?")
    assert answer.answered and answer.citations_status == "all_verified"
    first = answer.citations[0]
    assert first.path == "Recipes/Sourdough handbook.md"
    lines = vault.read(f"{first.path}:{first.line}-{first.end_line}").text
    assert check_quote(first.quote, lines) == "match"
    assert [citation.number for citation in answer.citations] == list(range(1, len(answer.citations) + 1))
    assert all(f"[{citation.number}]" in answer.text for citation in answer.citations)


@cases(
    "question",
    [
        "what is the capital of Mongolia?",
        "who won the football world cup in 1998?",
        "how do I configure a Cisco router?",
        "zxqv?",
    ],
)
def test_what_the_notes_do_not_answer_is_refused(vault: Vault, question: str) -> None:
    answer = ask(vault, question)
    assert not answer.answered
    assert [notice.code for notice in answer.notices][-1] in ("not_answered", "nothing_near")


def test_every_quote_of_every_question_stands_in_its_note(vault: Vault) -> None:
    questions = [
        "when do I treat varroa?",
        "how is a release rolled back?",
        "what does E1042 mean?",
        "what is in the table?",
    ]
    citations = [citation for question in questions for citation in ask(vault, question).citations]
    assert len(citations) >= len(questions)
    for citation in citations:
        whole = vault.read(citation.path).text
        assert check_quote(citation.quote, whole) == "match", citation


def test_each_note_is_quoted_once(vault: Vault) -> None:
    paths = [citation.path for citation in ask(vault, "why does my loaf spread flat?").citations]
    assert 1 < len(paths) == len(set(paths)) <= 3


def test_only_notes_in_scope_may_answer(vault: Vault) -> None:
    question = "why does my loaf spread flat?"
    assert not ask(vault, question, under="Garden").answered
    (bees, *_) = ask(vault, "when is varroa treated?", under="Garden").citations
    assert bees.path.startswith("Garden/")
    assert ask(vault, Query(question, under="Recipes")).answered


def test_a_question_is_text_and_not_syntax(make_vault: MakeVault) -> None:
    vault = make_vault({"jvm.md": "# JVM\n\nThe flag -Xmx sets the largest heap: tag:none of the others does.\n"})
    vault.index()
    answer = ask(vault, 'what does "-Xmx" or tag:none mean for the heap?')
    assert answer.citations[0].path == "jvm.md"


def test_a_row_of_a_table_is_quoted_as_it_stands(make_vault: MakeVault) -> None:
    rows = (
        "| what | price | where |",
        "|---|---|---|",
        "| honey jar | 7.50 euro | market |",
        "| wax | 9 euro | fair |",
    )
    vault = make_vault({"prices.md": "# Prices\n\n" + "\n".join(rows)})
    vault.index()
    (citation,) = ask(vault, "what is the price of a honey jar?").citations
    assert citation.citation_verified and "| honey jar | 7.50 euro | market |" in citation.quote


def test_a_secret_is_in_no_answer(make_vault: MakeVault) -> None:
    secret = "hunter" + "2" * 14
    vault = make_vault({"wifi.md": f"# Router\n\nThe admin password of the router is password: {secret}\n"})
    vault.index()
    answer = ask(vault, "what is the admin password of the router?")
    assert answer.citations[0].path == "wifi.md" and "[REDACTED" in answer.text
    assert secret not in repr(answer)


def test_a_question_in_a_note_is_not_its_answer(make_vault: MakeVault) -> None:
    note = "# Refunds\n\n**How many days do I have for a refund?**\n\nSeven, if you did not use it.\n"
    vault = make_vault({"refunds.md": note})
    vault.index()
    (citation,) = ask(vault, "how many days do I have for a refund?").citations
    assert citation.quote == "Seven, if you did not use it."


def test_an_empty_vault_answers_nothing(make_vault: MakeVault) -> None:
    vault = make_vault({})
    vault.index()
    answer = ask(vault, "why?")
    assert (answer.answered, answer.text, answer.citations_status) == (False, "", "no_quotes")


@cases("question, fact", [("  ", "empty"), ("why " * 5_000, "20,000 characters")])
def test_a_question_that_cannot_be_read_is_an_error(vault: Vault, question: str, fact: str) -> None:
    with pytest.raises(QueryError, match=fact):
        ask(vault, question)


def test_quotes_of_a_text_are_found_where_they_stand(vault: Vault) -> None:
    quoted = ask(vault, "why does my loaf spread flat?").citations[0]
    checked = verify(vault, f'He wrote: "{quoted.quote}" and "bees are purple animals from space".')
    assert [one.citation_reason for one in checked.citations] == ["match", "not_found"]
    assert (checked.citations[0].path, checked.citations[0].line) == (quoted.path, quoted.line)
    assert checked.citations_status == "has_mismatch"


def test_a_place_behind_a_quote_is_the_only_one_where_it_counts(make_vault: MakeVault) -> None:
    vault = make_vault({"Bees.md": "# Bees\n\nThe hive hums in May.\n", "Rye.md": "# Rye\n\nRye needs more water.\n"})
    vault.index()
    text = '"The hive hums in May" (Bees.md:3) "The hive hums in May" ([[Rye]]) "The hive is silent" (Nowhere.md:1)'
    checked = verify(vault, text)
    assert [one.citation_reason for one in checked.citations] == ["match", "not_found", "no_chunk_text"]
    assert checked.citations[0].line == 3


@cases(
    "after",
    [
        " which is 3.5 times more.",
        " (see example.org for more)",
        " from Bees at home.md",
        ", as in Garden/Bees at home.md:12",
        " — Garden/Bees at home.md:3",
        "\n> — [[Bees at home]]",
    ],
)
def test_words_after_a_quote_are_not_taken_for_its_note(make_vault: MakeVault, after: str, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "notes", ignore_errors=True)
    vault = make_vault({"Garden/Bees at home.md": "# Bees at home\n\nThe hive hums in May.\n"})
    vault.index()
    quote = "> The hive hums in May." if after.startswith("\n") else '"The hive hums in May."'
    (citation,) = verify(vault, quote + after).citations
    assert (citation.citation_reason, citation.line) == ("match", 3)


def test_a_text_with_thousands_of_quotes_is_checked_in_part(vault: Vault) -> None:
    checked = verify(vault, '"bees are purple animals" ' * 3_000)
    assert len(checked.citations) == 200 and [notice.code for notice in checked.notices] == ["more_quotes"]
    true = '"A colony that nobody treats is dead" ' * 201
    assert verify(vault, true).citations_status == "unverifiable"


def test_a_quote_of_short_parts_is_not_called_invented(vault: Vault) -> None:
    assert verify(vault, '"a loaf … a cat … an oven"').citations[0].citation_reason == "too_short"


def test_a_quote_across_two_chunks_is_found(make_vault: MakeVault) -> None:
    sections = "\n\n".join(
        f"## Part {number}\n\nSentence number {number} about the hive and its many bees." for number in range(9)
    )
    vault = make_vault({"Bees.md": f"# Bees\n\n{sections}\n"})
    vault.index()
    quote = "Sentence number 3 about the hive and its many bees. … Sentence number 4 about the hive"
    assert verify(vault, f"> {quote}").citations_status == "all_verified"
