"""Logging in, in a real browser: the token is asked for wherever one is, and kept nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from ..serving import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request

    from notewell.serve.http.access import Sessions

TOKEN = "an example"


@pytest.fixture
def sessions() -> Sessions:
    from notewell.serve.http.access import Sessions  # noqa: PLC0415

    return Sessions()


@pytest.fixture
def guarded(sample: Served, sessions: Sessions) -> Iterator[Served]:
    """Serve the sample vault to those who have a token."""
    from notewell.serve.http import GuardRules  # noqa: PLC0415
    from notewell.serve.http.access import digest_of  # noqa: PLC0415

    with serving(sample.vault, GuardRules(digest=digest_of(TOKEN), sessions=sessions)) as served:
        yield served


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/", ".newest a"),
        ("/search?text=varroa", ".result"),
        ("/node/Home.md", ".note"),
        ("/ask", ".examples"),
        ("/graph", "canvas[data-frames]"),
        ("/status", ".facts"),
    ],
)
def test_every_view_asks_for_the_token_and_then_shows_itself(
    guarded: Served, browser_page: Page, path: str, shown: str
) -> None:
    asked: list[Request] = []
    browser_page.on("request", lambda request: asked.append(request))
    browser_page.goto(f"http://{guarded.host}:{guarded.port}{path}")
    browser_page.get_by_label("Token").fill("wrong")
    browser_page.get_by_role("button", name="Log in").click()
    browser_page.locator(".error:not(:empty)").wait_for()
    browser_page.get_by_label("Token").fill(TOKEN)
    browser_page.get_by_role("button", name="Log in").click()
    browser_page.locator(shown).first.wait_for()
    kept = browser_page.evaluate("document.cookie + JSON.stringify([localStorage, sessionStorage])")
    assert TOKEN not in kept
    assert not [one.url for one in asked if "example" in one.url]
    assert browser_page.url.endswith(path)


def test_a_cookie_that_is_no_longer_known_leads_to_the_login_and_back(guarded: Served, browser_page: Page) -> None:
    browser_page.goto(f"http://{guarded.host}:{guarded.port}/")
    browser_page.get_by_label("Token").fill(TOKEN)
    browser_page.keyboard.press("Enter")
    browser_page.locator(".newest a").first.wait_for()
    browser_page.context.clear_cookies()
    browser_page.get_by_role("searchbox").fill("varroa")
    browser_page.get_by_label("Token").fill(TOKEN)
    browser_page.keyboard.press("Enter")
    browser_page.locator(".result .title", has_text="Varroa treatment").wait_for()


def test_a_code_logs_in_once_and_leaves_the_address(guarded: Served, sessions: Sessions, browser_page: Page) -> None:
    code = sessions.make_code()
    browser_page.goto(f"http://{guarded.host}:{guarded.port}/status#login={code}")
    browser_page.locator(".facts").wait_for()
    assert code not in browser_page.url
    browser_page.context.clear_cookies()
    browser_page.goto(f"http://{guarded.host}:{guarded.port}/status#login={code}")
    browser_page.reload()
    browser_page.get_by_label("Token").wait_for()
