"""Front matter and Markdown that is broken or unusual: the note is indexed all the same."""

from __future__ import annotations

import pytest
from tests.bad_input.answers import RYE, MakeVault, paths
from tests.database import database

BROKEN = [
    "title: [unclosed",
    "title: a: b",
    "\ttabs: here",
    "a: *nowhere",
    "? [a]\n: b",
    "a: !!python/object/apply:os.system [ls]",
    "date: 2024-13-45",
    "a: !!int ''",
    "a: !!bool perhaps",
    "a: !!timestamp soon",
    "a: !!binary é",
    'title: "\\ud800"',
    "a: " + "[" * 5_000,
    "a: " + "{b: " * 5_000,
    "\x01: b",
]


def test_broken_front_matter_is_warned_about_and_the_body_is_indexed(make_vault: MakeVault) -> None:
    notes = {f"{number:02}.md": f"---\n{front}\n---\n{RYE}" for number, front in enumerate(BROKEN)}
    vault = make_vault({**notes, "good.md": RYE})
    report = vault.index()
    assert report.added == len(BROKEN) + 1
    assert [warning.path for warning in report.warnings] == list(notes)
    assert [warning for warning in report.warnings if "front matter" not in warning.reason] == []
    assert paths(vault, "loaf") == [*notes, "good.md"]


UNUSUAL = [
    "log:\n  2024-01-01: started\n  2024-02-01: stopped",
    "log: {1.5: a, true: b, null: c}",
    "a: &a [*a]",
    "a: &a {b: *a}",
    "a: " + "[" * 400 + "]" * 400,
    "2024-01-01: a",
    "a: .nan\nb: .inf\nc: 0x1F\nd: 1_000\ne: 12:30:45\nf: 2024-01-01T00:00:00+14:00",
    "a: !!set {b, c}\nd: !!omap [e: f]\ng: !!binary aGk=",
    "title: {a: b}\ntags: {c: d}\naliases: [[e]]\ntype: [f]",
    "tags: [2024-01-01, true, null, 1.5]",
]


def test_front_matter_of_unusual_yaml_does_not_stop_the_run(make_vault: MakeVault) -> None:
    notes = {f"{number:02}.md": f"---\n{front}\n---\n{RYE}" for number, front in enumerate(UNUSUAL)}
    vault = make_vault(notes)
    assert vault.index().added == len(UNUSUAL)
    assert paths(vault, "loaf") == list(notes)


@pytest.mark.parametrize("field", ["a", "tags", "title", "aliases"])
def test_a_yaml_bomb_does_not_go_off(make_vault: MakeVault, field: str) -> None:
    # Five levels of nine: unfolded, 59,049 words and 300 kB. Famous ones have ten levels, more than any disk holds.
    levels = [f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 9)}]" for level in range(1, 5)]
    bomb = "\n".join(("l0: &l0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]", *levels, f"{field}: *l4"))
    vault = make_vault({"bomb.md": f"---\n{bomb}\n---\n{RYE}"})
    vault.index()
    assert paths(vault, "loaf") == ["bomb.md"]
    row = database(vault.store).execute("select title || tags || aliases || fields from note").get
    assert len(row) < 20_000


@pytest.mark.parametrize("front", ["- bees\n- rye", "just some words", "42", "quokka"])
def test_front_matter_that_is_not_a_mapping_is_text(make_vault: MakeVault, front: str) -> None:
    vault = make_vault({"note.md": f"---\n{front}\n---\n\n{RYE}"})
    report = vault.index()
    assert (report.added, report.warnings) == (1, ())
    assert paths(vault, "loaf") == ["note.md"]


@pytest.mark.parametrize(
    "text", ["---\n", "---", "---\n---\n", "---\ntitle: Bread\n", "---\n\n---\n" + RYE, "+++\na = 1\n+++\n"]
)
def test_empty_or_unclosed_front_matter_is_not_an_error(make_vault: MakeVault, text: str) -> None:
    vault = make_vault({"note.md": text})
    report = vault.index()
    assert (report.added, report.warnings) == (1, ())


def test_an_unclosed_fence_hides_nothing(make_vault: MakeVault) -> None:
    vault = make_vault({"note.md": f"# Code\n\n```\nsome code that never ends\n\n## Rest\n\n{RYE[7:]}"})
    vault.index()
    (first, *_) = vault.search("loaf")
    assert (first.heading, first.excerpt.line) == ("Code > Rest", 8)
