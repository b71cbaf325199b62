"""Encoding beside everything else that happens to a vault: stops, kills, changes, searches, other processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import apsw
import pytest
from tests.database import database

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.errors import StoreBusy, StoreError
from notewell.freshness import Opening
from notewell.index import Progress
from notewell.index.encode import GROUP, encode
from notewell.index.report import EncoderProgress
from notewell.measure.evaluate import find_candidates
from notewell.store.sqlite import SqliteStore
from notewell.store.vectors import cosines_by_id
from notewell.types.note import Vectors
from notewell.types.query import EVERYTHING

MakeVault = Callable[..., Vault]

# Three groups and a part of one.
NUMBER = 3 * GROUP + 5
SETTINGS = {"embed.model": "words", "embed.encoder": "words"}
# Searches encode, too.
ON_DEMAND = {**SETTINGS, "search.on_demand": 14_400}

# Holds the lock for encoding until it is killed.
HOLDER = f"""
import signal, sys
from notewell import Vault
with Vault.open(sys.argv[1], {SETTINGS!r}) as vault, vault.store.locked("encode"):
    print("held", flush=True)
    signal.pause()
"""


@pytest.fixture(scope="module")
def hives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hives")
    for number in range(NUMBER):
        (root / f"{number:03}.md").write_text(f"# Hive {number}\n\nThe hive of number {number} hums.\n")
    with Vault.open(root, SETTINGS) as vault:
        assert vault.index().added == NUMBER
    return root


@pytest.fixture
def vault(hives: Path, tmp_path: Path, sharing: Opening) -> Vault:
    return Vault.open(shutil.copytree(hives, tmp_path / "notes"), SETTINGS, sharing)


def opened(vault: Vault) -> Vault:
    """Open the vault once more, as another process would."""
    return Vault.open(vault.root, SETTINGS)


def after_first_group(do: Callable[[], None]) -> Progress:
    """Do something once, between the first group and the second."""
    return Progress(tell=lambda done, total: do() if done == GROUP else None)


# From none to all


def test_encoding_gives_every_chunk_the_encoders_vector_and_reports_progress(vault: Vault) -> None:
    told: list[tuple[int, int]] = []
    assert vault.encoder.left == NUMBER
    assert vault.encode(Progress(tell=lambda *counts: told.append(counts))) == 0
    assert told == [(GROUP, NUMBER), (2 * GROUP, NUMBER), (3 * GROUP, NUMBER), (NUMBER, NUMBER)]
    about = vault.store.about()
    assert (about.encoder, about.encoded, vault.encoder.left) == (WordsEmbedder.fingerprint, NUMBER, 0)
    assert vault.doctor().problems == ()


def test_the_vectors_are_those_of_what_the_chunks_mean(vault: Vault) -> None:
    vault.encode()
    with vault.store.reading() as snapshot:
        found = [slot for slot, _ in snapshot.nearest(WordsEmbedder().embed_query("hive"), EVERYTHING, 300).found]
        chunks = snapshot.chunks(found)
        assert len(chunks) == NUMBER
        for slot, chunk in list(chunks.items())[::20]:
            near = cosines_by_id(
                WordsEmbedder().embed([chunk.meaning])[0], snapshot.vectors([slot], WordsEmbedder.fingerprint)
            )
            assert near[slot] == pytest.approx(1, abs=0.001)


def test_an_encoding_run_that_is_stopped_keeps_what_it_did_and_the_next_goes_on(vault: Vault) -> None:
    told: list[int] = []
    progress = Progress(tell=lambda done, total: told.append(total), stop=lambda: bool(told))
    assert vault.encode(progress) == vault.encoder.left == NUMBER - GROUP
    assert vault.store.about().encoded == GROUP
    assert vault.encode(progress) == vault.encoder.left == NUMBER - GROUP
    told.clear()
    assert vault.encode() == 0
    assert vault.store.about().encoded == NUMBER


def test_a_second_encoding_run_has_nothing_to_do(vault: Vault) -> None:
    vault.encode()
    generation = vault.store.about().generation
    assert vault.encode(Progress(tell=lambda done, total: pytest.fail("something was filled again"))) == 0
    assert vault.store.about().generation == generation


def test_a_vault_without_an_encoder_or_without_a_store_has_nothing_to_encode(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# A\n\nThe hive hums.\n"}, SETTINGS)
    assert (vault.encoder.left, vault.encode()) == (0, 0)
    assert not vault.store_file.exists()
    vault.index()
    with Vault.open(vault.root, {**SETTINGS, "embed.encoder": "off"}) as other:
        assert (other.encoder.left, other.encode(), other.store.about().encoded) == (0, 0, 0)


# Beside others


def test_two_do_not_encode_at_once_and_the_second_learns_who_does(vault: Vault) -> None:
    refused: list[str] = []

    def fill_too() -> None:
        with opened(vault) as other, pytest.raises(StoreBusy) as caught:
            other.encode()
        refused.append(caught.value.fact)

    assert vault.encode(after_first_group(fill_too)) == 0
    assert len(refused) == 1
    assert f"Process {os.getpid()}, since 20" in refused[0]
    with opened(vault) as other:
        assert other.encode() == 0


def test_where_no_lock_can_be_made_nobody_encodes(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise StoreError("The folder cannot be written", "Check its permissions")

    monkeypatch.setattr(SqliteStore, "locked", refused)
    assert not vault.status().filling.under_way


def test_search_goes_on_during_encoding_and_sees_what_is_there(vault: Vault) -> None:
    seen: list[tuple[int, bool]] = []

    def look(done: int, total: int) -> None:
        with opened(vault) as other:
            results = other.search(f"hive {NUMBER - 1}", all=True)
            assert (results[0].path, results.notices) == (f"{NUMBER - 1:03}.md", ())
            seen.append((other.store.about().encoded, "fine" in results[0].retrievers))

    assert vault.encode(Progress(tell=look)) == 0
    assert [filled for filled, _ in seen] == [GROUP, 2 * GROUP, 3 * GROUP, NUMBER]
    assert seen[-1][1]


@pytest.mark.parametrize("last", [GROUP, NUMBER], ids=["in its middle", "at its end"])
def test_notes_that_come_in_during_encoding_are_encoded_by_it(vault: Vault, last: int) -> None:
    def add(done: int, total: int) -> None:
        if done == last and not (vault.root / "new.md").exists():
            (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
            with opened(vault) as other:
                assert other.index(wait=0).added == 1

    assert vault.encode(Progress(add)) == vault.encoder.left == 0
    assert vault.store.about().encoded == NUMBER + 1
    assert vault.search("zebra")[0].path == "new.md"
    assert vault.doctor().problems == ()


def test_an_encoding_run_that_ends_early_returns_how_many_lack_a_vector_by_then(vault: Vault) -> None:
    (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    told: list[int] = []

    def index_once(done: int, total: int) -> None:
        told.append(done)
        with opened(vault) as other:
            assert other.index().added == 1

    assert vault.encode(Progress(index_once, lambda: bool(told))) == vault.encoder.left == NUMBER - GROUP + 1


def holding(vault: Vault) -> apsw.Connection:
    """Let another connection hold a transaction."""
    writer = apsw.Connection(str(vault.store_file))
    writer.execute("begin immediate")
    return writer


def test_an_encoding_run_tries_again_while_another_connection_holds_a_transaction(vault: Vault) -> None:
    database(vault.store).set_busy_timeout(20)
    writer, asked = holding(vault), count()

    def let_go() -> bool:
        # It asks before it begins, before the first group, and then after each try that was in vain.
        if next(asked) == 3:
            writer.execute("rollback")
        return False

    assert vault.encode(Progress(stop=let_go)) == 0
    writer.close()
    assert (vault.store.about().encoded, vault.doctor().problems) == (NUMBER, ())
    assert next(asked) > 3


def test_an_encoding_run_waits_while_another_connection_holds_a_transaction(vault: Vault) -> None:
    database(vault.store).set_busy_timeout(60_000)
    writer = holding(vault)
    letting_go = threading.Timer(0.1, lambda: writer.execute("rollback"))
    letting_go.start()
    assert vault.encode() == 0
    letting_go.join()
    writer.close()
    assert (vault.store.about().encoded, vault.doctor().problems) == (NUMBER, ())


def test_an_encoding_run_that_waits_for_another_can_be_stopped(vault: Vault) -> None:
    database(vault.store).set_busy_timeout(20)
    writer, asked = holding(vault), count()
    assert vault.encode(Progress(stop=lambda: next(asked) >= 3)) == NUMBER
    writer.execute("rollback")
    writer.close()
    assert vault.encode() == 0


def test_an_encoding_run_ends_when_the_store_is_gone(vault: Vault) -> None:
    told: list[int] = []

    def delete(done: int, total: int) -> None:
        told.append(done)
        shutil.rmtree(vault.root / ".notewell")

    vault.encode(Progress(delete))
    assert told == [GROUP]
    assert not vault.store_file.exists()
    assert vault.index().added == NUMBER
    assert vault.encode() == 0


def test_one_search_with_another_encoder_leaves_the_stored_vectors(vault: Vault) -> None:
    vault.encode()
    fine = "select body, data from fine order by body"
    before, about = database(vault.store).execute(fine).fetchall(), vault.store.about()
    with Vault.open(vault.root, {**ON_DEMAND, "embed.encoder": "minilm"}) as other:
        assert other.search("the hive hums")[0].retrievers["fine"]
        assert (other.encoder.progress.filled, other.encoder.progress.left) == (0, NUMBER)
    assert database(vault.store).execute(fine).fetchall() == before
    assert vault.store.about() == about


def test_measuring_keeps_nothing(hives: Path, tmp_path: Path) -> None:
    vault = Vault.open(shutil.copytree(hives, tmp_path / "notes"), ON_DEMAND)
    assert find_candidates(vault, "the hive hums", limit=5)[0].ranks["fine"]
    assert (vault.store.about().encoder, vault.store.about().encoded) == ("", 0)


def test_two_encoders_take_turns_only_by_encoding(vault: Vault) -> None:
    with Vault.open(vault.root, ON_DEMAND) as other:
        other.search("the hive hums")
    assert vault.store.about().encoder == WordsEmbedder.fingerprint
    with Vault.open(vault.root, {**SETTINGS, "embed.encoder": "minilm"}) as other:
        other.encode()
        assert (other.store.about().encoded, other.encoder.left) == (NUMBER, 0)
    assert vault.encoder.progress == EncoderProgress(WordsEmbedder.fingerprint, left=NUMBER)


@pytest.mark.parametrize("path", ["000.md", f"{NUMBER - 1:03}.md"], ids=["already filled", "not yet filled"])
@pytest.mark.parametrize("text", ["# Zebra\n\nA zebra grazes in the garden today.\n", None], ids=["changed", "removed"])
def test_a_note_that_changes_during_encoding_has_no_vector_of_what_it_was(
    vault: Vault, path: str, text: str | None
) -> None:
    def change() -> None:
        (vault.root / path).write_text(text) if text else (vault.root / path).unlink()
        with opened(vault) as other:
            other.index()

    assert vault.encode(after_first_group(change)) == vault.encoder.left == 0
    assert vault.doctor().problems == ()
    about = vault.store.about()
    assert about.encoded == about.chunks == (NUMBER if text else NUMBER - 1)
    if text:
        assert vault.search("zebra")[0].path == path


def test_a_note_that_changes_while_its_vector_is_made_is_encoded_by_the_same_run(vault: Vault) -> None:
    class Meddled(WordsEmbedder):
        """The words embedder, during whose first work all the notes it was given change."""

        changed = False

        def embed(self, texts: Sequence[str]) -> Vectors:
            if not self.changed:
                self.changed = True
                for file in sorted(vault.root.glob("*.md"))[:GROUP]:
                    file.write_text(f"# Zebra\n\nThe zebra of {file.name} grazes.\n")
                with opened(vault) as other:
                    assert other.index().changed == GROUP
            return super().embed(texts)

    assert encode(vault.store, Meddled(), Progress()) == vault.encoder.left == 0
    assert vault.doctor().problems == ()
    assert vault.store.about().encoded == NUMBER


def test_a_full_run_during_encoding_loses_nothing(vault: Vault) -> None:
    def make_anew() -> None:
        with opened(vault) as other:
            assert other.index(full=True).added == NUMBER
            assert other.store.about().encoded == GROUP

    assert vault.encode(after_first_group(make_anew)) == vault.encoder.left == 0
    assert vault.store.about().encoded == NUMBER
    assert vault.doctor().problems == ()


def test_searches_that_make_vectors_and_an_encoding_run_come_to_the_same(vault: Vault) -> None:
    done = threading.Event()

    def search_on() -> None:
        with Vault.open(vault.root, ON_DEMAND) as other:
            while not done.is_set():
                other.search("hive number hums")

    searcher = threading.Thread(target=search_on)
    searcher.start()
    try:
        assert vault.encode() == 0
    finally:
        done.set()
        searcher.join()
    assert (vault.store.about().encoded, vault.encoder.left, vault.doctor().problems) == (NUMBER, 0, ())


# Killed


def test_the_lock_of_a_killed_encoding_run_is_free(vault: Vault) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(vault.root)], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == b"held\n"
            with pytest.raises(StoreBusy) as caught:
                vault.encode()
            assert f"Process {process.pid}," in caught.value.fact
        finally:
            process.kill()
    assert vault.encode() == 0
