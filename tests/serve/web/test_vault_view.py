"""The vault's own view: what is indexed, progress and pause, and what deserves a look."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_the_vault_shows_its_numbers_and_what_deserves_a_look(sample: Served, browser_page: Page) -> None:
    browser_page.goto(f"http://{sample.host}:{sample.port}/status")
    browser_page.get_by_role("link", name="Engineering/Deploy runbook.md:46").wait_for()
    facts = dict(
        zip(
            browser_page.locator(".facts dt").all_inner_texts(),
            browser_page.locator(".facts dd").all_inner_texts(),
            strict=True,
        )
    )
    assert facts["Notes"] == str(sample.get("/status")["notes"])
    browser_page.get_by_text("[[Saga pattern]] (no such note)").wait_for()
    browser_page.get_by_text("Largest notes").wait_for()


def test_a_new_note_is_indexed_by_the_button(sample: Served, browser_page: Page) -> None:
    browser_page.goto(f"http://{sample.host}:{sample.port}/status")
    browser_page.get_by_role("button", name="Index now").wait_for()
    note = Path(sample.vault.root) / "Brand new.md"
    note.write_text("A heron stood in the pond.", "utf-8")
    try:
        before = browser_page.locator(".facts dd").first.inner_text()
        browser_page.get_by_role("button", name="Index now").click()
        browser_page.locator(".facts dd").first.filter(has_text=str(int(before) + 1)).wait_for()
    finally:
        note.unlink()


def test_commands_in_sentences_are_code(sample: Served, browser_page: Page) -> None:
    browser_page.goto(f"http://{sample.host}:{sample.port}/status")
    shown = browser_page.evaluate(
        """async () => {
          const { h, sentence } = await import("/web/dom.js");
          return h("p", {}, sentence("Run `notewell <index>` first. A ` alone")).innerHTML;
        }"""
    )
    assert shown == "Run <code>notewell &lt;index&gt;</code> first. A ` alone"


def test_findings_name_places_of_secrets_and_never_a_secret(sample: Served) -> None:
    found = sample.get("/findings")
    assert {"path": "Engineering/Deploy runbook.md", "line": 46, "rule": "password", "place": ""} in found["secrets"]
    assert [one["bytes"] for one in found["largest"]] == sorted(
        (one["bytes"] for one in found["largest"]), reverse=True
    )


def test_background_work_is_paused_and_resumed_over_http(sample: Served) -> None:
    try:
        assert sample.ask("/pause", method="POST").data == {"paused": True}
        assert sample.get("/health")["paused"]
    finally:
        assert sample.ask("/resume", method="POST").data == {"paused": False}
    assert not sample.get("/health")["paused"]
