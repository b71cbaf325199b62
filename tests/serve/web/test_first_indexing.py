"""A vault that was never indexed: the page shows how far its first indexing is, and works by itself afterwards."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from notewell import Vault

from ..serving import MANY, Served, hold, kept_up, serving, write_many

if TYPE_CHECKING:
    from playwright.sync_api import Page


@contextmanager
def new_vault(root: Path) -> Iterator[tuple[Served, threading.Event]]:
    """Serve a folder that was never indexed; its first run waits in the middle until it is let go on."""
    root.mkdir()
    (root / ".obsidian").mkdir()
    (root / "Garden").mkdir()
    (root / "Garden" / "zz last.md").write_text("---\ntags: [heron]\n---\nA heron stood in the pond.\n", "utf-8")
    write_many(root)
    with Vault.open(root, {"embed.encoder": "off"}) as vault:
        go_on = hold(vault)
        with kept_up(vault) as kept, serving(kept) as served:
            try:
                yield served, go_on
            finally:
                go_on.set()


def address(served: Served, path: str) -> str:
    return f"http://{served.host}:{served.port}{path}"


def test_the_first_indexing_is_shown_and_everything_works_afterwards(tmp_path: Path, browser_page: Page) -> None:
    with new_vault(tmp_path / "vault") as (served, go_on):
        browser_page.goto(address(served, "/search?text=heron"))
        banner = browser_page.locator("#indexing")
        banner.get_by_text(f"of {MANY + 1}").wait_for()
        assert browser_page.locator("#indexing progress").get_attribute("aria-label") == "Indexing your notes"
        assert browser_page.get_by_label("Filter by tag").count() == 0
        browser_page.get_by_role("link", name="Vault", exact=True).click()
        browser_page.get_by_text("Nothing is indexed yet.").wait_for()
        browser_page.go_back()
        go_on.set()
        # Nothing is clicked or loaded again.
        browser_page.locator(".result .title", has_text="zz last").wait_for()
        browser_page.get_by_label("Filter by tag").wait_for()
        banner.locator("progress").wait_for(state="detached")


def test_a_question_that_came_too_early_is_answered_after_it(tmp_path: Path, browser_page: Page) -> None:
    with new_vault(tmp_path / "vault") as (served, go_on):
        browser_page.route(
            "**/rag", lambda route: route.fulfill(status=503, json={"error": "Being indexed", "hint": ""})
        )
        browser_page.goto(address(served, "/ask?text=where+did+the+heron+stand"))
        browser_page.locator(".turn").get_by_text("Being indexed").wait_for()
        browser_page.unroute("**/rag")
        go_on.set()
        browser_page.locator(".answer", has_text="A heron stood in the pond").wait_for()
        assert browser_page.locator(".turn").count() == 1


def test_a_run_that_fails_is_said(tmp_path: Path, browser_page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from notewell.errors import EmbedError  # noqa: PLC0415

    with new_vault(tmp_path / "vault") as (served, _):
        monkeypatch.setattr(
            served.vault.models.embedder,
            "embed",
            lambda texts: (_ for _ in ()).throw(EmbedError("It broke", "Mend it")),
        )
        browser_page.goto(address(served, "/"))
        browser_page.locator("#indexing").get_by_text("It broke. Mend it").wait_for()


def test_progress_is_told_over_http(tmp_path: Path) -> None:
    with new_vault(tmp_path / "vault") as (served, go_on):
        found = served.get("/progress")
        assert not found["finished"] and found["run"] is not None
        go_on.set()
        run = served.vault.freshness.run
        run.join(60)
        assert served.get("/progress") == {"indexed": True, "finished": True, "run": None, "problem": ""}
