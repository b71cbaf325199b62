"""Edges after any history are those of resolving every link from scratch."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from notewell.embed.words import WordsEmbedder
from notewell.graph.edges import make_resolver, resolve_links
from notewell.graph.net import Net
from notewell.store import MadeFor, Snapshot
from notewell.store.sqlite import SqliteStore
from notewell.types.note import Chunk, Link, Note, Stamp

FOLDERS = ("", "x/", "x/y/", "long/")
FILES = ("a.md", "A.md", "b.md", "index.md", "README.md", "a.pdf", "b.html", "ä.md", "a\u0308.md", "c.markdown")
# Names whose ends say two things.
ODD = ("index.markdown", "a.md.txt", "b.htm.txt", "index.md.txt", "b.md.md", "README.txt")
ALIASES = ("a", "B", "x", "Ä", "TCP/IP", "c")
TARGETS = (
    *("", "a", "b", "B.md", "ä", "c", "x", "y", "x/a", "y/b", "y/index", "TCP/IP", "IP", "a.pdf", "b.html", "nobody"),
    *("./a", "../a.md", "../", "..", "/x/a", "/site/x/a", "/x/", "x/", "../../../a", "~/x/y/b.md", "y/a.md"),
    *("queen.png", "x/map.svg", "b.htm", "a.md", "b.md.md", "README", "x/README.md"),
)
# Links of a website, whose root moves as notes come and go.
ON_SITE = ("/docs/a", "/docs/b.html", "/docs/y/a/", "/docs/y/b", "/docs/y", "/docs/c", "/docs/ä", "/", "/docs")
KINDS = ("wiki", "markdown", "file")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / "store.db", lambda: MadeFor("words/27", 27, "1"))) as store:
        yield store


def put(store: SqliteStore, path: str, targets: Sequence[tuple[str, str]] = (), aliases: Sequence[str] = ()) -> None:
    links = tuple(Link(target, 1, kind) for kind, target in targets)
    note = Note(path, "x", Stamp(1, 1, "d"), fields={"aliases": list(aliases)} if aliases else {}, links=links)
    with store.writing() as writer:
        writer.put(note, [Chunk(path, "x", 1, 1, aliases=note.aliases)], WordsEmbedder().embed(["x"]))


def remove(store: SqliteStore, path: str) -> None:
    with store.writing() as writer:
        writer.remove(path)


def files() -> list[str]:
    return ["images/queen.png"]


def resolve(store: SqliteStore) -> None:
    resolve_links(store, files)


def kept(snapshot: Snapshot) -> dict[int, list[tuple[int, int]]]:
    edges = snapshot.edges()
    rows: dict[int, list[tuple[int, int]]] = {note: [] for note in edges.notes.tolist()}
    for source, *ends in zip(edges.sources.tolist(), edges.hashes.tolist(), edges.targets.tolist(), strict=True):
        rows[source].append((ends[0], ends[1]))
    return rows


def from_scratch(snapshot: Snapshot) -> dict[int, list[tuple[int, int]]]:
    names = snapshot.names()
    resolver = make_resolver(snapshot, names, files)
    links = snapshot.links_of([named.id for named in names])
    return {named.id: [resolver.ends(link, named.path) for link in links.get(named.id, ())] for named in names}


def change_something(store: SqliteStore, chance: random.Random, known: Sequence[str]) -> None:
    path = chance.choice(FOLDERS) + chance.choice(chance.choice((FILES, FILES, ODD)))
    if chance.random() < 0.35:
        remove(store, path)
    else:
        targets = [(chance.choice(KINDS), chance.choice(known)) for _ in range(chance.randrange(4))]
        put(store, path, targets, chance.sample(ALIASES, chance.choice((0, 0, 1, 2))))


@pytest.mark.parametrize("seed", range(12))
def test_after_any_history_the_edges_are_those_of_a_first_run(
    store: SqliteStore, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In half of the histories, only some notes show where a website's root lies.
    monkeypatch.setattr("notewell.graph.edges.SAMPLE", 500 if seed % 2 else 3)
    chance, roots = random.Random(seed), set[str]()
    for _ in range(30):
        for _ in range(chance.choice((1, 1, 2, 5))):
            change_something(store, chance, TARGETS if seed % 3 else ON_SITE)
        # A run that is killed before the end leaves its changes to the next.
        if chance.random() < 0.8:
            resolve(store)
            with store.reading() as snapshot:
                assert kept(snapshot) == from_scratch(snapshot)
            assert store.check() == []
            roots.add(store.state.site_root)
    assert seed % 3 or len(roots) > 1


def targets_of(store: SqliteStore, path: str) -> list[str]:
    with store.reading() as snapshot:
        ids = snapshot.ids()
        paths = {note: path for path, note in ids.items()}
        return [paths.get(target, "") for _, target in kept(snapshot)[ids[path]]]


def test_a_link_to_a_note_that_comes_later_leads_to_it_then(store: SqliteStore) -> None:
    put(store, "a.md", [("wiki", "b")])
    resolve(store)
    assert targets_of(store, "a.md") == [""]
    put(store, "deep/b.md")
    resolve(store)
    assert targets_of(store, "a.md") == ["deep/b.md"]


def test_a_renamed_note_is_still_led_to_by_its_name(store: SqliteStore) -> None:
    put(store, "a.md", [("wiki", "b"), ("markdown", "old/b.md")])
    put(store, "old/b.md")
    resolve(store)
    put(store, "new/b.md")
    remove(store, "old/b.md")
    resolve(store)
    assert targets_of(store, "a.md") == ["new/b.md", ""]


def test_an_edited_note_keeps_its_id_and_those_that_lead_to_it_are_left_alone(store: SqliteStore) -> None:
    put(store, "a.md", [("wiki", "b")])
    put(store, "b.md")
    resolve(store)
    with store.reading() as snapshot:
        before = snapshot.ids()
    put(store, "b.md", [("wiki", "a")])
    with store.reading() as snapshot:
        assert snapshot.ids() == before
        # Not resolved yet, but links still lead to it: readers see the graph as it was.
        net = Net.of(snapshot)
        assert (net.sources.tolist(), net.targets.tolist()) == ([0], [1])
    store.db.execute("update edge set data = zeroblob(8) where note = 1")
    resolve(store)
    assert targets_of(store, "a.md") == [""]
    assert targets_of(store, "b.md") == ["a.md"]


def test_a_note_that_lost_its_alias_is_no_longer_led_to_by_it(store: SqliteStore) -> None:
    put(store, "a.md", [("wiki", "nick")])
    put(store, "b.md", aliases=["Nick"])
    resolve(store)
    assert targets_of(store, "a.md") == ["b.md"]
    put(store, "b.md")
    resolve(store)
    assert targets_of(store, "a.md") == [""]


def test_nothing_is_written_when_nothing_changed(store: SqliteStore) -> None:
    put(store, "a.md", [("wiki", "a")])
    resolve(store)
    generation = store.about().generation
    resolve(store)
    assert store.state.links_resolved
    assert store.about().generation == generation


def test_the_net_has_links_between_notes_by_their_places(store: SqliteStore) -> None:
    put(store, "c.md", [("wiki", "a"), ("wiki", "a"), ("wiki", ""), ("wiki", "nobody"), ("wiki", "queen.png")])
    put(store, "a.md", [("wiki", "b")])
    put(store, "b.md")
    resolve(store)
    with store.reading() as snapshot:
        net = Net.of(snapshot)
    pairs = list(zip(net.sources.tolist(), net.targets.tolist(), strict=True))
    assert net.paths == ("a.md", "b.md", "c.md")
    assert sorted(pairs) == [(0, 1), (2, 0), (2, 0)]


def test_the_net_leaves_out_links_to_a_note_that_just_went(store: SqliteStore) -> None:
    put(store, "a.md", [("wiki", "b"), ("wiki", "c")])
    put(store, "c.md")
    put(store, "b.md")
    resolve(store)
    remove(store, "b.md")
    with store.reading() as snapshot:
        net = Net.of(snapshot)
    assert (net.paths, net.sources.tolist(), net.targets.tolist()) == (("a.md", "c.md"), [0], [1])


def test_the_net_of_an_empty_store_is_empty(store: SqliteStore) -> None:
    with store.reading() as snapshot:
        assert Net.of(snapshot).paths == ()
