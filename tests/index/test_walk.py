from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.errors import SettingsError, VaultError
from notewell.files.survey import WalkRules
from notewell.index.walk import left_out, walk


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path, encoding="utf-8")


def found(root: Path, rules: WalkRules = WalkRules()) -> list[str]:  # noqa: B008
    return [file.path for file in walk(root, rules, (".md",))]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def test_notes_come_in_the_order_of_their_folders_and_names(root: Path) -> None:
    write(root, "b.md", "a/z.md", "a/b/c.md", "c/d.md")
    assert found(root) == ["a/b/c.md", "a/z.md", "b.md", "c/d.md"]


def test_a_file_is_found_with_its_time_and_size(root: Path) -> None:
    write(root, "a.md")
    os.utime(root / "a.md", ns=(5, 1_234_567_891))
    (file,) = walk(root, WalkRules(), (".md",))
    assert (file.stamp.mtime_ns, file.stamp.size, file.stamp.digest) == (1_234_567_891, 4, "")


def test_only_files_with_a_known_suffix_are_notes(root: Path) -> None:
    write(root, "a.md", "B.MD", "c.txt", "md", "picture.md.png")
    assert found(root) == ["B.MD", "a.md"]


@pytest.mark.parametrize("folder", [".obsidian", ".git", ".trash", ".notewell", ".hidden"])
def test_machinery_and_hidden_folders_are_left_out_at_any_depth(root: Path, folder: str) -> None:
    write(root, f"{folder}/a.md", f"deep/{folder}/b.md", "deep/c.md")
    assert found(root) == ["deep/c.md"]


@pytest.mark.parametrize("name", ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "composer.lock"])
def test_lists_of_versions_that_nobody_wrote_are_left_out_at_any_depth(root: Path, name: str) -> None:
    write(root, name, f"deep/{name}", "deep/a.json", "deep/a.yaml", "deep/a.lock")
    suffixes = (".json", ".yaml", ".lock")
    assert [file.path for file in walk(root, WalkRules(hidden=True), suffixes)] == [
        "deep/a.json",
        "deep/a.lock",
        "deep/a.yaml",
    ]


def test_hidden_files_are_left_out(root: Path) -> None:
    write(root, ".draft.md", "a.md")
    assert found(root) == ["a.md"]


def test_hidden_true_takes_hidden_notes_but_never_machinery(root: Path) -> None:
    write(root, ".draft.md", ".private/a.md", ".obsidian/b.md", ".git/c.md", ".trash/d.md", ".notewell/e.md")
    assert found(root, WalkRules(hidden=True)) == [".draft.md", ".private/a.md"]


def test_only_included_folders_are_walked(root: Path) -> None:
    write(root, "work/a.md", "work/deep/b.md", "work-old/c.md", "home/d.md", "e.md")
    assert found(root, WalkRules(include=("work",))) == ["work/a.md", "work/deep/b.md"]
    assert found(root, WalkRules(include=("home/", "./work/deep"))) == ["home/d.md", "work/deep/b.md"]


def test_a_note_under_two_included_folders_is_found_once(root: Path) -> None:
    write(root, "work/a.md", "work/deep/b.md")
    assert found(root, WalkRules(include=("work", "work/deep"))) == ["work/a.md", "work/deep/b.md"]


@pytest.mark.parametrize("folder", [".obsidian", ".git", "deep/.trash"])
def test_machinery_is_left_out_even_when_it_is_included(root: Path, folder: str) -> None:
    write(root, f"{folder}/a.md")
    assert found(root, WalkRules(include=(folder,))) == []


@pytest.mark.parametrize("folder", ["..", "../other", "a/../../other", "/etc"])
def test_including_a_folder_outside_the_vault_is_an_error(root: Path, folder: str) -> None:
    with pytest.raises(SettingsError, match="outside the vault") as caught:
        found(root, WalkRules(include=(folder,)))
    assert caught.value.hint


def test_including_a_link_that_leaves_the_vault_reads_nothing_outside(root: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md")
    (root / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(SettingsError, match="outside the vault"):
        found(root, WalkRules(include=("link",)))


@pytest.mark.parametrize("folder", ["nowhere", "a.md"])
def test_including_what_is_not_a_folder_is_an_error(root: Path, folder: str) -> None:
    write(root, "a.md")
    with pytest.raises(SettingsError, match="not a folder of the vault"):
        found(root, WalkRules(include=(folder,)))


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (("drafts/",), ["a.md", "b.tmp.md", "old/drafts.md"]),
        (("*.tmp.md",), ["a.md", "drafts/c.md", "drafts/keep.md", "old/drafts.md"]),
        (("/drafts/*", "!/drafts/keep.md"), ["a.md", "b.tmp.md", "drafts/keep.md", "old/drafts.md"]),
        (("*.md", "!a.md"), ["a.md"]),
        (("drafts/", "!drafts/keep.md"), ["a.md", "b.tmp.md", "old/drafts.md"]),
        (("**/drafts.md", "# a comment", ""), ["a.md", "b.tmp.md", "drafts/c.md", "drafts/keep.md"]),
    ],
)
def test_exclude_reads_patterns_as_git_does(root: Path, patterns: tuple[str, ...], left: list[str]) -> None:
    write(root, "a.md", "b.tmp.md", "drafts/c.md", "drafts/keep.md", "old/drafts.md")
    assert found(root, WalkRules(exclude=patterns)) == left


@given(
    st.lists(st.sampled_from(["a/", "/a", "*.md", "!*c.md", "b/**", ".*", "a/b", "d?/", "!a/b/"]), max_size=3),
    st.lists(st.sampled_from(["a", "a/b", "./d1", "."]), max_size=2),
)
@settings(max_examples=40)
def test_what_settings_leave_out_is_what_a_walk_does_not_find(exclude: list[str], include: list[str]) -> None:
    paths = ["a/a.md", "a/b/a.md", "a/b/c.md", "b/a/c.md", "c.md", "d1/b/a.md", "d1/c.md"]
    with TemporaryDirectory() as folder:
        root, rules = Path(folder), WalkRules(include=tuple(include), exclude=tuple(exclude))
        write(root, *paths)
        gone = set(left_out(root, paths, rules))
        assert [path for path in paths if path not in gone] == found(root, rules)


def test_a_pattern_that_git_does_not_know_is_an_error(root: Path) -> None:
    write(root, "a.md")
    with pytest.raises(SettingsError, match=r"index\.exclude"):
        found(root, WalkRules(exclude=("!",)))


def test_a_link_to_a_note_inside_the_vault_is_a_note(root: Path) -> None:
    write(root, "a/b.md")
    (root / "link.md").symlink_to("a/b.md")
    assert found(root) == ["a/b.md", "link.md"]


def test_a_link_out_of_the_vault_is_not_found(root: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md")
    write(root, "a.md")
    (root / "file.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "up.md").symlink_to("../outside/secret.md")
    assert found(root) == ["a.md"]


def test_a_folder_is_entered_by_its_own_name_only_so_that_loops_end(root: Path) -> None:
    write(root, "a/b.md")
    (root / "a/up").symlink_to("..")
    (root / "a/again").symlink_to("../a")
    (root / "round.md").symlink_to("round.md")
    (root / "ping.md").symlink_to("pong.md")
    (root / "pong.md").symlink_to("ping.md")
    assert found(root) == ["a/b.md"]


@pytest.mark.parametrize("rules", [WalkRules(exclude=("private/",)), WalkRules(exclude=("x.md",))])
def test_a_link_to_an_excluded_note_is_excluded(root: Path, rules: WalkRules) -> None:
    write(root, "private/x.md", ".hidden/y.md", "a.md")
    (root / "l.md").symlink_to("private/x.md")
    (root / "h.md").symlink_to(".hidden/y.md")
    assert found(root, rules) == ["a.md"]
    assert "h.md" in found(root, replace(rules, hidden=True))


def test_a_dangling_link_is_not_found(root: Path) -> None:
    write(root, "a.md")
    (root / "gone.md").symlink_to("nowhere.md")
    assert found(root) == ["a.md"]


def test_a_vault_reached_through_a_link_is_walked(root: Path, tmp_path: Path) -> None:
    write(root, "a/b.md")
    (root / "link.md").symlink_to("a/b.md")
    (tmp_path / "shortcut").symlink_to(root)
    assert found(tmp_path / "shortcut") == ["a/b.md", "link.md"]


def test_a_folder_or_pipe_named_like_a_note_is_not_a_note(root: Path) -> None:
    write(root, "folder.md/inside.md")
    os.mkfifo(root / "pipe.md")
    assert found(root) == ["folder.md/inside.md"]


def deny(monkeypatch: pytest.MonkeyPatch, folder: Path, error: OSError) -> None:
    """Make a folder unreadable. The tests may run as root, to whom permissions mean nothing: hence no chmod."""
    scandir = os.scandir

    def refuse(path: Path | int) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        # pytest lists the folder by its descriptor when it deletes it.
        if not isinstance(path, int) and Path(path) == folder:
            raise error
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)


def test_a_folder_that_goes_while_the_walk_is_under_way_does_not_stop_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "a/b.md", "closed/c.md", "d.md")
    deny(monkeypatch, root / "closed", FileNotFoundError(2, "gone"))
    assert found(root) == ["a/b.md", "d.md"]


def test_a_folder_that_may_not_be_read_is_named_with_its_flaw(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, "a/b.md", "closed/c.md", "d.md")
    deny(monkeypatch, root / "closed", PermissionError(13, "denied"))
    assert {file.path: file.flaw for file in walk(root, WalkRules(), (".md",))} == {
        "a/b.md": "",
        "closed": "no permission to list this folder",
        "d.md": "",
    }


def test_a_vault_that_cannot_be_read_is_an_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deny(monkeypatch, root, PermissionError(13, "denied"))
    with pytest.raises(VaultError, match="cannot be read") as caught:
        found(root)
    assert caught.value.hint


def test_paths_that_are_longer_than_the_system_allows_are_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = root
    while len(os.fsencode(deep)) < 4_000:
        (deep := deep / ("d" * 90)).mkdir()
    # Only from inside can they be created.
    monkeypatch.chdir(deep)
    Path("n" * 120 + ".md").write_text("too deep")
    Path("e" * 120).mkdir()
    files = walk(root, WalkRules(), (".md",))
    assert [(Path(file.path).name[:1], file.flaw, file.closed) for file in files] == [
        ("e", "its path is longer than the system allows", True),
        ("n", "its path is longer than the system allows", False),
    ]
    monkeypatch.chdir(root)
