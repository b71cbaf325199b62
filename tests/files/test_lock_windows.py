"""The lock as Windows has it: the same code, with a stand-in for the module that only Windows has."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from notewell.errors import StoreBusy, StoreError
from notewell.files import lock


class Locking(ModuleType):
    """`msvcrt` as far as it locks: a byte of a file is one descriptor's, and a taken one is an OSError."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.held: dict[tuple[int, int], int] = {}

    def locking(self, descriptor: int, mode: int, length: int) -> None:
        place = os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR)
        if mode == self.LK_UNLCK:
            assert self.held.pop(place) == descriptor and length == 1
        elif self.held.setdefault(place, descriptor) != descriptor:
            raise PermissionError(13, "Permission denied")


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module as it is loaded on Windows."""
    monkeypatch.setitem(sys.modules, "msvcrt", Locking())
    spec = importlib.util.spec_from_file_location("lock_of_windows", str(lock.__file__))
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "platform", "win32")
    spec.loader.exec_module(loaded)
    monkeypatch.undo()
    return loaded


def test_one_holds_the_lock_and_another_hears_who(windows: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "store.db.lock"
    with windows.held(file, 0):
        # The signature can be read meanwhile: the locked byte is far behind it.
        with pytest.raises(StoreBusy, match=f"Process {os.getpid()}, since "), windows.held(file, 0):
            pass
        assert file.stat().st_size < windows.LOCKED_BYTE
    with windows.held(file, 0):
        pass
    assert file.read_bytes() == b""


def test_a_file_of_somebody_else_is_not_taken(windows: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "notes.lock"
    file.write_text("mine", "utf-8")
    with pytest.raises(StoreError, match="is not a Notewell lock file"), windows.held(file, 0):
        pass
    assert file.read_text("utf-8") == "mine"
