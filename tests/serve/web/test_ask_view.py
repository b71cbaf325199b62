"""Asking in a real browser: sources, marks of proof, thinking, editing, stopping."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tests.llm.scripted_server import Asked, ScriptedServer, Stall

from ..serving import Served, kept_up, serving
from .conftest import SAMPLE

if TYPE_CHECKING:
    from playwright.sync_api import Page

QUESTION = "why does my loaf spread flat?"


def ask(page: Page, served: Served, question: str = QUESTION) -> None:
    page.goto(f"http://{served.host}:{served.port}/ask")
    page.get_by_label("Ask your notes").fill(question)
    page.keyboard.press("Enter")


def leave(page: Page) -> None:
    """Leave the page when it has all it asked for: a server that is about to end answers nothing more."""
    page.locator(".preview h1").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.goto("about:blank")


def test_an_answer_without_a_model_quotes_notes_that_open_beside_it(sample: Served, browser_page: Page) -> None:
    ask(browser_page, sample)
    browser_page.get_by_text("Quoted from your notes, without a model").wait_for()
    assert "tired cat" in browser_page.locator(".answer blockquote").first.inner_text()
    assert browser_page.locator(".sources .proven").count() == 2
    browser_page.locator(".preview h1", has_text="Sourdough handbook").wait_for()
    browser_page.get_by_role("button", name="Show source 2").click()
    browser_page.locator(".preview h1", has_text="Sourdough troubleshooting").wait_for()
    browser_page.locator(".preview .from", has_text="Recipes/Sourdough troubleshooting.md").wait_for()
    assert "wants a second, tighter round" in browser_page.locator(".preview .matched").first.inner_text()


def test_what_the_notes_do_not_answer_is_refused(sample: Served, browser_page: Page) -> None:
    ask(browser_page, sample, "who won the football match in Lisbon yesterday?")
    browser_page.locator(".refused").wait_for()
    assert browser_page.locator(".sources .proven").count() == 0


def test_an_edited_question_takes_the_place_of_the_first(sample: Served, browser_page: Page) -> None:
    ask(browser_page, sample)
    browser_page.get_by_text("Quoted from your notes").wait_for()
    browser_page.get_by_label("Ask your notes").fill("when do I treat the bees against varroa?")
    browser_page.keyboard.press("Enter")
    browser_page.locator(".turn").nth(1).get_by_text("Quoted from your notes").wait_for()
    browser_page.get_by_role("button", name="Edit").first.click()
    browser_page.get_by_label("Edit the question").fill("something else")
    browser_page.keyboard.press("Escape")
    browser_page.get_by_role("button", name="Edit").first.click()
    browser_page.get_by_label("Edit the question").fill("how long does the plum cake bake?")
    browser_page.keyboard.press("Enter")
    browser_page.locator(".turn", has_text="plum cake").get_by_text("Quoted from your notes").wait_for()
    assert browser_page.locator(".turn").count() == 1
    assert browser_page.locator(".memory meter").count() == 1


def test_the_start_offers_questions_and_the_scope_narrows_an_answer(sample: Served, browser_page: Page) -> None:
    browser_page.goto(f"http://{sample.host}:{sample.port}/ask")
    browser_page.get_by_role("button", name="What do my notes say about").first.wait_for()
    browser_page.get_by_label("Filter by folder").select_option("Garden")
    browser_page.get_by_label("Ask your notes").fill("what wants a colder basket?")
    browser_page.keyboard.press("Enter")
    browser_page.get_by_text("Only in path:Garden").wait_for()
    browser_page.locator(".refused, .by").first.wait_for()
    places = browser_page.locator(".sources a").all_inner_texts()
    assert not [one for one in places if "Garden/" not in one]
    browser_page.get_by_label("Remove path:Garden").click()
    browser_page.get_by_text("All notes may answer").wait_for()


def test_a_conversation_has_an_address_that_another_tab_can_open(sample: Served, browser_page: Page) -> None:
    ask(browser_page, sample)
    browser_page.get_by_text("Quoted from your notes").wait_for()
    browser_page.wait_for_url("**/sessions/why%20does%20my%20loaf*")
    there = browser_page.url
    browser_page.evaluate("sessionStorage.clear()")
    browser_page.goto(there)
    browser_page.locator(".answer", has_text="tired cat").wait_for()
    browser_page.get_by_role("button", name="New conversation").click()
    browser_page.get_by_role("link", name=QUESTION).wait_for()


def test_an_answer_is_copied_with_footnotes(sample: Served, browser_page: Page) -> None:
    browser_page.goto(f"http://{sample.host}:{sample.port}/ask")
    written = browser_page.evaluate(
        """async () => (await import("/web/answer.js")).asFootnotes({
          text: "It is slack [1], not [9].", citations: [{ number: 1, path: "Bread.md", line: 3 }],
        })"""
    )
    assert written == "It is slack [^1], not [9].\n\n[^1]: Bread.md:3\n"


def test_a_quote_with_code_ends_where_it_ends(sample: Served, browser_page: Page) -> None:
    browser_page.goto(f"http://{sample.host}:{sample.port}/ask")
    shown = browser_page.evaluate(
        """async () => {
          const { formatted } = await import("/web/answer.js");
          const text = "> Add this:\\n> ```html\\n> <b>\\n> ``` [1]\\n\\n> Then rest. [2]\\n\\nDone.";
          const made = formatted(text, [{ number: 1 }, { number: 2 }], () => {});
          const said = (part) => `${part.localName} ${part.textContent}`;
          return made.map((one) => [one.localName, ...[...one.children].map(said)]);
        }"""
    )
    assert shown == [
        ["blockquote", "p Add this:", "pre <b>", "p [1]"],
        ["blockquote", "p Then rest. [2]"],
        ["p"],
    ]


def test_a_row_of_a_table_that_is_quoted_keeps_its_cells_apart(sample: Served, browser_page: Page) -> None:
    browser_page.goto(f"http://{sample.host}:{sample.port}/ask")
    shown = browser_page.evaluate(
        """async () => {
          const { formatted } = await import("/web/answer.js");
          return formatted("> | `E30` | ledger | **old** version | [1]", [{ number: 1 }], () => {})[0].textContent;
        }"""
    )
    assert shown == "E30 · ledger · old version [1]"


def test_a_model_thinks_writes_and_is_checked(browser_page: Page, tmp_path: Path) -> None:
    from notewell import Vault  # noqa: PLC0415
    from notewell.llm.messages import Text, Thinking  # noqa: PLC0415

    root = shutil.copytree(SAMPLE, tmp_path / "vault", ignore=shutil.ignore_patterns(".notewell"))
    script: list[Thinking | Text] = [
        Thinking("The handbook knows."),
        Text('It is slack: "A loaf with a slack skin spreads in the oven like a tired cat" [1]. '),
        Text('Also "it was the neighbour who did it, on purpose" [2].'),
    ]
    with ScriptedServer(script) as server:
        settings = {"embed.encoder": "off", "llm.model": "ollama:any", "llm.url": server.url}
        with Vault.open(root, settings) as vault:
            vault.index()
            with kept_up(vault) as kept, serving(kept) as served:
                ask(browser_page, served)
                browser_page.get_by_text("Written by any").wait_for()
                marks = [browser_page.locator(f".sources .{kind}").count() for kind in ("proven", "absent")]
                assert marks == [1, 1]
                assert browser_page.locator(".thinking").inner_text() == "Thinking"
                leave(browser_page)


def test_a_model_that_says_nothing_can_be_stopped(browser_page: Page, tmp_path: Path) -> None:
    from notewell import Vault  # noqa: PLC0415

    root = shutil.copytree(SAMPLE, tmp_path / "vault", ignore=shutil.ignore_patterns(".notewell"))
    with ScriptedServer([Stall()]) as server:
        settings = {"embed.encoder": "off", "llm.model": "ollama:any", "llm.url": server.url}
        with Vault.open(root, settings) as vault:
            vault.index()
            with kept_up(vault) as kept, serving(kept) as served:
                ask(browser_page, served)
                browser_page.locator(".sources").get_by_text("Sourdough handbook").first.wait_for()
                # The next question, written meanwhile, stops nothing.
                browser_page.get_by_label("Ask your notes").fill("and then?")
                browser_page.keyboard.press("Enter")
                assert browser_page.get_by_label("Ask your notes").input_value() == "and then?"
                browser_page.get_by_role("button", name="Stop").click()
                browser_page.locator(".turn .error", has_text="Stopped").wait_for()
                leave(browser_page)


def test_editing_forgets_exactly_the_questions_that_are_gone(browser_page: Page, tmp_path: Path) -> None:
    from notewell import Vault  # noqa: PLC0415
    from notewell.llm.messages import Text  # noqa: PLC0415

    def turn(asked: Asked) -> list[Stall | Text]:
        return [Stall()] if "forever" in asked.body["messages"][-1]["content"] else [Text("It is so.")]

    def ask_here(question: str) -> None:
        browser_page.get_by_label("Ask your notes").fill(question)
        browser_page.keyboard.press("Enter")

    def edit(question: str) -> None:
        browser_page.get_by_role("button", name="Edit").last.click()
        browser_page.get_by_label("Edit the question").fill(question)
        browser_page.get_by_role("button", name="Ask again").click()

    def stop() -> None:
        browser_page.locator(".sources").last.wait_for()
        browser_page.get_by_role("button", name="Stop").click()
        browser_page.locator(".turn .error", has_text="Stopped").last.wait_for()

    root = shutil.copytree(SAMPLE, tmp_path / "vault", ignore=shutil.ignore_patterns(".notewell"))
    with ScriptedServer(turn) as server:
        settings = {"embed.encoder": "off", "llm.model": "ollama:any", "llm.url": server.url, "llm.tools": "off"}
        with Vault.open(root, settings) as vault:
            vault.index()
            with kept_up(vault) as kept, serving(kept) as served:
                ask(browser_page, served, "why does my loaf spread flat, forever?")
                stop()
                ask_here("when do I treat the bees against varroa?")
                browser_page.locator(".by").wait_for()
                # The server does not remember the first question, so this one replaces its first.
                edit("how long does the plum cake bake?")
                browser_page.locator(".turn", has_text="plum cake").locator(".by").wait_for()
                assert "varroa" not in str(server.requests[-1].body["messages"][:-1])
                # A question that was edited away stays away, although the edited one was stopped.
                edit("how sour is rye, forever?")
                stop()
                ask_here("what do I owe Ilse for the hive?")
                browser_page.locator(".turn", has_text="owe Ilse").locator(".by").wait_for()
                assert "plum cake" not in str(server.requests[-1].body["messages"][:-1])
                assert browser_page.locator(".turn").count() == 3
                leave(browser_page)
