"""A full disk, a folder that may not be written, a damaged file: a clear error, and the last state still answers."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import pytest
from tests.vaults import same_user

from notewell import Vault
from notewell.errors import CurateError, StoreDamaged, StoreError, VaultError

MakeVault = Callable[..., Vault]
RunCommand = Callable[..., tuple[int, str, str]]

NOTES = {
    "bread.md": "# Bread\n\nThe loaf collapsed because the oven was too cold.\n",
    "bees.md": "# Bees\n\nThe hive hums in the warm evening of a summer day.\n",
}
NOBODY = 65534


def found(vault: Vault, text: str) -> list[str]:
    return [excerpt.path for excerpt in vault.search(text) if excerpt.retrievers["lexical"]]


def opened(root: Path, store: Path) -> Vault:
    return Vault.open(root, {"embed.model": "words", "store.path": str(store)})


def in_child(act: Callable[[], None], user: int | None = None) -> None:
    """Run a function in another process, and perhaps as another user with the same key; it has to end well."""
    same_user(state := Path(mkdtemp()))
    process = os.fork()
    if not process:
        code = 1
        try:
            if user is not None:
                for path in (state, state / "notewell", state / "notewell" / "key"):
                    os.chown(path, user, user)
                os.environ["XDG_STATE_HOME"] = str(state)
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            act()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    shutil.rmtree(state)
    assert code == 0


# A full disk


def mounted(folder: Path, megabytes: int = 2) -> bool:
    """Tell whether a disk of that size now stands in the folder's place."""
    with suppress(OSError):
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    return False


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder that holds two megabytes at most: a disk of that size, or, where none may be mounted, a limit on files.

    Either is a real refusal by the system; which one it was is printed.
    """
    (folder := tmp_path / "small").mkdir()
    if mounted(folder):
        print("a full disk: a tmpfs of two megabytes")
        yield folder
        subprocess.run(["umount", "-l", str(folder)], check=True)
        return
    print("a full disk: a limit of two megabytes on files")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, limits[1]))
    yield folder
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, before)


def write_much(root: Path) -> None:
    """Write notes that need more than two megabytes in a store: words that nothing compresses."""
    for number in range(24):
        chance = Random(number)
        words = " ".join(chance.randbytes(6).hex() for _ in range(3_000))
        (root / f"much {number}.md").write_text(f"# Much {number}\n\n{words}\n")


def remove_much(root: Path) -> None:
    for file in root.glob("much *.md"):
        file.unlink()


@pytest.mark.parametrize("full", [False, True], ids=["changes", "full"])
def test_a_full_disk_is_a_clear_error_and_the_last_state_stays(
    make_vault: MakeVault, small_disk: Path, full: bool
) -> None:
    root = make_vault(NOTES).root
    (small_disk / "film.mkv").write_bytes(bytes(256 << 10))
    with opened(root, small_disk / "store.db") as vault:
        vault.index()
        before = vault.store.about()
        write_much(root)
        with pytest.raises(StoreError) as caught:
            vault.index(full=full)
        assert caught.value.hint
        assert not isinstance(caught.value, StoreDamaged)
        assert vault.store.about().generation == before.generation
        assert found(vault, "loaf") == ["bread.md"]
    with opened(root, small_disk / "store.db") as again:
        assert found(again, "hive") == ["bees.md"]
        assert again.store.files().notes.keys() == NOTES.keys()
        assert again.doctor().problems == ()
        remove_much(root)
        (small_disk / "film.mkv").unlink()
        (root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
        again.index(full=full)
        assert found(again, "zebra") == ["new.md"]
        assert again.doctor().problems == ()


def test_a_disk_without_a_single_byte_left_still_answers_and_says_that_it_is_full(
    make_vault: MakeVault, small_disk: Path
) -> None:
    root = make_vault(NOTES).root
    with opened(root, small_disk / "store.db") as vault:
        vault.index()
    filler = small_disk / "filler"
    fill(filler)
    (root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    with opened(root, small_disk / "store.db") as vault:
        assert found(vault, "hive") == ["bees.md"]
        assert vault.status().stale == 1
        with pytest.raises(StoreError) as caught:
            vault.index()
        assert caught.value.hint
        assert found(vault, "hive") == ["bees.md"]
    filler.unlink()
    with opened(root, small_disk / "store.db") as vault:
        assert vault.index().added == 1
        assert found(vault, "zebra") == ["new.md"]
        assert vault.doctor().problems == ()


def fill(file: Path) -> None:
    """Write until the system refuses."""
    with file.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(bytes(4096))


def test_an_intake_onto_a_full_disk_writes_no_note_and_the_next_one_does(
    make_vault: MakeVault, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from notewell.curate.intake import read_log, take_in  # noqa: PLC0415
    from notewell.curate.signals import make_signal  # noqa: PLC0415
    from notewell.curate.sources import Read  # noqa: PLC0415

    settings = '[curate]\nfolders = ["."]\n[intake]\naccept = 0.01\nreview = 0.01\n'
    root = make_vault({**NOTES, "notewell.toml": settings}).root
    (root / "Inbox").mkdir()
    signal = make_signal("Bees", "The hive hums in the evening, and the bees rest.", source="feed")
    with opened(root, root.parent / "store.db") as vault:
        vault.index()
        same_user(small_disk)
        monkeypatch.setenv("XDG_STATE_HOME", str(small_disk))
        fill(small_disk / "filler")
        with pytest.raises(CurateError) as caught:
            take_in(vault, Read([signal]))
        assert caught.value.hint and not [*(root / "Inbox").iterdir()]
        (small_disk / "filler").unlink()
        (done,) = take_in(vault, Read([signal])).decisions
        assert done.verdict == "added" and (root / done.path).exists()
        assert [one.title for one in read_log(vault)] == ["Bees"]


def test_a_backup_onto_a_full_disk_is_a_clear_error_and_leaves_no_file(make_vault: MakeVault, small_disk: Path) -> None:
    vault = make_vault(NOTES)
    write_much(vault.root)
    vault.index()
    with pytest.raises(StoreError) as caught:
        vault.backup(small_disk / "copy.db")
    assert caught.value.hint
    assert list(small_disk.iterdir()) == []
    assert found(vault, "hive") == ["bees.md"]


def test_a_memory_onto_a_full_disk_is_a_clear_error_and_leaves_no_file(tmp_path: Path, small_disk: Path) -> None:
    (small_disk / "notewell.toml").write_text('[memory]\nfolder = "Memories"\n')
    (small_disk / "Memories").mkdir()
    filler = small_disk / "filler"
    with opened(small_disk, tmp_path / "store.db") as vault:
        vault.index()
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        if small_disk.is_mount():
            fill(filler)
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        with pytest.raises(VaultError, match="Memories cannot be written") as caught:
            vault.remember("The heating is bled in autumn. " * 3_000, title="Heating")
        assert caught.value.hint == "Check the folder's permissions and the disk; nothing was changed"
        assert list((small_disk / "Memories").iterdir()) == []
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        filler.unlink(missing_ok=True)
        assert vault.remember("The heating is bled in autumn.").written


# A folder that may not be written


@pytest.fixture
def reachable() -> Iterator[MakeVault]:
    """Write notes into a folder that other users reach, which those that pytest makes are not, and open it."""
    folder = Path(mkdtemp(prefix="notewell-"))
    folder.chmod(0o755)

    def make(files: Mapping[str, str]) -> Vault:
        for path, content in files.items():
            (folder / "notes" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "notes" / path).write_text(content)
        return Vault.open(folder / "notes", {"embed.model": "words"})

    yield make
    shutil.rmtree(folder)


def close_to_others(folder: Path) -> Mapping[Path, int]:
    """Take every right to write from everyone but the owner; return the modes of before."""
    modes = {path: path.stat().st_mode & 0o7777 for path in (folder, *folder.rglob("*"))}
    for path, mode in modes.items():
        path.chmod((mode | 0o444 | (0o111 if path.is_dir() else 0)) & ~0o222)
    return modes


def test_a_store_that_may_only_be_read_answers_and_refuses_to_be_written(reachable: MakeVault) -> None:
    with reachable(NOTES) as vault:
        vault.index()
    root = vault.root
    (root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    close_to_others(vault.store_file.parent)

    def act() -> None:
        with Vault.open(root, {"embed.model": "words"}) as reader:
            assert found(reader, "hive") == ["bees.md"]
            status = reader.status()
            assert (status.notes, status.stale) == (2, 1)
            assert reader.doctor().problems == ()
            results = reader.search("loaf", refresh=True)
            assert results[0].path == "bread.md"
            assert results.notices[0].code == "changes_not_indexed"
            with pytest.raises(StoreError, match="cannot be written") as caught:
                reader.index()
            assert "permission" in caught.value.hint
            with pytest.raises(StoreError):
                reader.index(full=True)
            assert found(reader, "hive") == ["bees.md"]

    in_child(act, user=NOBODY if os.getuid() == 0 else None)
    with Vault.open(root, {"embed.model": "words"}) as owner:
        assert owner.store.about().notes == 2


def test_a_memory_into_a_folder_that_may_not_be_written_is_a_clear_error(reachable: MakeVault) -> None:
    root = reachable({**NOTES, "notewell.toml": '[memory]\nfolder = "Memories"\n', "Memories/a.md": "a"}).root
    (store := root.parent / "store").mkdir(mode=0o777)
    store.chmod(0o777)
    close_to_others(root)

    def act() -> None:
        with opened(root, store / "store.db") as vault:
            for change in (lambda: vault.remember("The heating is bled in autumn."), lambda: vault.forget("marked")):
                with pytest.raises(VaultError, match="cannot be written: Permission denied") as caught:
                    change()
                assert caught.value.hint

    (root / "Memories").chmod(0o755)
    (root / "Memories" / "marked.md").write_text("---\ntype: memory\n---\nMarked\n")
    (root / "Memories").chmod(0o555)
    in_child(act, user=NOBODY if os.getuid() == 0 else None)
    assert sorted(file.name for file in (root / "Memories").iterdir()) == ["a.md", "marked.md"]


def test_who_may_only_read_sees_what_a_writer_that_is_still_at_it_has_committed(reachable: MakeVault) -> None:
    vault = reachable(NOTES)
    vault.index()
    modes = close_to_others(vault.store_file.parent)

    def act() -> None:
        with Vault.open(vault.root, {"embed.model": "words"}) as reader:
            assert found(reader, "hive") == ["bees.md"]
            assert reader.status().notes == 2

    in_child(act, user=NOBODY if os.getuid() == 0 else None)
    for path, mode in modes.items():
        path.chmod(mode)
    (vault.root / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n")
    assert vault.index().added == 1


# A damaged file


def damage(file: Path, how: str) -> None:
    data = bytearray(file.read_bytes())
    if how == "header":
        data[:100] = b"x" * 100
    elif how == "cut off":
        del data[len(data) // 2 :]
    else:
        data[8192:] = b"\xff" * (len(data) - 8192)
    file.write_bytes(bytes(data))


@pytest.mark.parametrize("how", ["header", "cut off", "every page but the first"])
def test_a_damaged_store_is_named_by_doctor_and_repaired_by_repair(
    make_vault: MakeVault, run_command: RunCommand, how: str
) -> None:
    with make_vault(NOTES) as vault:
        vault.index()
    damage(vault.store_file, how)
    (vault.root / "notewell.toml").write_text('[embed]\nmodel = "words"\n')
    code, out, err = run_command(vault.root, "doctor")
    assert (code, out.splitlines()[-1]) == (1, "problems found; `notewell doctor --repair` rebuilds the store"), err
    code, out, err = run_command(vault.root, "doctor", "--repair")
    assert (code, out.splitlines()[-1]) == (0, "repaired"), err
    assert run_command(vault.root, "doctor")[:2] == (0, "no problems found\n")
    with Vault.open(vault.root) as mended:
        assert found(mended, "hive") == ["bees.md"]


def test_one_damaged_page_deep_in_a_store_is_named_and_repaired(make_vault: MakeVault) -> None:
    words = "\n\n".join(f"## Part {part}\n\nWord{part} of the hive hums in the orchard." for part in range(60))
    with make_vault({f"{number}.md": f"# {number}\n\n{words}\n" for number in range(8)}) as vault:
        vault.index()
    data = bytearray(vault.store_file.read_bytes())
    pages = range(8192 * 2, len(data), 8192)
    for page in pages[:: max(1, len(pages) // 6)]:
        spoiled = bytearray(data)
        spoiled[page : page + 8192] = Random(page).randbytes(8192)
        vault.store_file.write_bytes(bytes(spoiled))
        with Vault.open(vault.root, {"embed.model": "words"}) as damaged:
            assert damaged.doctor().problems, f"page {page // 8192 + 1} is random bytes, and nobody says so"
            assert damaged.doctor(repair=True).repaired
            assert damaged.doctor().problems == ()
            assert len(damaged.search("word7")[0].also) == 7
