"""A note in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from tests.vaults import opened

from ..serving import Served, kept_up, serving
from .test_sanitise import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request

LONG = "\n\n".join(f"## Part {number}\n\nWords of part {number}, and more of them." for number in range(1, 40))
NOTES = {
    "long.md": f"# A long note\n\n{LONG}\n",
    "marked.md": "# Marks\n\nText[^1].\n\n> [!note]- Folded\n> inner words\n\n"
    + "filler\n\n" * 60
    + "last words\n\n[^1]: The footnote.\n",
    "other.md": "# Other\n\nIt rains. Somebody reads [[long|the long note]] today. It stops.\n",
    "wide.md": f"# {'Verylongtitle' * 20}\n\n{'unbroken' * 100}\n\n```\n{'code ' * 100}\n```\n\n"
    + "|a" * 60
    + "|\n"
    + "|-" * 60
    + "|\n"
    + "|word" * 60
    + "|\n\n$$\n"
    + "x" * 300
    + "\n$$\n",
    "lists.md": "# Lists\n\n- one\n- two\n- three\n\n```python\n" + "long = 1; " * 60 + "\n```\n",
    "arabic.md": "# Direction\n\nمرحبا بالعالم.\n\nLeft to right.\n",
    "empty.md": "",
    "huge.md": "".join(f"{'word ' * 20}{number}\n\n" for number in range(4_000)),
    "hostile.md": "# Hostile\n\n"
    + "\n\n".join(HOSTILE[:-4])
    + "\n\n![[evil]]\n\n<script>window.ran = 1</script>\n<img src=x onerror='window.ran = 1'>\n",
    "evil.md": "\n\n".join(HOSTILE) + "\n",
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (root / name).write_text(text, encoding="utf-8")
    (root / "hive.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with opened(root) as vault:
        vault.index()
        with kept_up(vault) as kept, serving(kept) as served:
            yield served


def show(page: Page, notes: Served, address: str) -> None:
    page.goto(f"http://{notes.host}:{notes.port}{address}")
    page.locator(".note, .problem").first.wait_for()


def in_sight(page: Page, selector: str) -> bool:
    """Tell whether an element is on the screen, as soon as it is."""
    page.wait_for_function(
        "selector => { const box = document.querySelector(selector)?.getBoundingClientRect();"
        " return box && box.bottom > 0 && box.top < innerHeight }",
        arg=selector,
    )
    return True


@pytest.mark.parametrize("name", ["hostile", "evil"])
def test_a_hostile_note_runs_nothing_and_loads_nothing(notes: Served, browser_page: Page, name: str) -> None:
    asked: list[Request] = []
    browser_page.on("request", lambda request: asked.append(request))
    browser_page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    show(browser_page, notes, f"/node/{name}.md")
    browser_page.locator(".about").wait_for(state="attached")
    browser_page.wait_for_load_state("networkidle")
    here = f"http://{notes.host}:{notes.port}"
    own = (f"/node/{name}.md", "/web/", f"/page/{name}.md", f"/related/{name}.md", "/progress")
    allowed = tuple(f"{here}{path}" for path in own)
    images = {request.url for request in asked if request.resource_type == "image"} - {f"{here}/web/icon.svg"}
    assert not [one.url for one in asked if not one.url.startswith(allowed) and one.url not in images]
    assert images <= {f"{here}/file/hive.png"}
    assert browser_page.evaluate("window.ran") is None
    assert (
        browser_page.locator("main .note :is(script, iframe, object, form, input, style, svg, link, base)").count() == 0
    )
    # An image that is left out is its text, and none is without one.
    assert browser_page.locator("main .note img:is(:not([src]), :not([alt]))").count() == 0


def test_the_matched_lines_are_marked_and_in_sight(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/long.md?lines=121")
    marked = browser_page.locator(".matched")
    assert marked.all_inner_texts() == ["Words of part 30, and more of them."]
    assert in_sight(browser_page, ".matched")


def test_the_band_of_a_list_is_one(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/lists.md?lines=3-5")
    shadows = browser_page.locator("li.matched").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).boxShadow.match(/-?[\\d.]+px/g).map(parseFloat))"
    )
    assert len(shadows) == 3
    # A band begins as far left as the furthest of its shadows.
    assert len({min(lengths) for lengths in shadows}) == 1


def test_the_name_of_a_language_covers_no_code(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/lists.md")
    room = browser_page.evaluate(
        """() => {
          const pre = document.querySelector("pre[data-language]");
          const inside = pre.getBoundingClientRect().top + parseFloat(getComputedStyle(pre).paddingTop);
          return pre.firstElementChild.getBoundingClientRect().top - inside;
        }"""
    )
    assert room > 0


def test_a_paragraph_has_the_direction_of_its_text(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/arabic.md")
    lefts = browser_page.locator(".note p").evaluate_all(
        """all => all.map((one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          return range.getBoundingClientRect().left - one.getBoundingClientRect().left;
        })"""
    )
    assert lefts[0] > 100
    assert lefts[1] < 1


def test_a_note_without_text_says_so(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/empty.md")
    assert browser_page.locator(".note").inner_text() == "This note has no text."


def test_escape_leads_to_the_start_if_there_is_no_way_back(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/long.md")
    browser_page.keyboard.press("Escape")
    browser_page.locator(".start").wait_for()


def test_a_folded_callout_opens_if_the_match_is_inside(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/marked.md?lines=6")
    assert browser_page.locator("details[open] .matched").inner_text() == "inner words"


def test_the_outline_follows_the_scroll_and_leads_to_headings(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/long.md")
    current = browser_page.locator(".outline [aria-current]")
    browser_page.get_by_role("button", name="Part 20", exact=True).click()
    browser_page.wait_for_function("() => document.querySelector('.outline [aria-current]')?.textContent === 'Part 20'")
    browser_page.keyboard.press("j")
    browser_page.wait_for_function("() => document.querySelector('.outline [aria-current]')?.textContent === 'Part 21'")
    browser_page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    browser_page.wait_for_function(
        "() => document.querySelector('.outline [aria-current]')?.textContent === 'A long note'"
    )
    assert current.count() == 1


def test_a_backlink_shows_its_sentence_and_leads_to_its_line(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/long.md")
    item = browser_page.locator(".notes li").first
    assert item.locator("span").inner_text() == "Somebody reads the long note today."
    assert item.locator("b").inner_text() == "the long note"
    item.get_by_role("link").click()
    browser_page.locator("h1", has_text="Other").wait_for()
    assert browser_page.url.endswith("/node/other.md?lines=3")
    browser_page.keyboard.press("Escape")
    browser_page.locator("h1", has_text="A long note").wait_for()


def test_a_footnote_is_reached_and_the_address_stays(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/marked.md")
    browser_page.locator("sup a").click()
    assert in_sight(browser_page, "#note-fn1")
    assert browser_page.url.endswith("/node/marked.md")


def test_a_long_note_goes_on_where_it_ends(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, "/node/huge.md")
    browser_page.get_by_role("link", name="Continue at line").click()
    browser_page.get_by_role("link", name="Show the beginning").wait_for()
    assert browser_page.locator(".matched").count() == 1


def test_a_missing_note_has_a_face_with_a_way_on(notes: Served, browser_page: Page) -> None:
    show(browser_page, notes, f"/node/{quote('Gone/Old bees.md')}")
    assert browser_page.get_by_role("link", name="Search for “Old bees”").is_visible()
    show(browser_page, notes, "/node/long.md?part=Wax")
    assert browser_page.get_by_role("status").filter(has_text="no heading 'Wax'").is_visible()


@pytest.mark.parametrize("width", [390, 900, 1400])
def test_nothing_is_wider_than_the_screen(notes: Served, browser_page: Page, width: int) -> None:
    browser_page.set_viewport_size({"width": width, "height": 800})
    show(browser_page, notes, "/node/wide.md")
    assert browser_page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_place_is_copied(notes: Served, browser_page: Page) -> None:
    browser_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    show(browser_page, notes, "/node/long.md?lines=121")
    browser_page.keyboard.press("c")
    browser_page.locator(".said", has_text="Copied long.md:121").wait_for()
    assert browser_page.evaluate("navigator.clipboard.readText()") == "long.md:121"
