"""Notes as MCP resources: their addresses, a list of the newest, one note as text, and completion of paths."""

from __future__ import annotations

from urllib.parse import quote, unquote

import mcp_types as types

from notewell.errors import NoteError
from notewell.files.control_chars import real_path, shown_path
from notewell.search.budget import line_in_prompt, path_in_prompt
from notewell.serve.answering import read_indexed
from notewell.serve.mcp.pages import is_open, reading_page
from notewell.vault import Vault

SCHEME = "notewell:///"
TEMPLATE = SCHEME + "{+path}"
# Enough for a list to choose from.
LISTED = 50
COMPLETED = 50
# The longest resource, in tokens: clients show all of it to the model.
LONGEST = 25_000
# A query that every note passes, also one without a day, so that the newest are listed.
EVERY_NOTE = "-path:.notewell"


def uri_of(path: str) -> str:
    """Return the address of a note.

    >>> uri_of("Garten/Bienen & Honig.md")
    'notewell:///Garten/Bienen%20%26%20Honig.md'
    """
    return SCHEME + quote(shown_path(path))


def path_at(address: str) -> str:
    """Return the path, or place, of an address."""
    if not address.startswith(SCHEME):
        raise NoteError(f"{address[:200]} is not the address of a note", f"An address is {SCHEME} and a path")
    return real_path(unquote(address.removeprefix(SCHEME)))


def list_notes(vault: Vault) -> list[types.Resource]:
    """Return the newest notes, or none if the vault is not indexed."""
    if not vault.indexed:
        return []
    found = {hit.path: hit.title for hit in vault.search(EVERY_NOTE, limit=LISTED)}
    return [
        types.Resource(
            uri=uri_of(path),
            name=path_in_prompt(path),
            title=line_in_prompt(title) or path_in_prompt(path),
            mime_type=media_type(path),
        )
        for path, title in found.items()
    ]


def template() -> types.ResourceTemplate:
    """Return the template of addresses."""
    return types.ResourceTemplate(
        uri_template=TEMPLATE,
        name="note",
        title="A note",
        description="A note by its path, as in search results; path:12-40 for some of its lines",
    )


def read_note(vault: Vault, address: str) -> types.TextResourceContents:
    """Return an indexed note as `read` shows it, on one page."""
    place = path_at(address)
    reading = read_indexed(vault, place)
    # Clients show it to the model as it is, so it needs the same fence and line numbers as `read`.
    page = reading_page(reading, LONGEST, open_end=is_open(place))
    return types.TextResourceContents(uri=address, mime_type=media_type(reading.path), text=page.text)


def complete_path(vault: Vault, written: str) -> types.Completion:
    """Return paths that begin with a text, then those that contain it."""
    wanted = real_path(unquote(written)).casefold()
    paths: list[str] = []
    if vault.indexed:
        with vault.shown.answering() as snapshot:
            paths = sorted(snapshot.ids())
    fitting = [path for path in paths if wanted in path.casefold()]
    fitting.sort(key=lambda path: not path.casefold().startswith(wanted))
    return types.Completion(
        values=[path_in_prompt(path) for path in fitting[:COMPLETED]],
        total=len(fitting),
        has_more=len(fitting) > COMPLETED,
    )


def media_type(path: str) -> str:
    """Return the media type of a note's text: documents are shown as plain text.

    >>> media_type("Bees.md"), media_type("Bees.pdf")
    ('text/markdown', 'text/plain')
    """
    return "text/markdown" if path.casefold().endswith((".md", ".markdown")) else "text/plain"
