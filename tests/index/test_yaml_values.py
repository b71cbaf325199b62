from __future__ import annotations

import pytest
import yaml
from tests.cases import cases

from notewell.errors import NoteError
from notewell.index.readers.yaml_values import extract
from notewell.redact import LINE_IN_LINE, redact
from notewell.types.note import Note, Stamp

STACK = """\
# The stack at home
version: "3"
services:   # all of them
  web: &web
    image: nginx:1.25  # keep old
    ports: [80, 443]
    command: >
      serve the
      pages well

    script: |
      # not a comment
      echo "hello: world"
        indented
  db:
    <<: *web
    note: a plain value
      on two lines
    quoted: "first # no

      second"   # yes
  ? [a, b]
  : odd
---
- one
-
  - two
  # the last
  - three"""

FLAT = """\
# The stack at home
version: 3
# all of them

services.web.image: nginx:1.25  # keep old
services.web.ports: 80, 443
services.web.command:
  serve the
  pages well

services.web.script:
  # not a comment
  echo "hello: world"
    indented

services.db.<<: *web
services.db.note: a plain value on two lines

services.db.quoted: first # no second

# yes
services.?: a, b
services.?: odd

[0]: one

[1][0]: two
# the last
[1][1]: three"""


def test_values_and_comments_keep_the_lines_they_have_in_the_file() -> None:
    content = extract(STACK.encode())
    assert content.text.replace(LINE_IN_LINE, " ") == FLAT
    assert len(FLAT.split("\n")) == len(STACK.split("\n"))
    assert content.warnings == ()


def test_the_loader_in_python_reads_the_same() -> None:
    assert extract(STACK.encode(), yaml.SafeLoader).text.replace(LINE_IN_LINE, " ") == FLAT


def test_lines_are_counted_as_everywhere_else() -> None:
    text = "a: one\x85two\r\nb: three\u2028four\r\nc: |\r\n  five\r\n  six\r\nd: 7\r\n"
    assert extract(text.encode()).text == "a: one two\nb: three four\nc:\n  five\n  six\nd: 7\n"


def test_a_text_of_several_lines_may_end_the_file() -> None:
    assert extract(b"a: |\n  one\n\n  two").text == "a:\n  one\n\n  two"
    assert extract(b"a: >-\n  one\n# end").text == "a:\n  one\n# end"
    assert extract(b"a: |\n").text == "a:\n"


def test_a_text_of_several_lines_in_a_list_of_mappings() -> None:
    text = "- run: |\n    make\n    make test\n  name: all\n- run: x # y\n"
    assert extract(text.encode()).text == "[0].run:\n  make\n  make test\n[0].name: all\n[1].run: x  # y\n"


def test_a_value_after_one_of_several_lines_is_kept() -> None:
    assert extract(b'{a: "x\n  y", b: 2}\nc').warnings != ()
    assert extract(b'{a: "x\n  y", b: 2}').text == "a: x y\nb: 2"


def test_no_value_takes_the_place_of_another() -> None:
    assert extract(b"a: 1\n? [b,\n c]\n").text == "a: 1; ?:\n?[0]: b\n?[1]: c\n"


def test_a_comment_after_an_anchor_or_a_tag_is_kept() -> None:
    assert extract(b"a: &x !y # one\n  b: [1, # two\n    2]\n- # x").warnings != ()
    assert extract(b"a: &x !y # one\n  b: [1, # two\n    2]\n").text == "# one\na.b[0]: 1  # two\na.b[1]: 2\n"


def test_a_value_that_is_not_there_may_end_the_file() -> None:
    assert extract(b"a: 1\n? b").text == "a: 1\nb:"
    assert extract(b"a:\n  b:\nc:\n").text.split("\n") == ["", "a.b:", "c:", ""]


@cases("text", ["a: 1\n{{ if .x }}\nb: {{ .y }}\n", "a: [1\n", "\ta: 1\n", "a: *nothing: x\n- y\n"])
def test_a_file_that_is_not_yaml_is_read_as_text(text: str) -> None:
    content = extract(text.encode())
    assert content.text == text
    (warning,) = content.warnings
    assert warning.startswith("not YAML at line ") and warning.endswith("; read as text")


def test_a_file_with_an_unknown_character_is_not_yaml() -> None:
    assert extract(("# A text long enough not to be noise\n" * 9 + "a: \ufffe").encode()).warnings == (
        "not YAML; read as text",
    )


def test_references_are_not_followed() -> None:
    laughs = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    lines = extract(laughs.encode()).text.split("\n")
    assert lines[8] == "i: " + ", ".join(["*h"] * 9)
    assert len(lines) == 10


def test_values_nested_too_deep_are_refused() -> None:
    with pytest.raises(NoteError, match="100 deep"):
        extract(b"[" * 5000)


def test_tags_make_nothing_happen() -> None:
    assert extract(b"a: !!python/object/apply:os.system [ls]\nb: !secret name\n").text == "a[0]: ls\nb: name\n"


def test_an_empty_file_is_an_empty_text() -> None:
    assert extract(b"").text == ""
    assert extract(b"# only this\n").text == "# only this\n"


def test_a_private_key_in_yaml_is_redacted() -> None:
    label = "PRIVATE " + "KEY"
    text = f"a:\n  key: |\n    -----BEGIN {label}-----\n    {'Ab1+' * 16}\n    -----END {label}-----\n  b: 1\n"
    content = extract(text.encode())
    redacted = redact(Note("a.yaml", content.text, Stamp(0, 0))).text
    assert "Ab1+" in content.text and "Ab1+" not in redacted
    assert redacted.split("\n")[5] == "a.b: 1"
