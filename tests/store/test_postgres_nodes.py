"""Several nodes: real servers keep parts of one store, give the answers of one, go away and come back."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest
from tests.conftest import SAMPLE
from tests.postgres import own_server

from notewell import Vault
from notewell.errors import StoreDamaged, StoreError, StoreUnreachable
from notewell.serve.own_server import SUPERUSER, OwnServer
from notewell.store.postgres import lost, queries, sessions
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.nodes import Nodes
from notewell.store.postgres.spread import PARTS
from notewell.types.query import EVERYTHING, Filter, Scope

pytestmark = pytest.mark.postgres
# Every way to match: words, phrases, beginnings, filters, meaning alone, nothing but a filter.
QUERIES = (
    *("why did the bread collapse", "bees", "how do I prune the orchard in winter", '"honey"', "sourd*", "tag:bees"),
    *("under:Recipes flour water", "is:todo", "after:2024 garden", "-bees hive", "book about cities", "wie backe ich"),
)
# How many are asked of one, two and four servers: those, and words that stand in the notes.
ASKED = 200
Answer = list[tuple[str, int, float]]


class Cluster:
    """A database and three nodes, with a store of the sample vault from when it had none, one and three of them."""

    def __init__(self, folder: Path, servers: Sequence[OwnServer]) -> None:
        self.home, *self.others = servers
        self.root = folder / "vault"
        shutil.copytree(SAMPLE, self.root, ignore=shutil.ignore_patterns(".notewell"))
        self.connections = Connections(self.home.url())
        self.nodes = Nodes(self.connections)
        self.every = [*QUERIES, *drawn_from(self.root, ASKED - len(QUERIES))]
        self.all_answers = {"file": self.indexed("")}
        for name, added in (("one", ()), ("two", self.others[:1]), ("four", self.others[1:])):
            for server in added:
                self.nodes.add(server.url())
            self.all_answers[name] = self.indexed(name)
        self.answers = {name: each[: len(QUERIES)] for name, each in self.all_answers.items()}

    def open(self, name: str) -> Vault:
        return Vault.open(self.root, {"store.url": self.home.url(), "store.name": name} if name else {})

    def indexed(self, name: str) -> list[Answer]:
        with self.open(name) as vault:
            vault.index()
            return answers(vault, self.every)

    def parts(self) -> dict[str, int]:
        return {node.name: node.parts for node in self.nodes.listed()}


def drawn_from(root: Path, number: int) -> list[str]:
    """Return two to six words that follow each other in a note, so many times."""
    chance, texts = Random(22), [file.read_text().split() for file in sorted(root.rglob("*.md"))]
    drawn = []
    for words in chance.choices([words for words in texts if len(words) > 6], k=number):
        start = chance.randrange(len(words) - 6)
        drawn.append(" ".join(words[start : start + chance.randint(2, 6)]))
    return drawn


def answers(vault: Vault, queries: Sequence[str] = QUERIES) -> list[Answer]:
    found = (vault.search(query, limit=100, refresh=False) for query in queries)
    return [[(hit.path, hit.line, hit.score) for hit in results.hits] for results in found]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with own_server() as home, own_server() as one, own_server() as two, own_server() as three:
        made = Cluster(tmp_path_factory.mktemp("cluster"), [home, one, two, three])
        yield made
        made.connections.close()


@pytest.fixture
def vault(cluster: Cluster) -> Iterator[Vault]:
    with cluster.open("four") as opened:
        yield opened


def test_one_two_and_four_servers_give_the_answers_of_a_file(cluster: Cluster) -> None:
    assert sum(map(len, cluster.all_answers["file"])) > 10 * ASKED
    assert cluster.parts() == {"home": 4, "node1": 4, "node2": 4, "node3": 4}
    for name in ("one", "two", "four"):
        assert cluster.all_answers[name] == cluster.all_answers["file"]
        # Also those of stores that were there before the last nodes came.
        with cluster.open(name) as vault:
            assert answers(vault) == cluster.answers["file"]
            assert vault.doctor().problems == ()


def plan_of(cluster: Cluster, statement: str, before: str = "select", **bindings: Any) -> str:
    given = {"here": [*range(PARTS)], **bindings}
    with cluster.connections.taken() as db, db.transaction():
        db.execute(before.encode())
        rows = db.execute(f"explain (verbose, costs off) {statement}".encode(), given, prepare=False).fetchall()
    return "\n".join(row for (row,) in rows)


def remote(plan: str) -> list[str]:
    return [line.partition("Remote SQL: ")[2] for line in plan.splitlines() if "Remote SQL" in line]


@pytest.mark.parametrize("analyzed", [False, True])
def test_nodes_are_asked_at_once_and_filter_join_count_and_sort_their_rows(cluster: Cluster, analyzed: bool) -> None:
    if analyzed:
        # As PostgreSQL does behind, some time after rows have come.
        with psycopg.connect(cluster.home.url(SUPERUSER, "notewell"), autocommit=True) as db:
            db.execute("analyze")
    lists = plan_of(cluster, queries.POSTINGS, terms=["bee", "hive"])
    assert lists.count("Async Foreign Scan") == 3
    assert all("term = ANY ('{bee,hive}'" in asked and "store = $1" in asked for asked in remote(lists))
    chunks = plan_of(cluster, queries.CHUNKS, ids=[1, 2])
    assert all("INNER JOIN notewell_part.body" in asked for asked in remote(chunks)) and "Async" in chunks
    counts = plan_of(cluster, queries.HOLDING, terms=["bee", "hive"])
    assert all("sum(length(data))" in asked and "GROUP BY" in asked for asked in remote(counts))
    assert counts.count("Async Foreign Scan") == 3
    # PostgreSQL sorts where it is cheaper, and cuts off only here.
    sorted_there = plan_of(cluster, queries.BODIES, "set local enable_sort to off", last=0, limit=9)
    assert all("ORDER BY id ASC" in asked for asked in remote(sorted_there)) and "Merge Append" in sorted_there
    # Without the parts of two nodes, only the third one is asked.
    assert len(remote(plan_of(cluster, queries.POSTINGS, terms=["bee"], here=[cluster_part(cluster)]))) == 1


def cluster_part(cluster: Cluster, node: str = "notewell_node1") -> int:
    with cluster.connections.taken() as db:
        return int(db.execute("select parts[1] from notewell.node where name = %s", (node,)).fetchall()[0][0])


def test_a_lost_node_is_named_with_what_is_missing_and_comes_back_by_itself(
    cluster: Cluster, vault: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clock = Clock()
    monkeypatch.setattr(lost, "time", clock)
    before = answers(vault)
    on_node = missing_without(cluster, "notewell_node2")
    cluster.others[1].down()
    try:
        after = answers(vault)
        told = vault.search("bees", refresh=True).notices
        assert [(notice.code, dict(notice.facts)) for notice in told] == [
            ("nodes_lost", {"nodes": "node2", "count": len(on_node)})
        ]
        found = [{path for path, *_ in answer} for answer in after]
        assert all(on_node.isdisjoint(paths) for paths in found)
        assert any(
            paths and not on_node.isdisjoint(path for path, *_ in was) for paths, was in zip(found, before, strict=True)
        )
        assert vault.status().notices == told
        with pytest.raises(StoreUnreachable, match="node2 cannot be reached") as caught:
            cluster.nodes.remove("node2")
        assert "--lost" in caught.value.hint
        for whole in (vault.doctor, lambda: vault.backup(tmp_path / "backup.db"), lambda: vault.index(full=True)):
            with pytest.raises(StoreUnreachable, match=r"node2|A node"):
                whole()
        states = {node.name: node.running for node in cluster.nodes.listed()}
        assert states == {"home": True, "node1": True, "node2": False, "node3": True}
    finally:
        cluster.others[1].up()
    # It is left alone for a while.
    assert [notice.code for notice in vault.search("bees").notices] == ["nodes_lost"]
    clock.now += lost.REST
    assert vault.search("bees").notices == ()
    assert answers(vault) == before


@pytest.mark.parametrize("name", ["one", "four"])
def test_a_plan_that_the_server_keeps_does_not_ask_a_lost_node(cluster: Cluster, name: str) -> None:
    # It keeps one after five times, if that seems cheaper; here, from the first time on.
    keeps = "alter role notewell {} plan_cache_mode"
    with psycopg.connect(cluster.home.url(SUPERUSER, "notewell"), autocommit=True) as db:
        db.execute((keeps.format("set") + " = force_generic_plan").encode())
        try:
            cluster.others[1].down()
            with cluster.open(name) as vault:
                found = answers(vault)
                lost = vault.search("bees", refresh=False).notices
        finally:
            cluster.others[1].up()
            db.execute(keeps.format("reset").encode())
    # The store that was there before the nodes has nothing on any of them.
    assert [notice.code for notice in lost] == (["nodes_lost"] if name == "four" else [])
    assert (found == cluster.answers["file"]) == (name == "one")


class Clock:
    """A clock that stands still, so that no test depends on how busy the machine is."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


def missing_without(cluster: Cluster, node: str) -> set[str]:
    with cluster.connections.taken() as db:
        db.execute(
            "select set_config('notewell.store', id::text, false) from notewell.store "
            "where vault = (select id from notewell.vault where name = 'four')"
        )
        rows = db.execute(
            "select path from notewell.note where part in (select unnest(parts) from notewell.node where name = %s)",
            (node,),
        )
        return {path for (path,) in rows.fetchall()}


def test_searches_go_on_while_nodes_come_and_go(cluster: Cluster) -> None:
    seen: list[list[Answer]] = []
    failed: list[BaseException] = []
    stop = threading.Event()

    def search() -> None:
        try:
            with cluster.open("four") as vault:
                while not stop.is_set():
                    seen.append(answers(vault))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=search)
    thread.start()
    try:
        cluster.nodes.remove("node3")
        assert cluster.parts()["home"] == 4 and "node3" not in cluster.parts()
        cluster.nodes.add(cluster.others[2].url())
    finally:
        stop.set()
        thread.join()
    assert not failed and seen and all(answer == cluster.answers["file"] for answer in seen)
    assert cluster.parts() == {"home": 4, "node1": 4, "node2": 4, "node3": 4}


def test_changes_are_found_on_every_node(cluster: Cluster, vault: Vault) -> None:
    folder = cluster.root / "Many"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number}.md").write_text(f"A zebra number{number} grazes.\n")
    vault.index()
    assert len(vault.search("zebra", limit=100).hits) == 40 and vault.doctor().problems == ()
    for number in range(0, 40, 2):
        (folder / f"{number}.md").write_text(f"A heron number{number} fishes.\n")
    (folder / "1.md").rename(folder / "41.md")
    vault.index()
    assert len(vault.search("heron", limit=100).hits) == len(vault.search("zebra", limit=100).hits) == 20
    shutil.rmtree(folder)
    vault.index()
    assert vault.doctor().problems == () and answers(vault) == cluster.answers["file"]


def test_which_of_many_copies_are_found_does_not_depend_on_how_many_servers_there_are(
    cluster: Cluster, vault: Vault
) -> None:
    folder = cluster.root / "Copies"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number}.md").write_text("A quiet walrus rests.\n")

    def best(one: Vault) -> list[list[str]]:
        one.index()
        near = one.models.embedder.embed_query("a walrus rests")
        phrase = Scope(filters=(Filter("phrase", ("quiet walrus",)),))
        with one.store.reading() as snapshot:
            found = (
                snapshot.match(["walrus"], EVERYTHING, 10),
                snapshot.match(["walrus"], phrase, 10),
                snapshot.nearest(near, EVERYTHING, 10),
            )
            return [
                [chunk.path for chunk in snapshot.chunks([slot for slot, _ in each.found]).values()] for each in found
            ]

    try:
        with cluster.open("") as file:
            assert best(vault) == best(file)
    finally:
        shutil.rmtree(folder)
        vault.index()


def test_nodes_with_different_states_are_not_mixed(
    cluster: Cluster, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "SETTLED", 0.0)
    with psycopg.connect(cluster.others[0].url(), autocommit=True) as db:
        db.execute("update notewell_part.mark set made = made + 1")
        with pytest.raises(StoreDamaged, match="different states") as caught:
            vault.search("bees", refresh=False)
        assert "index --full" in caught.value.hint
        db.execute("update notewell_part.mark set made = made - 1")
    assert answers(vault) == cluster.answers["file"]


def test_an_interrupted_move_is_ended_by_the_next_balance(cluster: Cluster, vault: Vault) -> None:
    with cluster.connections.taken() as db:
        db.execute("alter table notewell_part.chunk add constraint kept_parts check (false) not valid")
    (cluster.root / "New.md").write_text("A walrus.\n")
    changed = [f"{number}.md" for number in range(30)]
    for name in changed:
        (cluster.root / name).write_text(f"A walrus at {name}.\n")
    with pytest.raises(StoreError, match="Moving a part") as caught:
        vault.index()
    assert "notewell server nodes balance" in caught.value.hint
    cluster.nodes.balance()
    vault.index()
    assert len(vault.search("walrus", limit=100).hits) == 31
    for name in ("New.md", *changed):
        (cluster.root / name).unlink()
    vault.index()


def test_rows_of_a_move_that_not_all_servers_committed_are_deleted_by_the_next_balance(
    cluster: Cluster, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "SETTLED", 0.0)
    part = cluster_part(cluster, "notewell_part")
    with cluster.connections.taken() as home, psycopg.connect(cluster.others[0].url(), autocommit=True) as node:
        for table, columns in (("mark", "store, part, made"), ("posting", "store, part, term, block, data")):
            rows = home.execute(f"select {columns} from notewell_part.{table} where part = %s".encode(), (part,))
            added = f"insert into notewell_part.{table} values ({', '.join(['%s'] * (columns.count(',') + 1))})"
            node.cursor().executemany(added.encode(), rows.fetchall())
    with pytest.raises(StoreDamaged, match="different states") as caught:
        vault.search("bees", refresh=False)
    assert "notewell server nodes balance" in caught.value.hint
    cluster.nodes.balance()
    assert answers(vault) == cluster.answers["file"] and vault.doctor().problems == ()


def test_only_an_empty_database_becomes_a_node(cluster: Cluster) -> None:
    for server in (cluster.home, cluster.others[0]):
        with pytest.raises(StoreError, match=r"stores of its own|is a node"):
            cluster.nodes.add(server.url())
    with pytest.raises(StoreError, match="address contains a password"):
        cluster.nodes.add("postgresql://ada:word@127.0.0.1/empty")
    with pytest.raises(StoreError, match="no node 'home'"):
        cluster.nodes.remove("home")


def test_a_role_that_may_not_have_nodes_is_told_how(cluster: Cluster) -> None:
    with psycopg.connect(cluster.home.url(SUPERUSER, "postgres"), autocommit=True) as db:
        db.execute("create database plain owner notewell")
    with closing(Connections(cluster.home.url(database="plain"))) as connections:
        nodes = Nodes(connections)
        with pytest.raises(StoreError, match="may not use other servers") as caught:
            nodes.add(cluster.others[0].url())
        assert [node.name for node in nodes.listed()] == ["home"]
    assert "grant usage on foreign data wrapper postgres_fdw to notewell" in caught.value.hint


Run = Callable[..., tuple[int, str, str]]


def test_the_command_lists_nodes(cluster: Cluster, tmp_path: Path, run_command: Run) -> None:
    code, out, _ = run_command(tmp_path, "server", "nodes", "--database", cluster.home.url())
    assert code == 0 and out.split()[:3] == ["home", "4", "parts"]
    assert len(out.splitlines()) == 4 and "127.0.0.1:" in out


def test_the_command_takes_no_password(cluster: Cluster, tmp_path: Path, run_command: Run) -> None:
    code, _, err = run_command(tmp_path, "server", "nodes", "--database", "postgresql://ada:word@127.0.0.1/notes")
    assert code == 1 and "--database contains a password" in err and "word@" not in err


def test_a_node_that_is_gone_for_good_is_forgotten_and_its_part_built_again(cluster: Cluster) -> None:
    with cluster.open("four") as vault:
        cluster.others[1].down()
        try:
            with pytest.raises(StoreUnreachable):
                cluster.nodes.remove("node2")
            cluster.nodes.remove("node2", lost=True)
            assert "node2" not in cluster.parts()
            with pytest.raises(StoreDamaged, match="different states"):
                vault.search("bees", refresh=False)
            vault.index(full=True)
            assert vault.doctor().problems == () and answers(vault) == cluster.answers["file"]
        finally:
            cluster.others[1].up()
