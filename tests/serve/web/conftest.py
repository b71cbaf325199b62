"""A real browser: Debian's Chromium, or another one that `CHROMIUM` names, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..serving import Served, kept_up, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SAMPLE = Path(__file__).parents[3] / "examples" / "vault"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
# As root, in a container, and without asking the network for anything.
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
# A busy machine is no failure.
PATIENCE_MS = 120_000


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("Chromium is not installed: `make browser` installs it")
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: `make browser` installs it")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve a copy of the sample vault, indexed."""
    from notewell import Vault  # noqa: PLC0415

    root = shutil.copytree(
        SAMPLE, tmp_path_factory.mktemp("page") / "vault", ignore=shutil.ignore_patterns(".notewell")
    )
    with Vault.open(root, {"embed.encoder": "off"}) as vault:
        vault.index()
        with kept_up(vault) as kept, serving(kept) as served:
            yield served


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[Page]:
    """Return a new page; whatever it logs as an error fails the test."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    page: Any = context.new_page()
    mistakes: list[str] = []
    page.on("pageerror", lambda error: mistakes.append(str(error)))
    page.on("console", lambda message: mistakes.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert not [text for text in mistakes if "Failed to load resource" not in text]
