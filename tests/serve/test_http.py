from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cases import cases

from .serving import Served, serving, wait_until

if TYPE_CHECKING:
    from notewell import Vault


def test_health_says_that_it_is_there_and_what_it_serves(served: Served) -> None:
    import notewell  # noqa: PLC0415

    told, status = served.get("/health"), served.get("/status")
    assert (told["ok"], told["version"], told["paused"]) == (True, notewell.__version__, False)
    same = ("vault", "store", "indexed_at", "notes", "filling")
    assert {name: told[name] for name in same} == {name: status[name] for name in same}
    assert (told["model"], told["dimension"]) == (status["embedder"], 27)


def test_a_search_answers_as_the_command_line_does(indexed: Vault) -> None:
    from notewell.serve.json_data import as_data  # noqa: PLC0415

    expected = indexed.search("why did the loaf collapse", limit=2)
    with serving(indexed) as served:
        told = served.get("/search", text="why did the loaf collapse", limit=2)
    assert {**told, "took_ms": 0} == json.loads(json.dumps({**as_data(expected), "took_ms": 0}))
    assert told["hits"][0]["path"] == "Recipes/Sourdough.md"


def test_a_search_of_our_own_page_is_the_last_one(indexed: Vault) -> None:
    from notewell.serve.last_search import last_search  # noqa: PLC0415

    with serving(indexed) as served:
        assert served.ask("/search?text=honey&limit=1", {"Sec-Fetch-Site": "same-origin"}).status == 200
        served.get("/search", text="what another program asks")
    assert last_search(indexed.root).text == "honey" and len(last_search(indexed.root).places) == 1


def test_filters_narrow_a_search(served: Served) -> None:
    def paths(**asked: object) -> set[str]:
        return {hit["path"] for hit in served.get("/search", **asked)["hits"]}

    assert paths(text="", tag="bread") == {"Recipes/Sourdough.md"}
    assert paths(text="the", under="Garden") == {"Garden/Bees.md", "Garden/Keys.md"}
    assert paths(text="the", before="1990") == set()
    assert paths(text="water", where=["tags=bread", "tags=rye|bread"]) == {"Recipes/Sourdough.md"}


def test_explain_and_deep_mode_say_more(served: Served) -> None:
    plain, explained = (served.get("/search", text="honey", explain=explain) for explain in (False, True))
    assert "read_as" not in plain and explained["read_as"]
    assert explained["hits"][0]["votes"]
    deep = served.get("/search", text="honey", mode="deep")
    assert {"similarity", "hop", "retain_reason"} <= deep["hits"][0].keys()


def test_what_the_user_should_know_is_in_every_answer(indexed: Vault, folder: Path) -> None:
    from notewell import Vault  # noqa: PLC0415

    (folder / "New.md").write_text("# New\n\nNobody has taken this in.\n", encoding="utf-8")
    with Vault.open(folder) as other, other.store.locked(wait=0), serving(indexed) as served:
        for path in ("search?text=a", "search?text=a&mode=deep", "related/bees", "traverse/bees", "links", "graph"):
            assert served.ask(f"/{path}").data["notices"], path


def test_max_tokens_bounds_the_text(served: Served) -> None:
    hits = served.get("/search", text="the", max_tokens=20)["hits"]
    assert sum(len(hit["text"]) for hit in hits) <= 80 or len(hits) == 1


def test_related_takes_one_note_in_the_path_or_several(served: Served) -> None:
    one = served.get("/related/Garden/Bees.md", limit=1)
    several = served.get("/related", note=["Garden/Bees.md", "Sourdough"], limit=5)
    assert one["query"] == "Garden/Bees.md" and one["hits"]
    assert several["query"] == "Garden/Bees.md, Recipes/Sourdough.md"
    assert {hit["path"] for hit in several["hits"]} == {"Garden/Keys.md"}


def test_traverse_links_graph_and_status_answer_as_data(served: Served) -> None:
    walk = served.get("/traverse/bees", floor=-1, depth=1)
    assert [visit["path"] for visit in walk["visits"]] == ["Garden/Bees.md", "Recipes/Sourdough.md"]
    assert served.get("/links/bees")["links"][0]["to"] == "Recipes/Sourdough.md"
    assert served.get("/links", orphans=True)["orphans"] == ["Garden/Keys.md"]
    assert served.get("/graph")["notes"] == 3
    assert served.get("/status")["notes"] == 3


def test_a_note_is_read_whole_by_lines_or_as_written(served: Served) -> None:
    whole = served.get("/node/Recipes/Sourdough.md")
    assert whole["line"] == 1 and "Rye needs" in whole["text"]
    for path, asked in (("/node/Recipes/Sourdough.md", {"lines": "5-7"}), ("/node/Recipes/Sourdough.md:5-7", {})):
        assert served.get(path, **asked)["text"].splitlines()[0] == "# Sourdough"
    assert served.get("/node/sourdough")["path"] == "Recipes/Sourdough.md"


def test_a_part_is_read_by_its_name(indexed: Vault) -> None:
    (indexed.root / "rows.csv").write_text("name,cost\n" + "bees,12\n" * 400, encoding="utf-8")
    indexed.index()
    with serving(indexed) as served:
        place = served.get("/search", text="bees cost", under="rows.csv")["hits"][0]["place"]
        assert place
        by_parameter, as_written = served.get("/node/rows.csv", part=place), served.get(f"/node/rows.csv#{place}")
        assert by_parameter == as_written and by_parameter["place"].startswith(place)


def test_secrets_stay_in_their_notes(served: Served) -> None:
    assert "hunter2" not in json.dumps(served.get("/node/Garden/Keys.md"))
    assert "hunter2" not in json.dumps(served.get("/search", text="password"))
    assert served.ask("/node/Garden/Keys.md?raw=true").status == 400


def test_what_is_excluded_from_the_index_is_not_read_either(folder: Path) -> None:
    from notewell.vault import Vault  # noqa: PLC0415

    with Vault.open(folder, {"index.exclude": ["Garden"]}) as vault:
        vault.index()
        with serving(vault) as served:
            assert served.ask("/node/Garden/Bees.md").status == 404


def test_a_note_that_was_just_written_is_found(indexed: Vault) -> None:
    (indexed.root / "New.md").write_text("# Quinces\n\nThey keep until Christmas.\n", encoding="utf-8")
    with serving(indexed) as served:
        assert served.get("/search", text="quinces", refresh=False)["hits"][0]["path"] != "New.md"
        assert served.get("/search", text="quinces")["hits"][0]["path"] == "New.md"


def test_every_note_is_found_by_a_request_right_after_it_was_saved(indexed: Vault) -> None:
    with serving(indexed) as served:
        for number in range(30):
            (indexed.root / f"New {number}.md").write_text(f"# New\n\nWord{number}zz stands here.\n", encoding="utf-8")
            assert served.get("/search", text=f"Word{number}zz", limit=1)["hits"][0]["path"] == f"New {number}.md"


@cases(
    ("path", "status", "word"),
    [
        ("/search", 400, "text"),
        ("/search?text=a&limit=0", 400, "limit"),
        ("/search?text=a&limit=99999999999999999999", 400, "limit"),
        ("/search?text=", 400, "nothing to search for"),
        ("/search?text=%20&mode=deep", 400, "nothing to search for"),
        ("/search?text=&like=", 400, "nothing to search for"),
        ("/search?text=a&after=someday", 400, "after"),
        ("/search?text=a&where=status", 400, "KEY=VALUE"),
        ("/search?text=a&mode=wild", 400, "mode"),
        ("/search?text=a&top_q=3", 400, "top_q"),
        ("/search?text=a&refresh=perhaps", 400, "refresh"),
        ("/search?text=a&like=Nowhere.md", 404, "Nowhere.md"),
        ("/related", 400, "note"),
        ("/related/Nowhere.md", 404, "Nowhere.md"),
        ("/related?note=", 404, "''"),
        ("/related?note=Bees&note=", 404, "''"),
        ("/related?notes=Bees&note=Bees", 400, "same argument"),
        ("/traverse/Nowhere.md", 404, "Nowhere.md"),
        ("/traverse/bees?depth=9", 400, "depth"),
        ("/traverse/bees?floor=nan", 400, "floor"),
        ("/node/Nowhere.md", 404, "Nowhere.md"),
        ("/node/Garden/Bees.md:999", 404, "999"),
        ("/node/bees?lines=a-b", 400, "lines"),
        ("/node/bees?lines=9-3", 404, "backwards"),
        ("/links/Nowhere.md", 404, "Nowhere.md"),
        ("/nowhere", 404, "/nowhere"),
        ("/docs", 404, "/docs"),
        ("/redoc", 404, "/redoc"),
    ],
)
def test_an_error_is_reported_as_a_fact_and_a_hint(served: Served, path: str, status: int, word: str) -> None:
    reply = served.ask(path)
    assert reply.status == status
    assert reply.headers["content-type"] == "application/json"
    assert reply.data.keys() == {"error", "hint"}
    assert word in reply.data["error"]


@cases(
    ("path", "fact", "hint"),
    [
        ("/search?words=bees", "There is no parameter 'words' here", "Did you mean 'text'?"),
        ("/search?text=bees&lmit=3", "There is no parameter 'lmit' here", "Did you mean 'limit'?"),
        ("/search?text=a&text=b", "The parameter 'text' is sent 2 times", "once"),
        ("/health?x=1", "There is no parameter 'x' here", "openapi.json"),
        ("/status?refresh=no", "There is no parameter 'refresh' here", "openapi.json"),
        ("/node/bees?lines=x", "lines cannot be read", "12-20"),
        ("/links?to=notes", "`to` chooses among broken links", "broken"),
    ],
)
def test_a_wrong_parameter_is_reported_in_plain_words(served: Served, path: str, fact: str, hint: str) -> None:
    reply = served.ask(path)
    assert reply.status == 400
    assert fact in reply.data["error"] and hint in reply.data["hint"]


def test_head_is_answered_as_get_without_a_body(served: Served) -> None:
    for path, status in (("/health", 200), ("/search?text=honey", 200), ("/nowhere", 404), ("/reload", 405)):
        reply = served.ask(path, method="HEAD")
        assert (reply.status, reply.body) == (status, b"")
        assert int(reply.headers["content-length"]) > 0


def test_a_wrong_method_is_reported_likewise(served: Served) -> None:
    reply = served.ask("/search?text=a", method="DELETE")
    assert reply.status == 405 and reply.data.keys() == {"error", "hint"}


def test_a_vault_without_a_store_is_indexed_behind_and_says_so(folder: Path) -> None:
    from notewell.vault import Vault  # noqa: PLC0415

    with Vault.open(folder) as vault, serving(vault) as served:
        reply = served.ask("/links?refresh=false")
        assert reply.status == 503 and "being indexed for the first time" in reply.data["error"]
        assert "of 0 so far" not in reply.data["error"]
        assert reply.headers["retry-after"] == "1"
        wait_until(lambda: served.ask("/links").status == 200)


def test_a_vault_that_is_gone_is_reported_and_not_created_again(indexed: Vault) -> None:
    with serving(indexed) as served:
        indexed.root.rename(indexed.root.with_name("elsewhere"))
        for path in ("/search?text=bees", "/search?text=bees&refresh=false", "/node/bees", "/status", "/graph"):
            reply = served.ask(path)
            assert (reply.status, reply.data["error"]) == (503, f"There is no folder {indexed.root}")
        assert served.ask("/reload", method="POST").status == 503
        assert served.ask("/health").status == 200
        assert not indexed.root.exists()
        indexed.root.with_name("elsewhere").rename(indexed.root)
        assert served.get("/search", text="honey")["hits"][0]["path"] == "Garden/Bees.md"


def test_requests_at_once_never_see_each_others_scope(served: Served) -> None:
    scopes = {"Garden": {"Garden/Bees.md", "Garden/Keys.md"}, "Recipes": {"Recipes/Sourdough.md"}}

    def found(number: int) -> tuple[str, set[str]]:
        under = list(scopes)[number % 2]
        asked = {"text": f"the {number % 5}", "under": under, "refresh": number % 3 == 0}
        return under, {hit["path"] for hit in served.get("/search", **asked)["hits"]}

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(found, range(200)))
    assert [answer for answer in answers if answer[1] != scopes[answer[0]]] == []


def test_a_connection_is_kept_for_the_next_request(served: Served) -> None:
    with closing(HTTPConnection(served.host, served.port)) as connection:
        for _ in range(3):
            connection.request("GET", "/search?text=bees")
            answer = connection.getresponse()
            assert answer.status == 200 and answer.read()
            assert connection.sock is not None
