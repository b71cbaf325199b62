"""What is said already: by notes that the store knows, and by memories that it has not taken in yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from notewell.embed import Embedder, EmbedRules, load_embedder
from notewell.errors import NoteError
from notewell.index.readers import load
from notewell.index.walk import Found, WalkRules, walk
from notewell.memory.names import SUFFIX
from notewell.memory.near import EXCERPT, Near, Passage, find_near, same_words, stored_passages
from notewell.memory.page import split_page
from notewell.redact import redact_text
from notewell.store import Store

# A shorter text without headings is one chunk, by which the store finds its repeat; for a longer one files are read.
ONE_CHUNK = 1_000
# The front matter of a memory, and the spaces by which a repeat may differ; another size is another text.
OTHER_BYTES = 2_000


def find_said(text: str, root: Path, folder: str, rules: WalkRules, store: Store) -> list[Near]:
    """Return what says nearly the same as the text; a memory that repeats it word for word is enough."""
    same, length = same_words(text), len(text.encode())
    cut = len(text) > ONE_CHUNK or "\n#" in text
    unknown: list[Passage] = []
    for found, indexed in _memories(root, folder, rules, store):
        if indexed and not (cut and abs(found.stamp.size - length) < OTHER_BYTES + length // 4):
            continue
        passage = _read(root, found, rules)
        if same_words(passage.text) == same:
            return [Near(passage.path, passage.line, passage.title, 1.0, passage.text[:EXCERPT])]
        unknown += [] if indexed else [passage]
    embedder = _embedder()
    with store.reading() as snapshot:
        of_store = stored_passages(
            text, snapshot, embedder if snapshot.state.made_for.embedder == embedder.fingerprint else None
        )
        return find_near(text, [*unknown, *of_store], embedder)


@cache
def _embedder() -> Embedder:
    # Always the model that ships with us: what is near was measured with it, whatever a vault is searched by.
    return load_embedder(EmbedRules("static"))


def _memories(root: Path, folder: str, rules: WalkRules, store: Store) -> Iterator[tuple[Found, bool]]:
    """Yield the files of the folder, and whether the store has them as they are."""
    if not (root / folder).is_dir():
        return
    known = store.files().notes
    for found in walk(root, replace(rules, include=(folder,)), (SUFFIX,)):
        stamp = known.get(found.path)
        yield found, stamp is not None and stamp.same_file(found.stamp)


def _read(root: Path, found: Found, rules: WalkRules) -> Passage:
    page = ""
    # Gone since it was found, or not to be read: it cannot be compared.
    with suppress(NoteError):
        # The store has not seen it, and whoever remembers is shown it: secrets go here, as everywhere.
        page = redact_text(load(root, found, rules)[0].decode("utf-8", "replace"))[0]
    fields, body = split_page(page)
    line = page.count("\n", 0, page.find(body)) + 1
    return Passage(found.path, line, redact_text(str(fields.get("title", "")))[0], body)
