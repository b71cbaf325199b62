"""Every view for people who use a keyboard or a screen reader: axe finds nothing, in either theme, at any width."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

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


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(sample: Served, browser: Browser, view: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="`make browser` installs axe").Axe()
    path, shown = VIEWS[view]
    for theme in ("light", "dark"):
        for width in (390, 1400):
            context = browser.new_context(
                viewport={"width": width, "height": 900},
                color_scheme=theme,
                bypass_csp=True,  # axe is a script that the page does not load itself
            )
            page = context.new_page()
            page.goto(f"http://{sample.host}:{sample.port}{path}")
            page.locator(shown).first.wait_for(state="attached")
            found = axe.run(page).response["violations"]
            context.close()
            assert not [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found], (theme, width)
