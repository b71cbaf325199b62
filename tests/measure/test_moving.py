"""A vault's store moved to a server and back: nothing is embedded again; `tests/crash` kills it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest
from tests.store.servers import shared_server

from notewell.errors import StoreError
from notewell.index import Progress
from notewell.measure.moving import FILE, is_same, move
from notewell.store.links import Edges

if TYPE_CHECKING:
    from pathlib import Path

    from notewell import Vault

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def _few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notewell.measure.moving.ASKED", 10)


@pytest.fixture
def url() -> str:
    return shared_server().url()


@pytest.fixture
def moved(vault: Vault, url: str) -> Iterator[Vault]:
    """The vault as it is on the server."""
    from notewell import Vault as Opened  # noqa: PLC0415

    with Opened.open(vault.root, {"store.url": url}) as other:
        yield other


def content(vault: Vault) -> dict[str, Any]:
    """Return everything that a store holds, by paths instead of ids."""
    with vault.store.reading() as snapshot:
        ids = snapshot.ids()
        path_of = {number: path for path, number in ids.items()}
        every = [slot for path in ids for slot in snapshot.chunks_of(path)]
        vectors = snapshot.vectors(every)
        return {
            "chunks": {chunk: vectors[slot].tobytes() for slot, chunk in snapshot.chunks(every).items()},  # type: ignore[union-attr]
            "facts": dict(snapshot.notes([*ids])),
            "files": vault.store.files(),
            "skipped": vault.store.about().skipped,
            "links": {path_of[note]: links for note, links in snapshot.links_of([*path_of]).items()},
            "edges": edges(snapshot.edges(), path_of),
            "standings": dict(snapshot.standings()),
            "tags": dict(vault.store.about(tags=True).tags),
        }


def edges(found: Edges, path_of: Mapping[int, str]) -> list[tuple[str, int, str]]:
    rows = zip(found.sources.tolist(), found.hashes.tolist(), found.targets.tolist(), strict=True)
    return sorted((path_of[source], name, path_of.get(target, str(target))) for source, name, target in rows)


def test_a_store_moves_to_a_server_and_back_without_a_difference(vault: Vault, moved: Vault, url: str) -> None:
    before = content(vault)
    done = move(vault, url)
    assert (done.notes, done.same, done.different) == (len(before["files"].notes), done.asked, ())
    assert done.asked == 10
    assert content(moved) == before
    assert moved.doctor().problems == ()
    (vault.root / "Recipes" / "New.md").write_text("# Zebra\n\nA zebra grazes in the orchard.\n")
    moved.index()
    changed = content(moved)
    assert move(moved, FILE).different == ()
    assert content(vault) == changed
    assert vault.doctor().problems == ()


def test_what_the_encoder_made_moves_too(vault: Vault, moved: Vault, url: str) -> None:
    from notewell.embed.words import WordsEmbedder  # noqa: PLC0415

    with vault.store.reading() as snapshot:
        chunks = [*snapshot.chunks([0, 1, 2, 3]).values()]
    made = WordsEmbedder().embed([chunk.text for chunk in chunks])
    made[3] = 0
    with vault.store.writing() as writer:
        writer.keep_vectors("encoder", chunks, made)
    assert move(vault, url).encoded == 3
    assert (moved.store.about().encoded, moved.store.about().unread) == (3, 1)
    assert moved.store.state.encoder == "encoder"


def test_the_command_tells_what_it_compared_and_what_to_set(
    vault: Vault, moved: Vault, url: str, run_command: Callable[..., tuple[int, str, str]]
) -> None:
    from notewell.config import user_file  # noqa: PLC0415

    code, out, _ = run_command(vault.root, "move", url)
    assert code == 0 and moved.indexed
    assert "and sound" in out and "10 of 10 queries have the same answers in both stores" in out
    assert f"To use it, set store.url in {user_file(os.environ)}, or NOTEWELL_STORE_URL" in out
    code, _, err = run_command(vault.root, "move", "postgresql://ada:word@db/notes")
    assert code == 1 and "store.url contains a password" in err and "word@" not in err


def test_an_encoder_at_work_does_not_change_what_is_compared(
    vault: Vault, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "words")
    from notewell import Vault as Opened  # noqa: PLC0415

    with Opened.open(vault.root) as source, Opened.open(vault.root) as behind:

        def encode(done: int, total: int) -> None:
            behind.encode()

        done = move(source, url, Progress(encode))
        assert source.store.about().encoded > done.encoded == 0
    assert (done.asked, done.different) == (10, ())


def test_a_move_that_is_stopped_keeps_what_it_copied(
    vault: Vault, moved: Vault, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notewell.store.copying.WRITTEN", 10)
    told: list[int] = []

    def tell(done: int, of: int) -> None:
        told.append(done)

    with pytest.raises(KeyboardInterrupt):
        move(vault, url, Progress(tell, lambda: told[-1] > 0))
    assert told[0] == 0 < (kept := told[-1]) < len(vault.store.files().notes)
    assert not moved.indexed
    told.clear()
    stages: list[str] = []
    assert move(vault, url, Progress(tell, stage=stages.append)).different == ()
    assert told[0] == kept and stages == ["check", "answers"]


def test_an_empty_vault_moves(tmp_path: Path, url: str, run_command: Callable[..., tuple[int, str, str]]) -> None:
    (tmp_path / "notewell.toml").touch()
    run_command(tmp_path, "index")
    code, out, err = run_command(tmp_path, "move", url)
    assert (code, err) == (0, "") and out.startswith("0 notes, 0 chunks")


def test_a_move_to_where_the_store_is_already_is_refused(vault: Vault) -> None:
    with pytest.raises(StoreError, match="already at"):
        move(vault, FILE)


def test_a_row_that_somebody_altered_does_not_move(vault: Vault, moved: Vault, url: str) -> None:
    import apsw  # noqa: PLC0415

    with apsw.Connection(str(vault.store_file)) as db:
        db.execute("update note set title = 'forged' where id = 3")
    with pytest.raises(StoreError, match="changed by something other"):
        move(vault, url)
    assert not moved.indexed


def test_answers_are_the_same_if_only_the_order_of_equals_differs() -> None:
    assert is_same({"a": 1.0, "b": 0.5, "c": 0.5}, {"a": 1.0, "c": 0.5, "b": 0.5})
    assert not is_same({"a": 1.0}, {"a": 0.9})
    assert not is_same({"a": 1.0, "b": 0.5}, {"a": 1.0})
