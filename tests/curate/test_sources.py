"""What signals are read from: lists, feeds, mails, pages, notes and folders, also those that mean harm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.bounded import run_within

from notewell.curate.feeds import LARGEST, MOST_ITEMS, read_feed
from notewell.curate.signals import Signal, make_signal
from notewell.curate.sources import Read, read_data, read_source
from notewell.errors import CurateError
from notewell.index.readers.sandbox import Extraction

RSS = """<?xml version="1.0"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>Bee news</title><link>https://bees.example</link>
<item><title>Swarms &amp; queens</title><link>https://bees.example/1?utm_source=x</link><dc:creator>Kim</dc:creator>
<pubDate>Tue, 05 Mar 2024 10:00:00 GMT</pubDate><description>Short.</description>
<content:encoded>
<![CDATA[<p>A swarm <b>leaves</b>.</p><script>alert(1)</script><ul><li>one</li></ul>]]></content:encoded>
</item>
<item><title>No link</title><description>Text.</description></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Atoms</title>
<entry><title>One</title><link rel="self" href="https://a.example/self"/><link href="https://a.example/1"/>
<author><name>Ada</name><email>ada@a.example</email><uri>https://a.example</uri></author><updated>2024-05-01T10:00:00Z</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>First &lt;x&gt; of <a href="https://b.example/2">two</a>.</p><p>Second.</p></div></content></entry>
</feed>"""
OPML = '<opml version="2.0"><body><outline text="B"><outline text="Bees" xmlUrl="https://b.example/f"/></outline></body></opml>'
MAIL = b"""From: Kim <kim@example.org>
Subject: =?utf-8?q?H=C3=B6nig?=
Date: Tue, 05 Mar 2024 10:00:00 +0100
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=x

--x
Content-Type: text/html; charset=utf-8

<p>The <b>html</b></p>
--x
Content-Type: text/plain; charset=utf-8

The plain text.
--x--
"""


@pytest.fixture
def extraction() -> Iterator[Extraction]:
    with Extraction(60) as made:
        yield made


def test_rss_items_have_their_longest_text_without_scripts_and_an_address_without_tracking(
    extraction: Extraction,
) -> None:
    feed = read_feed(RSS.encode(), "f.xml", extraction)
    first, second = feed.items
    assert (first.title, first.url) == ("Swarms & queens", "https://bees.example/1")
    assert (first.author, first.published, first.source) == ("Kim", "2024-03-05", "Bee news")
    assert first.text == "A swarm leaves.\n\n- one" and second.text == "Text."


def test_atom_and_opml_are_read(extraction: Extraction) -> None:
    (entry,) = read_feed(ATOM.encode(), "f.atom", extraction).items
    assert (entry.url, entry.author, entry.published) == ("https://a.example/1", "Ada", "2024-05-01")
    assert entry.text == "First <x> of [two](https://b.example/2).\n\nSecond."
    assert read_feed(OPML.encode(), "f.opml", extraction).feeds == (("https://b.example/f", "Bees"),)


def test_items_are_told_apart_by_anchors_and_by_words_but_not_by_the_address_of_their_home(
    extraction: Extraction,
) -> None:
    def items(*links: str) -> tuple[Signal, ...]:
        made = (f"<item><title>{n}</title><guid>{link}</guid></item>" for n, link in enumerate(links))
        return read_feed(f"<rss><channel>{''.join(made)}</channel></rss>".encode(), "f.xml", extraction).items

    changes = items("https://a.example/log#1", "https://a.example/log#2")
    assert len({one.id for one in changes}) == 2 and all(one.url for one in changes)
    home = items("https://a.example", "https://a.example/")
    assert len({one.id for one in home}) == 2 and not any(one.url for one in home)
    opaque = items("urn:uuid:1")
    assert not opaque[0].url


def test_a_feed_in_an_encoding_of_several_bytes_is_read(extraction: Extraction) -> None:
    text = '<?xml version="1.0" encoding="GBK"?><rss><channel><item><title>蜜蜂</title></item></channel></rss>'
    assert read_feed(text.encode("gbk"), "f.xml", extraction).items[0].title == "蜜蜂"


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><rss><channel>&b;</channel></rss>'


@pytest.mark.parametrize(
    ("data", "fact"),
    [
        (LAUGHS, "declares a document type or entities"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><rss/>', "declares a document type or entities"),
        ("<rss>" + "<a>" * 200, "nested more than 100 levels"),
        ("<html><body>x</body></html>", "is XML, but not a feed: it begins with <html>"),
        ("<rss><channel>", "is not a feed"),
        ("<rss>&undefined;</rss>", "is not a feed"),
        ('<?xml version="1.0" encoding="nonsense"?><rss/>', "is not a feed"),
        (
            f"<rss><channel>{'<item><title>x</title></item>' * (MOST_ITEMS + 1)}</channel></rss>",
            "more than 1,000 items",
        ),
        ("<rss>" + " " * LARGEST + "</rss>", "bytes; a feed has at most"),
    ],
)
def test_a_hostile_feed_is_a_fact_and_a_hint(extraction: Extraction, data: str, fact: str) -> None:
    with pytest.raises(CurateError, match=fact):
        read_feed(data.encode(), "f.xml", extraction)


def test_a_mail_has_its_plain_text_sender_and_day(extraction: Extraction) -> None:
    (signal,) = read_data(MAIL, "m.eml", extraction).signals
    assert (signal.title, signal.author, signal.published) == ("Hönig", "Kim", "2024-03-05")
    assert signal.text == "The plain text." and signal.source == "mail from Kim"
    broken = b"From a@b Tue Mar  5 10:00:00 2024\n\n\n"
    box = broken + b"From a@b Tue Mar  5 10:00:00 2024\n" + MAIL + b"\nFrom c@d Wed Mar  6 10:00:00 2024\n" + MAIL
    # One mail that cannot be read costs only itself.
    read = read_data(box, "all.mbox", extraction)
    assert len(read.signals) == 2 and [one.path for one in read.left] == ["all.mbox, mail 1"]
    for name in ("", "1709629200.M1P2.host:2,S"):
        assert len(read_data(MAIL, name, extraction).signals) == 1
    links = MAIL.split(b"\n", 1)[0] + b"\nSubject: later\n\nhttps://a.example/x\n"
    (found,) = read_data(links, "m.eml", extraction).signals
    assert (found.title, found.url) == ("later", "https://a.example/x")
    for charset in (b"nonsense", b"idna"):
        odd = b"From: a\nSubject: s\nContent-Type: text/plain; charset=%b\n\nH\xc3\xb6nig\n" % charset
        assert read_data(odd, "m.eml", extraction).signals[0].text == "Hönig"


def test_a_mail_of_nonsense_is_read_or_refused_but_never_a_crash(extraction: Extraction) -> None:
    parts = (
        b"Content-Type: multipart/mixed; boundary=x\n\n" + b"--x\nContent-Type: multipart/mixed; boundary=x\n\n" * 500
    )
    hostile = (
        b"Content-Type: text/plain; charset=nonsense\nFrom: x\n\n\xff",
        b"\x00\xff" * 9,
        b"From: \xff\n\n",
        b"",
        parts,
    )
    for data in hostile:
        read = read_data(data, "x.eml", extraction)
        assert len(read.signals) + len(read.left) == 1


SLOW = """
from xml.sax.saxutils import escape
from notewell.curate.scoring import actionability
from notewell.curate.sources import read_data
from notewell.index.readers.sandbox import Extraction

with Extraction(60) as extraction:
    many = 190_000
    for text in ("<a " * 60_000, "x" + "\\n" * many + "y", "https://a.example " + "-" * many + "x", " " * many):
        feed = f"<rss><channel><item><title>x</title><description>{escape(text)}</description></item></channel></rss>"
        for data, name in ((feed, "f.xml"), (f"x{text}", "a.txt"), (f"{text}x", "")):
            go_on(f"{text[:9]!r} as {name}")
            for found in read_data(data.encode(), name, extraction).signals:
                assert found.title and actionability(found).value <= 1
"""


SLOW_MAILS = """
from notewell.curate.sources import read_data
from notewell.index.readers.sandbox import Extraction

many = 200_000
with Extraction(60) as extraction:
    params, quotes, words = b"Content-Type: text/plain; " + b"a*1=x; " * many, b'From: "' * many, b"Subject: =?utf-8?q?"
    for fields in (params, quotes, words * many):
        go_on(f"{fields[:16]!r}")
        (found,) = read_data(b"Message-ID: <a@b.example>\\n" + fields + b"\\n\\nHoney.\\n", "a.eml", extraction).signals
        assert found.text == "Honey."
    parts = b"Content-Type: multipart/mixed; boundary=b\\n\\n" + b"--b\\n\\nx\\n" * 1_000_000
    assert not read_data(parts, "b.eml", extraction).signals
"""


@pytest.mark.parametrize("script", [SLOW, SLOW_MAILS])
def test_a_text_that_is_made_to_take_hours_takes_a_moment(script: str) -> None:
    run_within(30, script)


def test_lists_of_addresses_and_text_are_told_apart(extraction: Extraction) -> None:
    listed = read_data(b"# read\n- [Bees](https://a.example/b)\n\nhttps://c.example/d\n", "", extraction).signals
    assert [(one.title, one.url) for one in listed] == [("Bees", "https://a.example/b"), ("", "https://c.example/d")]
    (text,) = read_data(b"A thought about https://a.example.\nAnd more.", "", extraction).signals
    assert text.title == "A thought about https://a.example." and not text.url


def test_pages_notes_and_pdf_files_of_a_folder_are_read_and_others_named(
    extraction: Extraction, tmp_path: Path
) -> None:
    pytest.importorskip("lxml")
    page = "<html><head><title>Rye</title><link rel='canonical' href='https://r.example/rye'></head><body><p>Bread.</p>"
    (tmp_path / "page.html").write_text(page)
    (tmp_path / "note.md").write_text("---\ntitle: A note\nsource: https://n.example\n---\nText.\n")
    (tmp_path / "picture.png").write_bytes(b"x")
    (tmp_path / ".hidden.md").write_text("x")
    (tmp_path / "feed.xml").write_text(LAUGHS)
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    read = read_source(str(tmp_path), extraction)
    found = {one.title: one for one in read.signals}
    assert {*found} == {"Rye", "A note"}
    assert (found["Rye"].url, found["Rye"].text) == ("https://r.example/rye", "Bread.")
    assert (found["A note"].url, found["A note"].text) == ("https://n.example", "Text.")
    assert [Path(one.path).name for one in read.left] == ["feed.xml", "picture.png"]


@pytest.mark.parametrize("source", ["nowhere.xml", "https://", "https://[bad", "", " "])
def test_a_source_that_is_not_there_is_an_error(extraction: Extraction, source: str) -> None:
    with pytest.raises(CurateError):
        read_source(source, extraction)


def test_secrets_and_hidden_characters_never_get_into_a_signal() -> None:
    secret = "AKIA" + "ZQ4WNX7TRLMB2KPD"
    made = make_signal(f"key {secret}\x1b[31m", f"a\u202eb {secret}", url=f"https://u:p@x.example/?k={secret}")
    assert secret not in repr(made) and "\x1b" not in made.title and "\u202e" not in made.text
    assert made.url.startswith("https://x.example/")


def test_nothing_is_left_of_a_reading(extraction: Extraction) -> None:
    assert Read() == Read([], [], [])
    with pytest.raises(CurateError, match="is empty"):
        read_data(b" \n", "", extraction)
