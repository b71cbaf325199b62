from __future__ import annotations

from collections.abc import Callable

import pytest

from notewell import Vault
from notewell.graph import remeasure
from notewell.graph.measure import measure
from notewell.graph.net import Net
from notewell.graph.remeasure import load_standings
from notewell.index import Progress
from notewell.store import Standing

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
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Net]:
    """The nets whose standings were computed, in order."""
    nets: list[Net] = []

    def watched(net: Net) -> object:
        nets.append(net)
        return measure(net)

    monkeypatch.setattr(remeasure, "measure", watched)
    return nets


def test_an_indexed_vault_knows_how_its_notes_stand(make_vault: Callable[..., Vault]) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        found = standings(vault)
        assert found.keys() == {"hub.md", "a.md", "b.md"}
        assert max(found, key=lambda path: found[path].centrality) == "hub.md"
        assert_as_if_computed_anew(vault)


def test_standings_are_computed_again_only_when_a_link_changed(
    make_vault: Callable[..., Vault], computed: list[Net]
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
    make_vault: Callable[..., Vault], computed: list[Net]
) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        (vault.root / "b.md").write_text("# B\n\nNow to [[a]].\n")
        vault.index(progress=Progress(stop=lambda: True))
        assert len(computed) == 1
        vault.index()
        assert_as_if_computed_anew(vault)


def test_a_search_computes_nothing(make_vault: Callable[..., Vault], computed: list[Net]) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
        vault.search("link")
        assert len(computed) == 1
