"""What searches lacked of the encoder's vectors is encoded first, by whichever process encodes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.files.user import home_folder, state_folder
from notewell.index import Progress
from notewell.index.encode import GROUP
from notewell.index.wishes import FOLDER, MOST, Wishes
from notewell.types.note import Vectors

MakeVault = Callable[..., Vault]
SETTINGS = {"embed.model": "words", "embed.encoder": "words"}
NUMBER = 4 * GROUP


@pytest.fixture
def wishes(tmp_path: Path) -> Wishes:
    return Wishes(tmp_path / "state", tmp_path / "store.db")


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    notes = {f"{number:03}.md": f"# Hive {number}\n\nThe hive of number {number} hums.\n" for number in range(NUMBER)}
    vault = make_vault({**notes, "zebra.md": "# Zebra\n\nA zebra grazes in the garden today.\n"}, SETTINGS)
    vault.index()
    return vault


def wish_files() -> list[Path]:
    return [*(state_folder(os.environ, home_folder(os.environ)) / FOLDER).iterdir()]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state of this test"))


# The list


def test_the_latest_wishes_come_first_each_once_and_few_are_kept(wishes: Wishes) -> None:
    assert wishes.read() == []
    wishes.add([1, 2, 3])
    wishes.add([9, 2])
    assert wishes.read() == [9, 2, 1, 3]
    wishes.add(range(100, 100 + MOST))
    assert wishes.read() == [*range(100, 100 + MOST)]
    wishes.add([7])
    assert wishes.read() == [7, *range(100, 99 + MOST)]


def test_each_store_has_its_own_wishes(wishes: Wishes, tmp_path: Path) -> None:
    wishes.add([1])
    assert Wishes(tmp_path / "state", tmp_path / "other.db").read() == []


def test_only_the_user_can_read_them_and_they_are_only_numbers(wishes: Wishes, tmp_path: Path) -> None:
    wishes.add([1, 258])
    (file,) = (tmp_path / "state" / FOLDER).iterdir()
    assert file.read_bytes() == (1).to_bytes(8, "little") + (258).to_bytes(8, "little")
    assert (file.stat().st_mode & 0o077, file.parent.stat().st_mode & 0o077) == (0, 0)


@pytest.mark.parametrize("content", [b"", b"not numbers", os.urandom(1 << 20)])
def test_a_damaged_list_is_as_good_as_a_short_one(wishes: Wishes, tmp_path: Path, content: bytes) -> None:
    wishes.add([1])
    (file,) = (tmp_path / "state" / FOLDER).iterdir()
    file.write_bytes(content)
    assert len(wishes.read()) <= MOST
    wishes.add([5, 6])
    assert wishes.read()[:2] == [5, 6]
    assert file.stat().st_size <= MOST * 8


def test_a_link_in_its_place_is_neither_read_nor_written(wishes: Wishes, tmp_path: Path) -> None:
    wishes.add([1])
    (file,) = (tmp_path / "state" / FOLDER).iterdir()
    (other := tmp_path / "other").write_bytes(b"precious " * 8)
    file.unlink()
    file.symlink_to(other)
    assert wishes.read() == []
    wishes.add([2])
    assert other.read_bytes() == b"precious " * 8


def test_where_nothing_can_be_written_nothing_is_wished(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file, not a folder")
    wishes = Wishes(tmp_path / "state", tmp_path / "store.db")
    wishes.add([1])
    wishes.clear()
    assert wishes.read() == []


# Searches and the encoder


def test_a_search_makes_no_vectors_and_what_it_lacked_is_encoded_first(vault: Vault) -> None:
    vault.search("zebra grazes")
    assert vault.store.about().encoded == 0
    encoded: list[str] = []

    class Noting(WordsEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            encoded.extend(texts)
            return super().embed(texts)

    vault.models.encoder = Noting()
    told: list[int] = []
    vault.encode(Progress(tell=lambda done, total: told.append(done), stop=lambda: bool(told)))
    assert "zebra" in encoded[0]
    assert len(encoded) <= GROUP


def test_what_a_search_lacks_while_the_encoder_works_comes_next(vault: Vault) -> None:
    encoded: list[bool] = []

    def search_between(done: int, total: int) -> None:
        with Vault.open(vault.root, SETTINGS) as other:
            encoded.append(other.search("zebra")[0].retrievers["fine"] is not None)

    # The oldest note is the last in the encoder's own order.
    os.utime(vault.root / "zebra.md", (1, 1))
    vault.index()
    assert vault.encode(Progress(tell=search_between)) == 0
    assert encoded[:2] == [False, True]
    assert vault.encoder.left == 0


def test_all_is_encoded_once_whatever_is_wished_for(vault: Vault) -> None:
    vault.encoder.wish([5, 6, 5, -1, 10**12, 7])
    told: list[tuple[int, int]] = []
    assert vault.encode(Progress(tell=lambda *counts: told.append(counts))) == 0
    assert told[-1] == (NUMBER + 1, NUMBER + 1)
    assert told == sorted(told)
    assert (vault.store.about().encoded, vault.doctor().problems) == (NUMBER + 1, ())


def test_wishes_are_forgotten_once_all_is_encoded(vault: Vault) -> None:
    vault.search("zebra")
    assert (len(wish_files()), vault.encoder.is_wished) == (1, True)
    vault.encode()
    vault.search("zebra")
    assert (wish_files(), vault.encoder.is_wished) == ([], False)


def test_the_wish_for_a_copy_of_a_chunk_encodes_the_text_they_share(make_vault: MakeVault) -> None:
    same = "# Zebra\n\nA zebra grazes in the garden today.\n"
    with make_vault({"a.md": same, "b.md": same}, SETTINGS) as vault:
        vault.index()
        with vault.store.reading() as snapshot:
            copy = max(*snapshot.chunks_of("b.md"), *snapshot.chunks_of("a.md"))
        vault.encoder.wish([copy])
        assert vault.encode() == 0
        assert vault.store.about().encoded == 1


def test_related_notes_wish_for_their_own_chunks_too(vault: Vault) -> None:
    vault.related("zebra.md")
    with vault.store.reading() as snapshot:
        own = snapshot.chunks_of("zebra.md")
    assert vault.store.about().encoded == 0
    assert Wishes(state_folder(os.environ, home_folder(os.environ)), vault.store_file).read()[0] in own
