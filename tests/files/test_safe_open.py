"""Only files inside the vault are opened, even while another process swaps links in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from notewell.errors import NoteError
from notewell.files.safe_open import BY_DESCRIPTOR, open_inside
from notewell.files.survey import WalkRules
from notewell.index.place import find_place, found_at, read_place
from notewell.index.readers import load
from notewell.index.secrets import files_at
from notewell.index.walk import VaultFile
from notewell.types.note import Stamp

ReadFile = Callable[[Path, str], bytes]
RULES = WalkRules()
# Enough for hundreds of them to have met the link, had it been followed.
READS = 2_000
# A note and a link to a file outside, and a folder and a link to one outside, each in the other's place in turn.
SWAP = """
import os
os.mkdir("spare")
with open("spare/note.md", "w") as file:
    file.write("inside\\n")
while True:
    with open(".note", "w") as file:
        file.write("inside\\n")
    os.replace(".note", "note.md")
    os.symlink("../outside/note.md", ".link")
    os.replace(".link", "note.md")
    os.rename("spare", "folder")
    os.rename("folder", "spare")
    os.symlink("../outside", "folder")
    os.unlink("folder")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "note.md").write_text("outside\n")
    (root := tmp_path / "notes").mkdir()
    return root


@pytest.fixture(params=[pytest.param(True, marks=pytest.mark.skipif(not BY_DESCRIPTOR, reason="no dir_fd")), False])
def read_file(request: pytest.FixtureRequest) -> ReadFile:
    """Read a file by the descriptor of its folder, and as on systems without such descriptors."""

    def read(root: Path, path: str) -> bytes:
        with os.fdopen(open_inside(root, path, by_descriptor=request.param), "rb") as file:
            return file.read()

    return read


def bytes_at(root: Path, path: str) -> bytes:
    return load(root, VaultFile(path, Stamp(1, 1)), RULES)[0]


def test_a_link_that_took_the_place_of_what_was_found_leads_nowhere(root: Path, read_file: ReadFile) -> None:
    (root / "note.md").symlink_to("../outside/note.md")
    (root / "folder").symlink_to("../outside")
    (root / ".notewell").mkdir()
    (root / ".notewell" / "own.md").write_text("ours\n")
    (root / "own.md").symlink_to(".notewell/own.md")
    for path in ("note.md", "folder/note.md", "own.md"):
        with pytest.raises(NoteError, match="leads out of the vault") as caught:
            read_file(root, path)
        assert caught.value.hint
        with pytest.raises(NoteError, match="leads out of the vault"):
            bytes_at(root, path)


def test_links_to_notes_of_the_vault_are_followed(root: Path, read_file: ReadFile) -> None:
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "rye.md").write_text("rye\n")
    (root / "link.md").symlink_to("a/b/rye.md")
    (root / "short").symlink_to("a/b")
    (root.parent / "shortcut").symlink_to(root)
    for path in ("link.md", "short/rye.md", "a/b/rye.md"):
        assert read_file(root, path) == read_file(root.parent / "shortcut", path) == b"rye\n"


def test_a_folder_need_not_be_listed_to_read_a_note_in_it(root: Path) -> None:
    (root / "a").mkdir()
    (root / "a" / "rye.md").write_text("rye\n")
    (root / "a").chmod(0o100)
    try:
        assert bytes_at(root, "a/rye.md") == b"rye\n"
    finally:
        (root / "a").chmod(0o700)


@contextmanager
def swapping(root: Path) -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", SWAP], cwd=root) as swapper:
        try:
            while not os.path.lexists(root / "note.md"):
                assert swapper.poll() is None
            yield
        finally:
            swapper.kill()


def test_a_link_swapped_in_while_a_note_is_read_never_shows_what_is_outside(root: Path) -> None:
    seen = set()
    with swapping(root):
        for turn in range(READS):
            path = ("note.md", "folder/note.md")[turn % 2]
            with suppress(NoteError):
                seen.add(read_place(root, find_place(root, path), RULES).text)
            with suppress(NoteError):
                seen.add(bytes_at(root, path).decode().strip())
    # On a busy machine, every read may meet the link.
    assert seen <= {"inside"}
    (root / "note.md").unlink()
    (root / "note.md").write_text("inside\n")
    assert bytes_at(root, "note.md") == b"inside\n"


def test_what_goes_while_it_is_looked_for_is_an_error_with_a_hint(root: Path) -> None:
    for written in ("gone.md", "x" * 300, "a\0b"):
        with pytest.raises(NoteError) as caught:
            files_at(root, RULES, [written])
        assert caught.value.hint
    with pytest.raises(NoteError, match="cannot be read") as caught:
        found_at(root, "gone.md")
    assert caught.value.hint


def test_a_path_that_is_too_long_without_its_links_is_an_error_with_a_hint(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = root
    for _ in range(3):
        # Each link stands for a long way, so that the path with links is short enough to ask for.
        (way := deep.joinpath(*["f" * 250] * 6)).mkdir(parents=True)
        (deep / "l").symlink_to(way.relative_to(deep))
        monkeypatch.chdir(deep / "l")
        deep = Path()
    Path("rye.md").write_text("rye\n")
    with pytest.raises(NoteError) as caught:
        find_place(root, "l/l/l/rye.md")
    assert caught.value.hint
