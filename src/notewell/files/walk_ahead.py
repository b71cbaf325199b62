"""A walk in a process of its own while a command loads its modules, by the rules of the last walk of that folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any

from notewell.files.formats import BY_SUFFIX
from notewell.files.safe_open import read_plain
from notewell.files.survey import DIGEST_BYTES, WalkRules, survey
from notewell.files.user import home_folder, state_folder, write_private

# The folder in the user's state folder, and how names end there: of the rules of a folder, and of a store's digest.
FOLDER, RULES, FILES = "walked", ".rules", ".files"
# Where the result of the walk that was begun can be read.
_begun: list[int] = []


def file_of_walk(path: Path, ending: str) -> Path:
    """Return the file in the user's state folder that says how a folder was walked, or what was found for a store."""
    name = blake2b(os.fsencode(path), digest_size=DIGEST_BYTES).hexdigest() + ending
    return state_folder(os.environ, home_folder(os.environ)) / FOLDER / name


def keep_rules(root: Path, rules: WalkRules) -> None:
    """Remember by which rules a folder is walked, unless it is walked domain by domain."""
    if rules.territory:
        return
    write_private(file_of_walk(root, RULES), json.dumps(asdict(rules)).encode())


def begin(folder: str) -> None:
    """Start to walk a folder, or the nearest one above it that was walked before; `take` gives the result."""
    reading, writing = os.pipe()
    if not os.fork():
        # Not even an error may let this copy of the process go on, or keep its output open.
        try:
            for stream in range(3):
                os.close(stream)
            os.write(writing, _walk_as_last(Path(folder)))
        finally:
            os._exit(0)
    os.close(writing)
    _begun.append(reading)


def take(root: Path, rules: WalkRules) -> bytes | None:
    """Return the digest of the walk that was begun, once; None if there was none, or a different one."""
    if not _begun:
        return None
    with os.fdopen(_begun.pop(), "rb") as pipe:
        told = pipe.read()
    return told[:DIGEST_BYTES] if told[DIGEST_BYTES:] == _name_of(root, rules) else None


def _walk_as_last(folder: Path) -> bytes:
    for root in (folder, *folder.parents):
        with suppress(OSError, ValueError, TypeError):
            rules = _rules(json.loads(read_plain(file_of_walk(root, RULES))))
            return survey(root, rules, BY_SUFFIX).digest + _name_of(root, rules)
    return b""


def _rules(kept: Mapping[str, Any]) -> WalkRules:
    given: Mapping[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in kept.items()}
    return WalkRules(**given)


def _name_of(root: Path, rules: WalkRules) -> bytes:
    return blake2b(repr((str(root), rules)).encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()
