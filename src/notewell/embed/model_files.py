"""The files of a model's folder, which may lie in a vault from a stranger: only regular ones of a likely size."""

from __future__ import annotations

import hashlib
import os
from io import BufferedReader
from pathlib import Path

from notewell.files.safe_open import open_plain, read_plain

# Larger than any tokenizer or config, and than any model that can embed a vault on a CPU. A file may be mostly holes:
# its size on disk says nothing.
LARGEST_TEXT, LARGEST = 200_000_000, 20_000_000_000


def read_text(file: Path) -> bytes:
    """Return the content of a tokenizer or config."""
    if len(content := read_plain(file, LARGEST_TEXT + 1)) > LARGEST_TEXT:
        raise ValueError(f"{file.name} has more than {LARGEST_TEXT:,} bytes")
    return content


def open_weights(file: Path) -> BufferedReader:
    """Open a file of weights; a library that opens it by its name should do so only after this."""
    stream = os.fdopen(open_plain(file), "rb")
    if os.fstat(stream.fileno()).st_size > LARGEST:
        stream.close()
        raise ValueError(f"{file.name} has more than {LARGEST:,} bytes")
    return stream


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with open_weights(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
