"""Search as you type, in a real browser: from a keystroke to the painted results."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from typing import Any

from bench.child import Measured, percentiles, say
from bench.indexing import ensure_index
from bench.processes import memory_of, serve_command, serving
from bench.queries import load_queries
from bench.vaults import BenchVault

# Queries that are typed letter by letter, and the pause between two letters: a quick typist.
QUERIES, PAUSE_MS = 20, 120
WARM_UP = 3
# Notes the time of each keystroke, and of the frame in which its results are on the screen.
WATCH = """
window.taken = [];
let typed = 0;
addEventListener("input", () => { typed = performance.now(); }, true);
new MutationObserver((changes) => {
  if (!typed || !changes.some((one) => one.target.matches?.(".results, .notices"))) return;
  const since = typed;
  typed = 0;
  requestAnimationFrame(() => setTimeout(() => window.taken.push(performance.now() - since), 0));
}).observe(document, { childList: true, subtree: true });
"""


def measure_typing(vault: BenchVault) -> Measured:
    """Type queries into the page of a vault, and return the times; empty if there is no browser."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not chromium or find_spec("playwright") is None:
        say("typing: left out, because Chromium or Playwright is not installed (`make browser`)")
        return {}
    ensure_index(vault.root)
    texts = [text for kind, text in load_queries(vault.queries) if len(text) > 5 and "\n" not in text]
    with serving(serve_command(vault.root)) as (server, address):
        times = _type_all(chromium, address, texts[: QUERIES + WARM_UP])
        return {"keystrokes": len(times), **percentiles(times), "memory": memory_of(server)}


def _type_all(chromium: str, address: str, texts: list[str]) -> list[float]:
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page: Any = browser.new_page(viewport={"width": 1400, "height": 900})
        page.add_init_script(WATCH)
        page.goto(address)
        box = page.get_by_role("searchbox")
        times: list[float] = []
        for number, text in enumerate(texts):
            box.fill("")
            page.wait_for_timeout(PAUSE_MS)
            page.evaluate("window.taken.length = 0")
            box.press_sequentially(text[:40], delay=PAUSE_MS)
            page.wait_for_timeout(1000)
            times += page.evaluate("window.taken") if number >= WARM_UP else []
        browser.close()
    return times
