"""The graph in a real browser: a map that is drawn once, moved, searched and read without a mouse."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from notewell import Vault

from ..serving import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

DRAWN = "canvas[data-frames]"
# Long enough for a frame, and for the sharp one after a rest.
REST_MS = 600
# The pixels of the picture that are not paper.
INK = """() => {
    const canvas = document.querySelector("canvas");
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return pixels.reduce((count, pixel) => count + (pixel !== pixels[0]), 0);
}"""
# The name of the note that is lit up.
HOVERED = ".card:not([hidden]) a"


def show(page: Page, served: Served, path: str = "/graph") -> None:
    page.goto(f"http://{served.host}:{served.port}{path}")
    page.locator(DRAWN).wait_for()


def frames(page: Page) -> int:
    return int(page.locator("canvas").get_attribute("data-frames") or 0)


def picture(page: Page) -> str:
    """Return the picture once it no longer changes."""
    before = -1
    while before != frames(page):
        before = frames(page)
        page.wait_for_timeout(REST_MS)
    found: str = page.evaluate("document.querySelector('canvas').toDataURL()")
    return found


def opened(page: Page) -> str:
    return unquote(urlsplit(page.url).path)


def test_the_whole_vault_is_drawn_and_nothing_at_rest(sample: Served, browser_page: Page) -> None:
    show(browser_page, sample)
    picture(browser_page)
    assert browser_page.evaluate(INK) > 10_000
    # `picture` waits for a rest; this is a longer one.
    before = frames(browser_page)
    browser_page.wait_for_timeout(2 * REST_MS)
    assert frames(browser_page) == before
    assert "59 notes · 94 links · 8 communities" in browser_page.locator(".beside header").inner_text()


def test_dragging_keys_wheel_and_buttons_move_the_map_and_it_can_be_whole_again(
    sample: Served, browser_page: Page
) -> None:
    show(browser_page, sample)
    whole = picture(browser_page)
    canvas = browser_page.locator("canvas")
    seen = {whole}
    canvas.focus()
    for key in ("ArrowLeft", "+"):
        canvas.press(key)
        seen.add(picture(browser_page))
    browser_page.mouse.move(500, 500)
    browser_page.mouse.wheel(0, -400)
    seen.add(picture(browser_page))
    browser_page.mouse.down()
    browser_page.mouse.move(350, 380, steps=4)
    browser_page.mouse.up()
    seen.add(picture(browser_page))
    browser_page.get_by_role("button", name="Zoom in").click()
    seen.add(picture(browser_page))
    assert len(seen) == 6
    browser_page.get_by_role("button", name="Show everything").click()
    assert picture(browser_page) == whole
    assert opened(browser_page) == "/graph"


def test_the_note_in_the_middle_of_its_neighbourhood_is_lit_up_and_opened_by_a_click(
    sample: Served, browser_page: Page
) -> None:
    show(browser_page, sample, "/graph?note=Home")
    assert browser_page.locator("h1").inner_text() == "Around Home"
    box = browser_page.locator("canvas").bounding_box()
    assert box
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    browser_page.mouse.move(*middle)
    browser_page.locator(HOVERED, has_text="Home").wait_for()
    browser_page.mouse.click(*middle)
    browser_page.locator(".reading").wait_for()
    assert opened(browser_page) == "/node/Home.md"
    browser_page.go_back()
    browser_page.locator(DRAWN).wait_for()
    assert browser_page.locator("h1").inner_text() == "Around Home"


def test_the_list_beside_the_map_has_links_and_lights_up_the_map(sample: Served, browser_page: Page) -> None:
    show(browser_page, sample)
    plain = picture(browser_page)
    first = browser_page.locator(".beside section").first.locator("li").first.locator("a").first
    name = first.inner_text()
    first.focus()
    browser_page.locator(HOVERED, has_text=name).wait_for()
    assert picture(browser_page) != plain
    first.press("Enter")
    browser_page.locator(".reading h1", has_text=name).wait_for()


def test_one_goes_from_a_neighbourhood_to_a_wider_one_and_to_the_vault(sample: Served, browser_page: Page) -> None:
    show(browser_page, sample, "/graph?note=Home&hops=1")
    near = browser_page.locator(".beside header .where").inner_text()
    browser_page.locator(".hops").get_by_role("link", name="2").click()
    browser_page.locator(".hops a[aria-current]", has_text="2").wait_for()
    browser_page.locator(DRAWN).wait_for()
    assert browser_page.locator(".beside header .where").inner_text() != near
    browser_page.get_by_role("link", name="Whole vault").click()
    browser_page.locator("h1", has_text="The vault").wait_for()


def test_a_search_lights_up_what_it_finds(sample: Served, browser_page: Page) -> None:
    show(browser_page, sample)
    plain = picture(browser_page)
    browser_page.keyboard.press("/")
    browser_page.keyboard.type("varroa")
    browser_page.get_by_label("Notes that match").get_by_role("link", name="Varroa treatment", exact=True).wait_for()
    assert "highlighted" in browser_page.locator("#announcer").inner_text()
    assert picture(browser_page) != plain
    browser_page.get_by_role("searchbox").fill("")
    browser_page.get_by_label("Notes that match").locator("li").first.wait_for(state="detached")
    assert picture(browser_page) == plain


def test_the_address_can_light_up_notes_too(sample: Served, browser_page: Page) -> None:
    browser_page.goto(f"http://{sample.host}:{sample.port}/graph?text=path%3AGarden")
    found = browser_page.get_by_label("Notes that match")
    found.get_by_role("link", name="Varroa treatment", exact=True).wait_for()
    assert browser_page.get_by_role("searchbox").input_value() == "path:Garden"


def test_what_a_search_lights_up_comes_into_sight(sample: Served, browser_page: Page) -> None:
    show(browser_page, sample)
    box = browser_page.get_by_role("searchbox")
    box.fill("varroa")
    browser_page.get_by_label("Notes that match").get_by_role("link", name="Varroa treatment", exact=True).wait_for()
    whole = picture(browser_page)
    box.fill("")
    browser_page.get_by_label("Notes that match").locator("li").first.wait_for(state="detached")
    # The bees are not in the middle of the map.
    for _ in range(10):
        browser_page.get_by_role("button", name="Zoom in").click()
    box.fill("varroa")
    browser_page.get_by_label("Notes that match").get_by_role("link", name="Varroa treatment", exact=True).wait_for()
    browser_page.mouse.move(1390, 890)
    assert picture(browser_page) == whole


def test_the_legend_explains_colour_and_size_and_leads_to_a_community(sample: Served, browser_page: Page) -> None:
    show(browser_page, sample)
    whole = picture(browser_page)
    legend = browser_page.locator(".legend")
    assert "Colour: the community" in legend.inner_text() and "Size: PageRank" in legend.inner_text()
    assert "8 notes without links" in legend.inner_text()
    legend.get_by_role("button").first.click()
    assert picture(browser_page) != whole


def test_the_picture_follows_the_theme_of_the_system_and_is_the_same_each_time(
    sample: Served, browser_page: Page
) -> None:
    show(browser_page, sample)
    light = picture(browser_page)
    browser_page.emulate_media(color_scheme="dark")
    assert picture(browser_page) != light
    browser_page.emulate_media(color_scheme="light")
    browser_page.reload()
    browser_page.locator(DRAWN).wait_for()
    assert picture(browser_page) == light


def test_each_empty_map_has_a_face(make_vault: Callable[..., Vault], browser_page: Page) -> None:
    with make_vault({"a.md": "[[b]]", "b.md": "", "alone.md": "Nothing."}) as vault:
        vault.index()
        with serving(vault) as served:
            page = browser_page
            page.goto(f"http://{served.host}:{served.port}/graph?note=alone")
            page.get_by_role("heading", name="This note has no links").wait_for()
            page.get_by_role("link", name="Show the whole vault").click()
            page.locator(DRAWN).wait_for()
            page.goto(f"http://{served.host}:{served.port}/graph?note=nothing")
            page.locator(".problem h1").wait_for()


def test_a_vault_without_links_has_a_face(make_vault: Callable[..., Vault], browser_page: Page) -> None:
    with make_vault({"a.md": "One.", "b.md": "Two."}) as vault:
        vault.index()
        with serving(vault) as served:
            browser_page.goto(f"http://{served.host}:{served.port}/graph")
            browser_page.get_by_role("heading", name="No notes here link to each other").wait_for()


def test_a_vault_without_notes_has_a_face(make_vault: Callable[..., Vault], browser_page: Page) -> None:
    with make_vault({}) as vault:
        vault.index()
        with serving(vault) as served:
            browser_page.goto(f"http://{served.host}:{served.port}/graph")
            browser_page.get_by_role("heading", name="This vault has no notes yet").wait_for()


def test_on_a_phone_a_tap_lights_up_and_the_name_opens(sample: Served, browser_page: Page) -> None:
    browser = browser_page.context.browser
    assert browser
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    show(page, sample, "/graph?note=Home")
    box = page.locator("canvas").bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator(HOVERED, has_text="Home").click()
    page.locator(".reading").wait_for()
    context.close()
