from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING

from .serving import MANY, Served, hold, serving, wait_until, write_many

if TYPE_CHECKING:
    from notewell import Vault
    from notewell.types.note import Vectors


def lines_of(served: Served) -> list[dict[str, object]]:
    reply = served.ask("/reload", method="POST")
    assert reply.status == 200 and reply.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in reply.body.splitlines()]


def test_a_reload_indexes_what_changed_and_says_when_nothing_did(indexed: Vault) -> None:
    (indexed.root / "New.md").write_text("# Quinces\n", encoding="utf-8")
    (indexed.root / "Garden/Bees.md").unlink()
    with serving(indexed) as served:
        (*_, first), (again,) = lines_of(served), lines_of(served)
        assert (first["added"], first["changed"], first["removed"], first["unchanged"]) == (1, 0, 1, False)
        assert (again["added"], again["changed"], again["removed"], again["unchanged"]) == (0, 0, 0, True)
        assert served.get("/search", text="quinces", refresh=False)["hits"][0]["path"] == "New.md"


def test_progress_comes_while_it_goes_on_and_searches_are_not_held_up(indexed: Vault) -> None:
    write_many(indexed.root)
    go_on = hold(indexed)
    with serving(indexed) as served, closing(HTTPConnection(served.host, served.port, timeout=300)) as connection:
        connection.request("POST", "/reload")
        answer = connection.getresponse()
        first = json.loads(answer.readline())
        assert 0 < first["done"] < first["total"] == MANY
        found = served.get("/search", text="honey")
        assert found["hits"][0]["path"] == "Garden/Bees.md"
        (notice,) = found["notices"]
        assert notice.startswith("Indexing (") and notice.endswith(
            " of 30 notes). Search again in a minute to find everything"
        )
        go_on.set()
        *_, last = (json.loads(line) for line in answer.read().splitlines())
        assert last["added"] == MANY
        assert served.get("/search", text="word29")["hits"][0]["path"] == "note 29.md"


def test_a_second_reload_at_once_is_told_to_wait(indexed: Vault) -> None:
    write_many(indexed.root)
    go_on = hold(indexed)
    with serving(indexed) as served, closing(HTTPConnection(served.host, served.port, timeout=300)) as connection:
        connection.request("POST", "/reload")
        first = connection.getresponse()
        second = served.ask("/reload", method="POST")
        assert (second.status, second.data["error"]) == (409, "This vault is already being indexed")
        go_on.set()
        assert json.loads(first.read().splitlines()[-1])["added"] == MANY
        assert lines_of(served)[-1]["unchanged"]


def test_while_another_process_writes_a_reload_is_told_so(indexed: Vault, folder: Path) -> None:
    from notewell import Vault  # noqa: PLC0415

    with Vault.open(folder) as other, other.store.locked(wait=0), serving(indexed) as served:
        reply = served.ask("/reload", method="POST")
        assert reply.status == 409
        assert "is writing to this vault's store" in reply.data["error"]


def test_hanging_up_ends_it_and_what_was_done_is_kept(indexed: Vault) -> None:
    write_many(indexed.root)
    go_on = hold(indexed)
    with serving(indexed) as served:
        connection = HTTPConnection(served.host, served.port, timeout=300)
        connection.request("POST", "/reload")
        connection.getresponse().readline()
        run = served.vault.freshness._run
        assert run is not None and not run.is_over
        connection.close()
        wait_until(run._left.is_set)
        go_on.set()
        wait_until(lambda: run.is_over)
        assert run.report and run.report.interrupted and 0 < run.report.added < MANY
        assert served.get("/status")["notes"] == 3 + run.report.added
        assert lines_of(served)[-1]["notes"] == 3 + MANY


def test_an_embedder_that_fails_is_reported(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault({"a.md": "# Apples\n"})
    vault.index()
    from notewell.embed.words import WordsEmbedder  # noqa: PLC0415
    from notewell.errors import EmbedError  # noqa: PLC0415
    from notewell.vault import Vault  # noqa: PLC0415

    class Broken(WordsEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            raise EmbedError("The server does not answer", "Start it")

    (vault.root / "b.md").write_text("# Bees\n", encoding="utf-8")
    with serving(Vault(vault.root, vault.settings_files)) as served:
        served.vault.models.embedder = Broken()
        reply = served.ask("/reload", method="POST")
        assert (reply.status, reply.data) == (503, {"error": "The server does not answer", "hint": "Start it"})


def test_while_a_reload_goes_on_every_route_tells_of_it(indexed: Vault) -> None:
    write_many(indexed.root)
    go_on = hold(indexed)
    with serving(indexed) as served:
        served.vault.freshness.reload()
        try:
            assert "Indexing" in served.get("/traverse/Garden/Bees.md")["notices"][0]
            assert "Indexing" in served.get("/links/Garden/Bees.md", refresh=False)["notices"][0]
        finally:
            go_on.set()
