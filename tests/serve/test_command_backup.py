"""`notewell backup` and `notewell restore`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.database import database
from tests.store.sqlite_files import FIXTURES

from notewell import Vault
from notewell.errors import StoreBusy
from notewell.store.partial import partial_folder
from notewell.store.sqlite.schema import VERSION
from notewell.store.texts import stored_texts

Notewell = Callable[..., tuple[int, str, str]]
Content = Callable[[Vault], dict[str, Any]]

WRITER = """
import sys
from notewell import Vault

with Vault.open(sys.argv[1]) as vault:
    for number in range(10_000):
        for pair in range(5):
            (vault.root / f"pair {pair}.md").write_text(f"# Pair {pair}\\n\\nAll carry number{number} of the zebra.\\n")
        vault.index()
        if number == 2:
            print("writing", flush=True)
        if (vault.root / "enough").exists():
            break
"""


@pytest.fixture
def backup(notewell: Notewell, tmp_path: Path) -> Path:
    notewell("index")
    file = tmp_path / "copy.db"
    assert notewell("backup", str(file))[0] == 0
    return file


def test_a_backup_is_restored_with_all_it_holds(
    notewell: Notewell, folder: Path, backup: Path, content: Content
) -> None:
    with Vault.open(folder) as vault:
        expected, indexed_at = content(vault), vault.store.state.indexed_at
    before = backup.read_bytes()
    (folder / "Garden" / "Bees.md").unlink()
    (folder / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    notewell("index")
    assert notewell("restore", str(backup)) == (0, f"3 notes, as of {indexed_at}\n", "")
    with Vault.open(folder) as vault:
        assert content(vault) == expected
        assert vault.doctor().problems == ()
        assert database(vault.store).pragma("journal_mode") == "wal"
        assert vault.search("hive")[0].path == "Garden/Bees.md"
        assert (vault.status().stale, vault.index().removed) == (2, 1)
    assert backup.read_bytes() == before
    assert sorted(file.name for file in backup.parent.iterdir()) == ["copy.db", "notes"]
    assert sorted(file.name for file in (folder / ".notewell").iterdir()) == [".gitignore", "store.db", "store.db.lock"]


def test_json_names_the_file_and_what_came_back(notewell: Notewell, folder: Path, tmp_path: Path) -> None:
    notewell("index")
    file = tmp_path / "copy.db"
    code, out, err = notewell("backup", str(file), "--json")
    assert (code, json.loads(out), err) == (0, {"file": str(file), "bytes": file.stat().st_size}, "")
    code, out, err = notewell("restore", str(file), "--json")
    with Vault.open(folder) as vault:
        about = vault.store.about()
    assert (code, err) == (0, "")
    assert json.loads(out) == {"notes": 3, "chunks": about.chunks, "indexed_at": about.indexed_at}


def test_a_person_reads_the_name_and_the_size(notewell: Notewell, tmp_path: Path) -> None:
    notewell("index")
    code, out, err = notewell("backup", str(tmp_path / "copy.db"))
    assert (code, err) == (0, "")
    assert out.startswith(f"{tmp_path / 'copy.db'} (")
    assert out.endswith(" MB)\n")


def test_a_backup_has_no_secret_in_it(notewell: Notewell, backup: Path) -> None:
    assert b"hunter2" not in backup.read_bytes()


def test_a_backup_is_one_file_that_serves_another_vault(notewell: Notewell, backup: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other").mkdir()
    (other / "notewell.toml").write_text('[embed]\nmodel = "words"\n', encoding="utf-8")
    code, _, err = notewell("restore", str(backup), "--vault", str(other))
    assert code == 1 and "copy.db is a backup of another vault, " in err and "`notewell restore --force`" in err
    assert not (other / ".notewell").exists()
    code, _, err = notewell("restore", str(backup), "--vault", str(other), "--force")
    assert code == 0 and err.startswith("note: This backup was made in another folder, ")
    with Vault.open(other) as vault:
        assert vault.search("hive")[0].path == "Garden/Bees.md"
        assert vault.doctor().problems == ()


def test_a_file_that_is_no_backup_is_not_restored(notewell: Notewell, tmp_path: Path) -> None:
    (tmp_path / "Readme.md").write_text("# Not a store\n")
    code, _, err = notewell("restore", str(tmp_path / "Readme.md"))
    fact, hint = f"{tmp_path / 'Readme.md'} is not a Notewell backup", "Use a file that `notewell backup` wrote"
    assert (code, err) == (1, f"error: {fact}\nhint: {hint}\n")


def test_a_backup_of_a_vault_that_was_moved_is_restored(notewell: Notewell, folder: Path, backup: Path) -> None:
    with Vault.open(folder.rename(folder.with_name("moved"))) as vault:
        (notice,) = vault.restore(str(backup))
        assert notice.code == "backup_of_another_vault" and vault.search("hive")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_not_a_file_is_not_waited_for(notewell: Notewell, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        assert notewell("restore", str(path))[2].startswith(f"error: {path} is not a file\n")


def test_a_file_that_exists_is_not_written_over(notewell: Notewell, folder: Path, tmp_path: Path) -> None:
    notewell("index")
    (tmp_path / "mine.txt").write_text("mine")
    code, out, err = notewell("backup", str(tmp_path / "mine.txt"))
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {tmp_path / 'mine.txt'} exists already\nhint: ")
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert notewell("backup", str(folder))[0] == 1


def test_a_file_of_the_users_beside_the_backup_is_left_alone(notewell: Notewell, tmp_path: Path) -> None:
    notewell("index")
    (tmp_path / "copy.db.partial").write_text("mine")
    notewell("backup", str(tmp_path / "copy.db"))
    assert (tmp_path / "copy.db.partial").read_text() == "mine"


KILLED = """
import os, sys
from pathlib import Path
from notewell import Vault

with Vault.open(sys.argv[1]) as vault:
    Path.replace = lambda *_: os.kill(os.getpid(), 9)
    vault.backup(sys.argv[2])
"""


def test_what_a_killed_backup_left_goes_with_the_next_one(notewell: Notewell, folder: Path, tmp_path: Path) -> None:
    notewell("index")
    (kept := tmp_path / "kept").mkdir()
    subprocess.run([sys.executable, "-c", KILLED, str(folder), str(kept / "copy.db")], check=False)
    (left,) = kept.iterdir()
    assert (left / "copy.db").stat().st_size
    # One of an older version, one that somebody put something into, a link and a name that is not ours.
    shutil.copytree(left, kept / ".notewell-a8_bcdef", ignore=shutil.ignore_patterns("lock"))
    os.utime(kept / ".notewell-a8_bcdef", (0, 0))
    shutil.copytree(left, mine := kept / ".notewell-backup-a8_bcdef")
    (mine / "diary.md").write_text("mine")
    (kept / ".notewell-backup-linked_1").symlink_to(folder)
    (kept / ".notewell-mine").mkdir()
    assert notewell("backup", str(kept / "copy.db"))[0] == 0
    assert sorted(file.name for file in kept.iterdir()) == [
        mine.name,
        ".notewell-backup-linked_1",
        ".notewell-mine",
        "copy.db",
    ]
    assert [file.name for file in mine.iterdir() if file.name != "lock"] == ["diary.md"]
    assert (folder / ".notewell" / "store.db").exists()


def test_a_backup_that_is_being_written_is_left_alone(notewell: Notewell, tmp_path: Path) -> None:
    notewell("index")
    (kept := tmp_path / "kept").mkdir()
    with partial_folder(kept) as other:
        (other / "other.db").touch()
        assert notewell("backup", str(kept / "copy.db"))[0] == 0
        assert (other / "other.db").exists()
    assert [file.name for file in kept.iterdir()] == ["copy.db"]


def test_a_backup_where_nothing_can_be_written_is_an_error_with_a_hint(notewell: Notewell, tmp_path: Path) -> None:
    notewell("index")
    for place in (tmp_path / "nowhere" / "copy.db", tmp_path / "notes" / "notewell.toml" / "copy.db"):
        code, out, err = notewell("backup", str(place))
        assert (code, out) == (1, "")
        assert err.startswith(f"error: There is no folder {place.parent}\nhint: ")
    assert not (tmp_path / "nowhere").exists()


def test_a_vault_that_was_never_indexed_has_no_backup(notewell: Notewell, folder: Path, tmp_path: Path) -> None:
    code, _, err = notewell("backup", str(tmp_path / "copy.db"))
    assert (code, err) == (1, "error: This vault was never indexed\nhint: Run `notewell index` first\n")
    assert [file.name for file in tmp_path.iterdir()] == ["notes"]
    assert not (folder / ".notewell").exists()


def make_empty(file: Path, backup: Path) -> None:
    file.write_bytes(b"")


def make_text(file: Path, backup: Path) -> None:
    file.write_text("Dear diary, " * 1000)


def make_other_program(file: Path, backup: Path) -> None:
    with closing(apsw.Connection(str(file))) as db:
        db.execute("create table book (title text)")


def make_newer(file: Path, backup: Path) -> None:
    file.write_bytes(backup.read_bytes())
    with closing(apsw.Connection(str(file))) as db:
        db.pragma("user_version", 99)


def make_half(file: Path, backup: Path) -> None:
    file.write_bytes(backup.read_bytes()[: 8192 * 3])


def make_folder(file: Path, backup: Path) -> None:
    file.mkdir()


def make_nothing(file: Path, backup: Path) -> None:
    assert not file.exists()


@pytest.mark.parametrize(
    "make", [make_empty, make_text, make_other_program, make_newer, make_half, make_folder, make_nothing]
)
def test_what_is_not_a_backup_is_refused_and_the_store_and_the_file_stay_as_they_are(
    notewell: Notewell, folder: Path, backup: Path, content: Content, make: Callable[[Path, Path], None]
) -> None:
    file = backup.with_name("strange")
    make(file, backup)
    bytes_before = file.read_bytes() if file.is_file() else b""
    names_before = sorted(other.name for other in backup.parent.iterdir())
    with Vault.open(folder) as vault:
        before, about = content(vault), vault.store.about()
    code, out, err = notewell("restore", str(file))
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert "hint: " in err
    with Vault.open(folder) as vault:
        assert content(vault) == before
        assert vault.store.about() == about
        assert vault.doctor().problems == ()
    assert (file.read_bytes() if file.is_file() else b"") == bytes_before
    assert sorted(other.name for other in backup.parent.iterdir()) == names_before
    assert sorted(other.name for other in (folder / ".notewell").iterdir()) == [
        ".gitignore",
        "store.db",
        "store.db.lock",
    ]


def test_a_newer_backup_is_refused_with_the_way_to_update(notewell: Notewell, backup: Path) -> None:
    make_newer(backup.with_name("newer"), backup)
    err = notewell("restore", str(backup.with_name("newer")))[2]
    assert "newer Notewell" in err
    assert "pip install -U notewell" in err


def test_a_backup_of_an_older_format_is_brought_up_to_date_in_the_store_and_not_in_its_file(
    notewell: Notewell, folder: Path, tmp_path: Path
) -> None:
    backup = Path(shutil.copyfile(FIXTURES / "schema-1.db", tmp_path / "old.db"))
    before = backup.read_bytes()
    assert notewell("restore", str(backup))[0] == 0
    with closing(apsw.Connection(str(folder / ".notewell" / "store.db"))) as db:
        assert db.pragma("user_version") == VERSION
    # It bears no mark of this user, so that its text is not believed.
    with Vault.open(folder) as vault:
        assert next(notice.code for notice in vault.search("hive").notices) == "store_rebuilt"
    assert backup.read_bytes() == before


def test_a_damaged_store_can_be_restored(notewell: Notewell, folder: Path, backup: Path) -> None:
    (folder / ".notewell" / "store.db").write_bytes(b"no database at all, " * 1000)
    code, _, err = notewell("restore", str(backup))
    assert (code, err) == (0, "")
    with Vault.open(folder) as vault:
        assert vault.doctor().problems == ()
        assert vault.search("hive")[0].path == "Garden/Bees.md"


def test_an_open_reader_sees_what_was_restored(notewell: Notewell, folder: Path, backup: Path) -> None:
    with Vault.open(folder) as reader:
        (folder / "Garden" / "Bees.md").write_text("# Bees\n\nA zebra grazes in the garden today.\n")
        notewell("index")
        changed = reader.search("zebra")
        assert changed[0].retrievers["lexical"] == 1
        notewell("restore", str(backup))
        restored = reader.search("zebra hive")
        assert restored.generation > changed.generation
        assert "hive" in restored[0].text
        assert all("zebra" not in excerpt.text for excerpt in restored)


def test_a_backup_taken_while_another_process_writes_is_one_state(
    notewell: Notewell, folder: Path, tmp_path: Path
) -> None:
    notewell("index")
    with subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "writing\n"
        codes = [notewell("backup", str(tmp_path / f"{number}.db")) for number in range(8)]
        (folder / "enough").touch()
        writer.communicate(timeout=300)
    assert writer.returncode == 0
    assert [(code, err) for code, _, err in codes] == [(0, "")] * 8
    (other := tmp_path / "other").mkdir()
    (other / "notewell.toml").write_text('[embed]\nmodel = "words"\n', encoding="utf-8")
    numbers = set()
    for copy in range(8):
        with Vault.open(other) as vault:
            vault.restore(tmp_path / f"{copy}.db", force=True)
            assert vault.doctor().problems == ()
            with vault.store.reading() as snapshot:
                texts = {text.split("number")[1] for _, text in stored_texts(snapshot) if "number" in text}
        assert len(texts) == 1
        numbers |= texts
    assert len(numbers) > 1


def test_a_restore_waits_its_turn(folder: Path, backup: Path) -> None:
    with (
        Vault.open(folder) as vault,
        vault.store.locked(wait=0),
        Vault.open(folder) as other,
        pytest.raises(StoreBusy, match="is writing to this vault's store"),
    ):
        other.restore(backup, wait=0.1)


def spoil_row(file: Path) -> None:
    with closing(apsw.Connection(str(file))) as db:
        db.execute("update body set text = x'00' where id = (select min(id) from body)")


def drop_vectors(file: Path) -> None:
    with closing(apsw.Connection(str(file))) as db:
        db.execute("delete from vector")


def spoil_page(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[8192 * 3 : 8192 * 4] = bytes(8192)
    file.write_bytes(data)


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: 8192 * 5])


def forge(file: Path) -> None:
    with closing(apsw.Connection(str(file))) as db:
        db.execute("update note set title = 'forged'")


@pytest.mark.parametrize("damage", [spoil_row, drop_vectors, spoil_page, cut_off, forge])
def test_a_damaged_backup_is_refused_and_the_store_stays(
    notewell: Notewell, folder: Path, backup: Path, damage: Callable[[Path], None]
) -> None:
    damage(backup)
    before = (folder / ".notewell" / "store.db").read_bytes()
    code, _, err = notewell("restore", str(backup))
    assert (code, "is damaged" in err, "the store is unchanged" in err) == (1, True, True)
    assert (folder / ".notewell" / "store.db").read_bytes() == before
    assert not list((folder / ".notewell").glob("*.new*"))
    assert notewell("doctor")[0] == 0
