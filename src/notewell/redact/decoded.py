"""Secrets that show only once a note is parsed: `%41` in a link and `\\x41` in front matter are an A."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from notewell.redact import redact_text
from notewell.types.note import Link, Note


def redact_decoded(note: Note) -> Note:
    """Return a parsed note without the secrets that decoding its links and front matter brought to light."""
    in_links = (text for link in note.links for text in (link.target, link.anchor, link.text))
    # One scan for all of them: nearly every note has none, and is returned as it is.
    if not redact_text("\n".join((note.title, *_texts(note.fields), *in_links)))[1]:
        return note
    links = tuple(_clean_link(link) for link in note.links)
    return replace(note, title=_clean(note.title), fields=_cleaned(note.fields), links=links)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *_texts(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, dict):
        return {_clean(key): _cleaned(inner) for key, inner in value.items()}
    return [_cleaned(inner) for inner in value] if isinstance(value, list) else value


def _clean_link(link: Link) -> Link:
    return replace(link, target=_clean(link.target), anchor=_clean(link.anchor), text=_clean(link.text))


def _clean(text: str) -> str:
    return redact_text(text)[0]
