from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cases import cases

from notewell.errors import NoteError
from notewell.index.chunk import ChunkRules
from notewell.index.readers.content import Content
from notewell.index.readers.notebook import extract
from notewell.index.shapes import parted
from notewell.types.note import Note, Stamp

LONG = "This cell says enough to stand on its own feet."


def prose(*lines: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": "\n".join(lines).splitlines(keepends=True)}


def code(source: str, *outputs: Any) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": list(outputs), "source": source}


def notebook(*cells: Any, **fields: Any) -> Content:
    return extract(json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4} | fields).encode())


def names(content: Content) -> list[str]:
    return [part.name for part in content.parts]


def test_prose_stays_as_it_is_and_code_is_fenced_with_its_language() -> None:
    info = {"language_info": {"name": "julia"}}
    content = notebook(prose(LONG, "- and more"), code("x = 1\ny = 2\nprintln(x + y) # the sum of both"), metadata=info)
    assert content.text == f"{LONG}\n- and more\n\n```julia\nx = 1\ny = 2\nprintln(x + y) # the sum of both\n```"
    assert [(part.line, part.name) for part in content.parts] == [(1, "cell 1"), (4, "cell 2")]


def test_outputs_are_text_and_not_long() -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": ["one\n", "\x1b[31mtwo\x1b[0m\n"]}
    table = {"output_type": "execute_result", "data": {"text/plain": ["  a b\n", "0 1 2"], "text/html": "<table>"}}
    picture = {"output_type": "display_data", "data": {"image/png": "iVBOR"}}
    failed = {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["x"]}
    long = {"output_type": "stream", "text": "word " * 1000}
    text = notebook(code("run()", printed, table, picture, failed, long)).text
    assert text.startswith(
        "```python\nrun()\n```\n\nOutput:\none\ntwo\n\nOutput:\n  a b\n0 1 2\n\n"
        "Error: ZeroDivisionError: division by zero\n\nOutput:\nword word"
    )
    assert text.endswith("word … (4,000 characters left out)")
    assert "iVBOR" not in text and "<table>" not in text


def test_cells_are_under_the_headings_above_them() -> None:
    content = notebook(
        prose("# Baking"),
        prose(LONG),
        prose("## Dough", "", LONG, "", "```", "# no heading", "```"),
        code("flour = 500  # grams, and none of them wasted"),
        prose("### Water", LONG),
        prose("## Oven"),
        code("heat(250)"),
    )
    assert content.title == "Baking"
    lines = content.text.split("\n")
    assert [(part.name, [lines[at - 1] for at in part.under]) for part in content.parts] == [
        ("cells 1-2", []),
        ("cell 3", []),
        ("cell 4", ["## Dough"]),
        ("cell 5", ["## Dough"]),
        ("cells 6-7", []),
    ]


def test_scraps_go_with_their_neighbours_but_not_into_the_next_section() -> None:
    cells = (prose(LONG), code("x = 1"), code("y = 2"), code("z"), prose("## Next"), code("z = 3"), prose("End"))
    assert names(notebook(*cells)) == ["cell 1", "cells 2-4", "cells 5-7"]


def test_empty_cells_count_but_say_nothing() -> None:
    assert names(notebook(prose(""), code(""), prose(LONG), None, code(f"'{LONG}'"))) == ["cell 3", "cell 5"]


def test_code_that_contains_a_fence_gets_a_longer_one() -> None:
    assert notebook(code("s = '''\n```\n'''")).text == "````python\ns = '''\n```\n'''\n````"


def test_pictures_inside_of_prose_are_left_out() -> None:
    text = notebook(prose(f"![x](data:image/png;base64,{'A' * 5000})")).text
    assert text == "![x](data:image/png;base64,…)"


def test_older_notebooks_have_worksheets() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Old"]},
        {
            "cell_type": "code",
            "language": "python",
            "input": ["1 + 1"],
            "outputs": [{"output_type": "pyout", "text": ["2"]}, {"output_type": "pyerr", "ename": "E", "evalue": "v"}],
        },
    ]
    content = extract(json.dumps({"worksheets": [{"cells": cells}, None], "nbformat": 3}).encode())
    assert content.text == "## Old\n\n```python\n1 + 1\n```\n\nOutput:\n2\n\nError: E: v"
    assert names(content) == ["cells 1-2"]


@cases("data", [b"[]", b"{}", b'{"cells": 3}', b'{"cells": null}', b"null"])
def test_a_file_without_cells_is_not_a_notebook(data: bytes) -> None:
    with pytest.raises(NoteError, match="not a notebook"):
        extract(data)


def test_a_file_that_is_not_json_is_refused_with_its_line() -> None:
    with pytest.raises(NoteError, match="not JSON at line 2"):
        extract(b'{"cells":\n x}')


def test_odd_cells_are_skipped() -> None:
    odd = code("x", None, {"output_type": "stream", "text": 3}, {"data": []})
    content = notebook({}, {"cell_type": 3, "source": [None, LONG]}, odd | {"language": "a b", "source": 7}, 7)
    assert content.text == LONG


def test_chunks_are_called_by_cell_and_heading_without_marks() -> None:
    content = notebook(prose("# Baking", LONG), prose("## Dough", LONG), code(f"'{LONG}'"))
    note = parted.parse(Note("a.ipynb", content.text, Stamp(0, 0), content.title, parts=content.parts))
    chunks = parted.chunk(note, ChunkRules())
    assert [(chunk.place, chunk.heading) for chunk in chunks] == [
        ("cell 1", "Baking"),
        ("cell 2", "Baking"),
        ("cell 3", "Baking > Dough"),
    ]
