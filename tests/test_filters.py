"""Searching a vault by the query language: each kind of syntax, alone and with others, from a file to its hits."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.cases import cases

from notewell import Filters, NotewellError, Vault
from notewell.embed.words import WordsEmbedder
from notewell.serve.wording import sentences
from notewell.types.note import Vectors
from notewell.types.notices import Notice

MakeVault = Callable[..., Vault]
CLOSEST = "These results are closest in meaning"
PROSE = "The language of prose is not detected"

NOTES = {
    "Garden/Bees.md": (
        "---\ntags: [garden/bees]\ntype: log\nstatus: open\nrating: 5\ndate: 2024-05-01\n---\n\n# Bees\n\n"
        "The hive hums. Formic acid is too strong in the heat.\n\n## Mites\n\nMites are counted in August.\n"
    ),
    "Garden/Roses.md": (
        "---\ntags: garden, flowers\nstatus: done\nrating: 3\ndate: 2023-02-01\n---\n\n# Roses\n\n"
        "Roses have mites as well, and the acid soil of the garden suits them.\n"
    ),
    "Recipes/Rye.md": (
        "---\ntype: recipe\nauthor: Jane Doe\ncreated: 2025-03-01\n---\n\n# Rye\n\n"
        "The dough of rye is acid. Authentication of the baker is not needed.\n"
    ),
    "Inbox.md": "# Inbox\n\nA formic thought, an acid remark, about the author of the hive.\n",
}
OLD = datetime(2020, 1, 1, 12).timestamp()


@pytest.fixture
def notes(make_vault: MakeVault) -> Vault:
    vault = make_vault(NOTES)
    os.utime(vault.root / "Inbox.md", (OLD, OLD))
    vault.index()
    return vault


def paths(vault: Vault, text: str, **more: object) -> list[str]:
    return [excerpt.path for excerpt in vault.search(text, **more)]  # type: ignore[arg-type]


BEES, ROSES, RYE, INBOX = NOTES


@cases(
    ("text", "expected"),
    [
        ("acid", {BEES, ROSES, RYE, INBOX}),
        ("acid tag:garden", {BEES, ROSES}),
        ("acid tag:garden/bees", {BEES}),
        ("acid tag:bees|flowers", {ROSES}),
        ("acid -tag:garden", {RYE, INBOX}),
        ("acid path:garden", {BEES, ROSES}),
        ("acid path:garden -path:*bees*", {ROSES}),
        ("acid type:recipe", {RYE}),
        ("acid -type:recipe -type:log", {ROSES, INBOX}),
        ("acid status:open", {BEES}),
        ("acid rating:>3", {BEES}),
        ("acid rating:3..5", {BEES, ROSES}),
        ('acid author:"jane doe"', {RYE}),
        ("acid after:2024", {BEES, RYE}),
        ("acid before:2024", {ROSES, INBOX}),
        ("acid after:2023 before:2024", {ROSES}),
        ("acid after:2024-05-01 before:2024-05-02", {BEES}),
        ("acid -formic", {ROSES, RYE}),
        ("acid -form*", {ROSES, RYE}),
        ('acid -"formic acid"', {ROSES, RYE, INBOX}),
        ('"formic acid"', {BEES}),
        ('"FORMIC   Acid" hive', {BEES}),
        ('"acid formic"', set()),
        ("acid status:open -tag:garden", set()),
        ("tag:garden status:done mites", {ROSES}),
    ],
)
def test_only_what_was_asked_for_is_found(notes: Vault, text: str, expected: set[str]) -> None:
    assert set(paths(notes, text)) == expected


def test_words_in_headings_are_asked_for(notes: Vault) -> None:
    section = "Those that fell are counted in August, on a board that lies under the combs for three days and nights."
    (notes.root / "Hive.md").write_text(f"# Hive\n\nMites are a subject of their own.\n\n## Mites\n\n{section}\n")
    notes.index()
    # Of Bees, the section is too short for a chunk of its own, and stands at the end of another.
    assert {hit.heading.split(" > ")[-1] for hit in notes.search("the mite in:heading")} == {"Mites", "Bees"}
    assert paths(notes, "in:heading roses") == [ROSES]


def test_a_beginning_is_matched_and_shown(notes: Vault) -> None:
    results = notes.search("lex:nothing authent*")
    assert results[0].path == RYE
    first = results[0].excerpt
    assert [first.text[start:end] for start, end in first.highlights] == ["Authentication"]
    assert {path for path in paths(notes, "auth* -tag:x") if path in (RYE, INBOX)} == {RYE, INBOX}


def test_words_alone_and_meaning_alone(notes: Vault) -> None:
    by_words = notes.search("lex:formic")
    assert {excerpt.path for excerpt in by_words} == {BEES, INBOX}
    assert all(excerpt.retrievers["vector"] is None for excerpt in by_words)
    by_meaning = notes.search('vec:"formic acid"')
    assert by_meaning and all(excerpt.retrievers["lexical"] is None for excerpt in by_meaning)
    assert by_meaning.notices == ()


class Telling(WordsEmbedder):
    """The words embedder, remembering what it was given, and how."""

    # Like a server: it is not asked for more than a search needs.
    instant = False

    def __init__(self) -> None:
        self.told: list[str] = []

    def embed_query(self, text: str) -> Vectors:
        self.told.append(f"query: {text}")
        return WordsEmbedder().embed_query(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.told += [f"passage: {text}" for text in texts]
        return super().embed(texts)


def test_what_an_answer_might_read_like_is_embedded_as_a_passage(notes: Vault) -> None:
    notes.models.embedder = embedder = Telling()
    assert notes.search('hyde:"mites are counted"', explain=True).read_as == ('passage "mites are counted"',)
    notes.search('hyde:"a board under the hive" mites')
    assert embedder.told == ["passage: mites are counted", "passage: a board under the hive", "query: mites"]


def test_filters_alone_list_the_newest_notes_one_chunk_each(notes: Vault) -> None:
    results = notes.search("-nothing")
    assert [excerpt.path for excerpt in results] == [RYE, BEES, ROSES, INBOX]
    assert [excerpt.score for excerpt in results] == sorted((hit.score for hit in results), reverse=True)
    assert results[0].score == 1
    assert [step.why for step in results[1].trace] == ["dated 2024-05-01"]
    assert paths(notes, "tag:garden", limit=1) == [BEES]
    assert paths(notes, "", under="Garden") == [BEES, ROSES]


def test_relative_days_are_counted_from_today(notes: Vault) -> None:
    (notes.root / "New.md").write_text(f"---\ndate: {date.today() - timedelta(days=3)}\n---\n\nA new acid.\n")
    notes.index()
    assert paths(notes, "acid after:7d") == ["New.md"]
    assert paths(notes, "acid after:yesterday") == []


def test_parameters_are_the_same_and_add_to_the_text(notes: Vault) -> None:
    assert paths(notes, "acid", filters=Filters(tag="garden")) == paths(notes, "acid tag:garden")
    assert set(paths(notes, "acid", filters=Filters(tag=("garden", "flowers")))) == {ROSES}
    assert paths(notes, "acid -formic", under="Garden", filters=Filters(after="2020")) == [ROSES]
    only = Filters(type="log", after="2024", before="2024-06", where={"status": "open|new", "rating": ">=5"})
    assert set(paths(notes, "acid", filters=only)) == {BEES}
    assert paths(notes, "", filters=Filters(type="recipe")) == [RYE]
    assert paths(notes, "", filters=Filters(where={"author": "jane doe"})) == [RYE]
    assert paths(notes, "", filters=Filters(where={"author": "jane smith"})) == []
    with pytest.raises(NotewellError):
        notes.search("acid", filters=Filters(after="lunch"))


@cases(
    ("text", "notice"),
    [
        ("acid tag:gardn", 'No note has the tag "gardn". Did you mean garden or garden/bees?'),
        ("acid tag:zzz|yyy", 'No note has the tag "zzz or yyy"'),
        ("acid type:recipes", 'No note has the type "recipes". Did you mean recipe?'),
        ("acid status:opn", "No note has status: opn. Did you mean open?"),
        ("acid rating:>9", "No note has rating: > 9"),
        ("acid path:nowhere", 'No indexed note has the path "nowhere"'),
        ("acid after:2999", "No note is from 2999-01-01 or later"),
        ("acid before:1999", "No note is from before 1999-01-01"),
        ("acid lang:python|de", f'No note has the file type or the `lang` property "python or de". {PROSE}'),
        ('acid "no such words"', 'No passage contains "no such words"'),
        ("acid in:heading", "No heading contains all of these words"),
        ("acid tag:flowers status:open", "No note matches all of this: tag flowers; status open"),
        ("acid -path:*", "Every note has what you excluded: path *"),
    ],
)
def test_a_scope_with_nothing_in_it_finds_nothing_and_says_so(notes: Vault, text: str, notice: str) -> None:
    results = notes.search(text)
    assert len(results) == 0
    assert sentences(results.notices) == (notice,)


def test_an_unknown_folder_and_key_are_reported(notes: Vault) -> None:
    (folder,) = notes.search("acid", under="nowhere").notices
    assert folder == Notice("unknown_folder", {"path": "nowhere"})
    (unknown,) = notes.search("acid", filters=Filters(where={"mood": "good"})).notices
    assert unknown == Notice("no_property", {"key": "mood"})
    (near,) = notes.search("acid", filters=Filters(where={"statsu": "open"})).notices
    assert near == Notice("no_property", {"key": "statsu", "near": ("status",)})


@cases(
    ("text", "notices"),
    [
        ("acid statuss:open", ('No note has the property "statuss", so it was read as text. Did you mean status?',)),
        ("acid -tagg:garden", ('No note has the property "tagg", so it was read as text. Did you mean tag?',)),
        ("acid https://acid.org 12:30 std::acid nothing:like", ()),
        ("acid statsu:opne", ('No note has the property "statsu", so it was read as text. Did you mean status?',)),
        ("acid after:lunch", ("after:lunch is not a date, so it was read as text",)),
        ("acid after:2024-13", ("after:2024-13 is not a date, so it was read as text",)),
        ("acid -before:2024-02-30", ("-before:2024-02-30 is not a date, so it was read as text",)),
        ('acid after:"last week"', ('after:"last week" is not a date, so it was read as text',)),
        ("acid lex:", ("lex: has no value, so it was read as text",)),
    ],
)
def test_a_key_that_was_mistyped_is_reported(notes: Vault, text: str, notices: tuple[str, ...]) -> None:
    results = notes.search(text)
    assert len(results) > 0
    assert sentences(results.notices) == notices


@pytest.fixture
def by_meaning(make_vault: MakeVault) -> Vault:
    vault = make_vault(NOTES, settings={"embed.model": "static"})
    vault.index()
    return vault


@cases(
    ("text", "notices"),
    [
        ("xylophone", ('No note contains "xylophone"', CLOSEST)),
        ("the xylophone and a tuba", ('No note contains "xylophone" or "tuba"', CLOSEST)),
        ("xylophone tag:garden", ('No passage that matches the filters contains "xylophone"', CLOSEST)),
        ("mites -mite", ('No passage that matches the filters contains "mites"', CLOSEST)),
        ("zzz*", ('No word begins with "zzz"', CLOSEST)),
        ("acid zzz*", ('No word begins with "zzz"',)),
        *((signs, ("There are no words to search for", CLOSEST)) for signs in ('"', "*", "%", "()[]")),
        ("acid == mites -> garden", ('Cannot search for "==" or "->": symbols alone are ignored',)),
        ("acid & mites, C++ .NET - what? -- ... !", ()),
    ],
)
def test_words_that_no_hit_has_are_reported(by_meaning: Vault, text: str, notices: tuple[str, ...]) -> None:
    results = by_meaning.search(text)
    assert len(results) > 0
    assert sentences(results.notices) == notices


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("created:2024", {"May.md", "Noon.md"}),
        ("created:2024-05", {"May.md"}),
        ("created:2024-06-02", {"Noon.md"}),
        ("created:2025", {"Year.md"}),
        ("-created:2024", {"Year.md", "Words.md"}),
        ("created:20", set()),
    ],
)
def test_a_year_or_month_of_front_matter_is_each_of_its_days(
    make_vault: MakeVault, asked: str, expected: set[str]
) -> None:
    created = {"May": "2024-05-01", "Noon": "2024-06-02 12:00:00", "Year": "2025", "Words": "2024-05 or so"}
    vault = make_vault(
        {f"{name}.md": f"---\ncreated: {value}\n---\n\nThe acid of {name}.\n" for name, value in created.items()}
    )
    vault.index()
    assert set(paths(vault, f"acid {asked}")) == expected


def test_a_secret_in_a_query_is_not_repeated(notes: Vault) -> None:
    secret = "gh" + "p_" + "R4nD0mT3xTf0rT3sts" * 2
    (notice,) = sentences(notes.search(f'acid "{secret}"').notices)
    assert notice.startswith("No passage contains") and "[REDACTED" in notice
    assert secret not in notice
    assert secret not in " ".join(sentences(notes.search(secret).notices))


def test_a_query_of_hundreds_of_parts_is_reported_in_a_few_lines(notes: Vault) -> None:
    keys = notes.search(" ".join(f"status{number}:open" for number in range(60))).notices
    assert len([notice for notice in keys if notice.code == "unknown_key"]) == 3
    many = notes.search(" ".join(f"tag:none{number}" for number in range(60))).notices
    assert len(many) == 8
    long = sentences(notes.search('"' + "no such\nwords " * 100 + '"').notices)
    assert long and all(len(notice) <= 440 and "\n" not in notice for notice in long)


def test_a_query_says_how_it_was_read(notes: Vault) -> None:
    results = notes.search(
        'mites "formic acid" -oxalic tag:garden', under="Garden", filters=Filters(after="2024"), explain=True
    )
    assert results.read_as == (
        *('words and meaning "mites"', 'phrase "formic acid"', "not oxalic", "tag garden"),
        *("under Garden", "after 2024-01-01"),
    )


def test_the_encoder_rerank_stays_in_the_scope(notes: Vault) -> None:
    class Encoder(WordsEmbedder):
        fingerprint = "encoder"

    notes.models.encoder = Encoder()
    notes.encode()
    results = notes.search("acid tag:garden")
    assert {excerpt.path for excerpt in results} == {BEES, ROSES}
    assert any("fine" in excerpt.retrievers for excerpt in results)


SIGNS = (
    '"',
    "-",
    "*",
    "|",
    "..",
    " ",
    " ",
    " ",
    "\0",
    "🐝",
    "'",
    "%",
    "[[",
    "東京",
    "acid",
    "form*",
    "-acid",
    "in:heading",
)
KEYS = (
    "tag:",
    "garden",
    "after:",
    "2024",
    "status:",
    "open",
    "rating:",
    "3..5",
    "lex:",
    "vec:",
    "hyde:",
    "path:",
    "type:",
)
PIECES = st.sampled_from(SIGNS + KEYS)


@given(st.lists(PIECES, max_size=10).map("".join), st.sampled_from(["", "Garden", "nowhere"]))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_query_is_an_error_and_each_has_one_answer(notes: Vault, text: str, under: str) -> None:
    assume(text.strip() or under)
    first, again = notes.search(text, under=under), notes.search(text, under=under)
    assert (first.hits, first.notices, first.read_as) == (again.hits, again.notices, again.read_as)
    assert all(excerpt.path.startswith(under) for excerpt in first)


SEEN: Mapping[str, set[str]] = {
    "acid tag:garden": {BEES, ROSES},
    "acid path:Recipes": {RYE},
    "acid -formic": {ROSES, RYE},
    '"formic acid"': {BEES},
    "acid before:2021": {INBOX},
    "tag:flowers": {ROSES},
    "acid": {BEES, ROSES, RYE, INBOX},
}


def test_threads_do_not_see_each_others_scope(notes: Vault) -> None:
    """On one vault and on several of the same folder, while it changes."""
    vaults = [notes, Vault.open(notes.root, {"embed.model": "words"})]
    wrong: list[object] = []

    def ask(number: int) -> None:
        vault = vaults[number % 2]
        try:
            for turn in range(30):
                text = list(SEEN)[(number + turn) % len(SEEN)]
                if (found := set(paths(vault, text)) - {"Other.md"}) != SEEN[text]:
                    wrong.append((text, found))
        except Exception as error:
            wrong.append(error)
        finally:
            vault.store.close()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for number in range(5):
        Path(notes.root / "Other.md").write_text(f"---\ntags: [other]\ndate: 2022-01-01\n---\n\nOther acid {number}.\n")
        notes.index()
    for thread in threads:
        thread.join()
    assert wrong == []
