"""How long the graph takes to appear in a browser, and its frames while it is moved; Chromium, without a GPU."""

from __future__ import annotations

import os
import shutil
import statistics
from importlib.util import find_spec

from bench.child import Measured, in_child, percentiles, say
from bench.processes import serve_command, serving
from bench.vaults import BenchVault

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
LOADS = 5
FRAMES = 240
PATIENCE_MS = 120_000
REST_MS = 2_000
FIRST_FRAME = """() => {
    const at = (name) => performance.getEntriesByName(name)[0].startTime;
    return at("graph-drawn") - at("graph-data");
}"""
# Drags the map around in circles, a step for each frame of the screen.
DRAG = """async (count) => {
    const canvas = document.querySelector("canvas");
    const box = canvas.getBoundingClientRect();
    const send = (type, turn) => canvas.dispatchEvent(new PointerEvent(type, {
        clientX: box.left + 400 + 160 * Math.sin(turn / 8),
        clientY: box.top + 300 + 120 * Math.cos(turn / 8),
        pointerId: 1,
    }));
    const frame = () => new Promise(requestAnimationFrame);
    canvas.setPointerCapture = () => {};
    send("pointerdown", 0);
    const gaps = [];
    let last = await frame();
    for (let turn = 1; turn <= count; turn += 1) {
        send("pointermove", turn);
        const now = await frame();
        gaps.push(now - last);
        last = now;
    }
    send("pointerup", count);
    return gaps;
}"""


def measure_graph(vault: BenchVault) -> Measured:
    """Measure the graph view of a vault; nothing where there is no browser."""
    if not chromium() or not find_spec("playwright"):
        say("graph: Chromium or Playwright is not installed, left out (`make browser`)")
        return {}
    say(f"{vault.name}: the graph in a browser")
    with serving(serve_command(vault.root)) as (_, address):
        return in_child("graph_speed:time_graph", address=address)


def chromium() -> str:
    """Return the path of the browser; empty if there is none."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or ""


def time_graph(address: str) -> Measured:
    """Load the graph several times; then move it, zoomed out and zoomed in, and leave it alone."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(PATIENCE_MS)
        first = []
        for _ in range(LOADS):
            page.goto(f"{address}/graph")
            page.locator("canvas[data-frames]").wait_for()
            page.wait_for_function("performance.getEntriesByName('graph-drawn').length")
            first.append(page.evaluate(FIRST_FRAME))
        frames: Measured = {"whole": percentiles(page.evaluate(DRAG, FRAMES))}
        for _ in range(3):
            page.get_by_role("button", name="Zoom in").click()
        page.wait_for_timeout(REST_MS)
        frames["zoomed in"] = percentiles(page.evaluate(DRAG, FRAMES))
        page.wait_for_timeout(REST_MS)
        drawn = int(page.locator("canvas").get_attribute("data-frames") or 0)
        page.wait_for_timeout(REST_MS)
        at_rest = int(page.locator("canvas").get_attribute("data-frames") or 0) - drawn
        browser.close()
    return {"first_frame_ms": statistics.median(first), "frames_ms": frames, "frames_at_rest": at_rest}
