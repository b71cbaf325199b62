"""The token that others than this machine have to send: made once, shown once, and kept only as its hash.

A token is 256 bits of chance, so that a plain SHA-256 is enough: there is no list of likely ones to try, which a slow
hash such as scrypt would guard against, and each request would pay for it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from notewell.errors import SettingsError
from notewell.files.user import write_private

FILE = "token.sha256"
HINT = "Run `notewell serve --new-token` to make one"
# Bits by which others than the owner could put their own token there.
OTHERS_WRITE = 0o022


def make_token(folder: Path) -> str:
    """Return a new token, and keep its hash in the place of the old one's, for the user alone to read."""
    token, file = secrets.token_urlsafe(32), folder / FILE
    try:
        write_private(file, f"{digest_of(token)}\n".encode("ascii"))
    except OSError as error:
        hint = "Check its permissions, and that HOME names your folder"
        raise SettingsError(f"{file} cannot be written: {error.strerror or error}", hint) from error
    return token


def load_digest(folder: Path) -> str:
    """Return the hash of the token that was made last."""
    file = folder / FILE
    try:
        text, mode = file.read_text(encoding="ascii").strip(), file.stat().st_mode
    except FileNotFoundError as error:
        raise SettingsError("There is no token yet", HINT) from error
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file} cannot be read: {error}", HINT) from error
    if os.name == "posix" and mode & OTHERS_WRITE:
        raise SettingsError(f"{file} can be written by others", HINT)
    if len(text) != hashlib.sha256().digest_size * 2:
        raise SettingsError(f"{file} holds no hash of a token", HINT)
    return text


def digest_of(token: str) -> str:
    """Return what is kept of a token.

    >>> digest_of("an example")[:12]
    '73300871f44c'
    """
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def is_token(sent: str, digest: str) -> bool:
    """Tell whether this is the token with that hash; how long that takes says nothing of how near it is.

    >>> is_token("an example", digest_of("an example")), is_token("another", digest_of("an example"))
    (True, False)
    """
    return hmac.compare_digest(digest_of(sent), digest)
