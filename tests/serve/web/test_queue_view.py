"""The review queue in the page: the boxes of the note, applied, declined and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..serving import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NOTES = {
    "notewell.toml": '[curate]\nfolders = ["."]\n[llm]\nmodel = "off"\n',
    "_taxonomy.md": "- #bees: hive, queen, brood and honey\n",
    "New hive.md": "A new hive needs a queen and brood; honey follows. See [[Wax-moths]] <img src=x>.\n",
    **{f"Bees {n}.md": f"---\ntags: [bees]\n---\nThe hive has a queen, brood and honey {n}.\n" for n in range(4)},
    "Wax moths.md": "---\ntags: [bees]\n---\nMoths of the hive.\n",
}
ELSEWHERE = {"Origin": "https://evil.example", "Content-Type": "application/json"}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    from notewell import Vault  # noqa: PLC0415

    for name, text in NOTES.items():
        (tmp_path / name).write_text(text)
    with Vault.open(tmp_path, {"embed.encoder": "off", "embed.model": "words"}) as vault:
        vault.index()
        with serving(vault) as running:
            yield running


def test_proposals_are_ticked_declined_applied_and_taken_back(served: Served, browser_page: Page) -> None:
    root = Path(served.vault.root)
    page = browser_page
    page.goto(f"http://{served.host}:{served.port}/status")
    queue = page.get_by_role("region", name="Review queue")
    queue.get_by_role("button", name="Find proposals").click()
    queue.get_by_text("2 proposals, 2 new.").wait_for()
    tag, link = (queue.locator(".proposal").filter(has_text=text) for text in ("#bees", "[[Wax-moths]]"))
    assert queue.locator("img").count() == 0
    link.get_by_role("button", name="Decline").click()
    tag.get_by_role("checkbox").check()
    queue.get_by_role("button", name="Apply 1, decline 1").click()
    queue.get_by_text("1 proposal applied.").wait_for()
    assert "tags:\n  - bees\n" in (root / "New hive.md").read_text()
    assert "- [-] [[New hive]], line 1" in (root / "_review-queue.md").read_text()
    queue.get_by_role("button", name="Undo").click()
    queue.get_by_text("1 proposal taken back.").wait_for()
    assert (root / "New hive.md").read_text() == NOTES["New hive.md"]


def test_a_tick_of_the_note_shows_and_can_be_taken_away_here(served: Served, browser_page: Page) -> None:
    assert served.ask("/review", method="POST").status == 200
    file = Path(served.vault.root) / "_review-queue.md"
    file.write_text(file.read_text().replace("- [ ]", "- [x]"))
    browser_page.goto(f"http://{served.host}:{served.port}/status")
    boxes = browser_page.get_by_role("region", name="Review queue").get_by_role("checkbox")
    boxes.first.wait_for()
    assert [box.is_checked() for box in boxes.all()] == [True, True]
    boxes.first.uncheck()
    browser_page.get_by_role("button", name="Apply 1").click()
    browser_page.locator(".outcome:focus").get_by_text("1 proposal applied.").wait_for()
    text = (Path(served.vault.root) / "New hive.md").read_text()
    assert "tags:" not in text and "[[Wax moths]]" in text


def test_what_cannot_be_done_is_said_with_a_hint_and_the_choice_stays(served: Served, browser_page: Page) -> None:
    assert served.ask("/review", method="POST").status == 200
    browser_page.goto(f"http://{served.host}:{served.port}/status")
    queue = browser_page.get_by_role("region", name="Review queue")
    queue.get_by_role("checkbox").first.check()
    file = Path(served.vault.root) / "_review-queue.md"
    file.write_text(file.read_text().replace("- [ ]", "- [?]"))
    queue.get_by_role("button", name="Apply 1").click()
    assert "'[?]' is not a known mark" in queue.get_by_role("alert").inner_text()
    assert queue.get_by_role("checkbox").first.is_checked()


def test_axe_finds_nothing_in_a_queue(served: Served, browser: Browser) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="`make browser` installs axe").Axe()
    assert served.ask("/review", method="POST").status == 200
    context = browser.new_context(viewport={"width": 390, "height": 900}, bypass_csp=True)
    page = context.new_page()
    page.goto(f"http://{served.host}:{served.port}/status")
    page.locator(".proposal").first.wait_for()
    found = axe.run(page).response["violations"]
    context.close()
    assert not [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found]


def test_a_page_from_elsewhere_cannot_tick(served: Served) -> None:
    before = {file.name: file.read_bytes() for file in Path(served.vault.root).glob("*.md")}
    for path in ("/review", "/promote"):
        assert served.ask(path, method="POST", headers=ELSEWHERE).status == 403
    assert {file.name: file.read_bytes() for file in Path(served.vault.root).glob("*.md")} == before
