"""The tokenizer of a model's folder: its panics become errors, and a vault's own model has only simple patterns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notewell.embed.model_files import read_text
from notewell.errors import EmbedError
from notewell.files.safe_open import SETTINGS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# What marks a vault. A model that lies in one may come from a stranger, as the notes do.
MARKS = (SETTINGS, ".notewell", ".obsidian")
# Patterns in which nothing is special: an escaped character, and one of several.
PLAIN = re.compile(r"\\[^1-9gk]|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
REPEATED = re.compile(r"[*+{]")
# A repeated group, a group with a sign of its own, a reference: with these, few characters can take minutes.
INVOLVED = re.compile(r"\)[*+{]|\(\?|\\")


def load_tokenizer(folder: Path) -> Tokenizer:
    """Return the tokenizer of a model's folder; raise an error if it cannot be read, or is not to be trusted."""
    # The library takes 40 ms to load.
    from tokenizers import Tokenizer  # noqa: PLC0415

    file = folder / "tokenizer.json"
    try:
        with panics_explained(folder):
            tokenizer = Tokenizer.from_str(read_text(file).decode("utf-8"))
    except EmbedError:
        raise
    except Exception as error:  # tokenizers raises nothing narrower
        raise ValueError(f"{file.name}: {error}") from error
    if any((above / mark).exists() for above in folder.resolve().parents for mark in MARKS):
        # As the library has read it: its file may say the same twice.
        about = json.loads(tokenizer.to_str())
        if not all(map(is_simple, _patterns([about["normalizer"], about["pre_tokenizer"]]))):
            raise EmbedError(
                f"{file} has a regular expression that can take very long, and may come from a stranger",
                "If you trust the model, move it out of the vault and set embed.model to its new folder",
            )
    return tokenizer


def is_simple(pattern: str) -> bool:
    """Tell whether a pattern repeats one character at most, so that no text makes it slow.

    >>> is_simple(" {2,}"), is_simple(r"[)*+]+"), is_simple("(x|xx)*y"), is_simple("x*x*x*y")
    (True, True, False, False)
    """
    plain = PLAIN.sub("x", pattern)
    return len(REPEATED.findall(plain)) <= 1 and not INVOLVED.search(plain)


def _patterns(part: Any) -> Iterator[str]:
    """Yield the regular expressions of a part of tokenizer.json."""
    parts = [part]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            yield from [str(part["Regex"])] if "Regex" in part else []
            parts += part.values()
        elif isinstance(part, list):
            parts += part


@contextmanager
def panics_explained(folder: Path) -> Iterator[None]:
    """Turn a panic of the library, which no `except Exception` catches, into an error."""
    try:
        yield
    except BaseException as error:
        # Its class cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise EmbedError(f"The tokenizer in {folder} fails: {error}"[:300], "Use another embedding model") from error
