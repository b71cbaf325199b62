"""The page and its files: who gets them, and what they may do."""

from __future__ import annotations

import re

from ..serving import Served, serving

HTML = {"Accept": "text/html,application/xhtml+xml"}


def test_a_browser_gets_the_page_where_a_program_gets_json(sample: Served) -> None:
    for path in ("/search?text=bees", "/node/Home.md", "/status", "/graph"):
        page, data = sample.ask(path, HTML), sample.ask(path, {"Accept": "*/*"})
        assert page.headers["content-type"].startswith("text/html"), path
        assert data.headers["content-type"] == "application/json", path
        assert "accept" in page.headers["vary"]
    assert sample.ask("/", HTML).status == 200
    assert sample.ask("/", {"Accept": "*/*"}).status == 404


def test_the_page_has_a_view_for_each_address_that_a_browser_gets_it_at(sample: Served) -> None:
    from notewell.serve.web.shell import VIEWS, static_files  # noqa: PLC0415

    routes = static_files()["main.js"].content.decode().partition("const VIEWS = [")[2].partition("];")[0]
    assert set(VIEWS) == {f"/{name}" for name in re.findall(r'"/([a-z]+)', routes)}
    assert sample.ask("/links/Home.md", HTML).headers["content-type"] == "application/json"


def test_the_page_loads_nothing_from_elsewhere_and_runs_no_inline_script(sample: Served) -> None:
    from notewell.serve.web.shell import static_files  # noqa: PLC0415

    policy = sample.ask("/", HTML).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for name, file in static_files().items():
        text = file.content.decode()
        assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)[\w.]+", text), name
        assert name == "rendered.js" or "innerHTML" not in text, name
        assert not re.search(r"<script(?![^>]*src=)|\son\w+=|style=", text) or not name.endswith(".html"), name


def test_the_page_is_light(sample: Served) -> None:
    from notewell.serve.web.shell import static_files  # noqa: PLC0415

    assert sum(len(file.content) for name, file in static_files().items() if not name.startswith("graph")) <= 250_000


def test_files_are_sent_again_only_if_they_changed(sample: Served) -> None:
    first = sample.ask("/web/main.js")
    again = sample.ask("/web/main.js", {"If-None-Match": first.headers["etag"]})
    assert (first.status, again.status, again.body) == (200, 304, b"")


def test_only_the_files_of_the_page_are_sent(sample: Served) -> None:
    for name in ("../shell.py", "%2e%2e/shell.py", "", "nothing.js", "../../../vault.py"):
        assert sample.ask(f"/web/{name}").status == 404, name


def test_a_token_is_traded_for_a_cookie_once(sample: Served) -> None:
    from notewell.serve.http import GuardRules  # noqa: PLC0415
    from notewell.serve.http.access import Sessions, digest_of  # noqa: PLC0415

    token, sessions = "an example", Sessions()
    code = sessions.make_code()
    with serving(sample.vault, GuardRules(digest=digest_of(token), sessions=sessions)) as served:
        assert served.ask("/", HTML).status == 200
        assert served.ask("/web/main.js").status == 200
        assert served.ask("/search?text=bees").status == 401
        assert served.ask("/login", {"Authorization": "Bearer wrong"}, method="POST").status == 401
        for secret in (token, code):
            login = served.ask("/login", {"Authorization": f"Bearer {secret}"}, method="POST")
            cookie = login.headers["set-cookie"]
            assert login.status == 204
            assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
            assert secret not in cookie
            sent = {"Cookie": cookie.partition(";")[0]}
            assert served.ask("/search?text=bees", sent).status == 200
            assert served.ask("/search?text=bees", {**sent, "Sec-Fetch-Site": "cross-site"}).status == 403
        assert served.ask("/login", {"Authorization": f"Bearer {code}"}, method="POST").status == 401
        assert served.ask("/search?text=bees", {"Cookie": f"notewell-{served.port}=made-up"}).status == 401
