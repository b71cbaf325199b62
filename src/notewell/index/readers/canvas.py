"""Obsidian's canvas and Excalidraw's drawings: their cards and texts from top to bottom, with the notes they show."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from notewell.index.readers.content import Content, not_json_error
from notewell.index.readers.nested import as_dict, as_dicts, as_text, load_json
from notewell.index.readers.text import decode
from notewell.index.readers.writing import clean, one_line, shortened
from notewell.redact import redact_text

# A heading of a card, which goes below that of its group.
HEADING = re.compile(r"^#{1,4} ", re.MULTILINE)
# Groups whose cards are put below their labels; nobody draws more.
MOST_GROUPS = 200
# In place of a group's id, for cards in no group.
OUTSIDE = 0
# Characters of a card that name it at the end of an arrow.
LONGEST_NAME = 60

Node = dict[str, Any]


def extract(data: bytes) -> Content:
    """Return the cards of a canvas below their groups and its labelled arrows, or the texts of a drawing."""
    text, warnings = decode(data)
    if not text.strip():
        # Obsidian makes a new canvas as an empty file.
        return Content("", warnings=warnings)
    drawn = load_json(text)
    if drawn is None:
        raise not_json_error(1)
    found = as_dict(drawn)
    blocks = [*_cards(as_dicts(found.get("nodes"))), *_arrows(found), *_texts(as_dicts(found.get("elements")))]
    return Content("\n\n".join(blocks), warnings=warnings)


def _cards(nodes: list[Node]) -> Iterator[str]:
    """Yield the cards outside of groups, then each group's label and cards."""
    groups = sorted((node for node in nodes if node.get("type") == "group"), key=_from_top)
    cards = sorted((node for node in nodes if node.get("type") != "group"), key=_from_top)
    smallest = sorted(groups[:MOST_GROUPS], key=_area)
    inside: dict[int, list[Node]] = defaultdict(list)
    for card in cards:
        # A card in nested groups belongs to the innermost.
        inside[next((id(group) for group in smallest if _holds(group, card)), OUTSIDE)].append(card)
    yield from filter(None, map(_card, inside[OUTSIDE]))
    for group in groups:
        yield f"## {one_line(_redacted(as_text(group.get('label'))))}"
        yield from filter(None, map(_card, inside[id(group)]))


def _card(node: Node) -> str:
    """Return what a card shows: its text, a note as an embed, or an address."""
    if file := one_line(as_text(node.get("file"))):
        return f"![[{file}{one_line(as_text(node.get('subpath')))}]]"
    text = HEADING.sub(r"##\g<0>", clean(as_text(node.get("text"))).strip())
    return text or one_line(as_text(node.get("url")))


def _arrows(canvas: Node) -> Iterator[str]:
    """Yield the arrows that have a label, with the names of the cards they join."""
    names = {str(node.get("id")): _name(node) for node in as_dicts(canvas.get("nodes"))}
    for arrow in as_dicts(canvas.get("edges")):
        if label := one_line(_redacted(as_text(arrow.get("label")))):
            start, end = (names.get(str(arrow.get(key)), "") for key in ("fromNode", "toNode"))
            yield f"{start} → {end}: {_said(start, label)}"


def _said(start: str, label: str) -> str:
    """Return the label of an arrow without a secret that the card before it names, such as a password."""
    return _redacted(f"{start}: {label}").removeprefix(f"{start}: ")


def _name(node: Node) -> str:
    if file := _redacted(as_text(node.get("file"))):
        return one_line(file).rpartition("/")[2].rpartition(".")[0]
    return shortened(_redacted(_card(node) or as_text(node.get("label"))).partition("\n")[0].lstrip("# "), LONGEST_NAME)


def _redacted(text: str) -> str:
    """Return a text without its secrets: they may not be recognised in a part of it, or among other words."""
    return redact_text(clean(text), alone=False)[0]


def _texts(elements: list[Node]) -> Iterator[str]:
    """Yield the texts of a drawing that were not deleted."""
    for element in sorted(elements, key=_from_top):
        if element.get("type") == "text" and not element.get("isDeleted"):
            yield clean(as_text(element.get("originalText") or element.get("text"))).strip()


def _from_top(node: Node) -> tuple[float, float]:
    return _number(node.get("y")), _number(node.get("x"))


def _holds(group: Node, node: Node) -> bool:
    """Tell whether the middle of a card is inside a group."""
    middle = ((_number(node.get(at)) + _number(node.get(size)) / 2) for at, size in (("x", "width"), ("y", "height")))
    edges = ((_number(group.get(at)), _number(group.get(size))) for at, size in (("x", "width"), ("y", "height")))
    return all(start <= at <= start + size for at, (start, size) in zip(middle, edges, strict=True))


def _area(node: Node) -> float:
    return _number(node.get("width")) * _number(node.get("height"))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e12 else 0.0
