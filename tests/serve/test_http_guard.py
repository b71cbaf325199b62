from __future__ import annotations

import http.client
import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from typing import TYPE_CHECKING

import pytest
from tests.cases import cases

from .serving import Served, impatient, read_all, serving

if TYPE_CHECKING:
    from notewell.serve.http.guard import GuardRules
    from notewell.vault import Vault


def rules(hosts: tuple[str, ...] = (), origins: tuple[str, ...] = (), token: str = "", rate: float = 0) -> GuardRules:
    from notewell.serve.http.access import Allowed, digest_of  # noqa: PLC0415
    from notewell.serve.http.guard import GuardRules  # noqa: PLC0415

    return GuardRules(Allowed.of(hosts, origins), digest_of(token) if token else "", rate)


def test_dns_rebinding_is_refused(served: Served) -> None:
    hosts = ["evil.example", "127.0.0.1.evil.example", "localhost.", "10.0.0.1", "", "a b", "[::1"]
    written = [text for host in hosts for text in (host, f"{host}:{served.port}")]
    replies = {host: served.ask("/health", {"Host": host}) for host in written}
    assert {host: reply.status for host, reply in replies.items()} == dict.fromkeys(written, 421)
    assert {reply.data["error"] for reply in replies.values()} == {"The Host header names another server"}


def test_the_port_of_a_host_counts(served: Served) -> None:
    assert served.ask("/health", {"Host": f"localhost:{served.port}"}).status == 200
    assert served.ask("/health", {"Host": f"127.0.0.1:{served.port + 1}"}).status == 421
    assert served.ask("/health", {"Host": "localhost"}).status == 421


def test_no_host_and_two_hosts_are_refused(served: Served) -> None:
    own = f"Host: 127.0.0.1:{served.port}\r\n".encode()
    for headers in (b"", own * 2, own + b"Host: evil.example\r\n"):
        answer = read_all(served.send(b"GET /status HTTP/1.0\r\n" + headers + b"\r\n"))
        assert answer.split()[1] in (b"400", b"421"), answer


def test_a_request_that_two_servers_could_end_at_two_places_is_refused(served: Served) -> None:
    both = f"POST /reload HTTP/1.1\r\nHost: {served.host}:{served.port}\r\nContent-Length: 40\r\n"
    both += "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    answer = read_all(served.send(both.encode()))
    assert answer.startswith(b"HTTP/1.1 400 ") and answer.count(b"HTTP/1.1 ") == 1
    assert b"both Content-Length and Transfer-Encoding" in answer


def test_a_named_host_is_let_in(indexed: Vault) -> None:
    with serving(indexed, rules(("notes.example", "other.example:81"))) as served:
        assert served.ask("/health", {"Host": "notes.example"}).status == 200
        assert served.ask("/health", {"Host": "Notes.Example:443"}).status == 200
        assert served.ask("/health", {"Host": "other.example:81"}).status == 200
        assert served.ask("/health", {"Host": "other.example"}).status == 421


def test_a_page_of_another_site_reads_nothing(served: Served) -> None:
    # A plugin of Obsidian that asks with the app's own `requestUrl` sends no origin; its pages send app://obsidian.md.
    origins = (
        "https://evil.example",
        "null",
        "http://localhost:1",
        "http://127.0.0.1.evil.example",
        "app://obsidian.md",
    )
    for origin, method in product(origins, ("GET", "POST", "OPTIONS")):
        reply = served.ask("/reload", {"Origin": origin}, method=method)
        assert reply.status == 403, (origin, method)
        assert "access-control-allow-origin" not in reply.headers, (origin, method)


def test_our_own_page_is_let_in(served: Served) -> None:
    own = {"Origin": f"http://127.0.0.1:{served.port}", "Sec-Fetch-Site": "same-origin"}
    assert served.ask("/status", own).status == 200
    assert served.ask("/status", {"Sec-Fetch-Site": "none"}).status == 200


def test_a_link_or_picture_of_another_site_is_refused_though_it_has_no_origin(served: Served) -> None:
    sites = ("cross-site", "same-site", "anything")
    statuses = {site: served.ask("/search?text=bees", {"Sec-Fetch-Site": site}).status for site in sites}
    assert statuses == dict.fromkeys(sites, 403)


def test_a_named_page_is_let_in_and_can_read_the_answer(indexed: Vault) -> None:
    page = "https://notes.example"
    with serving(indexed, rules(origins=(page,), token="a token")) as served:
        asks = {
            "Origin": page,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Private-Network": "true",
        }
        preflight = served.ask("/search", asks, method="OPTIONS")
        assert preflight.status == 200
        assert preflight.headers["access-control-allow-origin"] == page
        assert "authorization" in preflight.headers["access-control-allow-headers"]
        assert preflight.headers["access-control-allow-private-network"] == "true"
        sent = {"Origin": page, "Sec-Fetch-Site": "cross-site"}
        refused = served.ask("/status", sent)
        # The page can read why.
        assert (refused.status, refused.headers["access-control-allow-origin"]) == (401, page)
        reply = served.ask("/status", {**sent, "Authorization": "Bearer a token"})
        assert reply.status == 200
        assert (reply.headers["access-control-allow-origin"], reply.headers["vary"]) == (page, "Origin")
        assert served.ask("/search", {**asks, "Origin": "https://evil.example"}, method="OPTIONS").status == 403


def test_a_page_is_named_by_its_origin_and_never_by_a_wildcard() -> None:
    from notewell.errors import SettingsError  # noqa: PLC0415

    for page in ("*", "notes.example", "https://notes.example/path", "null"):
        with pytest.raises(SettingsError, match="is not an origin"):
            rules(origins=(page,))


def test_a_token_is_asked_for_everywhere_but_at_health(indexed: Vault) -> None:
    with serving(indexed, rules(token="a token")) as served:
        # Others learn nothing about the vault.
        assert served.get("/health").keys() == {"ok", "version"}
        assert served.ask("/health", {"Authorization": "Bearer another"}).data.keys() == {"ok", "version"}
        assert served.ask("/health", {"Authorization": "bearer a token"}).data["vault"] == str(indexed.root)
        for path in ("/status", "/search?text=a", "/openapi.json", "/nowhere", "/health/", "//health"):
            reply = served.ask(path)
            assert (reply.status, reply.headers["www-authenticate"]) == (401, "Bearer"), path
        for sent in ("Bearer another", "Bearer", "Basic a token", "Bearer a", "Bearer a token and more"):
            assert served.ask("/status", {"Authorization": sent}).status == 401
        assert served.ask("/status", {"Authorization": "bearer a token"}).status == 200


# Ways out that were tried on other servers: encoded once and twice, absolute, by links, of other systems.
WAYS_OUT = (
    "../outside.md",
    "..%2foutside.md",
    "%2e%2e/outside.md",
    "%2e%2e%2foutside.md",
    "%252e%252e%252foutside.md",
    "Garden/../../outside.md",
    "..%5coutside.md",
    "..%5c..%5coutside.md",
    "%2Fetc%2Fpasswd",
    "/etc/passwd",
    "{absolute}",
    "outside.md%00.md",
    "..%00/outside.md",
    "way-out.md",
    "way-out/outside.md",
    "C:%5cWindows%5cwin.ini",
    "file:%2f%2f%2fetc%2fpasswd",
    ".notewell/store.db",
    ".notewell%2fstore.db",
    "notewell.toml",
)


# Whatever takes a note, and what precedes it in the address.
TAKE_A_NOTE = (
    *("/node/", "/related/", "/traverse/", "/links/"),
    *("/search?text=a&like=", "/search?text=a&mode=deep&like=", "/related?note="),
)


def test_no_path_leads_out_of_the_vault(indexed: Vault) -> None:
    outside = indexed.root.parent / "outside.md"
    outside.write_text("# Outside\n\nNobody is to read this.\n", encoding="utf-8")
    (indexed.root / "way-out.md").symlink_to(outside)
    (indexed.root / "way-out").symlink_to(indexed.root.parent, target_is_directory=True)
    with serving(indexed) as served:
        served.ask("/reload", method="POST")
        for asked, path in product(TAKE_A_NOTE, WAYS_OUT):
            reply = served.ask(f"{asked}{path.format(absolute=str(outside).replace('/', '%2f'))}")
            assert reply.status == 404, (asked, path, reply.body)
            assert b"Nobody" not in reply.body, (asked, path)


def test_whether_a_file_exists_outside_is_not_revealed(indexed: Vault) -> None:
    (indexed.root.parent / "outside-here.md").write_text("here", encoding="utf-8")
    with serving(indexed) as served:
        for asked in TAKE_A_NOTE:
            here, gone = (served.ask(f"{asked}..%2foutside-{name}.md") for name in ("here", "gone"))
            assert here.status == gone.status == 404, asked
            assert {key: text.replace("outside-here", "outside-gone") for key, text in here.data.items()} == gone.data


@cases("asked", ["under=..%2f..", "under=%2fetc", "under=%00"])
def test_no_parameter_leads_out_of_the_vault(served: Served, asked: str) -> None:
    reply = served.ask(f"/search?text=a&{asked}")
    assert reply.status == 200
    assert reply.data["hits"] == [] or "%00" in asked


@cases("text", ["%00", "%20", "%1b", "%e2%80%8b", "%f3%a0%81%81"])
def test_a_text_of_hidden_characters_alone_is_none(served: Served, text: str) -> None:
    assert served.ask(f"/search?text={text}").status == 400


def test_an_answer_says_that_it_is_data_and_is_not_to_be_kept(served: Served) -> None:
    for path in ("/health", "/search?text=bees", "/nowhere", "/search", "/openapi.json"):
        headers = served.ask(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert "server" not in headers


def test_too_long_a_request_is_refused(served: Served) -> None:
    host = f"Host: 127.0.0.1:{served.port}\r\n"
    for raw in (
        f"GET /search?text={'a' * 40_000} HTTP/1.1\r\n{host}\r\n",
        f"GET /health HTTP/1.1\r\n{host}X-Long: {'a' * 40_000}\r\n\r\n",
        f"GET /health HTTP/1.1\r\n{host}" + "".join(f"X-{n}: {'a' * 50}\r\n" for n in range(800)) + "\r\n",
        "GET /" + "a" * 200_000,
    ):
        answer = read_all(served.send(raw.encode()))
        assert answer.split()[1] in (b"400", b"431"), answer[:200]
    assert served.ask("/health").status == 200


def test_too_large_a_body_is_refused_before_it_is_read(served: Served) -> None:
    announced = served.send(
        f"POST /reload HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Length: 99999999999\r\n\r\n".encode()
    )
    assert read_all(announced).split()[1] == b"413"
    chunk = b"8000\r\n" + b"a" * 0x8000 + b"\r\n"
    head = f"POST /reload HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    assert read_all(served.send(head + chunk * 33)).split()[1] == b"413"


@pytest.mark.parametrize("chunked", [True, False])
def test_a_client_that_sends_too_much_reads_why(served: Served, chunked: bool) -> None:
    body = b"a" * 5_000_000
    sent = iter([body[at : at + 65_536] for at in range(0, len(body), 65_536)]) if chunked else body
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    connection.request(
        "POST", "/reload", sent, encode_chunked=chunked, headers={"Transfer-Encoding": "chunked"} if chunked else {}
    )
    answer = connection.getresponse()
    assert (answer.status, {*json.loads(answer.read())}) == (413, {"error", "hint"})
    connection.close()


def test_a_body_as_long_as_the_longest_memory_is_let_in(served: Served) -> None:
    body = b"a" * 600_000
    head = f"POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nConnection: close\r\n"
    sent = served.send(head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    assert read_all(sent).split()[1] == b"404"


def test_what_is_not_http_is_refused(served: Served) -> None:
    for raw in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\0" * 99,
    ):
        answer = read_all(served.send(raw))
        assert answer.split()[1] == b"400"
        assert json.loads(answer.partition(b"\r\n\r\n")[2]).keys() == {"error", "hint"}
    smuggled = (
        f"POST /reload HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n"
    )
    assert read_all(served.send(smuggled.encode())).split()[1] == b"400"


def test_a_socket_to_talk_both_ways_is_not_opened(served: Served) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "eA==",
        "Sec-WebSocket-Version": "13",
    }
    assert served.ask("/health", upgrade).status == 200
    assert served.ask("/nowhere", upgrade).status == 404


def test_a_request_that_dribbles_is_given_up(indexed: Vault) -> None:
    with serving(indexed, impatient(request_seconds=0.5)) as served:
        silent, dribbling = served.send(b""), served.send(b"GET /health HTTP/1.1\r\n")
        with dribbling:
            dribbling.settimeout(0.05)
            answer = b""
            # Each byte comes in time; all of them together do not.
            for _ in range(400):
                try:
                    dribbling.send(b"a")
                    answer = dribbling.recv(65_536)
                    break
                except TimeoutError:
                    continue
                except (ConnectionResetError, BrokenPipeError):
                    break
            else:
                pytest.fail("the server waits for ever")
        assert answer.split()[1:2] in ([], [b"408"])
        assert b"408" in read_all(silent)
        assert served.ask("/health").status == 200


def test_a_second_request_that_dribbles_is_given_up_too(indexed: Vault) -> None:
    with serving(indexed, impatient(request_seconds=0.5)) as served:
        request = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode()
        answers = read_all(served.send(request + request[:20]))
        assert [part[:3] for part in answers.split(b"HTTP/1.1 ")[1:]] == [b"200", b"408"]


def test_a_body_that_dribbles_is_given_up(indexed: Vault) -> None:
    with serving(indexed, impatient(body_seconds=0.3)) as served:
        head = f"POST /reload HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Length: 50\r\n\r\n".encode()
        assert read_all(served.send(head + b"only some")).split()[1] == b"408"


def test_too_many_requests_are_told_to_wait(indexed: Vault) -> None:
    with serving(indexed, rules(rate=2)) as served:
        replies = [served.ask("/health") for _ in range(12)]
        refused = [reply for reply in replies if reply.status == 429]
        assert [reply.status for reply in replies[:4]] == [200] * 4
        assert refused and refused[0].headers["retry-after"] == "1"


def test_ipv6_works(indexed: Vault) -> None:
    with serving(indexed, host="::1") as served:
        assert served.ask("/health").status == 200
        assert served.ask("/health", {"Host": f"[::1]:{served.port}"}).status == 200
        assert served.ask("/health", {"Host": f"127.0.0.1:{served.port}"}).status == 421


def test_a_mistake_of_ours_is_reported_without_a_word_of_where(indexed: Vault) -> None:
    with serving(indexed) as served:
        indexed.status = None  # type: ignore[assignment,method-assign]
        reply = served.ask("/status")
        assert reply.status == 500
        assert "Traceback" not in reply.body.decode() and str(os.sep) not in reply.data["error"]


def test_what_is_sent_is_not_held_back_for_a_receipt() -> None:
    from notewell.serve.http.listen import bound  # noqa: PLC0415

    # Else the system waits, some 40 ms, for the client to say that it got the head of an answer.
    with bound("localhost", 0) as sockets:
        assert {one.proto for one in sockets} == {socket.IPPROTO_TCP}
        assert len({one.getsockname()[1] for one in sockets}) == 1


def test_what_is_mounted_starts_and_ends_with_the_server_and_is_guarded(indexed: Vault) -> None:
    from starlette.applications import Starlette  # noqa: PLC0415
    from starlette.requests import Request  # noqa: PLC0415
    from starlette.responses import PlainTextResponse  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    from notewell.serve.http import Mounted  # noqa: PLC0415

    state = []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        state.append("begun")
        yield
        state.append("ended")

    async def echo(request: Request) -> PlainTextResponse:
        return PlainTextResponse(f"{request.url.path} {(await request.body()).decode()}")

    app = Starlette(routes=[Route("/mcp", echo, methods=["POST"]), Route("/mcp/more", echo)], lifespan=lifespan)
    with serving(indexed, rules(token="a token"), mounts=[Mounted("/mcp", lambda: app)]) as served:
        token = {"Authorization": "Bearer a token"}
        assert served.ask("/mcp", method="POST", body=b"hello").status == 401
        assert served.ask("/mcp", {**token, "Origin": "https://evil.example"}, method="POST").status == 403
        # What it says of its size is enough: to go on sending to who has answered and left breaks the pipe, at times.
        large = {**token, "Content-Length": str(2 << 20)}
        assert served.ask("/mcp", large, method="POST", body=b"a").status == 413
        # Nothing was let through so far, so nothing was made.
        assert not state
        answer = served.ask("/mcp", token, method="POST", body=b"hello")
        assert (answer.body, answer.headers["x-content-type-options"]) == (b"/mcp hello", "nosniff")
        assert served.ask("/mcp/more", token).body == b"/mcp/more "
        assert served.ask("/mcpx", token).status == 404
        assert served.ask("/status", token).status == 200
        assert state == ["begun"]
    assert state == ["begun", "ended"]
