"""Searching in a real browser: results while typing, the keyboard, filters and reasons."""

from __future__ import annotations

import re
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from notewell import Vault

from ..serving import Served, kept_up, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

QUESTION = "why does my loaf spread flat"


def address(served: Served, path: str = "/") -> str:
    return f"http://{served.host}:{served.port}{path}"


def search(page: Page, served: Served, text: str) -> None:
    page.goto(address(served))
    page.get_by_role("searchbox").press_sequentially(text)
    # The results of earlier letters may still come.
    page.locator(".results[aria-busy=false] .result").first.wait_for()


def answer_late(route: Route) -> None:
    sleep(0.3)
    route.continue_()


def test_results_appear_while_typing_grouped_by_note(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, QUESTION)
    browser_page.locator(".result .title", has_text="Sourdough handbook").wait_for()
    # The best hits are of three notes, which do not fill the window: more follow by themselves.
    browser_page.locator(".result").nth(3).wait_for()
    paths = [text.split(":")[0] for text in browser_page.locator(".result > .where:nth-child(2)").all_inner_texts()]
    assert len(paths) == len({*paths}) > 3
    first = browser_page.locator(".result").first
    assert first.locator(".title").inner_text() == "Sourdough handbook"
    assert "loaf" in first.locator("mark").all_inner_texts()
    assert first.locator("time").inner_text() == "2024-01-20"


def test_the_address_is_the_query_and_can_be_shared(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, "varroa")
    # It follows when the last letter is typed.
    browser_page.wait_for_url("**/search?text=varroa")
    browser_page.goto(browser_page.url)
    browser_page.locator(".result .title", has_text="Varroa treatment").wait_for()
    assert browser_page.get_by_role("searchbox").input_value() == "varroa"


def test_an_entity_that_the_query_names_is_shown_with_its_places(tmp_path: Path, browser_page: Page) -> None:
    (tmp_path / "People").mkdir()
    (tmp_path / "People" / "Ada Lovelace.md").write_text("Met in [[Turin]].\n")
    (tmp_path / "2025-03-01.md").write_text("Tea with [[Ada Lovelace]] and <b>[[x]]</b>.\n")
    with Vault.open(tmp_path, {"embed.model": "words", "search.floor": 0}) as vault:
        vault.entities()
        with kept_up(vault) as kept, serving(kept) as served:
            search(browser_page, served, "tea with Ada Lovelace")
            known = browser_page.locator(".known")
            assert known.locator("summary").inner_text() == "Ada Lovelace · person, 2 notes, 2025-03-01"
            known.locator("summary").click()
            lines = known.locator("li").all_inner_texts()
            assert "with Turin (concept) People/Ada Lovelace.md:1" in lines and "in 2025-03-01.md:1" in lines
            graph = known.get_by_role("link", name="Show them in the graph").get_attribute("href")
            assert graph and parse_qs(urlsplit(graph).query) == {"text": ['entity:"Ada Lovelace"']}
            known.get_by_role("link", name="All 2 notes").click()
            browser_page.locator(".results[aria-busy=false] .result").nth(1).wait_for()
            assert parse_qs(urlsplit(browser_page.url).query) == {"text": ['entity:"Ada Lovelace"']}


def test_arrows_select_a_note_and_the_preview_follows(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, QUESTION)
    browser_page.locator(".preview h1", has_text="Sourdough handbook").wait_for()
    assert "spread a little" in browser_page.locator(".preview .matched").first.inner_text()
    browser_page.keyboard.press("ArrowDown")
    title = browser_page.locator(".result[aria-current] .title").inner_text()
    assert title == browser_page.locator(".result").nth(1).locator(".title").inner_text()
    browser_page.locator(".preview h1", has_text=title).wait_for()


def test_enter_opens_the_note_and_back_returns_to_the_results(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, QUESTION)
    browser_page.locator(".result .title", has_text="Sourdough handbook").wait_for()
    browser_page.keyboard.press("Enter")
    browser_page.locator(".reading h1", has_text="Sourdough handbook").wait_for()
    assert "/node/Recipes/Sourdough%20handbook.md?lines=" in browser_page.url
    browser_page.keyboard.press("Escape")
    browser_page.locator(".result .title", has_text="Sourdough handbook").wait_for()
    assert browser_page.get_by_role("searchbox").input_value() == QUESTION


def test_back_from_a_note_that_was_opened_at_once_the_query_is_there(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, "varroa")
    browser_page.get_by_role("searchbox").press_sequentially(" treatment")
    # No pause in which the address could follow: a click, or a key.
    browser_page.get_by_role("link", name="Vault", exact=True).click()
    browser_page.locator(".facts").wait_for()
    browser_page.go_back()
    browser_page.locator(".results[aria-busy=false] .result").first.wait_for()
    assert browser_page.get_by_role("searchbox").input_value() == "varroa treatment"
    browser_page.get_by_role("searchbox").press_sequentially("s")
    browser_page.keyboard.press("Enter")
    browser_page.locator(".reading").wait_for()
    browser_page.go_back()
    browser_page.wait_for_url("**/search?text=varroa+treatments")


def test_a_letter_is_one_request_and_the_rest_follows_in_a_pause(sample: Served, browser_page: Page) -> None:
    browser_page.clock.install(time=0)
    browser_page.goto(address(sample))
    browser_page.wait_for_load_state("networkidle")
    browser_page.clock.pause_at(3_600_000)
    asked: set[str] = set()
    browser_page.on("request", lambda request: asked.add(urlsplit(request.url).path))
    browser_page.get_by_role("searchbox").press_sequentially("varroa")
    browser_page.locator(".results[aria-busy=false] .result", has_text="Varroa treatment").first.wait_for()
    assert asked == {"/search"}
    assert urlsplit(browser_page.url).path == "/"
    browser_page.clock.run_for(300)
    browser_page.wait_for_url("**/search?text=varroa")
    browser_page.locator(".preview .matched").first.wait_for()


def test_a_filter_is_chosen_from_the_vault_and_written_into_the_query(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, "winter")
    browser_page.get_by_label("Filter by folder").select_option("Garden")
    browser_page.locator(".chip.on", has_text="path:Garden").wait_for()
    assert browser_page.get_by_role("searchbox").input_value() == "winter path:Garden"
    elsewhere = browser_page.locator(".result > .where:nth-child(2)").filter(has_not_text=re.compile("^Garden/"))
    elsewhere.first.wait_for(state="detached")
    browser_page.get_by_label("Remove path:Garden").click()
    assert browser_page.get_by_role("searchbox").input_value() == "winter"
    browser_page.get_by_role("searchbox").fill("winter -path:Garden path:Gardens path:Garden")
    browser_page.get_by_label("Remove path:Garden", exact=True).click()
    assert browser_page.get_by_role("searchbox").input_value() == "winter -path:Garden path:Gardens"


def test_the_reasons_of_a_hit_add_up_to_its_score(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, QUESTION)
    first = browser_page.locator(".result").first
    first.get_by_role("button", name="Why this?").click()
    first.locator(".bars .sum").wait_for()
    parts = [float(text.replace("−", "-")) for text in first.locator(".bars .number").all_inner_texts()]
    assert abs(sum(parts) - float(first.locator(".bars .sum dd").inner_text())) < 0.01


def test_a_note_that_takes_all_places_shows_few_lines_and_offers_the_rest(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, "sourdough handbook")
    first = browser_page.locator(".result").first
    rest = first.locator(".rest")
    rest.wait_for()
    assert first.locator(".other").count() == 2
    more = int(rest.inner_text().split()[0])
    rest.click()
    first.locator(".other").nth(1 + more).wait_for()


def test_signs_of_markdown_are_not_shown(sample: Served, browser_page: Page) -> None:
    browser_page.goto(address(sample))
    shown = browser_page.evaluate(
        """async () => {
        const { marked, plain } = await import("/web/highlight.js");
        const written = [
          "- [x] see [[Bees#Hive|the hive]] and `__init__` in _one_ **bold** [link](https://example.org/a_b)",
          "| a | b |\\n|---|---|\\n| c &#40;d&#41; | e &amp; f |", "snake_case and 2 * 3 * 4", "turn &#8238;text",
          "![[Search#Embed results]]",
        ];
        const text = "[[Link notes|headings]] link";
        const nodes = marked(text, [[2, 6], [13, 21], [24, 28]]);
        return [...written.map(plain), nodes.filter((one) => one.localName).map((one) => one.textContent)];
        }"""
    )
    assert shown == [
        "☑ see the hive and __init__ in one bold link",
        "a · b\nc (d) · e & f",
        "snake_case and 2 * 3 * 4",
        "turn &#8238;text",
        "Search › Embed results",
        ["headings", "link"],
    ]


def test_a_note_is_opened_elsewhere_only_by_links_that_a_browser_follows(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, "varroa")
    # A page may not lead to files, so a link to one does nothing.
    assert browser_page.locator("a[href^='file:']").count() == 0
    shown = browser_page.evaluate(
        """async () => {
          const { openerOf } = await import("/web/dom.js");
          const addresses = ["obsidian://open?path=a", "vscode://file/a:2", "file:///a", ""];
          return addresses.map((one) => openerOf(one).textContent ?? "");
        }"""
    )
    assert shown == ["Open in Obsidian", "Open in VS Code", "", ""]


@pytest.mark.parametrize("path", ["/", "/search?text=bees", "/status"])
def test_one_can_type_at_once(sample: Served, browser_page: Page, path: str) -> None:
    browser_page.goto(address(sample, path))
    browser_page.wait_for_load_state("networkidle")
    if path == "/status":
        browser_page.get_by_role("link", name="Search", exact=True).click()
        browser_page.locator(".start").wait_for()
    browser_page.keyboard.type(" varroa")
    browser_page.locator(".result .title", has_text="Varroa treatment").wait_for()


def test_a_view_without_a_box_takes_the_focus_from_the_link_that_led_to_it(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, "varroa")
    browser_page.locator(".result .title").first.focus()
    browser_page.keyboard.press("Enter")
    browser_page.locator(".reading").wait_for()
    browser_page.wait_for_function("() => document.activeElement.id === 'view'")


def test_nothing_moves_while_the_start_and_results_arrive(sample: Served, browser_page: Page) -> None:
    browser_page.add_init_script(
        """window.moved = [];
        new PerformanceObserver((list) => window.moved.push(...list.getEntries().map((one) => one.value)))
          .observe({ type: "layout-shift", buffered: true });"""
    )
    # The newest notes come before the filters.
    browser_page.route("**/filters", answer_late)
    browser_page.goto(address(sample))
    browser_page.locator(".newest a").first.wait_for()
    browser_page.get_by_label("Filter by tag").wait_for()
    assert browser_page.evaluate("moved") == []
    tops = set()
    # A notice comes with the second query, and goes with the third.
    for text in ("bees", "beez", "bees"):
        browser_page.get_by_role("searchbox").fill(text)
        browser_page.wait_for_load_state("networkidle")
        browser_page.locator(".results[aria-busy=false] .result").first.wait_for()
        tops.add(browser_page.evaluate("document.querySelector('.results').getBoundingClientRect().top"))
    assert len(tops) == 1


def test_back_from_a_note_it_is_selected_again(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, QUESTION)
    browser_page.locator(".result").nth(5).wait_for()
    for _ in range(5):
        browser_page.keyboard.press("ArrowDown")
    chosen = browser_page.locator(".result[aria-current] .title").inner_text()
    browser_page.keyboard.press("Enter")
    browser_page.locator(".reading").wait_for()
    browser_page.keyboard.press("Escape")
    browser_page.locator(".results[aria-busy=false] .result[aria-current]", has_text=chosen).wait_for()
    assert browser_page.title() == f"{QUESTION} · Notewell"
    # Another search begins with its best note.
    browser_page.get_by_role("searchbox").fill("varroa")
    browser_page.locator(".result[aria-current] .title", has_text="Varroa treatment").wait_for()


def test_a_long_filter_is_one_line(sample: Served, browser_page: Page) -> None:
    browser_page.goto(address(sample, f"/search?text=like:%22{'very%20' * 30}long.md%22"))
    # The chips are made anew when the filters of the vault are there.
    browser_page.wait_for_load_state("networkidle")
    width, height = browser_page.locator(".chip.on").evaluate(
        "one => [one.getBoundingClientRect().width, one.getBoundingClientRect().height]"
    )
    assert width < 400
    assert height < 40


def test_slash_question_mark_and_escape_work(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, "bees")
    browser_page.keyboard.press("Escape")
    assert browser_page.get_by_role("searchbox").input_value() == ""
    assert urlsplit(browser_page.url).path == "/"
    browser_page.evaluate("document.activeElement.blur()")
    browser_page.keyboard.press("?")
    browser_page.get_by_role("dialog").get_by_text("Go to the search box").wait_for()
    browser_page.keyboard.press("Escape")
    browser_page.keyboard.press("/")
    assert browser_page.evaluate("document.activeElement.type") == "search"


def test_recent_queries_stay_in_the_browser_and_can_be_forgotten(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, "plum cake")
    browser_page.keyboard.press("Enter")
    browser_page.locator(".reading").wait_for()
    browser_page.goto(address(sample))
    browser_page.get_by_role("link", name="plum cake", exact=True).wait_for()
    browser_page.get_by_role("button", name="Forget them").click()
    assert browser_page.get_by_role("link", name="plum cake", exact=True).count() == 0


def test_nothing_found_is_said(sample: Served, browser_page: Page) -> None:
    browser_page.goto(address(sample, "/search?text=xqzvwk"))
    browser_page.get_by_text("Nothing found").first.wait_for()


def test_a_search_goes_on_when_the_server_is_back(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, "varroa")
    gone = re.compile("/search|/health")
    browser_page.route(gone, lambda route: route.abort())
    browser_page.get_by_role("searchbox").fill("plum cake")
    browser_page.get_by_role("alert").filter(has_text="The server does not answer").wait_for()
    browser_page.unroute(gone)
    browser_page.locator(".result .title", has_text="Grandma's plum cake").wait_for()
    browser_page.locator("#connection:empty").wait_for(state="attached")


@pytest.mark.parametrize(
    ("view", "needs", "shown"), [("Vault", "/status", ".facts"), ("Graph", "/web/graph.js", "canvas[data-frames]")]
)
def test_a_view_that_could_not_be_shown_comes_when_the_server_is_back(
    sample: Served, browser_page: Page, view: str, needs: str, shown: str
) -> None:
    search(browser_page, sample, "varroa")
    gone = re.compile(f"{needs}|/health")
    browser_page.route(gone, lambda route: route.abort())
    browser_page.get_by_role("link", name=view, exact=True).click()
    browser_page.locator(".problem", has_text="The server does not answer").wait_for()
    browser_page.unroute(gone)
    browser_page.locator(shown).wait_for()


def test_a_note_that_was_deleted_meanwhile_is_said_to_be_gone(tmp_path: Path, browser_page: Page) -> None:
    note = tmp_path / "vault" / "Heron.md"
    note.parent.mkdir()
    note.write_text("A heron stood in the pond.\n", "utf-8")
    with Vault.open(note.parent, {"embed.encoder": "off"}) as vault:
        vault.index()
        with kept_up(vault) as kept, serving(kept) as served:
            search(browser_page, served, "heron")
            note.unlink()
            browser_page.keyboard.press("Enter")
            browser_page.get_by_role("link", name="Search for “Heron”").wait_for()


def test_selecting_a_result_moves_no_other(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, QUESTION)
    browser_page.locator(".result").nth(3).wait_for()
    tops = "[...document.querySelectorAll('.result')].map((one) => one.offsetTop)"
    before = browser_page.evaluate(tops)
    browser_page.keyboard.press("ArrowDown")
    browser_page.locator(".result").nth(1).get_by_role("button", name="Why this?").wait_for()
    assert browser_page.evaluate(tops) == before


def test_a_reason_has_room_on_a_phone(sample: Served, browser_page: Page) -> None:
    browser_page.set_viewport_size({"width": 390, "height": 800})
    search(browser_page, sample, "bees winter")
    first = browser_page.locator(".result").first
    first.get_by_role("button", name="Why this?").click()
    reason = first.locator(".bars span", has_text="every word")
    reason.wait_for()
    assert reason.evaluate("one => one.getClientRects().length") <= 2


def test_values_that_are_links_are_offered_by_their_names(sample: Served, browser_page: Page) -> None:
    browser_page.goto(address(sample))
    menu = browser_page.get_by_label("Filter by property")
    menu.select_option("Sourdough handbook")
    browser_page.locator(".chip.on", has_text='related:"[[Sourdough handbook]]"').wait_for()
    browser_page.locator(".result").first.wait_for()
    browser_page.keyboard.press("Escape")
    browser_page.locator(".syntax code", has_text="status:").wait_for()


def test_a_click_on_a_result_opens_it_where_no_preview_is(sample: Served, browser_page: Page) -> None:
    search(browser_page, sample, "varroa")
    browser_page.locator(".result .excerpt").first.click()
    assert urlsplit(browser_page.url).path == "/search"
    browser_page.set_viewport_size({"width": 390, "height": 800})
    browser_page.locator(".result .excerpt").first.click()
    browser_page.locator(".reading").wait_for()


def test_a_list_goes_on_after_a_duplicate_in_it(tmp_path: Path, browser_page: Page) -> None:
    root = tmp_path / "vault" / "pond"
    root.mkdir(parents=True)
    for number in range(12):
        # The last two say the same, the others nothing alike.
        words = " ".join(f"{sound}{min(10, number)}" for sound in ("reed", "toad", "newt", "carp", "moss"))
        (root / f"{number:02}.md").write_text(f"{words}\n", "utf-8")
    with Vault.open(root.parent, {"embed.encoder": "off"}) as vault:
        vault.index()
        with kept_up(vault) as kept, serving(kept) as served:
            browser_page.goto(address(served, "/search?text=path:pond"))
            browser_page.get_by_role("button", name="Show more").click()
            browser_page.locator(".result").nth(10).wait_for()
            assert browser_page.locator(".result").count() == 11
            browser_page.wait_for_load_state("networkidle")
            browser_page.goto("about:blank")
