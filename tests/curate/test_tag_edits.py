"""Renaming tags in one note: exactly those that the index finds, and not a byte elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bounded import run_within

from notewell.curate.tag_edits import note_of, read_renames, rename_tags, with_edits
from notewell.errors import CurateError, NoteError


def renamed(text: str, *renames: str) -> str:
    return with_edits(text, rename_tags(note_of("a.md", text), text, read_renames(renames)))


@pytest.mark.parametrize(
    ("before", "renames", "after"),
    [
        ("#a, (#a/x) #ab *#A* x#a\n", "a=b", "#b, (#b/x) #ab *#b* x#a\n"),
        ("---\ntags: [a, x]\n---\n", "a=b", "---\ntags: [b, x]\n---\n"),
        ("---\ntags: [a, x]\r\nid: 1\r\n---\r\n#a\r\n", "a=b", "---\ntags: [b, x]\r\nid: 1\r\n---\r\n#b\r\n"),
        ("---\ntags:\n  - a # why\n  - 'a/x'\n---\n", "a=b", "---\ntags:\n  - b # why\n  - 'b/x'\n---\n"),
        ('---\ntag: "#a"\n---\n', "a=b", '---\ntag: "#b"\n---\n'),
        ("---\ntags: a, x, A/y\n---\n", "a=b", "---\ntags: b, x, b/y\n---\n"),
        ("---\ntags: a\n---\n", "a=yes", '---\ntags: "yes"\n---\n'),
        ("---\ntags: [a]\n---\n", "a=null", '---\ntags: ["null"]\n---\n'),
        ("---\naliases: [a]\ntags: [a]\ntitle: a\n---\n", "a=b", "---\naliases: [a]\ntags: [b]\ntitle: a\n---\n"),
        # Merging: one of them goes, every comment stays.
        ("---\ntags: [a, b]\n---\n#a #b\n", "a=b", "---\ntags: [b]\n---\n#b #b\n"),
        ("---\ntags: [b, a]\n---\n", "a=b", "---\ntags: [b]\n---\n"),
        (
            "---\ntags: [a, # one\n  b, # two\n  c # three\n]\n---\n",
            "a=b",
            "---\ntags: [ # one\n  b, # two\n  c # three\n]\n---\n",
        ),
        ("---\ntags: [b, # one\n  a # two\n]\n---\n", "a=b", "---\ntags: [b, # one\n   # two\n]\n---\n"),
        ("---\ntags:\n- a\n- b\n---\n", "a=b", "---\ntags:\n- b\n---\n"),
        ("---\ntags:\n- b\n- a\n---\n", "a=b", "---\ntags:\n- b\n---\n"),
        ("---\ntags:\n- b\n- a # why\n---\n", "a=b", "---\ntags:\n- b\n # why\n---\n"),
        ("---\ntags: a, b\n---\n", "a=b", "---\ntags: b\n---\n"),
        ("---\ntags: [a, A, c]\n---\n", "a=b", "---\ntags: [b, c]\n---\n"),
        ("---\ntags: [b, c, a]\n---\n", "a=b c=b", "---\ntags: [b]\n---\n"),
        ("---\ntags: [a, c, b]\n---\n", "a=b c=b", "---\ntags: [b]\n---\n"),
        ("---\ntags: [b,\n  a, c]\n---\n", "a=b c=b", "---\ntags: [b,\n  ]\n---\n"),
        ("---\ntags:\n- b\n- a\n- c\n---\n", "a=b c=b", "---\ntags:\n- b\n---\n"),
        ("---\r\ntags:\r\n- b\r\n- a\r\nx: 1\r\n---\r\n", "a=b", "---\r\ntags:\r\n- b\r\nx: 1\r\n---\r\n"),
        # Splitting.
        ("---\ntags: [a]\n---\n#a/x\n", "a=b,c", "---\ntags: [b, c]\n---\n#b/x #c/x\n"),
        ("---\ntags:\n  - a\n---\n", "a=b,c", "---\ntags:\n  - b\n  - c\n---\n"),
        ("---\ntags: x, a\n---\n", "a=b,c", "---\ntags: x, b, c\n---\n"),
        # Nothing that is not a tag.
        ("#a `#a` <a href='#a'> http://x/#a [l](#a)\n", "a=b", "#b `#a` <a href='#a'> http://x/#a [l](#a)\n"),
        ("#a\n<script>\n#a\n</script>\n<pre>#a</pre>\n", "a=b", "#b\n<script>\n#a\n</script>\n<pre>#a</pre>\n"),
        ("#a\n\n```sh\n#a\n", "a=b", "#b\n\n```sh\n#a\n"),
        ("#a\n- ```\n  #a\n  ```\n", "a=b", "#b\n- ```\n  #a\n  ```\n"),
    ],
)  # fmt: skip
def test_tags_are_renamed_and_nothing_else(before: str, renames: str, after: str) -> None:
    assert renamed(before, *renames.split()) == after


def test_tags_can_be_swapped_and_the_longest_name_wins() -> None:
    assert renamed("#a #b #a/x #a/y\n", "a=b", "b=a", "a/x=c") == "#b #a #c #b/y\n"


@pytest.mark.parametrize(
    "text",
    [
        "---\nmine: &x [a]\ntags: *x\n---\n",
        "---\nmine: &x a\ntags: [*x]\n---\n",
        '---\ntags: ["\\x61"]\n---\n',
        "---\ntags: |\n  a\n---\n",
        "---\ntags: [a\n---\n",
        "tags:: a\n",
    ],
)
def test_a_note_in_which_it_is_not_safe_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        renamed(text, "a=b")


@pytest.mark.parametrize(
    "written", ["a", "a=", "=b", "a b=c", "a=b c", "a=12", "a=#", "a=b/", "a=x//y", "a=a", "a=[b]"]
)
def test_what_is_no_rename_is_an_error(written: str) -> None:
    with pytest.raises(CurateError) as error:
        read_renames([written])
    assert error.value.hint


def test_one_tag_cannot_be_renamed_twice() -> None:
    with pytest.raises(CurateError, match="twice"):
        read_renames(["a=b", "A=c"])


LINES = st.sampled_from(
    ["#a", "#a/b", "text #a.", "`#a`", "```", "~~~", "<pre>", "</pre>", "    #a", "- #a", "> #a", "%%", "$", "[x](#a)",
     "<b title='#a'>", "[[#a]]", "tags: [a, x]", "---", "", "\\#a", "<!--", "-->", "é #a", "😀 #a"]
)  # fmt: skip


@given(st.lists(LINES, max_size=12))
def test_renaming_forth_and_back_restores_every_byte(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        there = renamed(text, "a=zz")
    except NoteError:
        return
    assert [tag for tag in note_of("a.md", there).tags if tag.partition("/")[0] == "a"] == []
    assert renamed(there, "zz=a") == text


def test_hundreds_of_thousands_of_tags_take_a_moment() -> None:
    run_within(
        20,
        """
from notewell.curate.tag_edits import note_of, read_renames, rename_tags, with_edits
for text in ("#tag " * 200_000, "#tag\\n" * 200_000):
    note = note_of("a.md", text)
    edits = rename_tags(note, text, read_renames(["tag=other"]))
    assert with_edits(text, edits) == text.replace("tag", "other")
""",
    )
