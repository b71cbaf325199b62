"""Patterns to exclude: as git reads them, and none of them slow."""

from __future__ import annotations

import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.errors import SettingsError
from notewell.files.exclude import MOST_SPECIAL, excluder


@pytest.mark.parametrize(
    ("pattern", "excluded", "kept"),
    [
        ("*.tmp", ["a.tmp", "x/a.tmp", "a.tmp/"], ["a.tmpx", "tmp"]),
        ("drafts/", ["drafts/", "x/drafts/"], ["drafts", "drafts/a.md"]),
        ("/drafts", ["drafts", "drafts/"], ["x/drafts"]),
        ("a/*.md", ["a/b.md"], ["x/a/b.md", "a/b/c.md", "a/"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["x/a/b", "a/xb"]),
        ("**/b", ["b", "x/b", "x/y/b/"], ["xb"]),
        ("a/**", ["a/x", "a/x/y", "a/x/"], ["a/", "a"]),
        ("a/**/", ["a/x/"], ["a/x", "a/"]),
        ("**/", ["a/", "a/b/"], ["a"]),
        ("?at", ["cat", "x/bat"], ["at", "/at"]),
        ("[a-c]x[!y]", ["axz", "cxx"], ["dxz", "axy", "ax/"]),
        (r"\*x", ["*x"], ["ax"]),
        (r"\!x\#", ["!x#"], ["x"]),
        ("#x", [], ["#x", "x"]),
        ("a b  ", ["a b"], ["a b  "]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[", ["["], ["a"]),
    ],
)
def test_a_pattern_matches_as_in_git(pattern: str, excluded: list[str], kept: list[str]) -> None:
    matches = excluder((pattern,))
    assert [path for path in (*excluded, *kept) if matches(path)] == excluded


def test_the_last_pattern_that_matches_decides() -> None:
    excluded = excluder(("*.md", "!keep*", "keep-not.md", "", "# keep"))
    assert [path for path in ("a.md", "keep.md", "keep-not.md") if excluded(path)] == ["a.md", "keep-not.md"]


@pytest.mark.parametrize("pattern", ["!", "/", "//", "a\\"])
def test_a_pattern_that_git_does_not_know_is_an_error(pattern: str) -> None:
    with pytest.raises(SettingsError, match=r"index\.exclude"):
        excluder((pattern,))


@given(
    st.lists(st.text("ab*?", min_size=1, max_size=6), min_size=1, max_size=5),
    st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=6),
)
def test_any_pattern_matches_what_trying_everything_matches(parts: list[str], names: list[str]) -> None:
    parts = [part if set(part) != {"*"} else "**" if len(part) > 1 else "*" for part in parts]
    if parts[-1] == "**":
        parts.append("a")
    assert bool(excluder((f"/{'/'.join(parts)}",))("/".join(names))) == matches_slowly(tuple(parts), tuple(names))


@pytest.mark.parametrize("pattern", ["*a" * 100 + "b", "?*" * 100 + "c", "[ab]*" * 50 + "c", "**/*a*/" * 20 + "c"])
@pytest.mark.parametrize("path", ["a" * 255, "/".join(["a" * 100] * 40), "a/" * 1_000])
def test_no_pattern_and_no_name_take_for_ever(pattern: str, path: str) -> None:
    assert not excluder((pattern,))(path)


@pytest.mark.parametrize("patterns", [[f"!a{n}" for n in range(3_000)], [f"x/b{n}/" for n in range(3_000)]])
def test_thousands_of_names_are_compared_at_once(patterns: list[str]) -> None:
    excluded, began = excluder((*patterns, "a7")), time.process_time()
    folder = "/".join(["a" * 200] * 12)
    assert [excluded(f"{folder}/{number}{'a' * 200}.md") for number in range(1_500)] == [False] * 1_500
    assert excluded("a7") and excluded("x/a7/")
    assert time.process_time() - began < 1


def test_so_many_wildcards_are_an_error_with_a_hint() -> None:
    assert not excluder(tuple(f"*a{number}*" for number in range(MOST_SPECIAL)))("b")
    with pytest.raises(SettingsError, match=r"index\.exclude has 3,000 patterns with wildcards") as told:
        excluder(tuple(f"*a{number}*" for number in range(3_000)))
    assert "without wildcards" in told.value.hint


@given(st.lists(st.tuples(st.sampled_from(["", "!"]), st.text("ab/*", min_size=1, max_size=5)), min_size=1, max_size=5))
def test_the_last_match_decides_however_patterns_are_compared(patterns: list[tuple[str, str]]) -> None:
    written = [sign + text for sign, text in patterns if text.strip("*/")]
    for path in ("a", "b/", "a/b", "ab/a", "a/b/", "b/a/ab"):
        alone = [(not one.startswith("!"), excluder((one.removeprefix("!"),))(path)) for one in written]
        decided = next((excludes for excludes, matches in reversed(alone) if matches), False)
        assert excluder(tuple(written))(path) == decided


@cache
def matches_slowly(parts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Tell whether a path matches, by trying every number of folders for `**`."""
    if not parts:
        return not names
    if parts[0] == "**":
        return any(matches_slowly(parts[1:], names[skipped:]) for skipped in range(len(names) + 1))
    return bool(names) and fits(parts[0], names[0]) and matches_slowly(parts[1:], names[1:])


@cache
def fits(part: str, name: str) -> bool:
    if not part:
        return not name
    if part[0] == "*":
        return any(fits(part[1:], name[taken:]) for taken in range(len(name) + 1))
    return bool(name) and part[0] in ("?", name[0]) and fits(part[1:], name[1:])
