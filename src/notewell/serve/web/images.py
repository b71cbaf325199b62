"""Images of the vault: the only files that the page shows as they are."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from stat import S_ISREG

from starlette.responses import Response

from notewell.errors import NoteError
from notewell.files.safe_open import open_inside
from notewell.redact import redact_text
from notewell.serve.web.inside import path_inside
from notewell.vault import Vault

KINDS = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".svg": "image/svg+xml",
}
LARGEST = 30_000_000
# An SVG file can contain scripts; opened by itself, it may run none of them.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def image_response(vault: Vault, path: str) -> Response:
    """Return an image of the vault; any other file, and one that is excluded or outside, does not exist here."""
    kind = KINDS.get(PurePosixPath(path).suffix.lower())
    target = path_inside(vault, path) if kind else None
    if target is None:
        raise _absent(path)
    try:
        with os.fdopen(open_inside(vault.root, target), "rb") as file:
            found = os.fstat(file.fileno())
            if not S_ISREG(found.st_mode) or found.st_size > LARGEST:
                raise _absent(path)
            data = file.read(LARGEST)
    except OSError as error:
        raise _absent(path) from error
    # An SVG file is text, and secrets are removed from text; here, the whole file is.
    if kind == KINDS[".svg"] and redact_text(data.decode("utf-8", "replace"))[1]:
        raise _absent(path)
    return Response(data, media_type=kind, headers={"content-security-policy": POLICY, "cache-control": "no-cache"})


def _absent(path: str) -> NoteError:
    return NoteError(f"There is no image {path[:200]}", "Only images inside the vault are shown, up to 30 MB")
