"""The user's own folders and files."""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.cases import cases

from notewell.errors import SettingsError
from notewell.files import user
from notewell.files.user import NOWHERE, home_folder, state_folder, user_folder, user_key, write_private, write_whole
from notewell.serve.daemon import wire
from notewell.serve.hooks.log import HookRun, last_runs, record
from notewell.serve.http.access import make_token

ADA = Path("/home/ada")


@cases(
    ("folder", "variable", "default"),
    [
        (user_folder, "XDG_CONFIG_HOME", ADA / ".config" / "notewell"),
        (state_folder, "XDG_STATE_HOME", ADA / ".local" / "state" / "notewell"),
    ],
)
def test_a_folder_that_a_variable_names_is_absolute_or_not_meant(
    folder: Callable[[Mapping[str, str], Path], Path], variable: str, default: Path
) -> None:
    assert folder({variable: "/there"}, ADA) == Path("/there/notewell")
    for named in ("here", "./here", ""):
        assert folder({variable: named}, ADA) == default
    assert folder({}, ADA) == default


def test_a_home_is_absolute_or_what_the_system_knows() -> None:
    known = home_folder({})
    assert known.is_absolute()
    assert home_folder({"HOME": "/home/ada"}) == ADA
    for named in ("", "here", "./here"):
        assert home_folder({"HOME": named}) == known


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody whom the system does not know")
def test_who_has_no_home_keeps_nothing_anywhere() -> None:
    known = [entry.pw_uid for entry in pwd.getpwall()]
    stranger = next(number for number in range(54_321, 60_000) if number not in known)
    code = f"from notewell.files.user import home_folder; import os; os.setuid({stranger}); print(home_folder({{}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == NOWHERE


def test_nothing_is_found_or_made_nowhere() -> None:
    with pytest.raises(OSError, match="Not a directory"):
        write_private(NOWHERE / "token", b"")
    with pytest.raises(SettingsError, match="token") as caught:
        make_token(user_folder({}, NOWHERE))
    assert "HOME" in caught.value.hint
    record(state_folder({}, NOWHERE), HookRun("prompt", "none", "", 1, 0))
    assert last_runs(state_folder({}, NOWHERE)) == []


def test_a_folder_for_the_socket_is_absolute_or_not_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    assert wire.socket_folder() == str(tmp_path / "run" / "notewell")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "run")
    assert Path(wire.socket_folder()).is_absolute()


def test_a_folder_with_a_long_name_is_left_for_one_in_which_a_socket_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("ü" * 60)
    long.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    monkeypatch.setenv("TMPDIR", str(long))
    assert wire.socket_folder() == f"/tmp/notewell-{os.geteuid()}"
    monkeypatch.setenv("TMPDIR", "/short")
    assert wire.socket_folder() == f"/short/notewell-{os.geteuid()}"
    assert len(wire.socket_path()) - len(wire.socket_folder()) == 16


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_private_file_and_its_folder_are_this_users_alone(tmp_path: Path) -> None:
    file = tmp_path / "own" / "token"
    file.parent.mkdir(mode=0o755)
    write_private(file, b"first")
    write_private(file, b"second")
    assert file.read_bytes() == b"second"
    assert (mode(file), mode(file.parent)) == (0o600, 0o700)
    assert list(file.parent.iterdir()) == [file]


def test_a_whole_file_leaves_its_folder_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    write_whole(tmp_path / "opened.json", b"{}")
    assert (mode(tmp_path / "opened.json"), mode(tmp_path)) == (0o600, 0o755)


def test_a_link_in_its_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("other")
    (tmp_path / "token").symlink_to("other")
    write_whole(tmp_path / "token", b"ours")
    assert (tmp_path / "other").read_text() == "other"
    assert (tmp_path / "token").read_bytes() == b"ours"


def test_what_cannot_be_put_in_place_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "token").mkdir()
    with pytest.raises(OSError, match="token"):
        write_whole(tmp_path / "token", b"ours")
    assert list(tmp_path.iterdir()) == [tmp_path / "token"]


def test_many_who_create_the_key_at_once_get_the_same_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as threads:
        keys = set(threads.map(user_key, [tmp_path / "notewell"] * 64))
    ((value, problem),) = keys
    assert (len(value), problem) == (32, "")
    assert [file.name for file in (tmp_path / "notewell").iterdir()] == ["key"]
    assert stat.S_IMODE((tmp_path / "notewell" / "key").stat().st_mode) == 0o600


@pytest.mark.parametrize("left", [b"", b"short"])
def test_a_key_that_is_cut_off_is_made_again(tmp_path: Path, left: bytes) -> None:
    (tmp_path / "key").write_bytes(left)
    made = user_key(tmp_path)
    assert (len(made.value), made.problem) == (32, "")
    assert user_key(tmp_path) == made


def test_without_a_place_for_it_the_key_is_the_same_for_all_who_ask_and_that_is_said() -> None:
    made = user_key(NOWHERE)
    assert len(made.value) == 32 and made == user_key(NOWHERE)
    assert made.problem.startswith(f"{NOWHERE / 'key'} cannot be read or created: ")


def test_a_temporary_key_needs_no_codec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user, "BOOT", tmp_path / "boot_id")
    (tmp_path / "boot_id").write_bytes(b"\xff\n")
    assert user._temporary_key.__wrapped__() == user._temporary_key.__wrapped__()
