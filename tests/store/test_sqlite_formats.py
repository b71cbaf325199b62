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
    from tests.store.sqlite_files import opened  # noqa: PLC0415

    from notewell.store.sqlite.schema import VERSION  # noqa: PLC0415
    from notewell.store.texts import stored_texts  # noqa: PLC0415
    from notewell.types.query import EVERYTHING  # noqa: PLC0415

    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with closing(apsw.Connection(f"file:{file}?immutable=1", flags=flags)) as db:
        assert f"schema-{db.pragma('user_version')}" == file.stem
    copy = shutil.copyfile(file, tmp_path / "store.db")
    # Without a user's key, which these rows do not have: migrated, and read as they are.
    with closing(opened(copy)) as store:
        assert database(store).pragma("user_version") == VERSION
        about = store.about()
        assert (about.notes, about.links, list(about.skipped)) == (4, 1, ["bad.md"])
        assert store.files().notes.keys() == NOTES.keys()
        assert store.check() == []
        with store.reading() as snapshot:
            for term, path in (("hive", "garden/bees.md"), ("loaf", "bread.md"), ("京都", "日記.md")):
                best = snapshot.match([term], EVERYTHING, 1).found[0][0]
                assert snapshot.chunks([best])[best].path == path
            bees = snapshot.ids()["garden/bees.md"]
            assert [link.target for link in snapshot.links_of([bees])[bees]] == ["bread"]
            assert all("hunter2" not in text for _, text in stored_texts(snapshot))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_store_of_that_format_is_not_believed_but_rebuilt(file: Path, tmp_path: Path) -> None:
    from notewell import Vault  # noqa: PLC0415

    (tmp_path / ".notewell").mkdir()
    (tmp_path / "bread.md").write_text("# Bread\n\nThe loaf is fine.\n")
    shutil.copyfile(file, tmp_path / ".notewell" / "store.db")
    with Vault.open(tmp_path, {"embed.model": "words"}) as vault:
        results = vault.search("loaf")
        assert [hit.text for hit in results] == ["# Bread\n\nThe loaf is fine."]
        said = {notice.code for notice in results.notices} & {"store_rebuilt", "store_of_another"}
        # One that bears a mark is somebody else's, and stays as it is.
        assert said == ({"store_of_another"} if file.stem >= "schema-6" else {"store_rebuilt"})
        assert vault.doctor().problems == ()


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
