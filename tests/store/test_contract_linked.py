"""Linked, over every store: notes by name, where links lead, and how notes stand."""

from __future__ import annotations

import contextlib

import pytest
from tests.store.notes import ends, put_linked

from notewell.store import Store
from notewell.store.links import NOWHERE, TO_FILE, LinkBetween, NoteName, Standing
from notewell.types.note import Link, Stamp


def test_edges_are_kept_in_the_order_of_the_links(store: Store) -> None:
    one = put_linked(store, "b.md", Link("a", 1), Link("nobody", 2), Link("queen.png", 3))
    other = put_linked(store, "a.md", Link("b", 1))
    with store.writing() as writer:
        writer.keep_edges({one: ends((7, other), (8, NOWHERE), (9, TO_FILE)), other: ends((5, one))})
    with store.reading() as snapshot:
        edges = snapshot.edges()
    assert edges.notes.tolist() == [one, other]
    assert edges.sources.tolist() == [one, one, one, other]
    assert edges.hashes.tolist() == [7, 8, 9, 5]
    assert edges.targets.tolist() == [other, NOWHERE, TO_FILE, one]
    assert edges.to_notes.targets.tolist() == [other, one]
    assert (edges.into(one), edges.into(other)) == ([other], [one])


def test_a_note_is_known_by_its_id_path_and_aliases(store: Store) -> None:
    one = put_linked(store, "b.md", Link("a", 1), aliases=["Bee", "Hive"])
    other = put_linked(store, "a.md")
    with store.reading() as snapshot:
        assert list(snapshot.ids().items()) == [("a.md", other), ("b.md", one)]
        assert snapshot.names() == [
            NoteName(one, "b.md", "Title", ("Bee", "Hive"), 1),
            NoteName(other, "a.md", "Title", (), 0),
        ]
        assert snapshot.links_of([other, one]) == {one: (Link("a", 1),)}
        assert snapshot.links_of([]) == {}


def test_links_are_resolved_until_a_note_changes(store: Store) -> None:
    one = put_linked(store, "a.md", Link("a", 1))
    assert not store.state.links_resolved
    with store.writing() as writer:
        writer.keep_edges({one: ends((1, one))})
    assert store.state.links_resolved
    with store.writing() as writer:
        writer.touch("a.md", Stamp(2, 3))
    assert store.state.links_resolved
    with store.writing() as writer:
        writer.remove("a.md")
    assert not store.state.links_resolved


def test_keeping_edges_makes_a_new_state_only_if_there_are_any(store: Store) -> None:
    one = put_linked(store, "a.md", Link("a", 1))
    before = store.about().generation
    with store.writing() as writer:
        writer.keep_edges({})
    assert store.about().generation == before
    with store.writing() as writer:
        writer.keep_edges({one: ends((1, one))})
    assert store.about().generation == before + 1


def test_a_note_put_again_keeps_its_id_and_has_no_edges(store: Store) -> None:
    one = put_linked(store, "a.md", Link("a", 1))
    with store.writing() as writer:
        writer.keep_edges({one: ends((1, one))})
    assert put_linked(store, "a.md", Link("b", 1)) == one
    with store.reading() as snapshot:
        edges = snapshot.edges()
    assert (edges.notes.tolist(), edges.targets.tolist()) == ([one], [])


@pytest.mark.parametrize("how", ["new aliases", "removed"])
def test_a_note_with_other_names_is_not_among_those_resolved(store: Store, how: str) -> None:
    one = put_linked(store, "a.md", Link("a", 1))
    with store.writing() as writer:
        writer.keep_edges({one: ends((1, one))})
    if how == "removed":
        with store.writing() as writer:
            writer.remove("a.md")
    else:
        put_linked(store, "a.md", Link("a", 1), aliases=["Bee"])
    with store.reading() as snapshot:
        assert snapshot.edges().notes.tolist() == []


def test_a_store_built_beside_brings_its_edges(store: Store) -> None:
    with contextlib.closing(store.beside(store.state.made_for)) as fresh:
        one = put_linked(fresh, "a.md", Link("a", 1))
        with fresh.writing() as writer:
            writer.keep_edges({one: ends((1, one))})
        store.replace_by(fresh)
    assert store.state.links_resolved
    with store.reading() as snapshot:
        assert snapshot.edges().targets.tolist() == [one]


def test_a_store_built_beside_without_edges_is_not_taken_for_resolved(store: Store) -> None:
    with contextlib.closing(store.beside(store.state.made_for)) as fresh:
        put_linked(fresh, "a.md", Link("a", 1))
        store.replace_by(fresh)
    assert not store.state.links_resolved


# How notes stand


def test_standings_are_kept_by_note_and_replaced_together(store: Store) -> None:
    one, other = put_linked(store, "a.md", Link("b", 1)), put_linked(store, "b.md")
    put_linked(store, "alone.md")
    with store.writing() as writer:
        writer.keep_standings("first", {one: Standing(0.5, 1.0, 0), other: Standing(1.0, 0.25, 0, 0.125, 0.75)})
    with store.reading() as snapshot:
        assert snapshot.standings() == {"a.md": Standing(0.5, 1.0, 0), "b.md": Standing(1.0, 0.25, 0, 0.125, 0.75)}
        assert snapshot.standings(["b.md", "alone.md", "nowhere.md"]) == {"b.md": Standing(1.0, 0.25, 0, 0.125, 0.75)}
        assert snapshot.standings([]) == {}
    with store.writing() as writer:
        writer.keep_standings("second", {other: Standing(1.0, 1.0, 3)})
    with store.reading() as snapshot:
        assert snapshot.standings() == {"b.md": Standing(1.0, 1.0, 3)}
    assert store.state.standings_mark == "second"


def test_a_note_that_goes_takes_its_standing_with_it_and_one_that_changes_keeps_it(store: Store) -> None:
    one, other = put_linked(store, "a.md", Link("b", 1)), put_linked(store, "b.md")
    with store.writing() as writer:
        writer.keep_standings("", {one: Standing(0.5, 1.0, 0), other: Standing(1.0, 0.25, 0)})
    put_linked(store, "a.md", Link("c", 1))
    with store.writing() as writer:
        writer.remove("b.md")
    with store.reading() as snapshot:
        assert snapshot.standings() == {"a.md": Standing(0.5, 1.0, 0)}


def test_standings_are_measured_until_links_are_resolved_again(store: Store) -> None:
    one = put_linked(store, "a.md", Link("a", 1))
    with store.writing() as writer:
        writer.keep_edges({one: ends((1, one))})
    assert not store.state.standings_current
    before = store.about().generation
    with store.writing() as writer:
        writer.keep_standings("mark", {})
    assert store.state.standings_current
    assert store.about().generation == before + 1
    put_linked(store, "b.md")
    with store.writing() as writer:
        writer.keep_edges({})
    assert not store.state.standings_current
    before = store.about().generation
    with store.writing() as writer:
        writer.keep_standings("mark", None)
    assert store.state.standings_current
    assert store.about().generation == before


# Links between a few notes


def test_links_between_a_few_notes_are_returned_with_their_texts(store: Store) -> None:
    links = (Link("b", 1, text="bees"), Link("c", 2), Link("gone", 3), Link("b", 4, embed=True), Link("a", 5))
    one, other, third = put_linked(store, "a.md", *links), put_linked(store, "b.md"), put_linked(store, "x/c.md")
    targets = (other, third, NOWHERE, other, one)
    with store.writing() as writer:
        writer.keep_edges({one: ends(*((0, target) for target in targets)), other: ends(), third: ends()})
    with store.reading() as snapshot:
        assert snapshot.links_among(["a.md", "b.md", "nowhere.md"]) == [
            LinkBetween("a.md", "b.md", "bees", 2),
            LinkBetween("a.md", "b.md", "", 2),
        ]
        assert snapshot.links_among(["a.md", "x/c.md"]) == [LinkBetween("a.md", "x/c.md", "c", 2)]
        assert snapshot.links_among(["b.md", "x/c.md"]) == snapshot.links_among([]) == []


def test_a_note_with_very_many_links_is_joined_without_its_names(store: Store) -> None:
    one = put_linked(store, "a.md", *(Link("b", line) for line in range(51)))
    other = put_linked(store, "b.md")
    with store.writing() as writer:
        writer.keep_edges({one: ends(*[(0, other)] * 51), other: ends()})
    with store.reading() as snapshot:
        assert snapshot.links_among(["a.md", "b.md"]) == [LinkBetween("a.md", "b.md", "", 1)]


def test_a_note_that_changed_since_links_were_resolved_joins_nothing(store: Store) -> None:
    one, other = put_linked(store, "a.md", Link("b", 1)), put_linked(store, "b.md")
    with store.writing() as writer:
        writer.keep_edges({one: ends((0, other)), other: ends()})
    put_linked(store, "a.md", Link("c", 1), Link("b", 2))
    with store.reading() as snapshot:
        assert snapshot.links_among(["a.md", "b.md"]) == []


def test_links_that_touch_a_few_notes_are_counted_once_each_from_both_ends(store: Store) -> None:
    one = put_linked(store, "a.md", Link("b", 1), Link("b", 2), Link("a", 3), Link("gone", 4))
    other, third = put_linked(store, "b.md", Link("c", 1)), put_linked(store, "c.md", Link("a", 1))
    edges = {one: ends((0, other), (0, other), (0, one), (0, NOWHERE)), other: ends((0, third)), third: ends((0, one))}
    with store.writing() as writer:
        writer.keep_edges(edges)
    with store.reading() as snapshot:
        assert snapshot.links_touching(["a.md"], 10) == 2
        assert snapshot.links_touching(["a.md", "b.md"], 10) == 3
        assert snapshot.links_touching(["a.md"], 1) == 1
        assert snapshot.links_touching(["nowhere.md"], 10) == snapshot.links_touching([], 10) == 0
