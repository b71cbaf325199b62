"""Adding tags to front matter, byte for byte the same elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.curate.tag_edits import add_tags, note_of, with_edits
from notewell.errors import CurateError, NoteError


def added(text: str, *tags: str) -> str:
    return with_edits(text, add_tags(note_of("a.md", text), text, tags))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Text\n", "---\ntags:\n  - new\n---\nText\n"),
        ("", "---\ntags:\n  - new\n---\n"),
        ("One\r\n", "---\r\ntags:\r\n  - new\r\n---\r\nOne\r\n"),
        ("---\n---\nText\n", "---\ntags:\n  - new\n---\nText\n"),
        ("---\ntitle: x # why\n---\nText\n", "---\ntitle: x # why\ntags:\n  - new\n---\nText\n"),
        ("---\ntags: [a, b] # why\nx: 1\n---\n", "---\ntags: [a, b, new] # why\nx: 1\n---\n"),
        ("---\ntags: []\n---\n", "---\ntags: [new]\n---\n"),
        ("---\ntags:\nx: 1\n---\n", "---\ntags: [new]\nx: 1\n---\n"),
        ("---\ntags:\n---\n", "---\ntags: [new]\n---\n"),
        ("---\ntags:\n- a # why\nx: 1\n---\n", "---\ntags:\n- a # why\n- new\nx: 1\n---\n"),
        ("---\r\ntags:\r\n  - a\r\nx: 1\r\n---\r\n", "---\r\ntags:\r\n  - a\r\n  - new\r\nx: 1\r\n---\r\n"),
        ("---\ntags: a, b\n---\n", "---\ntags: a, b, new\n---\n"),
        ('---\ntags: "a"\n---\n', '---\ntags: "a, new"\n---\n'),
        ("---\ntags: ''\n---\n", "---\ntags: 'new'\n---\n"),
        ("---\ntag: a\n---\n", "---\ntag: a, new\n---\n"),
        ("---\n\nA rule above.\n\n---\nText\n", "---\ntags:\n  - new\n---\n---\n\nA rule above.\n\n---\nText\n"),
    ],
)
def test_a_tag_is_added_where_the_note_has_its_tags(before: str, after: str) -> None:
    assert added(before, "new") == after


def test_tags_that_the_note_has_are_not_added_again() -> None:
    text = "---\ntags: [Bees]\n---\n#inline\n"
    assert added(text, "bees", "inline") == text
    assert added(text, "#bees", "rye", "rye") == "---\ntags: [Bees, rye]\n---\n#inline\n"


@pytest.mark.parametrize(
    "text",
    [
        "---\nx: &a [b]\ntags: *a\n---\n",
        "---\nnot: [yaml\n---\n",
        "---\ntags: {a: b}\n---\n",
        "---\ntags: |\n  a\n---\n",
    ],
)
def test_front_matter_that_cannot_be_edited_safely_is_left(text: str) -> None:
    with pytest.raises(NoteError):
        added(text, "new")


def test_what_is_no_tag_is_not_added() -> None:
    for tag in ("two words", "1984", "a]\nevil: [x", "", "a:b"):
        with pytest.raises(CurateError, match="is not a tag"):
            added("Text\n", tag)


@given(st.text(alphabet="ab:-#\n\r []'\",{}&*|>\t", max_size=60))
def test_whatever_the_note_it_has_the_tag_afterwards_and_all_else_as_before(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\nbody\n", f"---\ntags: {text}\n---\n"):
        note = note_of("a.md", whole)
        try:
            made = add_tags(note, whole, ("fresh/new",))
        except NoteError:
            continue
        after = note_of("a.md", with_edits(whole, made))
        assert {*after.tags} == {*note.tags, "fresh/new"}
        (edit,) = made
        assert edit.start == edit.end and whole[: edit.start] + whole[edit.end :] == whole
