"""Every view for people who use a keyboard or a screen reader: axe finds nothing, in either theme, at any width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

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
CONTRAST: dict[str, object] = {"runOnly": ["color-contrast"]}
OTHERS: dict[str, object] = {"rules": {"color-contrast": {"enabled": False}}}
# The themes differ in colour only, and the widths in layout. Contrast takes most of the time.
RUNS: tuple[tuple[Literal["light", "dark"], int, dict[str, object]], ...] = (
    ("light", 1400, {}),
    ("light", 900, OTHERS),
    ("light", 390, OTHERS),
    ("dark", 390, CONTRAST),
    ("dark", 1400, CONTRAST),
)


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(sample: Served, browser: Browser, view: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="`make browser` installs axe").Axe()
    path, shown = VIEWS[view]
    # axe is a script that the page does not load itself.
    context = browser.new_context(bypass_csp=True, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.goto(f"http://{sample.host}:{sample.port}{path}")
    page.locator(shown).first.wait_for(state="attached")
    for theme, width, rules in RUNS:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        found = axe.run(page, options=rules).response["violations"]
        assert not [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found], (theme, width)
    context.close()
