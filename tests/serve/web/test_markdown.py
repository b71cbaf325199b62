from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.serve.web.markdown import Heading, Style, render
from notewell.serve.web.note_links import NoteLinks

from .safe_html import Elements

ENDS = {"Bees": "Garden/Bees.md", "a b": "a b.md", "C# notes.md": "C# notes.md", "hive.png": "img/hive.png"}


def shown(text: str, style: Style = Style(0)) -> str:  # noqa: B008
    """Return the HTML of a text without lines and relations, which most cases do not care about."""
    html, _ = render(text, NoteLinks(ENDS.get, lambda path, anchor: f"<p>{path} {anchor}</p>"), style)
    return html.replace(' rel="noreferrer noopener"', "").strip()


@cases(
    "text, html",
    [
        ("[[Bees]]", '<p><a href="/node/Garden/Bees.md">Bees</a></p>'),
        ("[[Bees|honey]]", '<p><a href="/node/Garden/Bees.md">honey</a></p>'),
        ("[[Bees#In winter]]", '<p><a href="/node/Garden/Bees.md?part=In+winter">Bees › In winter</a></p>'),
        ("[[Bees#^a1]]", '<p><a href="/node/Garden/Bees.md?part=%5Ea1">Bees</a></p>'),
        ("[[#Here]]", '<p><a href="?part=Here">Here</a></p>'),
        ("[[Nowhere]]", '<p><a title="There is no such note">Nowhere</a></p>'),
        ("[x](a%20b)", '<p><a href="/node/a%20b.md">x</a></p>'),
        ("[x](<a b>)", '<p><a href="/node/a%20b.md">x</a></p>'),
        ("[x](C%23%20notes.md#top)", '<p><a href="/node/C%23%20notes.md?part=top">x</a></p>'),
        ("see ![[Bees]]", '<p>see <a href="/node/Garden/Bees.md">Bees</a></p>'),
        ("![[hive.png]]", '<p><img src="/file/img/hive.png" alt="hive.png"></p>'),
        ("![[hive.png|300]]", '<p><img src="/file/img/hive.png" alt="hive.png" width="300"></p>'),
        ("![Hive|30x20](hive.png)", '<p><img src="/file/img/hive.png" alt="Hive" width="30" height="20"></p>'),
        ("![[gone.png]]", '<p><a title="There is no such note">gone.png</a></p>'),
        ("`[[Bees]]`", "<p><code>[[Bees]]</code></p>"),
    ],
)  # fmt: skip
def test_links_and_images_lead_into_the_vault(text: str, html: str) -> None:
    assert shown(text) == html


@cases(
    "text, html",
    [
        ("#garden/bees!", '<p><a href="/search?text=tag%3Agarden%2Fbees" class="hashtag">#garden/bees</a>!</p>'),
        ("#12 a#b [#c](Bees)", '<p>#12 a#b <a href="/node/Garden/Bees.md">#c</a></p>'),
        ("==wet *rye*==", "<p><mark>wet <em>rye</em></mark></p>"),
        ("a == b == c", "<p>a == b == c</p>"),
        ("a %%hidden%% b", "<p>a  b</p>"),
        ("`%%a%%` <!-- hidden --> b", "<p><code>%%a%%</code>  b</p>"),
        ("A block. ^name-1", "<p>A block.</p>"),
        ("2^10 and x^y", "<p>2^10 and x^y</p>"),
        ("due:: soon", '<p><span class="field">due</span>  soon</p>'),
        ("at [due:: *soon*]", '<p>at <span class="field">due</span> <span><em>soon</em></span></p>'),
        ("for $e^x$, $5 or $6", '<p>for <code class="math">e^x</code>, $5 or $6</p>'),
        ("$$\na < b\n$$", '<pre class="math">a &lt; b</pre>'),
        ("key: [REDACTED:password]", '<p>key: <span class="redacted" title="A secret was removed">password</span></p>'),
        ("a\nb", "<p>a\nb</p>"),
        ("https://a.org/b.", '<p><a href="https://a.org/b" class="outside">https://a.org/b</a>.</p>'),
        ("a\u200bb", "<p>a\\u200bb</p>"),
        ("&#x202e;a", "<p>\\u202ea</p>"),
    ],
)
def test_marks_in_a_line_are_read_as_obsidian_reads_them(text: str, html: str) -> None:
    assert shown(text) == html


@cases(
    "mark, box",
    [(" ", 'title="to do"></span>'), ("x", 'title="done">✓</span>'), ("-", 'title="cancelled">–</span>'),
     ("/", 'title="in progress">◐</span>'), ("!", ">!</span>")],
)  # fmt: skip
def test_a_task_has_a_box_with_its_mark(mark: str, box: str) -> None:
    html = shown(f"- [{mark}] water the *rye*")
    assert html.startswith('<ul>\n<li class="task"><span class="check"')
    assert f"{box} water the <em>rye</em></li>" in html


def test_a_callout_has_a_title_and_may_be_folded() -> None:
    assert shown("> [!warning] Mind *this*\n> Text") == (
        '<div class="callout" data-callout="warning">\n<div class="callout-title">Mind <em>this</em></div>\n'
        "<p>Text</p>\n</div>"
    )
    assert shown("> [!TIP]-\n> Text").startswith('<details class="callout" data-callout="tip">\n<summary')
    assert shown("> [!tip]+ Open\n> Text").startswith('<details class="callout" data-callout="tip" open="">')
    assert shown("> [!a]\n> > [!b]\n> > c").count('class="callout"') == 2
    assert shown("> Not [!a] callout") == "<blockquote>\n<p>Not [!a] callout</p>\n</blockquote>"


def test_an_embed_by_itself_shows_the_note_with_a_link_to_it() -> None:
    assert shown("![[Bees#Wax]]") == (
        '<div class="embed"><p>Garden/Bees.md Wax</p><p class="source">'
        '<a href="/node/Garden/Bees.md?part=Wax">Bees › Wax</a></p></div>'
    )
    assert shown("![[Nowhere]]") == '<p><a title="There is no such note">Nowhere</a></p>'


def test_code_names_its_language_and_marks_secrets() -> None:
    html = shown("```mermaid\nA --> B\n[REDACTED:password]\n```")
    assert html.startswith('<pre data-language="mermaid"><code>A --&gt; B\n<span class="redacted"')


def test_line_breaks_are_shown_where_obsidian_shows_them() -> None:
    assert shown("a\nb", Style(0, breaks=True)) == "<p>a<br>\nb</p>"


def test_every_block_knows_its_lines() -> None:
    text = "# A\n\nb\nc\n\n- d\n- e\n\n> [!note] f\n> g\n\n```\nh\ni\n```\n\n| j |\n|---|\n| k |\n"
    html, headings = render(text, NoteLinks(ENDS.get), Style(11))
    lines = [(tag, found["data-line"]) for tag, found in Elements(html).found if "data-line" in found]
    assert lines == [
        *[("h1", "11"), ("p", "13-14"), ("ul", "16-18"), ("li", "16"), ("li", "17-18")],
        *[("div", "19-20"), ("div", "19"), ("p", "20"), ("span", "23"), ("span", "24")],
        *[("table", "27-29"), ("thead", "27"), ("tr", "27"), ("tbody", "29"), ("tr", "29")],
    ]
    assert headings == (Heading(1, "A", 11),)


def test_a_comment_over_many_lines_moves_no_line() -> None:
    html, _ = render("a %%b\n\nc\n%%\n\nd\re\n\nf", NoteLinks(ENDS.get))
    assert re.findall(r'data-line="([^"]+)">(\w)', html) == [("1", "a"), ("6", "d"), ("8", "f")]


@given(st.lists(st.sampled_from(["a\n", "\n", "- b\n", "> c\n", "%%\n", "```\n", "$$\n", "    d\n", "# e\n", "|f|\n"])))
def test_no_line_is_beyond_the_end_of_the_note(lines: list[str]) -> None:
    html, _ = render("".join(lines), NoteLinks(ENDS.get))
    named = [int(number) for each in re.findall(r'data-line="([^"]+)"', html) for number in each.split("-")]
    assert all(1 <= number <= max(1, len(lines)) for number in named)


def test_the_outline_has_the_words_of_the_headings() -> None:
    _, headings = render("# [[Bees|Honey]] `a` <b>c</b> [REDACTED:x]\n\n> ## *Deep* ^id\n", NoteLinks(ENDS.get))
    assert headings == (Heading(1, "Honey a c …", 1), Heading(2, "Deep", 3))


def test_headings_of_an_embed_are_no_headings_of_the_page() -> None:
    assert shown("# A", Style(0, headings=False)) == '<p class="heading">A</p>'


def test_the_columns_of_a_table_are_aligned() -> None:
    html = shown("| a | b | c |\n|:-:|--:|---|\n| 1 | 2 | 3 |\n")
    assert re.findall(r"<td([^>]*)>", html) == [' align="center"', ' align="right"', ""]
    assert "style" not in html
