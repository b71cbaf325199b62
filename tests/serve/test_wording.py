from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.cases import cases

import notewell
from notewell.serve.wording import WORDING, sentence_of
from notewell.types.notices import Notice

SOURCE = Path(notewell.__file__).parent
SENTENCES = [text for wording in WORDING.values() for text in ((wording,) if isinstance(wording, str) else wording)]
# Names of facts that hold whole sentences themselves, or begin one.
WHOLE = ("{reason}", "{fact}", "{path}", "{part}", "{text}", "[[{name}]]", "…")


def codes_in(file: Path) -> set[str]:
    """Return the texts of a module that are codes: single words with a wording."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts & WORDING.keys()


def test_every_notice_has_a_wording_and_every_wording_is_used() -> None:
    files = [file for file in SOURCE.rglob("*.py") if file.name != "wording.py"]
    made = {
        argument.value
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Notice" and node.args
        for argument in ast.walk(node.args[0])
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }
    assert made <= WORDING.keys()
    assert WORDING.keys() <= set().union(*map(codes_in, files))


@cases("sentence", SENTENCES)
def test_a_sentence_is_one_of_english(sentence: str) -> None:
    assert sentence[0].isupper() or sentence[0].isdigit() or sentence.startswith(("{count}", *WHOLE)), (
        "it begins as one"
    )
    assert not sentence.endswith((".", " ", ";", ",")), "other text may follow it"
    assert not re.search(r"  | [.,;:]|\.[A-Z]|\b(told|such|taken in|looked for|so many)\b", sentence)
    assert sentence.count('"') % 2 == 0 and sentence.count("`") % 2 == 0
    assert all(part[0].isupper() or part.startswith(("{", "`")) for part in sentence.split(". ")[1:])


def test_a_number_has_its_noun_in_the_singular_or_plural() -> None:
    assert sentence_of(Notice("files_left", {"count": 1})).startswith("1 new or changed file is")
    assert sentence_of(Notice("files_left", {"count": 1200})).startswith("1,200 new or changed files are")


def test_what_may_be_meant_follows_as_a_question() -> None:
    near = Notice("no_tag", {"value": "gardn", "near": ("garden", "garden/bees")})
    assert sentence_of(near) == 'No note has the tag "gardn". Did you mean garden or garden/bees?'
    instead = Notice("searched_instead", {"word": "hieve", "instead": ("hive", "heave")})
    assert sentence_of(instead) == 'No note contains "hieve". Searched for "hive" or "heave" instead'
