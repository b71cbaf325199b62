from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.calls import calls_of
from tests.database import database

from notewell import Vault
from notewell.graph.net import Net
from notewell.graph.picture import as_svg
from notewell.graph.standing import load_standings, measure
from notewell.index import Progress
from notewell.store.links import Standing

from .runs import index_without_links

NOTES = {
    "hub.md": "# Hub\n\n[[a]] and [[b]]\n",
    "a.md": "# A\n\n[[hub]]\n",
    "b.md": "# B\n\nNo link.\n",
    "alone.md": "# Alone\n\nNo link either.\n",
}


def standings(vault: Vault) -> dict[str, Standing]:
    with vault.store.reading() as snapshot:
        return dict(snapshot.standings())


def assert_as_if_computed_anew(vault: Vault) -> None:
    with vault.store.reading() as snapshot:
        net = Net.of(snapshot)
        stored, fresh = load_standings(snapshot, net), measure(net)
    for name in ("pagerank", "centrality", "community"):
        assert getattr(stored, name).tolist() == getattr(fresh, name).tolist()


@pytest.fixture
def computed() -> Iterator[list[Any]]:
    """Every time that standings are computed."""
    with calls_of(measure) as calls:
        yield calls


def test_an_indexed_vault_knows_how_its_notes_stand(make_vault: Callable[..., Vault]) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        found = standings(vault)
        assert found.keys() == {"hub.md", "a.md", "b.md"}
        assert max(found, key=lambda path: found[path].centrality) == "hub.md"
        assert_as_if_computed_anew(vault)


def test_standings_are_computed_again_only_when_a_link_changed(
    make_vault: Callable[..., Vault], computed: list[Any]
) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        vault.index()
        assert len(computed) == 1
        (vault.root / "a.md").write_text("# A\n\nOther words, and [[hub]] and [[hub]] again.\n")
        (vault.root / "aa.md").write_text("# Another note without links\n")
        vault.index()
        assert len(computed) == 1
        (vault.root / "b.md").write_text("# B\n\nNow to [[a]].\n")
        vault.index()
        assert len(computed) == 2
        assert_as_if_computed_anew(vault)


@pytest.mark.parametrize("gone", ["a.md", "hub.md", "b.md"])
def test_a_note_that_goes_or_comes_back_leaves_the_standings_right(make_vault: Callable[..., Vault], gone: str) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        before = standings(vault)
        (vault.root / gone).unlink()
        vault.index()
        assert_as_if_computed_anew(vault)
        assert gone not in standings(vault)
        (vault.root / gone).write_text(NOTES[gone])
        vault.index()
        assert standings(vault) == before


def test_a_full_run_and_a_renamed_note_leave_the_standings_right(make_vault: Callable[..., Vault]) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        (vault.root / "alone.md").rename(vault.root / "b2.md")
        (vault.root / "a.md").rename(vault.root / "z.md")
        vault.index()
        assert_as_if_computed_anew(vault)
        before = standings(vault)
        vault.index(full=True)
        assert standings(vault) == before
        assert vault.doctor().problems == ()


def test_who_is_in_a_hurry_leaves_standings_to_the_next_run(
    make_vault: Callable[..., Vault], computed: list[Any]
) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        (vault.root / "b.md").write_text("# B\n\nNow to [[a]].\n")
        vault.index(progress=Progress(stop=lambda: True))
        assert len(computed) == 1
        vault.index()
        assert_as_if_computed_anew(vault)


def test_a_search_computes_nothing_not_even_one_that_takes_changes_in(
    make_vault: Callable[..., Vault], computed: list[Any]
) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        (vault.root / "b.md").write_text("# B\n\nNow to [[a]].\n")
        assert vault.search("link", refresh=True).notices == ()
        assert len(computed) == 1
        assert (vault.store.state.links_resolved, vault.store.state.standings_current) == (True, False)
        vault.graph()
        assert (len(computed), vault.store.state.standings_current) == (2, True)
        assert_as_if_computed_anew(vault)


def test_a_note_that_goes_and_comes_back_around_a_stopped_run_keeps_its_standing(
    make_vault: Callable[..., Vault], tmp_path: Path
) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        before = standings(vault)
        # The last that came: its id is given to the next.
        (vault.root / "hub.md").rename(tmp_path / "hub.md")
        index_without_links(vault)
        (tmp_path / "hub.md").rename(vault.root / "hub.md")
        vault.index()
        assert standings(vault) == before
        assert_as_if_computed_anew(vault)


def unmended(vault: Vault) -> None:
    """Leave a store as an older Notewell does, or a run that was stopped: no link is resolved."""
    database(vault.store).execute(
        "delete from edge; delete from standing; update meta set value = -1 where key = 'linked'"
    )
    database(vault.store).execute("delete from meta where key in ('measured', 'standings')")


WAYS: dict[str, Callable[[Vault], object]] = {
    "traverse": lambda vault: [visit.path for visit in vault.traverse("hub", floor=-1).visits],
    "deep": lambda vault: vault.search("hub", under="hub.md", mode="deep").hits,
    "refresh": lambda vault: vault.refresh(),
    "search": lambda vault: vault.search("hub", refresh=True).notices,
    "links": lambda vault: vault.links(),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_links_that_were_never_resolved_are_made_good_by_whoever_needs_them(
    make_vault: Callable[..., Vault], way: Callable[[Vault], object]
) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        expected = way(vault)
        unmended(vault)
        assert way(vault) == expected
        assert vault.store.state.links_resolved


def test_where_another_is_writing_a_walk_says_that_links_may_be_old(make_vault: Callable[..., Vault]) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        unmended(vault)
        with vault.store.locked(wait=0):
            notices = (
                vault.traverse("hub").notices,
                vault.search("hub", mode="deep").notices,
                vault.refresh(),
                vault.graph().notices,
            )
        assert [notice[0].code for notice in notices] == ["links_out_of_date"] * len(notices)


def test_the_vault_from_above_is_right_where_standings_are_older_than_links_and_cannot_be_kept(
    make_vault: Callable[..., Vault],
) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        (vault.root / "alone.md").write_text("# Alone\n\nNow to [[hub]].\n")
        vault.refresh()
        with vault.store.locked(wait=0):
            graph = vault.graph()
            assert not vault.store.state.standings_current
        assert (graph.orphans, graph.notices) == ((), ())
        assert sum(community.size for community in graph.communities) == 4
        assert "alone.md" in as_svg(graph, "Vault")


def test_a_run_that_was_killed_before_links_were_resolved_is_made_good_though_nothing_changed(
    make_vault: Callable[..., Vault],
) -> None:
    with make_vault({"a.md": "See [[bees]].\n"}) as vault:
        vault.index()
        (vault.root / "bees.md").write_text("The hive hums.\n")
        index_without_links(vault)
        assert not vault.store.state.links_resolved
        assert vault.index().added == 0
        assert vault.store.state.links_resolved
        assert [lead.to for lead in vault.links("a").links] == ["bees.md"]
