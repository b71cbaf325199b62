"""A vault of domains on two nodes: one of them goes away and comes back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.conftest import SAMPLE
from tests.postgres import own_server

from notewell import Vault
from notewell.serve.own_server import OwnServer
from notewell.serve.web.kept import Kept
from notewell.store.postgres import lost
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.nodes import Nodes

pytestmark = pytest.mark.postgres
REGISTRY = '\n[domains.food]\nfolders = ["Recipes", "Garden"]\n[domains.rest]\nlegacy = true\n'
QUERIES = ("why did the bread collapse", "bees", '"honey"', "after:2024 garden", "book about cities")


class Domains(NamedTuple):
    """A vault, the store that its domains have on a server, and the node that has half of that."""

    root: Path
    home: OwnServer
    node: OwnServer

    def open(self) -> Vault:
        return Vault.open(self.root, {"store.url": self.home.url()})


@pytest.fixture
def domains(tmp_path: Path) -> Iterator[Domains]:
    root = tmp_path / "vault"
    shutil.copytree(SAMPLE, root, ignore=shutil.ignore_patterns(".notewell"))
    with (root / "notewell.toml").open("a") as settings:
        settings.write(REGISTRY)
    with own_server() as home, own_server() as node:
        connections = Connections(home.url())
        Nodes(connections).add(node.url())
        connections.close()
        yield Domains(root, home, node)


class Clock:
    """A clock that stands still, so that no test depends on how busy the machine is."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


def answers(vault: Vault) -> list[list[tuple[str, int, float]]]:
    found = (vault.search(query, limit=100, refresh=False) for query in QUERIES)
    return [[(hit.path, hit.line, hit.score) for hit in results.hits] for results in found]


def test_a_lost_node_is_named_and_answers_are_as_before_once_it_is_back(
    domains: Domains, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, kept = Clock(), Kept(answers)
    monkeypatch.setattr(lost, "time", clock)
    with domains.open() as vault:
        vault.index()
        before = answers(vault)
        domains.node.down()
        during, told = answers(vault), vault.search("bees", refresh=False).notices
        assert [(notice.code, notice.facts["nodes"]) for notice in told] == [("nodes_lost", "node1")]
        with domains.open() as other:
            # What the first has in memory is of a state with all nodes.
            assert answers(other) == kept.of(other) == during != before
            assert other.status().notices == told
            domains.node.up()
            clock.now += lost.REST
            assert answers(other) == answers(vault) == kept.of(other) == before


def test_entities_of_notes_on_a_lost_node_are_read_once_it_is_back(
    domains: Domains, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(lost, "time", clock)
    with domains.open() as vault:
        vault.index()
        domains.node.down()
        during = vault.entities()
        assert [notice.code for notice in during.notices][:1] == ["nodes_lost"]
        domains.node.up()
        clock.now += lost.REST
        after = vault.entities()
        assert during.extracted + after.extracted == vault.status().notes
        assert during.extracted < vault.status().notes and during.total < after.total
