from __future__ import annotations

import pytest

from notewell.errors import NoteError
from notewell.index.readers.text import decode


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbf# Bees\n", "# Bees\n"),
        (b"one\r\ntwo\r\n", "one\r\ntwo\r\n"),
        (b"one\rtwo\r", "one\ntwo\n"),
        ("日本語 🐝".encode(), "日本語 🐝"),
        ("bees".encode("utf-16"), "bees"),
        (b"", ""),
    ],
)
def test_bytes_become_text(data: bytes, text: str) -> None:
    assert decode(data) == (text, ())


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\0\0", b"bees\xff\xfe\xff"])
def test_bytes_that_are_no_text_are_named_with_the_reason(data: bytes) -> None:
    with pytest.raises(NoteError, match="not ") as caught:
        decode(data)
    assert caught.value.hint
