"""Every view for people who use a keyboard or a screen reader: axe finds nothing, in either theme, at any width."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import pytest

from ..serving import Served
from .conftest import PATIENCE_MS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VIEWS = {
    "start": ("/", ".syntax"),
    "results": ("/search?text=why+does+my+loaf+spread+flat", ".preview .matched"),
    "vault": ("/status", ".findings"),
    "ask": ("/ask?text=why+does+my+loaf+spread+flat", ".by"),
    "note": ("/node/Recipes/Sourdough%20handbook.md?lines=89-95", ".reading .matched"),
    "graph": ("/graph", "canvas[data-frames]"),
    "around a note": ("/graph?note=Home", "canvas[data-frames]"),
    "no such note": ("/node/nothing.md", ".problem"),
}
# What comes on demand, or when something is wrong: the view, and how it is reached from there.
STATES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "nothing found": ("/search?text=xqzvwk", lambda page: page.locator(".nothing").wait_for()),
    "reasons": ("/search?text=varroa", lambda page: show_why(page)),
    "keys": ("/node/Home.md", lambda page: show_keys(page)),
    "a server that is gone": ("/search?text=varroa", lambda page: lose_server(page)),
    "a question that is edited": ("/ask?text=when+do+I+treat+the+bees", lambda page: edit_question(page)),
    "no answer": ("/ask?text=who+won+the+match+in+Lisbon+yesterday", lambda page: page.locator(".refused").wait_for()),
    "open lists": ("/status", lambda page: open_lists(page)),
}
CONTRAST: dict[str, object] = {"runOnly": ["color-contrast"]}
OTHERS: dict[str, object] = {"rules": {"color-contrast": {"enabled": False}}}
# The themes differ in colour only, and the widths in layout. Contrast takes most of the time.
Run = tuple[Literal["light", "dark"], int, dict[str, object]]
RUNS: tuple[Run, ...] = (
    ("light", 1400, {}),
    ("light", 900, OTHERS),
    ("light", 390, OTHERS),
    ("dark", 390, CONTRAST),
    ("dark", 1400, CONTRAST),
)


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(sample: Served, browser: Browser, view: str) -> None:
    path, shown = VIEWS[view]
    check(browser, sample, path, lambda page: page.locator(shown).first.wait_for(state="attached"), RUNS)


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_in_what_comes_on_demand(sample: Served, browser: Browser, state: str) -> None:
    check(browser, sample, *STATES[state], (("light", 1400, {}), ("dark", 390, {})))


def check(browser: Browser, served: Served, path: str, reach: Callable[[Page], None], runs: tuple[Run, ...]) -> None:
    """Fail if axe finds something where a path leads, in themes and at widths."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="`make browser` installs axe").Axe()
    # axe is a script that the page does not load itself.
    context = browser.new_context(bypass_csp=True, viewport={"width": 1400, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(f"http://{served.host}:{served.port}{path}")
    reach(page)
    for theme, width, rules in runs:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        found = axe.run(page, options=rules).response["violations"]
        assert not [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found], (theme, width)
    context.close()


def show_why(page: Page) -> None:
    page.locator(".result").first.get_by_role("button", name="Why this?").click()
    page.locator(".bars .sum").wait_for()


def show_keys(page: Page) -> None:
    page.locator(".note").wait_for()
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    # Each key once, although Escape has a meaning of its own in a note.
    assert page.locator("dialog dt", has_text="Esc").count() == 1


def lose_server(page: Page) -> None:
    page.locator(".result").first.wait_for()
    page.route(re.compile("/search|/health"), lambda route: route.abort())
    page.get_by_role("searchbox").fill("bees")
    page.locator("#connection .error").wait_for()


def edit_question(page: Page) -> None:
    page.locator(".by").wait_for()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Edit the question").wait_for()


def open_lists(page: Page) -> None:
    page.locator(".findings", has_text="Largest notes").locator("li").first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")


def test_what_happens_is_said_to_those_who_listen(sample: Served, browser_page: Page) -> None:
    said = browser_page.locator("#announcer")
    browser_page.goto(f"http://{sample.host}:{sample.port}/search?text=varroa")
    browser_page.locator("#announcer", has_text="found").wait_for(state="attached")
    assert said.get_attribute("aria-live") == "polite"
    browser_page.keyboard.press("ArrowDown")
    title = browser_page.locator(".result").nth(1).locator(".title").inner_text()
    assert said.inner_text().startswith("2 of ") and said.inner_text().endswith(title)
    browser_page.keyboard.press("Enter")
    browser_page.locator("#announcer", has_text=title).wait_for(state="attached")
    browser_page.goto(f"http://{sample.host}:{sample.port}/search?text=xqzvwk")
    browser_page.locator("#announcer", has_text="Nothing found").wait_for(state="attached")


def test_nothing_glides_for_people_who_asked_for_less_motion(sample: Served, browser_page: Page) -> None:
    browser_page.goto(f"http://{sample.host}:{sample.port}/")
    scrolls = "getComputedStyle(document.documentElement).scrollBehavior"
    moves = "getComputedStyle(document.documentElement, '::before').animationName"
    browser_page.evaluate("document.documentElement.classList.add('loads')")
    assert [browser_page.evaluate(one) for one in (scrolls, moves)] == ["smooth", "loads"]
    browser_page.emulate_media(reduced_motion="reduce")
    assert [browser_page.evaluate(one) for one in (scrolls, moves)] == ["auto", "none"]
