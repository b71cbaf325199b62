"""Values written into a vault's `notewell.toml`; all other lines stay as they are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from notewell.errors import SettingsError
from notewell.files.folder import Folder
from notewell.files.safe_open import SETTINGS

LARGEST = 4 << 20
NUMBER = r"[-+\d.eE_]+"
HINT = "Check its permissions, and close it in other programs"


def read_values(root: Path, section: str) -> dict[str, float]:
    """Return the numbers in a section of the vault's settings."""
    with Folder(root, "") as folder, suppress(OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        data, _ = folder.read_whole(SETTINGS, LARGEST)
        values = tomllib.loads(data.decode("utf-8")).get(section, {})
        return {name: value for name, value in values.items() if isinstance(value, (int, float))}
    return {}


def write_values(root: Path, section: str, values: Mapping[str, float | None]) -> None:
    """Write numbers into a section of the vault's settings; None removes a line.

    A change that another program makes meanwhile stays, and is an error.
    """
    try:
        with Folder(root, "") as folder:
            if folder.create(SETTINGS, with_values("", section, values).encode()):
                return
            before, _ = folder.read_whole(SETTINGS, LARGEST)
            text = before.decode("utf-8")
            ending = "\r\n" if 0 < text.count("\n") == text.count("\r\n") else "\n"
            after = with_values(text.replace(ending, "\n"), section, values).replace("\n", ending)
            _check(after, section, values)
            folder.replace(SETTINGS, before, after.encode())
    except UnicodeDecodeError as error:
        raise SettingsError(f"{SETTINGS} is not UTF-8", "Save it as UTF-8") from error
    except OSError as error:
        raise SettingsError(f"{SETTINGS} cannot be written: {error.strerror or error}", HINT) from error


def _check(text: str, section: str, values: Mapping[str, float | None]) -> None:
    """Refuse what cannot be read back: the section may be written as `search.limit = 5`, or in a longer text."""
    with suppress(tomllib.TOMLDecodeError, AttributeError):
        written = tomllib.loads(text).get(section, {})
        if all(written.get(name) == value for name, value in values.items()):
            return
    lines = ", ".join(f"{name} = {value}" for name, value in values.items() if value is not None)
    raise SettingsError(
        f"{SETTINGS} has no table [{section}] that values can be written into",
        f"Write [{section}] on a line of its own; the values are {lines}" if lines else "Edit it yourself",
    )


def with_values(text: str, section: str, values: Mapping[str, float | None]) -> str:
    """Return settings with these numbers in a section.

    >>> with_values("[intake]\\ndepth = 1 # mine\\n[show]\\n", "intake", {"depth": 0.5, "authority": 0.5})
    '[intake]\\ndepth = 0.5 # mine\\nauthority = 0.5\\n[show]\\n'
    >>> with_values("[intake]\\ndepth = 1\\n", "intake", {"depth": None})
    ''
    """
    head = re.search(rf"(?m)^[ \t]*\[[ \t]*{section}[ \t]*\][^\n]*(?:\n|\Z)", text)
    if head is None:
        lines = "".join(f"{name} = {value}\n" for name, value in values.items() if value is not None)
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{section}]\n{lines}" if lines else text
    following = re.compile(r"(?m)^[ \t]*\[").search(text, head.end())
    end = following.start() if following else len(text)
    body = text[head.end() : end]
    for name, value in values.items():
        body = _with_value(body, name, value)
    if not body.strip() and head[0].strip() == f"[{section}]" and set(values.values()) == {None}:
        # What tuning added is taken back whole.
        return text[: head.start()].rstrip() + "\n" * bool(head.start()) + text[end:]
    return f"{text[: head.end()].rstrip(chr(10))}\n{body}{text[end:]}"


def _with_value(body: str, name: str, value: float | None) -> str:
    if value is None:
        return re.sub(rf"(?m)^[ \t]*{name}[ \t]*=[^\n]*(?:\n|\Z)", "", body)
    changed, times = re.subn(rf"(?m)^([ \t]*{name}[ \t]*=[ \t]*){NUMBER}", rf"\g<1>{value}", body)
    if times:
        return changed
    # Blank lines before the next section stay.
    kept = body.rstrip()
    return f"{kept}{chr(10) if kept else ''}{name} = {value}\n{body[len(kept) :].removeprefix(chr(10))}"
