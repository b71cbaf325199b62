from __future__ import annotations

import json
import random
import string
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bounded import run_within
from tests.cases import cases

from notewell.errors import NoteError
from notewell.files.formats import FAMILIES, FAMILY_OF
from notewell.index.chunk import ChunkRules
from notewell.index.readers.source import extract, is_minified
from notewell.index.shapes.code import SCRAP, chunk, parse
from notewell.index.shapes.definitions import DEEPEST, LONGEST_HEAD, definitions
from notewell.index.shapes.languages import language_of
from notewell.redact import redact
from notewell.types.note import Chunk, Note, Stamp

SMALL = ChunkRules(max_chars=200)


def note_of(text: str, path: str = "src/vault.py") -> Note:
    return parse(redact(Note(path, text, Stamp(0, 0))))


def chunks_of(text: str, path: str = "src/vault.py", rules: ChunkRules = ChunkRules()) -> list[Chunk]:  # noqa: B008
    return chunk(note_of(text, path), rules)


def function(name: str, lines: int = 3, indent: str = "") -> str:
    body = "".join(f"{indent}    honey = collect(honey, {number})\n" for number in range(lines))
    return f"{indent}def {name}(honey):\n{body}"


def assert_exact(text: str, chunks: list[Chunk]) -> None:
    """Lines and offsets of every chunk are those of the text, which contains no secret."""
    for piece in chunks:
        assert text[piece.start : piece.end] == piece.text
        assert piece.line == text.count("\n", 0, piece.start) + 1
        assert piece.end_line == text.count("\n", 0, max(piece.start, piece.end - 1)) + 1


def assert_nothing_lost(text: str, chunks: list[Chunk]) -> None:
    """The chunks are in order, share nothing, and between them there is only space."""
    at = 0
    for piece in chunks:
        assert piece.start >= at
        assert not text[at : piece.start].strip()
        at = piece.end
    assert not text[at:].strip()


# What definitions are, language by language

# A file's name, its definitions, each with those around it, and its text.
SAMPLES = {
    head.partition(": ")[0]: (text, head.partition(": ")[2].split(" | "))
    for head, _, text in (
        sample.partition("\n")
        for sample in Path(__file__).with_name("code_samples.txt").read_text(encoding="utf-8").split("=== ")[1:]
    )
}


def paths_of(text: str, path: str) -> list[str]:
    """Return the definitions of a text, each with those around it."""
    names: list[str] = []
    paths = []
    for found in definitions(text, language_of(path)):
        names = [*names[: found.level], found.name]
        paths.append("/".join(names))
    return paths


@cases("path", SAMPLES)
def test_definitions_are_known_by_the_look_of_their_lines(path: str) -> None:
    text, names = SAMPLES[path]
    assert paths_of(text, path) == names


@cases("path", SAMPLES)
def test_line_ends_of_windows_change_nothing(path: str) -> None:
    text, names = SAMPLES[path]
    assert paths_of(text.replace("\n", "\r\n"), path) == names


@cases("path", SAMPLES)
@cases("max_chars", [40, 200, 2000])
def test_no_line_of_any_language_is_lost(path: str, max_chars: int) -> None:
    text, _ = SAMPLES[path]
    chunks = chunks_of(text, path, ChunkRules(max_chars=max_chars))
    assert_exact(text, chunks)
    assert_nothing_lost(text, chunks)


@cases(
    ("line", "name"),
    [
        ("explicit operator bool() const {", "operator bool"),
        ("operator const char *() {", "operator const char *"),
        ("inline T &Hive::operator [] (int bee) {", "Hive::operator []"),
        ("void *operator new(size_t size) {", "operator new"),
        ("std::map<int, Bee *> **Hive::bees (int count) {", "Hive::bees"),
    ],
)
def test_the_name_of_a_c_function_is_before_its_parameters(line: str, name: str) -> None:
    assert paths_of(f"{line}\n}}\n", "hive.cpp") == [name]


def test_a_field_set_by_a_call_is_not_a_method() -> None:
    text = "class Hive {\n  private final Map<String, List<Bee>> bees = new HashMap<>();\n"
    method = "  public Map<String, List<Bee>> Zoo<A, B>.bees<C, D>(int count) {\n  }\n}\n"
    assert paths_of(text + method, "Hive.java") == ["Hive", "Hive/Zoo<A, B>.bees"]


def test_every_sample_is_of_a_format_that_is_read_and_none_is_anothers() -> None:
    assert {"." + path.rpartition(".")[2].lower() for path in SAMPLES} <= FAMILY_OF.keys()
    assert not {".md", ".txt", ".html", ".json", ".yaml", ".csv", ".xml", ".log", ".ipynb"} & FAMILY_OF.keys()
    assert len(FAMILY_OF) == sum(len(suffixes.split()) for suffixes in FAMILIES.values())
    assert all(suffix == suffix.lower() for suffix in FAMILY_OF)


# Where files are cut


def test_a_file_is_called_by_its_name() -> None:
    (piece,) = chunks_of("def search(): ...\n")
    assert piece.title == "vault.py"
    assert piece.heading == "vault.py > search"


def test_small_neighbours_are_one_chunk_that_names_them_all() -> None:
    text = "\n\n".join(function(name) for name in ("fill", "empty", "clean"))
    assert [piece.headings for piece in chunks_of(text)] == [("fill, empty, clean",)]


def test_a_function_that_fits_is_never_cut() -> None:
    text = "\n\n".join(function(f"fill_{number}", lines=4) for number in range(9))
    chunks = chunks_of(text, rules=SMALL)
    assert [piece.headings for piece in chunks] == [(f"fill_{number}",) for number in range(9)]
    assert all(piece.text.startswith("def fill_") for piece in chunks)


def test_a_long_class_is_cut_at_its_methods_under_its_name() -> None:
    methods = "\n".join(function(name, lines=4, indent="    ") for name in ("fill", "empty"))
    text = f'class Hive:\n    """Where bees live, all the year."""\n\n{methods}'
    chunks = chunks_of(text, rules=SMALL)
    assert [piece.headings for piece in chunks] == [("Hive",), ("Hive", "fill"), ("Hive", "empty")]
    assert chunks[1].heading == "vault.py > Hive > fill"
    assert chunks[1].text.startswith("    def fill")
    assert_exact(text, chunks)


def test_a_long_function_is_cut_at_blank_lines_and_keeps_its_name() -> None:
    steps = "\n\n".join(f"    step_{number} = collect(honey)\n    store(step_{number})" for number in range(9))
    chunks = chunks_of(f"def fill(honey):\n{steps}\n", rules=SMALL)
    assert len(chunks) > 2
    assert {piece.headings for piece in chunks} == {("fill",)}
    assert all(piece.text.startswith("    step_") for piece in chunks[1:])


def test_comments_and_decorators_stay_with_their_definition() -> None:
    above = "# The bees come home\n# in the evening.\n@retry(\n    times=3,\n)\n"
    text = function("fill", 4) + "\n" + above + function("empty", 2)
    chunks = chunks_of(text, rules=SMALL)
    assert [piece.text.partition("\n")[0] for piece in chunks] == ["def fill(honey):", "# The bees come home"]


def test_a_comment_too_long_for_its_function_leaves_the_function_whole() -> None:
    text = "# A long story about bees.\n" * 8 + "@retry\n" + function("fill", 4)
    chunks = chunks_of(text, rules=SMALL)
    assert chunks[-1].text.startswith("@retry\ndef fill")
    assert {piece.headings for piece in chunks} == {("fill",)}


def test_a_comment_inside_a_function_does_not_end_it_wherever_it_stands() -> None:
    text = "def fill():\n    a = 1\n# b = 2\n    return a\n\n# About empty.\ndef empty(): ...\n"
    first, second = definitions(text, language_of("a.py"))
    assert text[first.start : first.end].endswith("return a\n")
    assert text[second.start :].startswith("# About empty.")


def test_imports_are_one_chunk_at_the_top() -> None:
    text = '"""Bees."""\n\nimport honey\n\nfrom hive import bees\n\n\n' + function("fill", 5)
    first, _ = chunks_of(text, rules=SMALL)
    assert first.text == '"""Bees."""\n\nimport honey\n\nfrom hive import bees'
    assert first.headings == ()


def test_a_closing_brace_is_not_a_chunk() -> None:
    body = "    collect(honey)\n" * 8
    methods = "\n".join(f"  fill{number}() {{\n{body}  }}\n" for number in range(3))
    text = f"class Hive {{\n{methods}\n\n\n}}\n"
    chunks = chunks_of(text, "hive.js", SMALL)
    assert [piece.headings for piece in chunks] == [("Hive", "fill0"), ("Hive", "fill1"), ("Hive", "fill2")]
    assert chunks[0].text.startswith("class Hive {\n")
    assert chunks[-1].text.endswith("\n}")
    assert_nothing_lost(text, chunks)


def test_a_page_of_names_is_shortened() -> None:
    text = "".join(f"def collect_honey_{number}(): ...\n" for number in range(50))
    (piece,) = chunks_of(text)
    assert len(piece.headings[0]) <= 200
    assert piece.headings[0].endswith(", …")


def test_redacted_code_is_cut_like_any_other() -> None:
    text = function("fill") + f'\ntoken = "ghp_{"a1B2" * 9}"\n\n' + function("empty")
    note = note_of(text)
    assert "[REDACTED:" in note.text
    (piece,) = chunk(note, ChunkRules())
    assert piece.headings == ("fill, empty",)
    assert (piece.start, piece.end) == (0, len(text.rstrip()))


def test_a_language_nobody_knows_is_cut_at_blank_lines() -> None:
    text = "\n\n".join("plugh xyzzy\n" * 6 for _ in range(5))
    chunks = chunks_of(text, "cave.xyzzy", SMALL)
    assert len(chunks) == 3
    assert_nothing_lost(text, chunks)


@cases("text", ["", "\n\n \n", "\t"])
def test_an_empty_file_is_a_chunk_without_text(text: str) -> None:
    (piece,) = chunks_of(text)
    assert (piece.text, piece.line, piece.headings) == ("", 1, ())


def test_a_file_of_a_few_letters_is_a_chunk() -> None:
    assert [piece.text for piece in chunks_of("x = 1")] == ["x = 1"]


# Properties

LINES = st.one_of(
    st.sampled_from(["", " ", "def a():", "  def b():", "class C:", "    x = 1", "\ty = 2", "@d", "# c", '"""', "[s]"]),
    st.sampled_from(["}", "  }", "{", "/*", "*/", "function f() {", "  g() {", "int h(int a)", "end", "<<A", "A", "`"]),
    st.sampled_from(["\r", "é = 東京", "z" * 90, "  " * 30 + "w"]),
)
PATHS = st.sampled_from([*SAMPLES, "cave.xyzzy"])


@given(st.lists(LINES, max_size=60), PATHS, st.integers(30, 300))
def test_every_line_is_in_one_chunk_and_chunks_fit(lines: list[str], path: str, max_chars: int) -> None:
    text = "\n".join(lines)
    chunks = chunk(parse(Note(path, text, Stamp(0, 0))), ChunkRules(max_chars=max_chars))
    assert_exact(text, chunks)
    assert_nothing_lost(text, chunks)
    # A class's head and a closing brace go with a neighbour, one for each level.
    assert all(len(piece.text) <= max_chars + 2 * DEEPEST * SCRAP for piece in chunks)
    assert all(len(piece.text) >= SCRAP for piece in chunks) or len(chunks) == 1


@given(st.lists(LINES, max_size=60), PATHS)
def test_definitions_lie_inside_or_beside_each_other(lines: list[str], path: str) -> None:
    found = definitions("\n".join(lines), language_of(path))
    assert all(one.start <= one.head < one.end for one in found)
    for one, other in pairwise(found):
        assert other.start >= one.end if other.level <= one.level else other.end <= one.end
    for level in range(DEEPEST):
        row = [one for one in found if one.level == level]
        assert all(one.end <= other.start for one, other in pairwise(row))


@given(st.text(max_size=400), PATHS)
def test_any_text_can_be_cut(text: str, path: str) -> None:
    assert_nothing_lost(text, chunk(parse(Note(path, text, Stamp(0, 0))), SMALL))


# Files that are not source code, and hostile ones


def test_minified_code_is_refused_with_a_hint() -> None:
    with pytest.raises(NoteError, match="minified") as caught:
        extract(b"(function(){var a=1;" * 1000)
    assert "source" in caught.value.hint


def test_source_with_one_long_line_of_data_is_source() -> None:
    text = f'HONEY = "{"a" * 6000}"\n' + function("fill", 400)
    assert not is_minified(text)
    assert extract(text.encode()).text == text


HOSTILE = {
    "brackets": "(" * 50_000,
    "spaces": " " * 50_000,
    "a line without end": "a b; " * 10_000,
    "a word without end": "a" * 50_000,
    "heads without bodies": "def \n" * 10_000,
    "functions of one line": "def a(): pass\n" * 5_000,
    "ever deeper": "".join(" " * depth + "def a():\n" for depth in range(600)),
    "ever deeper braces": "".join("\t" * depth + "class A {\n" for depth in range(600)),
    "comments that never close": "/*" * 25_000,
    "strings that never close": "'" * 50_000,
    "escaped quotes": '"' + '\\"' * 25_000,
    "here-documents that never end": "".join(f"<<A{number}\n" for number in range(10_000)),
    "patterns that never close": "=/[" * 15_000,
    "modifiers": ("public static " * 21 + "\n") * 300,
    "templates": ("template <" + "a> " * 90 + "\n") * 300,
    "types": ("a<" * 149 + "\n") * 300,
    "blank lines": " \n" * 25_000,
    "closing braces": "}\n" * 10_000,
}


@cases("path", ["a.py", "a.ts", "a.java", "a.cpp", "a.sh"])
@cases("name", HOSTILE)
def test_hostile_files_come_to_an_end(name: str, path: str) -> None:
    # Each takes hundredths of a second, a look at every pair of lines or characters many seconds in each language,
    # and what is worse never ends.
    text = HOSTILE[name]
    assert_nothing_lost(text, chunk(Note(path, text, Stamp(0, 0)), ChunkRules()))


# Patterns that may take for ever

WORDS = (
    *("public ", "static ", "def ", "class ", "fn ", "it ", "it(", "test ", "do ", "if ", "function ", "func ("),
    *("template <", "impl ", "create ", "sub ", "const ", "type ", "operator", "end "),
    *("a", "a ", "a:", "a = ", "a(", "a<", "@a("),
)
SIGNS = (*string.punctuation, *"a1 \t\n")
CHAINS = ("a.", "a::", "a<b>.", "a<b> ", "<a", "a*", "(a)", "a, ", "=>", ")")
SPOILERS = ("", "!", "x", "(", "{", " do")
CUT = """
import json, sys
from notewell.index.chunk import ChunkRules
from notewell.index.shapes.code import chunk
from notewell.types.note import Note, Stamp
for suffix, texts in json.load(sys.stdin):
    for text in texts:
        go_on(suffix + " " + json.dumps(text[:60]))
        chunk(Note("a" + suffix, text, Stamp(0, 0)), ChunkRules())
"""


def line_of(head: str, unit: str, spoiler: str) -> str:
    """Return a line as long as patterns look at, whose end makes a pattern that has come so far try again."""
    room = LONGEST_HEAD - len(head) - len(spoiler)
    return head + (unit * room)[:room] + spoiler + "\n"


def repeated(chance: random.Random) -> list[str]:
    """Return texts that repeat a sign or a few, many after a word that begins a definition."""
    drawn = ["".join(chance.choices(SIGNS + WORDS, k=chance.choice((2, 3)))) for _ in range(10)]
    units = [*SIGNS, *WORDS, *CHAINS, *(sign + "\n" for sign in SIGNS), *drawn]
    heads = [(chance.choice(("", *WORDS)), unit) for unit in units]
    heads += [(head, unit) for head in ("", *WORDS) for unit in CHAINS]
    return [
        # Twice what patterns look at: what tries every way to share it never ends, and what is cubic takes seconds.
        *((unit * 600)[:600] + chance.choice(SPOILERS) for unit in units),
        *("".join(line_of(head, unit, spoiler) for spoiler in SPOILERS) for head, unit in heads),
        # Space is what three repetitions in a row may share: that takes 15 ms a line.
        *(line_of(head, " ", "x") * 30 for head in WORDS),
    ]


def test_no_pattern_takes_for_ever_on_any_repetition() -> None:
    suffixes = {family: suffix for suffix, family in FAMILY_OF.items()}.values()
    # It takes a few seconds; a pattern that tries every way to share a line never ends.
    run_within(60, CUT, given=json.dumps([(suffix, repeated(random.Random(suffix))) for suffix in suffixes]))
