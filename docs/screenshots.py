"""Take a picture of each view of the page, in light and dark, at three widths: `make screenshots`.

With the fonts of Debian's `fonts-noto-core`, `fonts-noto-cjk` and `fonts-noto-color-emoji`, they look as on most
machines.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
OUT = ROOT / ".screenshots"
# Those that README and docs show, in fewer colours: a third of the bytes.
SHOWN = ("search-wide-light", "graph-wide-dark", "note-wide-light")
PICTURES, COLOURS = ROOT / "docs" / "pictures", 200
VIEWS = {
    "start": ("/", ".newest a"),
    "search": ("/search?text=why+does+my+loaf+spread+flat", ".preview .matched"),
    "note": ("/node/Recipes/Sourdough%20handbook.md?lines=89-95", ".about .notes"),
    "graph": ("/graph", "canvas[data-frames]"),
    "around": ("/graph?note=Home", "canvas[data-frames]"),
    "ask": ("/ask?text=why+does+my+loaf+spread+flat", ".preview .matched"),
    "vault": ("/status", ".findings li"),
}
WIDTHS = {"phone": (390, 800), "tablet": (900, 1100), "wide": (1400, 900)}
SETTLED_MS = 1000
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]


def main() -> None:
    """Serve a copy of the sample vault, and write the pictures into `.screenshots`, or the folder that is given."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        vault = shutil.copytree(ROOT / "examples/vault", Path(folder) / "vault")
        command = [sys.executable, "-m", "notewell", "serve", "--port", "0", "--vault", str(vault)]
        # What the encoder has read would differ from one run to the next.
        environment = {**os.environ, "NOTEWELL_EMBED_ENCODER": "off"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
            assert server.stdout
            address = server.stdout.readline().strip()
            try:
                _take(address, out)
            finally:
                server.terminate()
    if out == OUT:
        for name in SHOWN:
            with Image.open(out / f"{name}.png") as picture:
                picture.convert("RGB").quantize(COLOURS).save(PICTURES / f"{name}.png", optimize=True)


def _take(address: str, out: Path) -> None:
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for view in VIEWS:
            for width in WIDTHS:
                _take_view(browser, address, out, view, width)
        browser.close()


def _take_view(browser: Browser, address: str, out: Path, view: str, width: str) -> None:
    (path, shown), size = VIEWS[view], WIDTHS[width]
    for theme in ("light", "dark"):
        page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=theme)
        page.goto(address + path)
        page.locator(shown).first.wait_for(state="attached")
        # A list that is shorter than the window grows by itself.
        page.wait_for_timeout(SETTLED_MS)
        page.screenshot(path=out / f"{view}-{width}-{theme}.png")
        page.close()


if __name__ == "__main__":
    main()
