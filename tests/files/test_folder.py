"""A folder that is written to: by its number, and as on systems that have no such numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from notewell.files.folder import Folder
from notewell.files.safe_open import BY_DESCRIPTOR

OpenFolder = Callable[..., Folder]


@pytest.fixture(params=[pytest.param(True, marks=pytest.mark.skipif(not BY_DESCRIPTOR, reason="no dir_fd")), False])
def open_folder(request: pytest.FixtureRequest) -> OpenFolder:
    return partial(Folder, by_descriptor=request.param)


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path, open_folder: OpenFolder) -> None:
    (root := tmp_path / "notes").mkdir()
    for target in (tmp_path / "outside", root / "inside"):
        target.mkdir()
        (root / "Link").symlink_to(target)
        for path in ("Link", "Link/deeper"):
            with pytest.raises(OSError):
                open_folder(root, path, make=True)
        assert list(target.iterdir()) == []
        (root / "Link").unlink()


def test_a_file_is_in_the_way_of_a_folder(tmp_path: Path, open_folder: OpenFolder) -> None:
    (tmp_path / "Memories").write_text("a file")
    with pytest.raises(NotADirectoryError):
        open_folder(tmp_path, "Memories", make=True)


def test_a_link_in_a_folder_is_not_read(tmp_path: Path, open_folder: OpenFolder) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "other.md").write_text("other")
    (tmp_path / "folder" / "link.md").symlink_to(tmp_path / "other.md")
    with open_folder(tmp_path, "folder") as folder, pytest.raises(OSError, match="symbolic links"):
        folder.read("link.md", 10)


@pytest.mark.parametrize("hard_links", [True, False])
def test_files_are_written_whole_and_over_nothing_and_moved(
    tmp_path: Path, open_folder: OpenFolder, monkeypatch: pytest.MonkeyPatch, hard_links: bool
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not hard_links:
        monkeypatch.setattr("os.link", refuse)
    with open_folder(tmp_path, "Memories", make=True) as folder, open_folder(tmp_path, "deep/trash", make=True) as to:
        (tmp_path / "Memories" / "Kim.md").write_text("My own words.")
        assert folder.write(["Kim.md", "Kim 2.md"], b"remembered") == "Kim 2.md"
        assert (tmp_path / "Memories" / "Kim 2.md").read_bytes() == b"remembered"
        _, about = folder.read("Kim 2.md", 100)
        (tmp_path / "deep" / "trash" / "Kim.md").write_text("Thrown away before.")
        assert folder.move("Kim 2.md", about, to, ["Kim.md", "Kim 3.md"]) == "Kim 3.md"
    left = {str(file.relative_to(tmp_path)): file.read_text() for file in tmp_path.rglob("*.md")}
    assert left == {
        "Memories/Kim.md": "My own words.",
        "deep/trash/Kim.md": "Thrown away before.",
        "deep/trash/Kim 3.md": "remembered",
    }
    assert [file.name for file in (tmp_path / "Memories").iterdir()] == ["Kim.md"]
