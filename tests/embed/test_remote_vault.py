"""A vault whose embedder is a server: what happens if the server fails, or the embedder changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, Protocol

import pytest

from notewell import Vault
from notewell.embed import Embedder, EmbedRules, load_embedder
from notewell.embed.remote import RemoteEmbedder
from notewell.errors import EmbedError
from notewell.freshness import Opening
from notewell.index import Batches, Progress
from notewell.remote.endpoint import Patience
from notewell.serve.wording import sentences
from notewell.types.notices import Notice

MakeVault = Callable[..., Vault]
Content = Callable[[Vault], dict[str, Any]]

NOTES = {
    "bread.md": "# Bread\n\nThe loaf collapsed because the oven was too cold.\n",
    "bees.md": "# Bees\n\nThe hive hums in the warm evening of a summer day.\n",
}
MANY = {f"{number:02}.md": f"# {number}\n\nThe hive of number {number} hums.\n" for number in range(20)}


def gives_up_after(seconds: float) -> Opening:
    """Open a vault whose searches wait for a server this long, and for ten minutes after a failure do not ask it."""

    def load(rules: EmbedRules, *, hurried: bool = False) -> Embedder:
        if not rules.is_remote:
            return load_embedder(rules)
        soon = Patience(delays=(), request=seconds, whole=seconds, rest=600)
        return RemoteEmbedder(rules, soon if hurried else Patience(delays=(0.0, 0.0, 0.0), request=rules.timeout))

    return Opening(load_embedder=load)


# However busy the machine, a server that answers is waited for.
PATIENT = gives_up_after(300)


class Server(Protocol):
    """What `server` gives."""

    url: str
    requests: list[Any]
    faults: deque[str]
    always: str


@pytest.fixture
def make_vault(make_vault: MakeVault) -> MakeVault:
    return lambda files, settings=None, opening=PATIENT: make_vault(files, settings, opening)


def settings(server: Server, kind: str = "ollama") -> dict[str, Any]:
    return {"embed.model": f"{kind}:some-model", "embed.url": server.url}


def again(vault: Vault, opening: Opening = PATIENT) -> Vault:
    """Open a vault as another process does."""
    vault.close()
    return Vault(vault.root, vault.settings_files, opening)


def in_groups(size: int) -> Opening:
    """Open a vault whose notes are embedded this many bytes at a time."""
    return PATIENT._replace(batches=Batches(embedded=size))


def change(vault: Vault, path: str, text: str) -> None:
    (vault.root / path).write_text(text, encoding="utf-8")


# Searching


@pytest.mark.parametrize("kind", ["ollama", "openai"])
def test_a_vault_is_indexed_and_searched_by_a_servers_vectors(make_vault: MakeVault, server: Server, kind: str) -> None:
    vault = make_vault(NOTES, settings(server, kind))
    assert vault.index().added == 2
    results = vault.search("the hive")
    assert (results.notices, results[0].retrievers) == ((), {"lexical": 1, "vector": 1})
    assert vault.status().embedder == f"{kind}:some-model"


@pytest.mark.parametrize(
    "fault", ["500", "401", "404", "slow", "trickle", "closed", "half", "garbage", "redirect", "another dimension"]
)
def test_a_failing_server_costs_a_notice_and_words_are_still_found(
    make_vault: MakeVault, server: Server, fault: str
) -> None:
    vault = make_vault(NOTES, settings(server))
    vault.index()
    server.always, before = fault, len(server.requests)
    with again(vault, gives_up_after(0.3) if fault in ("slow", "trickle") else PATIENT) as other:
        results = other.search("the hive", refresh=True)
    assert [excerpt.path for excerpt in results] == ["bees.md"]
    assert results[0].retrievers == {"lexical": 1, "vector": None}
    (notice,) = results.notices
    assert notice.code == "words_only"
    assert len(server.requests) == before + 1


def test_a_server_that_is_gone_is_asked_once_by_many_searches(make_vault: MakeVault, server: Server) -> None:
    vault = make_vault(NOTES, settings(server))
    vault.index()
    server.always, before = "closed", len(server.requests)
    assert all(len(vault.search("hive").notices) == 1 for _ in range(5))
    assert len(server.requests) == before + 1


def test_a_setting_that_leads_nowhere_does_not_stop_a_search_by_words(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    vault.index()
    with Vault.open(vault.root, {"embed.model": "openai:some-model"}) as other:
        results = other.search("hive", refresh=True)
    assert [excerpt.path for excerpt in results] == ["bees.md"]
    assert "embed.url is empty" in sentences(results.notices)[0]


def test_a_query_goes_to_the_server_without_its_secrets(make_vault: MakeVault, server: Server) -> None:
    secret = "-".join(("hunter2", "again"))
    vault = make_vault(
        {**NOTES, "keys.md": f"# Keys\n\nThe weather station.\n\npassword: {secret}\n"}, settings(server)
    )
    vault.index()
    vault.search(f"weather password: {secret}")
    sent = [text for request in server.requests for text in request.texts]
    assert sent[-1] == "weather password: [REDACTED:password]"
    assert secret not in "\n".join(sent) and len(sent) > len(NOTES)


def test_a_query_without_telling_weight_is_not_sent(make_vault: MakeVault, server: Server) -> None:
    vault = make_vault(NOTES, {**settings(server), "search.vector_weight": 0})
    vault.index()
    before = len(server.requests)
    assert vault.search("hive").notices == ()
    assert len(server.requests) == before


# Indexing


@pytest.mark.parametrize("full", [False, True])
def test_a_new_vault_is_searched_by_words_until_the_server_answers(
    make_vault: MakeVault, server: Server, full: bool
) -> None:
    server.always = "500"
    vault = make_vault(NOTES, settings(server))
    for _ in range(2):
        (notice,) = vault.index(full=full).notices
        assert notice.code == "indexed_by_words" and "answers with 500" in str(notice.facts["reason"])
    (vault.root / "rye.md").write_text("# Rye\n\nThe rye stands high.\n")
    for word, path in (("hive", "bees.md"), ("rye", "rye.md")):
        results = vault.search(word, refresh=True)
        assert [(hit.path, hit.retrievers) for hit in results] == [(path, {"lexical": 1, "vector": None})]
        assert [notice.code for notice in results.notices] == ["no_vectors"]
    assert (vault.doctor().problems, vault.links().notices) == ((), ())
    assert vault.related("bees.md").notices[0].code == "no_vectors"
    server.always = ""
    assert (vault.index().notices, vault.search("hive").notices, vault.doctor().problems) == ((), (), ())
    assert vault.search("hive")[0].retrievers["vector"]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("fault", ["500", "closed", "half", "garbage", "401", "too few"])
def test_a_store_stays_as_it_is_when_the_server_fails_from_the_beginning(
    make_vault: MakeVault,
    content: Content,
    server: Server,
    fault: str,
    full: bool,
) -> None:
    vault = make_vault(NOTES, settings(server))
    vault.index()
    before, about = content(vault), replace(vault.store.about(), bytes=0)
    change(vault, "bread.md", "# Bread\n\nA baguette needs steam.\n\n# Rye\n\nRye needs none at all.\n")
    change(vault, "new.md", "# New\n\nA zebra grazes in the garden.\n\n# Old\n\nIt grazed there yesterday.\n")
    server.always, asked = fault, len(server.requests)
    with again(vault, in_groups(1)) as other, pytest.raises(EmbedError) as caught:
        other.index(full=full)
    assert caught.value.hint
    assert (content(vault), replace(vault.store.about(), bytes=0)) == (before, about)
    # Four tries, and no more for the group of notes that is read ahead.
    assert len(server.requests) <= asked + 4
    server.always = ""
    assert vault.index().changed == 1


def test_work_done_before_the_server_failed_stays_and_the_next_run_continues(
    make_vault: MakeVault, content: Content, server: Server, tmp_path: Path
) -> None:
    vault = make_vault(MANY, settings(server), in_groups(100))
    # The first asks for the dimensions; then come a few notes in each.
    server.faults.extend(["", "", "", *["500"] * 1000])
    with pytest.raises(EmbedError, match="answers with 500"):
        vault.index()
    kept = vault.store.about().notes
    assert 0 < kept < len(MANY)
    assert len(vault.search("hive", limit=20)) == kept
    server.faults.clear()
    sent = len(server.requests)
    with again(vault) as other:
        assert other.index().added == len(MANY) - kept
    assert sum(len(request.texts) for request in server.requests[sent:]) == len(MANY) - kept
    with Vault.open(vault.root, {**settings(server), "store.path": str(tmp_path / "whole.db")}) as whole:
        whole.index()
        assert content(vault) == content(whole)
    assert vault.doctor().problems == ()


def test_without_the_server_notes_can_be_removed_moved_and_touched(make_vault: MakeVault, server: Server) -> None:
    vault = make_vault(NOTES, settings(server))
    vault.index()
    server.always = "closed"
    (vault.root / "bread.md").unlink()
    (vault.root / "bees.md").rename(vault.root / "hive.md")
    with again(vault) as other:
        report = other.index()
        assert (report.added, report.removed) == (1, 2)
        assert [excerpt.path for excerpt in other.search("hive")] == ["hive.md"]


def test_without_the_server_everything_but_new_text_works(
    make_vault: MakeVault, server: Server, tmp_path: Path
) -> None:
    vault = make_vault(NOTES, settings(server))
    vault.index()
    server.always, before = "closed", len(server.requests)
    with again(vault) as other:
        assert (other.status().notes, other.doctor().problems, other.refresh()) == (2, (), ())
        assert other.read("bees.md:3").text.startswith("The hive")
        other.backup(tmp_path / "copy.db")
        other.restore(tmp_path / "copy.db")
        assert other.index().total == 0
    with Vault.open(vault.root, {**settings(server), "store.path": str(tmp_path / "new" / "place.db")}) as elsewhere:
        elsewhere.restore(tmp_path / "copy.db")
        assert elsewhere.status().notes == 2
    assert len(server.requests) == before


def test_a_change_without_vectors_gives_a_notice_and_the_old_answer(make_vault: MakeVault, server: Server) -> None:
    vault = make_vault(NOTES, settings(server))
    vault.index()
    change(vault, "new.md", "# New\n\nA zebra grazes in the garden today.\n")
    server.always, before = "slow", len(server.requests)
    with again(vault, gives_up_after(0.3)) as other:
        results = other.search("hive", refresh=True)
    assert [excerpt.path for excerpt in results] == ["bees.md"]
    taken, by_words = results.notices
    assert (taken.code, taken.facts["count"], by_words.code) == ("changes_not_indexed", 1, "words_only")
    assert str(taken.facts["reason"]).startswith("Ollama")
    assert len(server.requests) == before + 1
    server.always = ""
    with again(vault) as other:
        assert other.search("zebra", refresh=True)[0].path == "new.md"


def test_a_model_that_changed_behind_its_name_is_an_error_until_a_full_index(
    make_vault: MakeVault, server: Server
) -> None:
    vault = make_vault(NOTES, settings(server))
    vault.index()
    server.always = "another dimension"
    change(vault, "new.md", "# New\n\nA zebra grazes in the garden today.\n")
    with again(vault) as other:
        assert "makes vectors of 5 numbers, but the store has 27" in sentences(other.search("hive").notices)[0]
        with pytest.raises(EmbedError, match="5 numbers, but the store has 27") as caught:
            other.index()
        assert "`notewell index --full`" in caught.value.hint
        assert other.index(full=True).added == 3
        assert other.search("hive").notices == ()
        assert other.store.state.made_for.dimensions == 5


# Another embedder


def test_another_embedder_is_built_beside_while_the_old_store_answers(make_vault: MakeVault, server: Server) -> None:
    old = make_vault(MANY, opening=in_groups(100))
    old.index()
    seen: list[tuple[int, tuple[Notice, ...], Any]] = []

    def look(done: int, total: int) -> None:
        results = old.search("hive of number 7", limit=3)
        seen.append((len(results), results.notices, results[0].retrievers["vector"] is not None))

    with Vault.open(old.root, settings(server), in_groups(100)) as new:
        # Half way, the server fails, and nothing is lost of either.
        server.faults.extend(["", "", "", *["closed"] * 1000])
        with pytest.raises(EmbedError):
            new.index(progress=Progress(tell=look))
        assert new.store.state.made_for.embedder == "words/27"
        assert [entry.retrievers["vector"] for entry in new.search("hive", limit=1)] == [None]
        server.faults.clear()
        begun = len(seen)
        assert 0 < new.index(progress=Progress(tell=look)).added == len(MANY) - begun
        assert new.store.state.made_for.embedder == "ollama:some-model"
        assert new.search("hive").notices == ()
        assert set(seen) == {(3, (), True)} and len(seen) == len(MANY)
    assert old.search("hive").notices[0].code == "other_embedder"


def test_another_address_of_the_same_model_keeps_the_store(make_vault: MakeVault, server: Server) -> None:
    vault = make_vault(NOTES, settings(server))
    vault.index()
    moved = {**settings(server), "embed.url": server.url.replace("127.0.0.1", "localhost"), "embed.timeout": 3}
    with Vault.open(vault.root, moved) as other:
        assert (other.index().total, other.search("hive", all=True).notices) == (0, ())


def test_a_watch_goes_on_when_the_server_is_down_and_says_so(make_vault: MakeVault, server: Server) -> None:
    vault = make_vault(NOTES, settings(server))
    vault.index()
    (vault.root / "rye.md").write_text("# Rye\n\nThe rye stands high.\n")
    server.faults.extend(["500"] * 4)
    stop, warned, told = Event(), list[str](), list[int]()

    def tell(added: int) -> None:
        told.append(added)
        stop.set()

    with again(vault) as watched:
        watched.watch(lambda report: tell(report.added), stop, warned.append)
    assert len(warned) == 1 and "answers with 500" in warned[0]
    assert told == [1]
