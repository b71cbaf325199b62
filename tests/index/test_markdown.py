from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import cases

from notewell import Vault
from notewell.index.chunk import ChunkRules
from notewell.index.readers.text import decode
from notewell.index.shapes.markdown import chunk, parse
from notewell.redact import redact
from notewell.types.note import Chunk, Note, Stamp

SENTENCE = "The hive hums quietly all morning in the orchard."
SMALL = ChunkRules(max_chars=200)


def note_of(text: str) -> Note:
    return parse(redact(Note("Garden/bees.md", text, Stamp(0, 0))))


def chunks_of(text: str, chunking: ChunkRules = ChunkRules()) -> list[Chunk]:  # noqa: B008
    return chunk(note_of(text), chunking)


def paragraphs(count: int) -> str:
    return "\n\n".join(f"Paragraph {number}: {SENTENCE}" for number in range(count))


def assert_exact(text: str, chunks: list[Chunk]) -> None:
    """Lines and offsets of every chunk are those of the text, which contains no secret."""
    for piece in chunks:
        assert text[piece.start : piece.end] == piece.text
        assert piece.line == text.count("\n", 0, piece.start) + 1
        assert piece.end_line == text.count("\n", 0, piece.end - 1) + 1
        assert piece.text in "\n".join(text.split("\n")[piece.line - 1 : piece.end_line])


# Where notes are cut


def test_a_note_is_cut_at_its_second_level_headings() -> None:
    text = f"# Bees\n\n{SENTENCE}\n\n## Spring\n\n{SENTENCE}\n\n### Swarm\n\n{SENTENCE}\n\n## Autumn\n\n{SENTENCE}\n"
    chunks = chunks_of(text)
    assert [piece.text.partition("\n")[0] for piece in chunks] == ["# Bees", "## Spring", "## Autumn"]
    assert [(piece.line, piece.end_line) for piece in chunks] == [(1, 3), (5, 11), (13, 15)]
    assert_exact(text, chunks)


def test_text_before_the_first_heading_is_a_chunk() -> None:
    text = f"{SENTENCE}\n\n## Spring\n\n{SENTENCE}\n"
    assert [piece.headings for piece in chunks_of(text)] == [(), ("Spring",)]


def test_a_section_of_up_to_2000_characters_is_one_chunk() -> None:
    fits = "## Spring\n\n" + ("word " * 400)[: 2000 - 11]
    assert len(chunks_of(fits)) == 1
    assert len(chunks_of(fits + " and more words.")) > 1


def test_a_long_section_is_cut_at_its_third_level_headings() -> None:
    may = f"### May\n\n{paragraphs(10)}\n\n#### Swarm\n\n{paragraphs(5)}"
    text = f"## Year\n\n{paragraphs(10)}\n\n{may}\n\n### June\n\n{paragraphs(10)}\n"
    chunks = chunks_of(text)
    assert [piece.headings for piece in chunks] == [("Year",), ("Year", "May"), ("Year", "June")]
    assert_exact(text, chunks)


def test_a_long_section_without_headings_is_cut_between_paragraphs() -> None:
    text = f"## Year\n\n{paragraphs(100)}\n"
    chunks = chunks_of(text)
    assert len(chunks) > 3
    assert all(piece.text.endswith("orchard.") and len(piece.text) <= 2000 for piece in chunks)
    assert all(piece.text.startswith("Paragraph") for piece in chunks[1:])
    assert "".join("".join(piece.text.split()) for piece in chunks) == "".join(text.split())
    assert_exact(text, chunks)


def test_the_long_section_of_the_sample_vault_is_cut_and_nothing_of_it_is_lost(vault: Vault) -> None:
    text = (vault.root / "Recipes/Sourdough handbook.md").read_text(encoding="utf-8")
    chunks = [piece for piece in chunks_of(text) if "Bulk fermentation" in piece.headings]
    assert len(chunks) > 1
    section = text[text.index("## Bulk fermentation") :].partition("\n## ")[0]
    assert "".join("".join(piece.text.split()) for piece in chunks) == "".join(section.split())


def test_a_section_under_30_characters_is_dropped() -> None:
    text = f"# Bees\n\n{SENTENCE}\n\n## Stub\n\nToo short to tell.\n\n## Spring\n\n{SENTENCE}\n"
    assert [piece.headings[-1] for piece in chunks_of(text)] == ["Bees", "Spring"]
    assert [piece.headings[-1] for piece in chunks_of(text, ChunkRules(min_chars=0))] == ["Bees", "Stub", "Spring"]


@cases(
    "text",
    [
        f"## Year\n\n### May\n\n{paragraphs(20)}\n\n### June\n\n{paragraphs(20)}\n",
        f"## Year\n\n{(SENTENCE + ' ') * 60}\n",
        "## Year\n\n```\n" + "some code\n" * 300 + "```\n",
    ],
)
def test_a_long_section_has_no_chunk_of_its_heading_alone(text: str) -> None:
    chunks = chunks_of(text)
    assert len(chunks) > 1
    assert [piece.text for piece in chunks if all(line.startswith("#") for line in piece.text.split("\n"))] == []


def test_a_tiny_or_link_subsection_of_a_long_section_is_dropped() -> None:
    stubs = "### Stub\n\nToo short.\n\n### See also\n\n- [[Rye]] and [[Wheat|all about wheat]]\n"
    text = f"## Year\n\n{paragraphs(20)}\n\n{stubs}\n### June\n\n{paragraphs(20)}\n"
    assert {piece.headings for piece in chunks_of(text)} == {("Year",), ("Year", "June")}


def test_a_note_of_tiny_sections_is_one_chunk() -> None:
    text = "# List\n\n## One\n\neggs\n\n## Two\n\nflour\n"
    (piece,) = chunks_of(text)
    assert (piece.text, piece.line, piece.end_line) == (text.rstrip(), 1, 9)


@cases("text", ["", "\n\n  \n"])
def test_a_note_without_text_is_a_chunk_to_be_found_by_its_name(text: str) -> None:
    (piece,) = chunks_of(text)
    assert (piece.text, piece.line, piece.end_line, piece.start, piece.end) == ("", 1, 1, 0, 0)
    assert (piece.title, piece.path, piece.headings) == ("bees", "Garden/bees.md", ())


@cases("body", ["", "\n  \n"])
def test_a_note_without_a_body_is_a_chunk_of_its_front_matter(body: str) -> None:
    front = "---\ntitle: Apiary\nphone: 555 0199\n---"
    text = f"{front}\n{body}"
    (piece,) = chunks_of(text)
    assert (piece.text, piece.line, piece.end_line, piece.title) == (front, 1, 4, "Apiary")
    assert_exact(text, [piece])


@cases("name", ["Related", "See also", "Links", "References", "related:", "🔗 Links", "**See Also**"])
def test_a_list_of_links_is_not_a_chunk_but_its_links_count(name: str) -> None:
    text = f"# Bees\n\n{SENTENCE}\n\n## {name}\n\n- [[Rye|a note of many words]] (new)\n\n## Spring\n\n{SENTENCE}\n"
    assert [piece.headings[-1] for piece in chunks_of(text)] == ["Bees", "Spring"]
    assert [link.target for link in note_of(text).links] == ["Rye"]


@cases("name", ["Related", "See also", "Links", "References"])
def test_prose_under_the_name_of_a_list_of_links_is_text(name: str) -> None:
    for prose in (SENTENCE, f"- [[Rye]]: {SENTENCE}", f"- [[Rye]]\n\n{SENTENCE}", "- `make links` checks all of them"):
        text = f"# Bees\n\n{SENTENCE}\n\n## {name}\n\n{prose}\n"
        assert [piece.headings[-1] for piece in chunks_of(text)] == ["Bees", name]


def test_prose_below_a_list_of_links_is_text_and_links_in_groups_are_not() -> None:
    groups = "## Links\n\n- [[Rye]]\n\n### Books\n\n- [[Rye]]\n\n### {}\n\n{}\n"
    (piece,) = chunks_of(groups.format("Thoughts", SENTENCE))
    assert SENTENCE in piece.text
    text = f"# Bees\n\n{SENTENCE}\n\n" + groups.format("Papers", "- <https://example.org/rye>")
    assert [piece.headings for piece in chunks_of(text)] == [("Bees",)]


def test_a_heading_that_only_begins_like_a_list_of_links_is_text() -> None:
    text = f"## Related work\n\n{SENTENCE}\n"
    assert [piece.headings for piece in chunks_of(text)] == [("Related work",)]


# Fences and tables


def test_headings_inside_a_fence_are_code() -> None:
    text = f"## Deploy\n\n{SENTENCE}\n\n```bash\n## not a heading\n\n# nor this\n```\n\n{SENTENCE}\n"
    (piece,) = chunks_of(text)
    assert piece.text == text.rstrip()
    assert note_of(text).title == "bees"


def test_the_fenced_headings_of_the_sample_vault_are_code(vault: Vault) -> None:
    text = (vault.root / "Engineering/Deploy runbook.md").read_text(encoding="utf-8")
    fenced = [part for place, part in enumerate(text.split("```")) if place % 2]
    assert any("\n## " in part for part in fenced)
    names = {name for piece in chunks_of(text) for name in piece.headings}
    assert names and not any(f"# {name}\n" in part for name in names for part in fenced)


@cases(
    ("opening", "closing"),
    [("```", "```"), ("~~~", "~~~"), ("````md", "````"), ("   ```", "  ```"), ("```", "`````  ")],
)
def test_every_kind_of_fence_is_kept_whole(opening: str, closing: str) -> None:
    fence = f"{opening}\n## code\n\nmore code\n\n```x\n{closing}"
    text = f"## Deploy\n\n{paragraphs(2)}\n\n{fence}\n\n{paragraphs(2)}\n"
    chunks = chunks_of(text, SMALL)
    assert sum(fence.strip() in piece.text for piece in chunks) == 1
    assert {piece.headings for piece in chunks} == {("Deploy",)}


def test_a_table_is_kept_whole() -> None:
    table = "| month | work |\n|---|---|\n" + "".join(f"| {month} | feeding |\n" for month in range(8))
    text = f"## Year\n\n{SENTENCE} {SENTENCE}\n{table}\n{paragraphs(3)}\n"
    chunks = chunks_of(text, SMALL)
    assert len(table) <= 200 and len(chunks) > 2
    assert sum(table.strip() in piece.text for piece in chunks) == 1
    assert_exact(text, chunks)


@cases("text", ["```\n" + "some code\n\n" * 40 + "```\n", "| a | b |\n" * 60])
def test_a_fence_or_table_that_alone_is_too_long_is_cut_at_its_lines(text: str) -> None:
    chunks = chunks_of("## Long\n\n" + text, SMALL)
    assert len(chunks) > 2
    lines = {line for line in text.splitlines() if line} | {"## Long"}
    assert all(len(piece.text) <= 200 and {*piece.text.split("\n")} - {""} <= lines for piece in chunks)
    assert_exact("## Long\n\n" + text, chunks)


def test_an_unclosed_fence_does_not_swallow_the_note() -> None:
    text = f"## One\n\n{SENTENCE}\n\n```\ncode\n\n## Two\n\n{SENTENCE}\n\n## Three\n\n{SENTENCE}\n"
    assert [piece.headings for piece in chunks_of(text)] == [("One",), ("Two",), ("Three",)]


def test_backticks_with_a_backtick_after_them_are_not_a_fence() -> None:
    text = f"```inline` code\n\n## Two\n\n{SENTENCE}\n\n```\n## code\n```\n"
    assert [piece.headings for piece in chunks_of(text)] == [("Two",)]


# Headings


def test_underlined_lines_are_headings() -> None:
    text = f"Bees\n====\n\n{SENTENCE}\n\nSpring\n------\n\n{SENTENCE}\n"
    chunks = chunks_of(text)
    assert [piece.headings for piece in chunks] == [("Bees",), ("Bees", "Spring")]
    assert [piece.line for piece in chunks] == [1, 6]
    assert note_of(text).title == "Bees"


@cases("above", ["- item", "> quote", "| a |", "1. item", "", "    code", "one\ntwo"])
def test_a_rule_makes_a_heading_only_of_a_single_line_of_text(above: str) -> None:
    text = f"{SENTENCE}\n\n{above}\n---\n\n{SENTENCE}\n"
    assert [piece.headings for piece in chunks_of(text)] == [()]


@cases(
    ("line", "name"),
    [
        ("## Spring", "Spring"),
        ("##   Spring  ", "Spring"),
        ("## Spring ##", "Spring"),
        ("   ## Spring", "Spring"),
        ("##\tSpring", "Spring"),
        ("## C# and F#", "C# and F#"),
        ("## Spring\r", "Spring"),
    ],
)
def test_a_heading_is_read_without_its_marks(line: str, name: str) -> None:
    assert chunks_of(f"{line}\n\n{SENTENCE}\n")[0].headings == (name,)


@cases("line", ["#tag", "##Spring", "####### Seven", "    ## code", "\\## escaped"])
def test_a_line_that_only_looks_like_a_heading_is_text(line: str) -> None:
    assert chunks_of(f"{line}\n\n{SENTENCE}\n")[0].headings == ()


def test_windows_line_ends_change_neither_sections_nor_lines() -> None:
    spring = f"## Spring\n\n```\n## code\n```\n{SENTENCE}\n\n## Links\n\n- [[Rye]]\n"
    text = f"---\ntitle: Bees\n---\n# Bees\n\n{paragraphs(10)}\n\n{spring}"
    windows = text.replace("\n", "\r\n")
    unix_chunks, windows_chunks = chunks_of(text), chunks_of(windows)
    assert [(p.headings, p.title) for p in unix_chunks] == [(p.headings, p.title) for p in windows_chunks]
    assert windows_chunks[-1].line == unix_chunks[-1].line
    assert [link.line for link in note_of(windows).links] == [link.line for link in note_of(text).links]
    assert_exact(windows, windows_chunks)


# Offsets


def test_offsets_are_those_of_the_file_even_after_redaction() -> None:
    secret = "-".join(("hunter", "2", "again"))
    text = f"# Server\n\n## Login\n\nThe password: {secret} opens it all.\n\n## Later\n\n{SENTENCE}\n"
    login, later = chunks_of(text)
    assert secret not in login.text and secret in text[login.start : login.end]
    assert text[login.start : login.end] == f"## Login\n\nThe password: {secret} opens it all."
    assert text[later.start : later.end] == later.text
    assert (login.line, login.end_line, later.line) == (3, 5, 7)


def test_a_chunk_that_ends_in_a_secret_of_many_lines_ends_where_the_secret_does() -> None:
    dashes = "-" * 5
    body = "\n".join("QUJD" * 16 for _ in range(6))
    key = f"{dashes}BEGIN RSA {'PRIVATE'} KEY{dashes}\n{body}\n{dashes}END RSA {'PRIVATE'} KEY{dashes}"
    text = f"## Login\n\nThe key of the old server:\n\n{key}\n\n## Later\n\n{SENTENCE}\n"
    login, later = chunks_of(text)
    assert text[login.start : login.end].endswith(key)
    assert text[later.start : later.end] == later.text
    assert later.line == text[: text.index("## Later")].count("\n") + 1


def test_lines_and_offsets_of_the_sample_vault_are_exact(vault: Vault) -> None:
    for file in vault.root.rglob("*.md"):
        text, _ = decode(file.read_bytes())
        note = note_of(text)
        pieces = chunk(note, ChunkRules())
        assert pieces, file
        if not note.redactions:
            assert_exact(text, pieces)
        for piece in pieces:
            assert piece.text in "\n".join(note.text.split("\n")[piece.line - 1 : piece.end_line])


# Windows with overlap


def test_with_overlap_a_long_section_becomes_windows_that_share_words() -> None:
    words = [f"w{number}" for number in range(100)]
    text = "# Bees\n\n## Year\n\n" + " ".join(words) + f"\n\n## Short\n\n{SENTENCE}\n"
    chunks = chunks_of(text, ChunkRules(target_words=40, overlap_words=10))
    year = [piece.text.split() for piece in chunks if piece.headings[-1] == "Year"]
    assert [len(part) for part in year] == [40, 40, 40, 12]
    assert all(before[-10:] == after[:10] for before, after in pairwise(year))
    assert year[-1][-1] == "w99"
    assert [piece.text for piece in chunks if piece.headings[-1] == "Short"] == [f"## Short\n\n{SENTENCE}"]
    assert_exact(text, chunks)


# Bytes to text


# Any note at all

WORDS = st.lists(
    st.sampled_from(["hive", "bloom", "rye", "蜂蜜", "Übung", "a.b", "`code`", "[[Rye]]", "don't"]),
    min_size=6,
    max_size=70,
)
PARAGRAPH = WORDS.map(lambda words: SENTENCE + " " + " ".join(words))
LIST = st.lists(WORDS.map(lambda words: "- " + " ".join(words)), min_size=1, max_size=6).map("\n".join)
QUOTE = WORDS.map(lambda words: "> " + " ".join(words))
FENCE = st.lists(st.sampled_from(["## code", "", "x = 1", "| a |", "---"]), max_size=12).map(
    lambda lines: "\n".join(("```python", *lines, "```"))
)
TABLE = st.integers(0, 12).map(lambda rows: "| a | b |\n|---|---|" + "\n| rye | hive |" * rows)
RULE = st.just("- - -")
BLOCKS = st.lists(st.one_of(PARAGRAPH, LIST, QUOTE, FENCE, TABLE, RULE), max_size=5)
HEADING = st.sampled_from(["# Top", "## Second", "### Third", "#### Fourth", "Underlined\n===", "Ruled\n---"])


@st.composite
def sections(draw: st.DrawFn) -> tuple[str, bool]:
    """A section long enough to be kept, or a list of links, which is not."""
    if draw(st.integers(0, 5)) == 0:
        return "## Related\n\n- [[Rye]] is near to this", False
    return "\n\n".join((draw(HEADING), draw(PARAGRAPH), *draw(BLOCKS))), True


@st.composite
def notes(draw: st.DrawFn) -> tuple[str, set[int]]:
    """A note, and the lines that some chunk must hold."""
    parts = draw(st.lists(sections(), min_size=1, max_size=6))
    lines = ["---", "title: Any", "---", ""] if draw(st.booleans()) else []
    wanted: set[int] = set()
    after_links = False
    for text, kept in parts:
        # Deeper sections below a list of links belong to it.
        after_links = (not kept) or (after_links and text.startswith(("###", "####")))
        for line in text.split("\n"):
            lines.append(line)
            # A heading is on the breadcrumb of every chunk below it.
            if line and not after_links and not line.startswith(("#", "=", "---", "Underlined", "Ruled")):
                wanted.add(len(lines))
        lines.append("")
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines), wanted


@settings(max_examples=50)
@given(notes(), st.sampled_from([200, 350, 2000]))
def test_chunks_of_any_note_are_its_lines_in_order_and_none_is_lost(note: tuple[str, set[int]], most: int) -> None:
    text, wanted = note
    chunks = chunks_of(text, ChunkRules(max_chars=most))
    assert_exact(text, chunks)
    assert all(len(piece.text) <= most for piece in chunks)
    assert all(before.end <= after.start for before, after in pairwise(chunks))
    assert wanted <= {line for piece in chunks for line in range(piece.line, piece.end_line + 1)}


@settings(max_examples=50)
@given(notes(), FENCE)
def test_a_fence_that_fits_is_in_one_chunk(note: tuple[str, set[int]], fence: str) -> None:
    text = f"{note[0]}\n\n## Code\n\n{SENTENCE}\n\n{fence}\n\n{SENTENCE * 4}\n".replace("\r\n", "\n")
    assert any(fence in piece.text for piece in chunks_of(text, SMALL))
