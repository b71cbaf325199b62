from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.cases import cases

from notewell import Vault
from notewell.errors import NoteError
from notewell.index.readers import html


def text(body: str) -> str:
    return html.extract(f"<!DOCTYPE html><html><body>{body}</body></html>".encode()).text


@cases(
    ("body", "markdown"),
    [
        ("<h2>Bees</h2><p>Some <b>bold</b>\n  text<!-- no --> &amp; more</p>", "## Bees\n\nSome bold text & more\n"),
        ("one<br>two<div>three<p>four</div>", "one\ntwo\n\nthree\n\nfour\n"),
        ("<ul><li>a<ol><li>b<li>c<p>more</ol><li><p>d</ul>", "- a\n  1. b\n  2. c\n    more\n- d\n"),
        ("<pre>def f():\n  <i>return</i> 1<br>#</pre>", "```\ndef f():\n  return 1\n#\n```\n"),
        ("<p>run <code>make all</code>, then</p>", "run `make all`, then\n"),
        ("<blockquote>a<p>b</blockquote>c", "> a\n\n> b\n\nc\n"),
        ("<dl><dt>hive</dt><dd>a house of bees</dd></dl>", "hive\n\na house of bees\n"),
        ("<p># 1 in sales</p><p>---</p>", "\\# 1 in sales\n\n\\---\n"),
        ("<a href='b c.html'>one</a> <a href='d.md'>two</a>", "[one](<b c.html>) [two](d.md)\n"),
        ("<a href='https://a.org'>out</a> <a href='#x'>here</a> <a href='javascript:x()'>run</a>", "out here run\n"),
        ("<a href='d.md'><div>one</div><div>two</div></a>", "one\n\ntwo\n"),
    ],
)
def test_markup_becomes_markdown(body: str, markdown: str) -> None:
    assert text(body) == markdown


def test_a_table_keeps_its_columns_where_cells_are_merged() -> None:
    rows = "<tr><th rowspan=2>a</th><th colspan=2>b</th></tr><tr><td>c|d</td><td>e<br>f</td></tr><tr><td></td></tr>"
    assert text(f"<table><caption>Hives</caption>{rows}</table>") == (
        "Hives\n\n| a | b |  |\n| --- | --- | --- |\n|  | c\\|d | e f |\n"
    )


def test_a_table_that_only_orders_the_page_is_text() -> None:
    assert text("<table><tr><td><h2>Bees</h2>one</td><td>two</td></tr></table>") == "## Bees\n\none\n\ntwo\n"


@cases(
    "extra",
    [
        "<script>no()</script>",
        "<style>p { no: 1 }</style>",
        "<nav>no</nav>",
        "<aside>no</aside>",
        "<header>no</header>",
        "<footer>no</footer>",
        "<p hidden>no</p>",
        "<div style='Display : NONE'>no</div>",
        "<div role=navigation>no</div>",
        "<form><label>no</label><input value=no><select><option>no</select><button>no</button></form>",
        "<template><p>no</p></template>",
        "<noscript>no</noscript>",
        "<!-- no -->",
    ],
)
def test_navigation_and_hidden_elements_are_left_out(extra: str) -> None:
    assert text(f"<p>Bees</p>{extra}rye") == "Bees\n\nrye\n"


def test_a_header_with_the_heading_of_the_page_stays() -> None:
    assert text("<header><h1>Bees</h1><nav>no</nav></header><p>rye</p>") == "# Bees\n\nrye\n"


def test_the_main_part_is_the_text_if_it_has_most_of_it() -> None:
    assert text("<p>menu</p><main><p>All about bees</p></main>") == "All about bees\n"
    assert text("<p>menu</p><div role=main><p>All about bees</p></div>") == "All about bees\n"
    assert text("<p>All about bees</p><main>rye</main>") == "All about bees\n\nrye\n"
    assert text("<article>one</article><article>All about bees</article>") == "one\n\nAll about bees\n"


@cases(
    "data",
    [
        "<title>Bienenstöcke</title><p>grün".encode(),
        "<meta charset=iso-8859-1><title>Bienenstöcke</title><p>grün".encode("cp1252"),
        '<meta http-equiv="x" content="text/html; charset=windows-1252"><title>Bienenstöcke</title><p>grün'.encode(
            "cp1252"
        ),
        "<title>Bienenstöcke</title><p>grün".encode("utf-16"),
        "<meta charset=iso-8859-1><title>Bienenstöcke</title><p>grün".encode("utf-8-sig"),
        b"<?xml version='1.0' encoding='iso-8859-1'?><html><head><title>Bienenst\xf6cke</title><script src='x'/></head>"
        b"<body><p>gr&uuml;n</p></body></html>",
    ],
)
def test_the_encoding_is_the_one_that_the_page_declares(data: bytes) -> None:
    content = html.extract(data)
    assert (content.title, content.text) == ("Bienenstöcke", "grün\n")


def test_entities_that_a_page_defines_do_nothing() -> None:
    data = (
        b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "honey"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "/etc/hosts">]>'
        b'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Bees &a; &b; &x; rye</p></body></html>'
    )
    found = html.extract(data).text
    assert "Bees" in found and "rye" in found and "honey" not in found and "localhost" not in found


@cases("count", [300, 3_000, 100_000])
def test_a_page_deeper_than_any_stack_is_read(count: int) -> None:
    assert text("<div>" * count + "bees" + "</div>" * count + "<p>rye</p>") == "bees\n\nrye\n"


@cases("tag", ["<ul><li>", "<table><tr><td>", "<blockquote>", "<pre>", "<header><h1>", "<main>a"])
def test_deep_lists_and_tables_are_read_or_refused(tag: str) -> None:
    try:
        assert "bees" in text(tag * 50_000 + "bees")
    except NoteError as error:
        assert "too deep" in error.fact


def test_a_page_without_text_is_refused() -> None:
    for data in (b"", b" ", b"<script>x</script>"):
        with pytest.raises(NoteError, match="no text"):
            html.extract(data)


def test_a_page_is_found_by_its_words(make_vault: Callable[..., Vault]) -> None:
    page = "<title>Of bees</title><h1>Bees</h1><h2>Winter</h2><p>They huddle around the queen to keep her warm.</p>"
    with make_vault({"bees.html": page}) as vault:
        vault.index()
        assert vault.search("huddle queen")[0].heading == "Of bees > Bees > Winter"
