"""Canvas files: what of a card, a group or an arrow is read, and that no secret of theirs is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from notewell.errors import NoteError
from notewell.index.readers.canvas import extract

ROOM = {"width": 100, "height": 100}


def text_of(nodes: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None) -> str:
    return extract(json.dumps({"nodes": nodes, "edges": edges or []}).encode()).text


def test_a_card_in_nested_groups_stands_once_below_the_innermost() -> None:
    groups = [{"type": "group", "label": f"G{n}", "x": 0, "y": -n, "width": 900 - n, "height": 900} for n in range(300)]
    found = text_of([*groups, {"type": "text", "text": "card", "x": 5, "y": 5, **ROOM}])
    assert found.count("card") == 1
    assert found.count("## G") == 300


def test_no_part_of_a_secret_in_the_name_of_a_file_is_left() -> None:
    token = ".".join(("eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "Sfl" + "KxwRJSMeKKF2QT4fwpMeJf36POk6yJV"))
    nodes = [{"id": "j", "type": "file", "file": f"notes/{token}"}, {"id": "k", "type": "text", "text": "other"}]
    arrows = text_of(nodes, [{"fromNode": "j", "toNode": "k", "label": "leads to"}]).split("\n")[-1]
    assert "eyJ" not in arrows


def test_a_password_that_its_arrow_carries_is_taken_out() -> None:
    secret = "Zq7AiDwe" + "FaKKnKDc!x"
    nodes = [{"id": "p", "type": "text", "text": "password"}, {"id": "k", "type": "text", "text": "router"}]
    assert secret not in text_of(nodes, [{"fromNode": "p", "toNode": "k", "label": secret}])


@pytest.mark.parametrize("odd", [None, [], "x", 1e400, {"x": {}}, float("nan"), 10**400])
def test_what_is_no_card_is_left_out(odd: Any) -> None:
    cards = [{"type": "text", "text": "card", "x": odd, "y": odd}, {"type": [odd], "text": [odd], "file": [odd]}]
    assert extract(json.dumps({"nodes": [odd, *cards], "edges": [odd], "elements": odd}).encode()).text == "card"


def test_a_new_canvas_is_empty_and_half_of_one_an_error() -> None:
    assert extract(b"").text == ""
    with pytest.raises(NoteError, match="not JSON"):
        extract(b'{"nodes": [')
