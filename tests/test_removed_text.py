"""What a note no longer says is in no file of the store, also while another process keeps the store open."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from notewell import Vault

WORDS = {"embed.model": "words"}
WORD = b"quokkapass"


def stored(root: Path) -> bytes:
    return b"".join(file.read_bytes() for file in (root / ".notewell").iterdir() if file.is_file())


def test_removed_words_are_gone_from_the_files_while_the_store_is_open(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Bees hum.\n")
    (tmp_path / "b.md").write_text(f"The router is called {WORD.decode()}.\n")
    with Vault.open(tmp_path, WORDS) as held, Vault.open(tmp_path, WORDS) as vault:
        vault.index()
        assert held.search(WORD.decode()).hits
        assert WORD in stored(tmp_path)
        (tmp_path / "b.md").write_text("The router has a name.\n")
        vault.index()
        assert WORD not in stored(tmp_path)


def test_words_of_a_note_that_is_excluded_are_gone_before_the_next_answer(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Bees hum.\n")
    (tmp_path / "Private").mkdir()
    (tmp_path / "Private/b.md").write_text(f"The router is called {WORD.decode()}.\n")
    with Vault.open(tmp_path, WORDS) as held, Vault.open(tmp_path, WORDS) as vault:
        vault.index()
        assert held.search(WORD.decode()).hits
        (tmp_path / "notewell.toml").write_text('[index]\nexclude = ["Private/"]\n')
        assert not vault.search(WORD.decode()).hits
        assert WORD not in stored(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_only_the_user_may_read_a_new_store_and_a_backup(tmp_path: Path) -> None:
    (vault_folder := tmp_path / "notes").mkdir()
    (vault_folder / "a.md").write_text("Bees hum.\n")
    with Vault.open(vault_folder, WORDS) as vault:
        vault.index()
        vault.backup(tmp_path / "copy.db")
        files = [tmp_path / "copy.db", *(vault_folder / ".notewell").glob("store.db*")]
        assert {file.name: stat.S_IMODE(file.stat().st_mode) & 0o077 for file in files if file.suffix != ".lock"} == {
            file.name: 0 for file in files if file.suffix != ".lock"
        }


def test_too_little_memory_is_an_error_with_a_hint(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from notewell.serve import cli  # noqa: PLC0415

    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(cli, "cli", exhausted)
    assert cli.run(["index"]) == 1
    assert "error: There is not enough memory" in capfd.readouterr().err
