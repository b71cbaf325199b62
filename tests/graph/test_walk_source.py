"""The source of walks, in a real store: which links are followed first, and how much of a note is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from notewell import DeepResults, Vault
from notewell.embed.words import WordsEmbedder
from notewell.graph.traverse import FAST, traverse
from notewell.graph.walk_source import READ, READ_LEAST, StoredWalkSource
from notewell.store.vectors import unit_rows
from notewell.types.query import Scope

MakeVault = Callable[..., Vault]
# Sections are chunks of their own if they are long enough.
LINE = "The hive hums in the warm evening, and nobody knows why it does. "


def sections(number: int, of: str = "") -> str:
    return "\n".join(f"## Part {part} {of}\n\n{LINE * 3}{part}\n" for part in range(number))


@contextmanager
def ground_of(vault: Vault, scope: Scope | None = None) -> Iterator[StoredWalkSource]:
    vault.index()
    with vault.store.reading() as snapshot:
        yield StoredWalkSource(snapshot, scope) if scope else StoredWalkSource(snapshot)


@pytest.fixture
def hub(make_vault: MakeVault) -> Vault:
    """A note with thirty neighbours of 41 chunks each, which link among each other: `note 29` gets the most links."""
    notes = {
        f"note {number:02}.md": f"[[Hub]] {' '.join(f'[[note {more:02}]]' for more in range(number + 1, 30))}\n"
        f"{sections(40, str(number))}"
        for number in range(30)
    }
    return make_vault({"Hub.md": " ".join(f"[[{path[:-3]}]]" for path in notes), **notes})


def test_the_most_central_neighbours_come_first(hub: Vault) -> None:
    with hub, ground_of(hub) as ground, hub.store.reading() as snapshot:
        found = list(ground.neighbours("Hub.md"))
        ranks = [snapshot.standings()[path].pagerank for path in found]
    assert found[0] == "note 29.md"
    assert found[-1] == "note 00.md"
    assert ranks == sorted(ranks, reverse=True)


def test_neighbours_say_which_way_the_link_goes(make_vault: MakeVault) -> None:
    notes = {"a.md": "[[b]] [[c]]", "b.md": "text", "c.md": "[[a]]", "d.md": "[[a]]", "e.md": "[[b]]"}
    with make_vault(notes) as vault, ground_of(vault) as ground:
        assert dict(ground.neighbours("a.md")) == {"b.md": "→", "c.md": "↔", "d.md": "←"}


def test_a_long_note_is_read_in_parts_spread_over_it(hub: Vault) -> None:
    with hub, ground_of(hub) as ground, hub.store.reading() as snapshot:
        ids = snapshot.chunks_of("note 00.md")
        assert len(ids) == 41
        assert len(ground.vectors(["note 00.md"], 100)["note 00.md"]) == READ
        few = ground.vectors(["note 01.md"], 3)["note 01.md"]
        ends = snapshot.chunks_of("note 01.md")
        expected = unit_rows(snapshot.vectors([ends[0], ends[20], ends[-1]]).values())
    assert few.tolist() == expected.tolist()


def test_the_more_notes_are_asked_for_the_less_of_each_is_read_and_never_more_than_there_is_room(hub: Vault) -> None:
    names = [f"note {number:02}.md" for number in range(30)]
    for notes, room, each, seen in ((2, 100, READ, 2), (10, 60, 6, 10), (30, 40, READ_LEAST, 20)):
        with hub, ground_of(hub) as ground:
            found = ground.vectors(names[:notes], room)
        assert [len(rows) for rows in found.values()] == [each] * seen
        assert list(found) == names[:seen]


def test_a_walk_among_long_notes_reads_a_hundred_vectors_and_deep_mode_five_hundred(hub: Vault) -> None:
    with hub:
        hub.index()
        with hub.store.reading() as snapshot:
            walk = traverse("Hub.md", StoredWalkSource(snapshot), FAST)
        # One chunk of the start, two of each neighbour.
        assert (len(walk.visits), walk.vectors) == (31, 61)
        assert 60 < hub.traverse("note 03.md", floor=-1).vectors <= 100
        deep = hub.search("the hive hums", mode="deep")
        assert isinstance(deep, DeepResults) and 200 < deep.vectors <= 500


def test_the_lines_shown_of_a_note_are_those_nearest_to_the_query(make_vault: MakeVault) -> None:
    parts = [
        "Wrens nest in the ivy by the old gate every single spring.",
        "Queens are marked by the year they hatched in.",
    ]
    text = "\n".join(
        f"## {number}\n\n{part}\n" for number, part in enumerate((parts[0], parts[1], parts[0] + " Twice."))
    )
    with make_vault({"a.md": text}) as vault, ground_of(vault) as ground, vault.store.reading() as snapshot:
        query = WordsEmbedder().embed([parts[1]])[0]
        (found,) = snapshot.chunks([ground.nearest_chunk("a.md", query)]).values()
    assert "Queens" in found.text


def test_a_scope_leaves_only_the_notes_and_chunks_inside_it(make_vault: MakeVault) -> None:
    notes = {"in/a.md": "[[b]] [[c]]", "in/b.md": "text", "out/c.md": "text"}
    with make_vault(notes) as vault, ground_of(vault, Scope("in")) as ground:
        assert list(ground.neighbours("in/a.md")) == ["in/b.md"]
