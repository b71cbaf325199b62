from __future__ import annotations

from pathlib import Path

import pytest

from notewell.errors import NoteError
from notewell.files.survey import WalkRules
from notewell.index.place import find_place, read_place

HIVE = """\
---
title: Hive
---

# Hive

Three colonies.

## 2024: *losses*

One queen. ^queen

### May

It rained.

```
## not a heading
```

## 2025

- a swarm ^swarm
- another,
  later ^later

| a | b |
|---|---|
| 1 | 2 |

^table

### May

The sun shone.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "Hive.md").write_text(HIVE, encoding="utf-8")
    (tmp_path / "C# notes.md").write_text("# Why\n\nSpeed.\n\n# Input/Output\n\nStreams.\n", encoding="utf-8")
    (tmp_path / "log.org").write_text("* First\none\n* Second\ntwo\n", encoding="utf-8")
    (tmp_path / "plain.txt").write_text("Why\n\nno headings here\n", encoding="utf-8")
    return tmp_path


def shown(root: Path, written: str) -> str:
    return read_place(root, find_place(root, written), WalkRules()).text


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("Hive.md#2024: losses", "## 2024: *losses*", "```"),
        ("Hive.md#2024-losses", "## 2024: *losses*", "```"),
        ("Hive.md#May", "### May", "```"),
        ("Hive.md#2025#May", "### May", "The sun shone."),
        ("Hive.md#Hive#2025", "## 2025", "The sun shone."),
        ("Hive.md#Hive", "# Hive", "The sun shone."),
        ("Hive.md#^queen", "One queen. ^queen", "One queen. ^queen"),
        ("Hive.md#^swarm", "- a swarm ^swarm", "- a swarm ^swarm"),
        ("Hive.md#^later", "- another,", "  later ^later"),
        ("Hive.md#^table", "| a | b |", "^table"),
        ("C# notes.md#Why", "# Why", "Speed."),
        ("C# notes.md#Input/Output", "# Input/Output", "Streams."),
        ("log.org#second", "* Second", "two"),
    ],
)
def test_a_heading_or_block_is_read_with_what_belongs_to_it(root: Path, written: str, first: str, last: str) -> None:
    lines = shown(root, written).split("\n")
    assert (lines[0], lines[-1]) == (first, last)


@pytest.mark.parametrize(
    ("written", "fact", "hint"),
    [
        ("Hive.md#2024 loses", "Hive.md has no heading '2024 loses'", "Did you mean 2024: *losses*?"),
        ("Hive.md#2024: losses#2025", "no heading '2024: losses#2025'", "Did you mean 2025?"),
        ("Hive.md#not a heading", "no heading", "Its headings are Hive, 2024: *losses*, May, …"),
        ("Hive.md#^king", "Hive.md has no block '^king'", "Ask for a heading, or for its lines"),
        ("plain.txt#Why", "plain.txt has no heading 'Why'", "It has no headings; ask for its lines"),
    ],
)
def test_a_heading_or_block_that_a_note_lacks_is_an_error_with_suggestions(
    root: Path, written: str, fact: str, hint: str
) -> None:
    with pytest.raises(NoteError) as caught:
        shown(root, written)
    assert fact in caught.value.fact
    assert caught.value.hint == hint
