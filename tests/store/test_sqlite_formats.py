"""Stores of every released format open with the present code, on a copy: what was indexed once is never lost.

`fixtures/schema-N.db` was written by the Notewell that first had format N: `python tests/store/test_sqlite_formats.py`,
run from the repository's root, calls `make_fixture` below. A fixture is never made again: it stands for the stores that
people have.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.database import database

FIXTURES = Path(__file__).parent / "fixtures"
NOTES = {
    "bread.md": "---\ntags: [baking]\naliases: [Loaf]\n---\n\n# Bread\n\nThe loaf collapsed in the cold oven.\n",
    "garden/bees.md": "# Bees\n\nThe hive hums in the evening, see [[bread]].\n\n# Honey\n\nHoney is made in June.\n",
    "garden/keys.md": "# Keys\n\npassword: hunter2-again\n",
    "日記.md": "京都で猪を見た。\n",
}


def make_fixture(file: Path) -> None:
    """Index the notes above, and one that cannot be read, with the words embedder, and back the store up to a file."""
    from notewell import Vault  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        for path, text in NOTES.items():
            (Path(folder) / path).parent.mkdir(exist_ok=True)
            (Path(folder) / path).write_text(text, encoding="utf-8")
        (Path(folder) / "bad.md").write_bytes(b"\0\1\2")
        with Vault.open(folder, {"embed.model": "words"}) as vault:
            vault.index()
            vault.backup(file)


FILES = sorted(FIXTURES.glob("schema-*.db"))


def test_there_is_a_store_of_every_format_up_to_the_present() -> None:
    from notewell.store.sqlite.schema import VERSION  # noqa: PLC0415

    assert [file.stem for file in FILES] == [f"schema-{version}" for version in range(1, VERSION + 1)]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_store_of_that_format_is_opened_searched_and_sound(file: Path, tmp_path: Path) -> None:
    from notewell import Vault  # noqa: PLC0415
    from notewell.store.sqlite.schema import VERSION  # noqa: PLC0415

    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with closing(apsw.Connection(f"file:{file}?immutable=1", flags=flags)) as db:
        assert f"schema-{db.pragma('user_version')}" == file.stem
    (tmp_path / ".notewell").mkdir()
    shutil.copyfile(file, tmp_path / ".notewell" / "store.db")
    with Vault.open(tmp_path, {"embed.model": "words"}) as vault:
        about = vault.store.about()
        assert (about.notes, about.links, list(about.skipped)) == (4, 1, ["bad.md"])
        assert vault.store.files().notes.keys() == NOTES.keys()
        assert database(vault.store).pragma("user_version") == VERSION
        assert vault.doctor().problems == ()
        for text, path in (("hive", "garden/bees.md"), ("loaf", "bread.md"), ("京都で猪", "日記.md")):
            best = vault.search(text)[0]
            assert best.path == path
            assert best.retrievers["lexical"] == 1
        assert vault.search("bee hive hum")[0].retrievers["vector"] is not None
        with vault.store.reading() as snapshot:
            assert [
                link.target
                for link in snapshot.links_of(list(snapshot.ids().values()))[snapshot.ids()["garden/bees.md"]]
            ] == ["bread"]
        assert [lead.to for lead in vault.links("garden/bees.md").links] == ["bread.md"]
        from notewell.store.texts import stored_texts  # noqa: PLC0415

        with vault.store.reading() as snapshot:
            assert all("hunter2" not in text for _, text in stored_texts(snapshot))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_backup_of_that_format_is_restored_and_brought_up_to_date_with_the_folder(file: Path, tmp_path: Path) -> None:
    from notewell import Vault  # noqa: PLC0415

    copy = shutil.copyfile(file, tmp_path / "copy.db")
    (root := tmp_path / "notes").mkdir()
    for path, text in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    (root / "new.md").write_text("# New\n\nA zebra grazes here.\n")
    with Vault.open(root, {"embed.model": "words"}) as vault:
        vault.restore(copy)
        vault.index()
        assert vault.store.about().notes == 5
        assert vault.doctor().problems == ()
    assert copy.read_bytes() == file.read_bytes()


if __name__ == "__main__":
    from notewell.store.sqlite.schema import VERSION

    make_fixture(FIXTURES / f"schema-{VERSION}.db")
