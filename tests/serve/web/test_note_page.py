from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.bounded import run_within
from tests.vaults import opened

from notewell import Vault
from notewell.errors import NoteError
from notewell.serve.web import embeds, note_page
from notewell.serve.web.note_page import NotePage

from .safe_html import Elements, check_safe

Pages = Callable[..., NotePage]


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    """Write notes, index them, and return a page of one."""
    made: list[Vault] = []

    def page(note: str, **notes: str | bytes) -> NotePage:
        for name, text in notes.items():
            path = tmp_path / f"{name}.md"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if not made:
            made.append(opened(tmp_path))
        made[0].index()
        found = note_page.note_page(made[0], note)
        check_safe(found.html)
        return found

    yield page
    for vault in made:
        vault.close()


def lines_of(html: str) -> list[str]:
    return [found["data-line"] for _, found in Elements(html).found if "data-line" in found]


def test_front_matter_is_shown_as_properties_and_moves_no_line(pages: Pages) -> None:
    page = pages("a", a="---\ntags: [wax]\nby: '[[Ann|her]]'\nn: [1, 2]\n---\n\n# Honey\n\nText\n")
    assert page.html == '<h1 data-line="7">Honey</h1>\n<p data-line="9">Text</p>\n'
    assert page.properties == {"tags": "wax", "by": "her", "n": "1, 2"}
    assert (page.tags, page.title, page.outline[0].line, page.kind) == (("wax",), "Honey", 7, "text")
    assert (page.lines_above, page.lines_below) == (0, 0)


def test_front_matter_that_is_not_yaml_is_shown_as_it_is_written(pages: Pages) -> None:
    page = pages("a", a="---\ncreated: {{date}}\nby: <b>Ann</b>: [\n---\n# Honey\n")
    assert page.problem.startswith("The front matter is not YAML")
    assert '<span data-line="2">created: {{date}}\n</span>' in page.html
    assert "&lt;b&gt;Ann" in page.html
    assert "<h1" in page.html


def test_a_file_that_is_no_note_is_not_shown_as_missing(pages: Pages, tmp_path: Path) -> None:
    (tmp_path / "Bases").mkdir()
    (tmp_path / "Bases" / "Films.base").write_text("views: []\n", "utf-8")
    page = pages("a", a="See [[Films.base]], ![[Films.base#Seen]] and [[Nothing.base]].\n")
    links = [found for name, found in Elements(page.html).found if name == "a"]
    assert [link.get("href") for link in links] == ["/node/Bases/Films.base", "/node/Bases/Films.base?part=Seen", None]


def test_a_file_that_is_not_read_has_a_page_that_says_why(pages: Pages, tmp_path: Path) -> None:
    (tmp_path / "notewell.toml").write_text('[index]\nexclude = ["Private/"]\n', "utf-8")
    for folder in ("Bases", "Private", ".hidden"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Films.base").write_text("views: []\n", "utf-8")
    (tmp_path / "Bases" / "link.base").symlink_to("../Private/Films.base")
    pages("a", a="text", zero=b"a\0b")
    page = pages("Bases/Films.base#Seen")
    assert (page.kind, page.path, page.html) == ("file", "Bases/Films.base", "")
    assert page.problem == "Notewell does not read files of this format"
    assert page.uri.endswith("/Bases/Films.base")
    assert "zero bytes" in pages("zero.md").problem
    outside = tmp_path.parent / "Outside.base"
    outside.write_text("views: []\n", "utf-8")
    for absent in (
        "Private/Films.base",
        ".hidden/Films.base",
        "Bases/link.base",
        "Bases/None.base",
        "Bases",
        "../Outside.base",
    ):
        with pytest.raises(NoteError):
            pages(absent)


def test_the_lines_that_were_asked_for_are_named(pages: Pages) -> None:
    text = "# A\n\nb\n\n## C\n\nd ^e\n"
    assert [(page.line, page.end_line) for page in (pages("a", a=text), pages("a:3"), pages("a:3-5"))] == [
        (0, 0),
        (3, 3),
        (3, 5),
    ]
    assert [(page.line, page.end_line) for page in (pages("a#C"), pages("a#^e"))] == [(5, 7), (7, 7)]


def test_a_heading_that_is_gone_is_said_and_the_note_is_shown(pages: Pages) -> None:
    page = pages("a#Wax", a="# A\n\nText\n")
    assert (page.line, page.problem) == (0, "a.md has no heading 'Wax'")
    assert "Text" in page.html
    assert pages("a:99").problem == "a.md has 3 lines; there is no line 99"


def test_an_embed_shows_a_note_in_place_and_no_deeper(pages: Pages) -> None:
    page = pages(
        "a", a="![[b]]\n\n![[b#C]]\n", b="---\nx: 1\n---\n# B\n\nfirst [[c]]\n\n## C\n\n![[c]]\n", c="the inner text\n"
    )
    assert page.html.count("first") == 1
    assert page.html.count('class="embed"') == 2
    assert "the inner text" not in page.html
    assert "x: 1" not in page.html
    assert page.html.count('href="/node/c.md"') == 3
    assert (lines_of(page.html), page.outline) == (["1", "3"], ())


def test_a_note_that_embeds_itself_ends(pages: Pages) -> None:
    assert pages("a", a="text\n\n![[a]]\n").html.count("text") == 2


def test_embeds_are_few_and_short(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeds, "MOST", 2)
    monkeypatch.setattr(embeds, "LONGEST", 100)
    page = pages("a", a="![[b]]\n\n" * 3, b="many words\n" * 100)
    assert page.html.count('class="embed"') == 2
    assert page.html.count("many words") == 2 * 9
    assert page.html.count('href="/node/b.md"') == 3


def test_no_secret_is_shown_in_a_note_or_an_embed(pages: Pages) -> None:
    secret = "hunter2" + "-again"
    page = pages(
        "a",
        a=f"---\npassword: {secret}\n---\n# A\n\npassword: {secret}\n\n![[b]]\n\n```\npassword: {secret}\n```\n",
        b=f"password: {secret}\n\nSee [[a]]: password: {secret}\n",
    )
    assert secret not in str(page)
    assert page.html.count('class="redacted"') == 4


def test_backlinks_come_with_the_sentence_they_are_in(pages: Pages) -> None:
    page = pages("b", a="# Ann\n\nIt rains. She sees [[b|the **hive**]] at\nnoon. It stops.\n", b="# Bees\n\nText\n")
    (link,) = page.backlinks
    assert (link.path, link.title, link.line, link.text) == ("a.md", "Ann", 3, "She sees the hive at noon.")
    assert page.backlink_count == 1


def test_hidden_characters_are_escaped_wherever_they_are_shown(pages: Pages) -> None:
    page = pages("a", a="---\nkey: a\u202eb\n---\n# T\u200bitle\n\nx\U000e0041y\n")
    assert page.html == '<h1 data-line="4">T\\u200bitle</h1>\n<p data-line="6">x\\U000e0041y</p>\n'
    assert (page.title, page.properties["key"]) == ("Title", "a\\u202eb")


def test_bytes_that_are_no_text_do_not_break_a_page(pages: Pages) -> None:
    page = pages("a", a=b"# Caf\xc3\xa9\n\nsome words caf\xe9 and more \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n")
    assert "some words caf\ufffd" in page.html


def test_an_empty_note_and_one_of_front_matter_only_have_pages(pages: Pages) -> None:
    page = pages("a", a="---\nkey: value\n---\n", b="")
    assert (page.html, page.properties) == ("", {"key": "value"})
    assert (page.lines_above, page.lines_below) == (0, 0)


def test_a_note_that_was_deleted_meanwhile_is_an_error_that_says_so(pages: Pages, tmp_path: Path) -> None:
    pages("a", a="text", b="text")
    (tmp_path / "a.md").unlink()
    with pytest.raises(NoteError, match=r"a"):
        pages("a.md")
    with pytest.raises(NoteError, match="unknown"):
        pages("unknown")


def test_a_long_note_is_shown_in_part_with_the_lines_that_were_asked_for(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_page, "MOST_SHOWN", 1_000)
    text = "---\na: b\n---\n" + "".join(f"word{number}\n\n" for number in range(1_000))
    page = pages("a", a=text)
    assert (page.first_line, page.lines_above) == (4, 0)
    assert page.last_line + page.lines_below == 2003
    assert "word1<" in page.html
    assert "word999<" not in page.html
    later = pages(f"a:{page.last_line + 1}")
    assert later.first_line <= page.last_line + 1 <= later.last_line
    end = pages("a:2003")
    assert (end.lines_above, end.lines_below) == (end.first_line - 4, 0)
    assert "word999<" in end.html


def test_a_line_longer_than_a_page_is_cut(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note_page, "MOST_SHOWN", 1_000)
    page = pages("a", a="word " * 1_000)
    assert len(page.html) < 1_100


HUGE = """
import sys
from pathlib import Path
from notewell import Vault
from notewell.serve.web.note_page import note_page
root = Path(sys.argv[1])
notes = {
    "prose": "The *quick* brown fox sees [[prose]] #tag.\\n\\n" * 110_000,
    "brackets": "[" * 1_000_000,
}
name = sys.argv[2]
(root / "note.md").write_text(notes[name])
with Vault.open(root, {"embed.model": "words"}) as vault:
    vault.index()
    signal.setitimer(signal.ITIMER_PROF, 30)
    page = note_page(vault, "note.md")
    assert len(page.html) < 3_000_000, len(page.html)
"""


@pytest.mark.parametrize("name", ["prose", "brackets"])
def test_a_note_of_five_megabytes_or_of_one_huge_line_has_a_page(tmp_path: Path, name: str) -> None:
    run_within(120, HUGE, str(tmp_path), name)


def test_images_in_html_are_found_beside_the_note(pages: Pages, tmp_path: Path) -> None:
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "hive.png").write_bytes(b"png")
    page = pages("a", a="<img src='img/hive.png' width=20> ![[hive.png]] <img src='../hive.png'> <img src='no.png'>\n")
    assert [found.get("src") for tag, found in Elements(page.html).found if tag == "img"] == [
        "/file/img/hive.png",
        "/file/img/hive.png",
        None,
        None,
    ]


def test_a_link_to_a_file_that_is_no_note_leads_to_it_unless_it_is_excluded(pages: Pages, tmp_path: Path) -> None:
    for name in ("sheet.xyz", ".hidden.xyz"):
        (tmp_path / name).write_bytes(b"x")
    page = pages(
        "a", a="[a](sheet.xyz) [b](.hidden.xyz) [c](no.xyz) [d](%00.png) [e](../x.png) [f](<" + "g" * 900 + ".png>)"
    )
    assert [found.get("href") for tag, found in Elements(page.html).found if tag == "a"] == [
        "/node/sheet.xyz",
        *[None] * 5,
    ]
