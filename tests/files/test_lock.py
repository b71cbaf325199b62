from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from notewell.errors import StoreBusy, StoreError
from notewell.files.lock import held


def test_the_holder_signs_with_its_process_and_the_time(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    with held(file, 0):
        signed = json.loads(file.read_text())
    assert signed["pid"] == os.getpid()
    assert abs((datetime.now(UTC) - datetime.fromisoformat(signed["since"])).total_seconds()) < 60
    assert file.read_text() == ""


def test_a_second_process_waits_as_long_as_asked(tmp_path: Path) -> None:
    with held(tmp_path / "lock", 0):
        began = time.monotonic()
        with pytest.raises(StoreBusy), held(tmp_path / "lock", 0.2):
            pytest.fail("two hold the lock")
        assert time.monotonic() - began >= 0.2
    with held(tmp_path / "lock", 0):
        pass


@pytest.mark.parametrize("signed", ["", "no JSON", "[]", "{}", '"text"', '{"pid": 1}'])
def test_a_holder_that_cannot_be_read_is_another_process(tmp_path: Path, signed: str) -> None:
    file = tmp_path / "lock"
    with held(file, 0):
        file.write_text(signed)
        with pytest.raises(StoreBusy) as caught, held(file, 0):
            pytest.fail("two hold the lock")
    assert caught.value.fact == "Another process is writing to this vault's store"
    assert caught.value.hint


def test_a_waiting_process_learns_what_the_lock_is_for(tmp_path: Path) -> None:
    with (
        held(tmp_path / "lock", 0),
        pytest.raises(StoreBusy, match=f"Process {os.getpid()}, since .*, is changing the memories"),
        held(tmp_path / "lock", 0, "is changing the memories"),
    ):
        pytest.fail("two hold the lock")


def test_a_lock_that_cannot_be_made_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written") as caught, held(tmp_path / "nowhere" / "lock", 0):
        pytest.fail("a lock in a folder that is not there")
    assert caught.value.hint


@pytest.mark.parametrize(
    "text", ["# made by another program\n", '{"pid": 4711, "my": "state"}', '{"pid": 4711}', "4711", "\n"]
)
def test_a_file_that_is_not_a_lock_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    (tmp_path / "poetry.lock").write_text(text)
    with pytest.raises(StoreError, match="is not a Notewell lock file") as caught, held(tmp_path / "poetry.lock", 0):
        pytest.fail("another program's file is a lock")
    assert caught.value.hint
    assert (tmp_path / "poetry.lock").read_text() == text


def test_a_pipe_in_the_locks_place_is_not_a_lock(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    with pytest.raises(StoreError, match="is not a Notewell lock file") as caught, held(tmp_path / "lock", 0):
        pytest.fail("a pipe is a lock")
    assert caught.value.hint


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text('{"pid": 1, "since": "2026-05-01T12:00:00+00:00"}')
    with held(tmp_path / "lock", 0):
        pass


def test_a_run_that_fails_frees_the_lock_and_says_what_it_failed_of(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), held(tmp_path / "lock", 0):
        raise ZeroDivisionError
    with held(tmp_path / "lock", 0):
        pass


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="this system cannot open a file without following links")
def test_a_link_in_the_locks_place_does_not_cost_the_file_it_leads_to(tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("kept")
    (tmp_path / "store.db.lock").symlink_to(precious)
    with pytest.raises(StoreError), held(tmp_path / "store.db.lock", 0):
        pass
    assert precious.read_text() == "kept"
