"""A note for the page: rendered, with its outline, properties and place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from notewell.index.place import Place, find_place
from notewell.index.shapes.front_matter import split_front_matter
from notewell.names.addresses import Addresses
from notewell.serve.answering import read_indexed
from notewell.serve.web.markdown import Heading, Resolve, render
from notewell.types.notices import Notice
from notewell.vault import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class NotePage:
    """A note as the page shows it."""

    path: str
    """The note, from the vault's root."""
    title: str
    """Its title."""
    html: str
    """Its text as HTML, without secrets; `data-line` has the lines of each block."""
    outline: tuple[Heading, ...]
    """Its headings."""
    properties: Mapping[str, str]
    """The properties of its front matter."""
    tags: tuple[str, ...]
    """Its tags."""
    date: str
    """Its day; empty if it is unknown."""
    uri: str
    """A link that opens it: `obsidian://` in an Obsidian vault, `file://` elsewhere."""
    line: int
    """The first line that was asked for; 0 for none."""
    end_line: int
    """The last line that was asked for; 0 for none."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


def note_page(vault: Vault, note: str) -> NotePage:
    """Return a note, or lines or a part of it, as the page shows it: always whole, with the place marked."""
    place = vault.find(note)
    asked = find_place(vault.root, place)
    marked = read_indexed(vault, place) if asked != Place(asked.path) else None
    text = read_indexed(vault, asked.path).text
    _, start, _ = split_front_matter(text)
    html, outline = render(text[start:], _resolver(vault, asked.path), first=text.count("\n", 0, start) + 1)
    with vault.shown.answering() as snapshot:
        (first, *_) = snapshot.chunks(snapshot.chunks_of(asked.path)[:1]).values()
        facts = snapshot.notes([asked.path])[asked.path]
    return NotePage(
        path=asked.path,
        title=first.title,
        html=html,
        outline=outline,
        properties={key: _shown(value) for key, value in facts.fields.items()},
        tags=first.tags,
        date=facts.day,
        uri=Addresses.of(vault.root).of_chunk(replace(first, headings=())),
        line=marked.line if marked else 0,
        end_line=marked.end_line if marked else 0,
    )


def _resolver(vault: Vault, path: str) -> Resolve:
    """Return a function that says where the links of a note lead."""
    ends = {link.target: link.to for link in vault.links(path).links if link.to}
    return ends.get


def _shown(value: Any) -> str:
    """Return the value of a property as a line of text.

    >>> _shown(["bees", 3]), _shown({"a": None})
    ('bees, 3', 'a: ')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(part)}" for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_shown, value))
    return "" if value is None else str(value)
