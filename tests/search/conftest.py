from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from notewell.store import Snapshot

Hold = Callable[[Mapping[str, str]], "Snapshot"]


@pytest.fixture
def hold(tmp_path: Path) -> Iterator[Hold]:
    """Return a function that stores texts by path, one chunk each, in the order given, and holds that state."""
    from notewell.embed.words import WordsEmbedder  # noqa: PLC0415
    from notewell.store import MadeFor  # noqa: PLC0415
    from notewell.store.sqlite import SqliteStore  # noqa: PLC0415
    from notewell.types.note import Chunk, Note, Stamp  # noqa: PLC0415

    embedder = WordsEmbedder()
    with ExitStack() as stack:

        def hold(texts: Mapping[str, str]) -> Snapshot:
            store = SqliteStore(tmp_path / "held.db", lambda: MadeFor(embedder.fingerprint, embedder.dimensions, "1"))
            with store.writing() as writer:
                for path, text in texts.items():
                    chunk = Chunk(path, text, 1, text.count("\n") + 1, 0, len(text), title="Note")
                    writer.put(
                        Note(path, text, Stamp(1, len(text), path), title="Note"), [chunk], embedder.embed([text])
                    )
            stack.callback(store.close)
            return stack.enter_context(store.reading())

        yield hold
